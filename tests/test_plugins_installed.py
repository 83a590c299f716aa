"""The tutorial's plugin, built and installed with pip into a fresh environment, with two broken ones beside it."""

import json
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "plugins.md"
PROJECT = """
[project]
name = "paws-{name}"
version = "0.1.0"
[project.entry-points.paws_components]
{name} = "paws_{name}"
[tool.setuptools]
py-modules = ["paws_{name}"]
"""
NOISY = """
from paws_components import hookimpl
print("[noise at import]")
@hookimpl
def paws_register_generators(register):
    print("[noise in a hook]")
    register("noisy", print)
"""
BROKEN = {
    "crash": "raise RuntimeError('this plugin is broken')",
    "typo": "from paws_components import hookimpl\n@hookimpl\ndef paws_register_generatos(register): pass",
}


def tutorial():
    """The two files of the tutorial, as printed."""
    text = PAGE.read_text(encoding="utf8")
    (project,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (module,) = (code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class Negate" in code)
    return project, module


def test_the_tutorial_is_short():
    assert sum(len(part.splitlines()) for part in tutorial()) < 40


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """An environment with this one's packages behind its own, and the three plugins installed into it."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "env", with_pip=True)
    bin_dir = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([bin_dir / "python", "-c", ask], capture_output=True, text=True).stdout.strip())
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "behind.pth").write_text("".join(f"import site; site.addsitedir({p!r})\n" for p in here), encoding="utf8")
    others = {"noisy": NOISY, **BROKEN}
    sources = {"negate": tutorial(), **{name: (PROJECT.format(name=name), code) for name, code in others.items()}}
    for name, (project, module) in sources.items():
        (folder / name).mkdir()
        (folder / name / "pyproject.toml").write_text(project, encoding="utf8")
        (folder / name / f"paws_{name}.py").write_text(module, encoding="utf8")
    # Built with this environment's setuptools: nothing is fetched, and a new environment's own may be too old.
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder / "dist"]
    subprocess.run([*build, *(folder / name for name in sources)], check=True, capture_output=True)
    install = [bin_dir / "python", "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*install, *(folder / "dist").glob("*.whl")], check=True, capture_output=True)
    return folder, bin_dir / "python"


def python(fresh, *args):
    return subprocess.run([fresh[1], *map(str, args)], capture_output=True, text=True, cwd=fresh[0])


def paws(fresh, *args):
    return python(fresh, "-c", "from paws_components.cli import main; main()", *args)


def test_it_is_listed_with_the_broken_ones(fresh):
    listed = {plugin["name"]: plugin for plugin in json.loads(paws(fresh, "plugins", "--json").stdout)}
    assert listed["negate"]["state"] == "ok" and listed["negate"]["generators"] == ["negate"]
    assert listed["negate"]["package"] == "paws-negate" and listed["negate"]["version"] == "0.1.0"
    assert listed["crash"]["state"] == listed["typo"]["state"] == "failed"
    assert "RuntimeError: this plugin is broken" in listed["crash"]["error"]
    assert "paws_register_generatos" in listed["typo"]["error"]
    shown = paws(fresh, "plugins").stdout
    assert "this plugin is broken" in shown and "did you mean `paws_register_generators`" in shown
    assert "auxiliaries (List[str])" in paws(fresh, "plugins", "negate").stdout
    failed = paws(fresh, "plugins", "crash")
    assert failed.returncode == 1 and "this plugin is broken" in failed.stderr


def test_a_plugin_that_prints_does_not_spoil_json(fresh):
    done = paws(fresh, "plugins", "--json")
    assert {plugin["name"] for plugin in json.loads(done.stdout)} >= {"builtin", "noisy"}
    assert "[noise at import]" in done.stderr and "[noise in a hook]" in done.stderr


def test_it_generates(fresh):
    (fresh[0] / "in.txt").write_text("The door is open.\nRain.\nThe cat must not sleep.\n", encoding="utf8")
    options = ["--generator", "negate", "--set", 'auxiliaries=["is", "must"]', "--quiet"]
    done = paws(fresh, "generate", "in.txt", "-o", "out.jsonl", *options, "--n-process", 2)
    assert "3 lines in = 2 with pairs + 1 without + 0 errors; 2 pairs" in done.stderr, done.stderr
    pairs = [json.loads(line) for line in (fresh[0] / "out.jsonl").read_text(encoding="utf8").splitlines()]
    assert [pair["sentence2"] for pair in pairs] == ["The door is not open.", "The cat must sleep."]
    assert pairs[0]["generator"] == "negate" and pairs[0]["evidence"]["auxiliary"] == "is"
    wrong = paws(fresh, "generate", "in.txt", "-o", "x.jsonl", "--generator", "negate", "--set", "auxilaries=1")
    assert wrong.returncode == 1 and "did you mean `auxiliaries`?" in wrong.stderr and "Traceback" not in wrong.stderr


def test_pipelines_are_unharmed(fresh):
    code = """
import spacy
nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")
nlp.add_pipe("paws_pair")
nlp.add_pipe("paws_generator", config={"generator": "negate"})
nlp.to_disk("saved")
doc = spacy.load("saved")("It is so.\\tIt was not.")
print([(c["source"], c["text"]) for c in doc._.paws_candidates])
"""
    done = python(fresh, "-c", code)
    assert done.stdout.strip() == "[('It is so.', 'It is not so.'), ('It was not.', 'It was.')]", done.stderr
