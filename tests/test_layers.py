"""Imports go one way: a package takes from those above it in the list (DESIGN.md, "Layout"), never from those below."""

import ast
from pathlib import Path

import paws_components

ROOT = Path(paws_components.__file__).parent
LAYERS = [
    ["errors"],
    ["hookspecs", "tables", "needed", "loading", "settings", "extensions", "lang", "corpora", "tables"],
    ["records", "storage"],
    ["pairs", "models", "writers"],
    ["readers"],
    ["engine"],
    ["plugins"],
    ["ml"],
    ["lm", "nli"],
    ["metrics"],
    ["generation"],
    ["translation"],
    ["curation"],
    ["pipeline", "evaluation"],
    ["training"],
    ["building"],
    ["viz"],
    ["annotate"],
    ["builtin", "api"],
    ["cli"],
    ["__main__", "plugin"],
]
PLACE = {name: i for i, layer in enumerate(LAYERS) for name in layer}


def imported(path):
    """The packages of ours that a file imports, wherever in it."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.ImportFrom) and node.level == len(package) + 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (name.split(".")[0] for name in names)
        elif isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("paws_components"), f"{path}: imports of ours are relative"


def test_imports_go_one_way():
    upward = []
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        for name in imported(path):
            if own != "__init__" and (ROOT / name).exists() | (ROOT / f"{name}.py").exists() and name != own:
                if PLACE[name] >= PLACE[own]:
                    upward.append(f"{path.relative_to(ROOT)} imports {name}")
    assert upward == []
