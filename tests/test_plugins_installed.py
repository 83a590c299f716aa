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
# One of every kind, importing nothing but `paws_components.plugin`.
WIDE = """
import click
from paws_components.plugin import PairRecord, PawsError, Translation, hookimpl

def make_shout(nlp, *, times: int = 1):
    "Says it louder."
    return lambda docs: [[{"text": doc.text.upper() + "!" * times}] for doc in docs]

def short_ones(records, settings):
    assert settings == {"times": 2}
    return lambda record: len(record.sentence2) < 30

def make_commas():
    return lambda pairs: [float(one.count(",") - two.count(",")) for one, two in pairs]

class Spelled:
    def translate(self, texts, source, target, k):
        return [[Translation(text.upper() if target == "xx" else text.lower())] for text in texts]

class Shortness:
    order = 1
    def begin(self):
        return ()
    def extend(self, states, words):
        return [-float(sum(map(len, more))) for more in words], [()] * len(states)
    def end(self, states):
        return [0.0] * len(states)

class NaturalnessJudge:
    def judge(self, sentences):
        return [1.0] * len(sentences)

def make_judge():
    return NaturalnessJudge()

@hookimpl
def paws_register_generators(register):
    register("shout", make_shout, chunk=2, choose=short_ones)

@hookimpl
def paws_register_metrics(register):
    register("commas", make_commas, title="Commas lost", about="How many commas went.", light=True)

@hookimpl
def paws_register_translators(register):
    register("spelled", Spelled)

@hookimpl
def paws_register_language_models(register):
    register("shortness", Shortness)
    register("judge_like", make_judge)

@click.command()
@click.argument("name")
def greet(name):
    "Greet a record."
    click.echo(PairRecord(name, "hello").to_dict()["sentence1"])
"""
MISSHAPEN = """
from paws_components.plugin import hookimpl
class NaturalnessJudge:
    def judge(self, sentences): ...
@hookimpl
def paws_register_language_models(register):
    register("naturalness", NaturalnessJudge)
"""
COMMAND = """
[project.entry-points.paws_components_commands]
greet = "paws_wide:greet"
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
    others = {"noisy": NOISY, "wide": WIDE, "misshapen": MISSHAPEN, **BROKEN}
    sources = {"negate": tutorial(), **{name: (PROJECT.format(name=name), code) for name, code in others.items()}}
    sources["wide"] = (sources["wide"][0] + COMMAND, WIDE)
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


def test_one_plugin_brings_one_of_every_kind(fresh):
    listed = {plugin["name"]: plugin for plugin in json.loads(paws(fresh, "plugins", "--json").stdout)}
    wide = listed["wide"]
    assert wide["state"] == "ok" and wide["error"] is None and wide["commands"] == ["greet"]
    assert wide["generators"] == ["shout"] and wide["metrics"] == ["commas"] and wide["translators"] == ["spelled"]
    assert paws(fresh, "greet", "Ann").stdout == "Ann\n"
    (fresh[0] / "two.txt").write_text("Rain, then snow.\nA much longer sentence, as it were.\n", encoding="utf8")
    options = ["--generator", "shout", "--set", "times=2", "--quiet"]
    done = paws(fresh, "generate", "two.txt", "-o", "shouts.jsonl", *options)
    assert "1 with pairs" in done.stderr and "RAIN, THEN SNOW.!!" in (fresh[0] / "shouts.jsonl").read_text(), (
        done.stderr
    )


def test_its_metric_is_measured_and_reported(fresh):
    (fresh[0] / "pairs.tsv").write_text("sentence1\tsentence2\na, b\ta b\nc\tc\n", encoding="utf8")
    done = paws(fresh, "metrics", "pairs.tsv", "-o", "m.tsv", "--metrics", "commas", "--where", "commas > 0", "--quiet")
    assert (fresh[0] / "m.tsv").read_text(encoding="utf8").splitlines()[1].endswith("1.0"), done.stderr
    done = paws(fresh, "report", "pairs.tsv", "-o", "page.html", "--quiet")
    page = (fresh[0] / "page.html").read_text(encoding="utf8")
    assert "Commas lost" in page and "How many commas went." in page, done.stderr


def test_its_translator_and_language_model_are_used(fresh):
    code = """
import spacy
from paws_components.plugin import make_registered
print(make_registered("translators", "spelled").translate(["Hi"], "en", "xx", 1)[0][0].text)
import paws_components
nlp = paws_components.load_pipeline()
lm = {"@misc": "paws.LanguageModel.v1", "name": "shortness"}
nlp.add_pipe("paws_swapper", config={"lm": lm, "precise": False})
(swap,) = nlp("Ann flew from Paris to London.")._.paws_swaps
print(swap["source_score"], swap["gap"])
"""
    done = python(fresh, "-c", code)
    assert done.stdout.splitlines() == ["HI", "-30.0 0.0"], done.stderr


def test_what_has_the_wrong_shape_is_refused(fresh):
    (refused,) = (one for one in json.loads(paws(fresh, "plugins", "--json").stdout) if one["name"] == "misshapen")
    assert refused["state"] == "failed" and "class NaturalnessJudge has no `begin`, `extend`, `end`" in refused["error"]
    options = ["--set", "lm=judge_like", "--quiet"]
    done = paws(fresh, "generate", "two.txt", "-o", "never.jsonl", *options)
    assert done.returncode == 1 and "a NaturalnessJudge, has no `begin`, `extend`, `end`" in done.stderr, done.stderr
    assert not (fresh[0] / "never.jsonl").exists()
