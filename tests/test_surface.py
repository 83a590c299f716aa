"""What is declared is declared once, is there, and is all that plugins and docs import."""

import ast
import re
from pathlib import Path

import pytest

import paws_components
from paws_components import plugin

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "plugins").glob("*/README.md"))]
MODULES = sorted((ROOT / "plugins").glob("*/paws_*/**/*.py"))


def imports(code):
    """What a piece of code imports of ours."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == "paws_components":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((a.name, "") for a in node.names if a.name.split(".")[0] == "paws_components")


def check(code, where, allowed):
    for module, name in imports(code):
        assert module in allowed, f"{where} imports {name or module} from {module}"
        declared = allowed[module].__all__
        assert not name or name in declared or name == "plugin", (
            f"{module} does not declare {name}, which {where} imports"
        )


@pytest.mark.parametrize("module", [paws_components, plugin], ids=lambda module: module.__name__)
def test_types_and_names_agree(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.asname for node in block.body for alias in node.names}
    assert typed == set(module.__all__) - {"__version__"} == set(dir(module)) - {"__version__"}
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_plugins_import_from_one_module():
    assert len(MODULES) > 40
    for path in MODULES:
        check(path.read_text(encoding="utf8"), path.name, {"paws_components.plugin": plugin})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_docs_import_what_is_declared(page):
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf8"), re.DOTALL):
        check(block, page.name, {"paws_components": paws_components, "paws_components.plugin": plugin})


def test_every_declared_name_is_in_the_docs():
    text = "\n".join(page.read_text(encoding="utf8") for page in PAGES)
    missing = [name for name in paws_components.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []
