"""The host, with plugins that are modules on the path and entry points made for them."""

import io
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import spacy

from paws_components import plugins
from paws_components.errors import PawsError
from paws_components.metrics.measure import TextMetric
from paws_components.plugins import HOOKS, KINDS, Host

GOOD = """
from paws_components import hookimpl

class Upper:
    def __init__(self, nlp, *, times: int = 1):
        self.times = times
    def __call__(self, docs):
        return [[{"text": doc.text.upper()}] * self.times for doc in docs]

class Fails(Upper):
    def __init__(self, nlp):
        raise OSError("no such disk")

@hookimpl
def paws_register_generators(register):
    register("upper", Upper)
    register("fails", Fails, needs=["tagger"])

@hookimpl
def paws_register_metrics(register):
    register("longer", lambda *, by: None)
"""
BROKEN = {
    "imports": ("import no_such_module_at_all", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
    "leaves": ("raise SystemExit(3)", "SystemExit: 3"),
    "typo": (
        "from paws_components import hookimpl\n@hookimpl\ndef paws_register_generatos(register): pass",
        "P207.*`paws_register_generatos` is not a hook.*did you mean `paws_register_generators`",
    ),
    "arguments": (
        "from paws_components import hookimpl\n@hookimpl\ndef paws_register_generators(registry): pass",
        "registry",
    ),
    "unmarked": ("def paws_register_generators(register): pass", "P208"),
    "raises": (
        "from paws_components import hookimpl\n@hookimpl\ndef paws_register_metrics(register):\n"
        "    register('fine', print)\n    raise KeyError('oh')",
        "KeyError: 'oh'",
    ),
    "taken": (
        "from paws_components import hookimpl\n@hookimpl\ndef paws_register_generators(register):\n"
        "    register('mine', print)\n    register('word_swap', print)",
        "P205.*'word_swap', which builtin registers already",
    ),
    "odd": (
        "from paws_components import hookimpl\n@hookimpl\ndef paws_register_generators(register):\n"
        "    register('mine', 3)",
        "P209",
    ),
}


@pytest.fixture
def point(tmp_path, monkeypatch):
    """Writes a module and gives the entry point of it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name, source, value=None):
        module = f"plugin_{name}_{tmp_path.name.replace('-', '_')}"
        (tmp_path / f"{module}.py").write_text(source, encoding="utf8")
        return EntryPoint(name, value or module, "paws_components")

    return make


BUILTIN = EntryPoint("builtin", "paws_components.builtin", "paws_components")


def test_broken_plugins_harm_nobody(point):
    points = [BUILTIN, *(point(name, source) for name, (source, _) in BROKEN.items()), point("good", GOOD)]
    host = Host(points)
    states = {plugin.name: plugin for plugin in host.plugins}
    for name, (_, reason) in BROKEN.items():
        assert states[name].state == "failed" and re.search(reason, states[name].error), states[name]
        assert not any(getattr(states[name], kind) for kind in KINDS)
        assert not host.manager.has_plugin(name)
    assert states["good"].state == "ok" and states["good"].generators == ["fails", "upper"]
    assert (
        set(host.registered["generators"]) == {"word_swap", "upper", "fails"}
        and "fine" not in host.registered["metrics"]
    )
    generator = host.make("generators", "upper", {"times": 2}, spacy.blank("en"))
    assert generator([spacy.blank("en")("a")]) == [[{"text": "A"}] * 2]


def test_two_of_one_name(point):
    host = Host([point("good", GOOD), point("good", GOOD)])
    assert [plugin.state for plugin in host.plugins] == ["ok", "failed"] and "P213" in host.plugins[1].error
    assert "upper" in host.registered["generators"] and host.manager.has_plugin("good")


NOISY = """
import os
import subprocess
import sys
from paws_components import hookimpl

print("from import")
sys.__stdout__.write("from the first stdout")
os.write(1, b"from the descriptor\\n")
subprocess.run([sys.executable, "-c", "print('from a process')"])

@hookimpl
def paws_register_generators(register):
    print("from a hook")
    register("noisy", print)
"""


def test_what_plugins_print_goes_to_stderr(point, capfd):
    print("before")
    host = Host([BUILTIN, point("noisy", NOISY)])
    print("after")
    assert host.plugins[1].state == "ok", host.plugins[1].error
    out, err = capfd.readouterr()
    assert out == "before\nafter\n"
    said = ("from import", "from the first stdout", "from the descriptor", "from a process", "from a hook")
    assert [line for line in said if line not in err] == []


def test_a_closed_or_replaced_stdout_is_no_obstacle(point, monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr("sys.stdout", written)
    assert Host([point("noisy", NOISY)]).plugins[0].state == "ok"
    assert written.getvalue() == ""
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    assert Host([point("noisy", NOISY)]).plugins[0].state == "ok"


def test_errors_say_what_there_is(point):
    host = Host([BUILTIN, point("good", GOOD), point("typo", BROKEN["typo"][0])])
    with pytest.raises(PawsError, match="P201.*generator 'uper'.*Did you mean 'upper'.*'typo' could not be loaded"):
        host.find("generators", "uper")
    with pytest.raises(PawsError, match="P201.*There are: none"):
        Host([]).find("translators", "x")
    with pytest.raises(PawsError, match="P203.*generator 'upper'.*`times`"):
        host.make("generators", "upper", {"times": "x"}, None)
    with pytest.raises(PawsError, match="P202.*OSError: no such disk.*plugin 'good'"):
        host.make("generators", "fails", {}, None)
    with pytest.raises(PawsError, match="P203.*metric 'longer'.*`by` is missing"):
        host.make("metrics", "longer", {})


def test_what_we_bring_comes_by_the_same_door():
    host = plugins.host()
    builtin = host.plugins[0]
    assert builtin.name == "builtin" and builtin.package == "paws-components" and builtin.state == "ok"
    assert builtin.generators == ["word_swap"] and builtin.language_models == ["causal", "kenlm"]
    assert {"wpd", "bow_cosine"} <= set(builtin.metrics) and "neural" in builtin.judges


SHAPES = """
from paws_components import hookimpl

class Scorer:
    def begin(self): ...
    def judge(self, sentences): ...

def make_scorer():
    return Scorer()

@hookimpl
def paws_register_language_models(register):
    register("scorer", {what})
"""


def test_a_class_of_the_wrong_shape_is_refused_when_it_is_registered(point):
    (plugin,) = Host([point("shapes", SHAPES.format(what="Scorer"))]).plugins
    assert plugin.state == "failed" and re.search("P217.*'scorer'.*class Scorer has no `extend`, `end`", plugin.error)


def test_a_thing_of_the_wrong_shape_is_refused_when_it_is_made(point):
    host = Host([point("makes", SHAPES.format(what="make_scorer"))])
    with pytest.raises(PawsError, match="P217.*plugin 'makes' makes, a Scorer, has no `extend`, `end`"):
        host.make("language_models", "scorer", {})


@pytest.mark.parametrize(
    "facts, reason",
    [
        ("chunks=3", "P218.*`chunks`.*Known: requires, needs, chunk"),
        ("reads='letters'", "P218"),
        ("needs=['tagger']", "P218.*metric"),
    ],
)
def test_what_means_nothing_is_refused(point, facts, reason):
    kind = "generators" if "chunk" in facts else "metrics"
    source = f"from paws_components import hookimpl\n@hookimpl\ndef paws_register_{kind}(register):\n"
    (plugin,) = Host([point("odd", source + f"    register('x', print, {facts})")]).plugins
    assert re.search(reason, plugin.error)


def test_a_missing_package_is_told_with_its_extra(point):
    source = "from paws_components import hookimpl\n@hookimpl\ndef paws_register_metrics(register):\n"
    host = Host([point("far", source + "    register('far', print, requires={'no_such_pkg': 'paws-far[all]'})")])
    assert host.find("metrics", "far").missing == "no_such_pkg"
    with pytest.raises(PawsError, match=r"P101.*metric 'far' needs no_such_pkg.*pip install 'paws-far\[all\]'"):
        host.make("metrics", "far", {})


def test_our_metrics_by_name():
    cosine = TextMetric("bow_cosine")
    assert cosine([("a b", "b a"), ("a", "b")]) == [1.0, 0.0]
    assert cosine([]) == []
    assert TextMetric("wpd", {"variant": "released"})([("Ann saw Bob.", "Bob saw Ann.")])[0] > 0


def test_every_hook_is_in_the_docs_and_has_a_kind():
    page = (Path(__file__).resolve().parents[1] / "docs" / "plugins.md").read_text(encoding="utf8")
    from paws_components import hookspecs

    specified = [name for name in vars(hookspecs) if name.startswith("paws_")]
    assert sorted(specified) == sorted(HOOKS)
    for hook in HOOKS:
        assert f"### `{hook}`" in page and getattr(hookspecs, hook).__doc__
