"""`paws generate` with other generators than word swapping, `--pairs`, `--skip`, and metrics of plugins."""

import json

import pytest
import spacy
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import Fatal, PawsError
from paws_components.pairs import make_pair, pair_spans
from paws_components.plugins import Registration, host
from paws_components.readers import read_pairs
from paws_components.records import stable_id


class Echo:
    """Repeats each sentence a few times, and keeps every second pair of a run."""

    gone = "gone"
    seen: list = []

    def __init__(self, nlp, *, times: int = 2, seed: int = 0):
        self.times = times
        self.evidence = {"echo": times, "echo_seed": seed}

    def __call__(self, docs):
        self.seen.append(len(docs))
        if any(doc.text == self.gone for doc in docs):
            raise Fatal("[X001] The model is gone.")
        if any(doc.text == "refuse" for doc in docs):
            raise RuntimeError("I refuse")
        return [[{"text": f"{doc.text} {i}", "i": i} for i in range(self.times)] for doc in docs]


def choose(records, settings):
    assert settings["times"] and settings["seed"] is not None
    all_of_them = [record.id for record in records]
    kept = set(all_of_them[::2])
    return lambda record: record.id in kept and record.sentence1 != "none"


class Turned(Echo):
    """Puts the second sentence of a pair first."""

    def __call__(self, docs):
        spans = [pair_spans(doc) for doc in docs]
        return [[{"source": second.text, "text": first.text}] for first, second in spans]


def shorter(*, by: int = 1):
    """How many times a number of characters the second text is shorter."""
    return lambda pairs: [(len(one) - len(two)) / by for one, two in pairs]


def wrong():
    return lambda pairs: []


FACTS = {
    "echo": {"chunk": 2},
    "choosy": {"chunk": 2, "choose": choose},
    "turned": {"chunk": 2, "takes_pairs": True},
}


@pytest.fixture(autouse=True)
def parts():
    mine = {
        "generators": {"echo": Echo, "choosy": Echo, "turned": Turned},
        "metrics": {"shorter": shorter, "wrong": wrong},
    }
    for kind, makers in mine.items():
        for name, maker in makers.items():
            host().registered[kind][name] = Registration(name, maker, "test", **FACTS.get(name, {}))
    Echo.seen.clear()
    yield
    for kind, makers in mine.items():
        for name in makers:
            del host().registered[kind][name]


@pytest.fixture
def generate(tmp_path):
    def call(lines, *options, name="in.txt"):
        source = tmp_path / name
        source.write_text("\n".join(lines) + "\n", encoding="utf8")
        out = tmp_path / "out.jsonl"
        result = CliRunner().invoke(cli, ["generate", str(source), "-o", str(out), "--quiet", *options])
        return result, list(read_pairs(out)) if out.exists() else []

    return call


def test_settings_seed_and_evidence(generate):
    result, records = generate(["a", "b", "c"], "-g", "echo", "--set", "times=1", "--seed", "7")
    assert "3 lines in = 3 with pairs + 0 without + 0 errors; 3 pairs" in result.output
    assert [record.sentence2 for record in records] == ["a 0", "b 0", "c 0"]
    evidence = records[0].evidence
    assert evidence["echo"] == 1 and evidence["echo_seed"] == evidence["seed"] == 7 and evidence["i"] == 0
    assert records[0].generator == "echo" and Echo.seen == [2, 1]


def test_pairs_of_a_file(generate):
    rows = ["id\tsentence1\tsentence2\tlabel", "1\tOne two\tTwo one\t0", "2\tThree\tFour\t1", "3\tbad row"]
    result, records = generate(rows, "-g", "echo", "--set", "times=1", "--pairs", name="in.tsv")
    assert "3 lines in = 2 with pairs + 0 without + 1 errors; 4 pairs" in result.output
    assert [(r.sentence1, r.sentence2) for r in records] == [
        ("One two", "One two 0"),
        ("Two one", "Two one 0"),
        ("Three", "Three 0"),
        ("Four", "Four 0"),
    ]
    assert [r.source_id for r in records] == [stable_id("One two")] * 2 + [stable_id("Three")] * 2
    assert records[1].evidence["pair_id"] == "1" and records[1].evidence["pair_label"] == 0


def test_generators_that_take_pairs(generate, tmp_path):
    rows = ["id\tsentence1\tsentence2\tlabel", "1\tOne two\tTwo one\t0", "2\tThree\tFour\t1"]
    result, records = generate(rows, "-g", "turned", "--pairs", name="in.tsv")
    assert "2 lines in = 2 with pairs + 0 without + 0 errors; 2 pairs" in result.output
    assert [(r.sentence1, r.sentence2) for r in records] == [("Two one", "One two"), ("Four", "Three")]
    # A line that is not a pair is an error, and not silence.
    result, _ = generate(["One two"], "-g", "turned")
    assert "P037" in str(result.exception)
    assert "P103" in (tmp_path / "out.jsonl.errors.jsonl").read_text(encoding="utf8")
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_generator", config={"generator": "turned"})
    assert make_pair(nlp, "One two", "Three")._.paws_candidates == [{"source": "Three", "text": "One two"}]


def test_pair_records_keep_their_source(generate):
    row = {"sentence1": "One", "sentence2": "Two", "source_id": "s", "id": "p", "label": 1}
    _, records = generate([json.dumps(row)], "-g", "echo", "--pairs", name="in.jsonl")
    assert {r.source_id for r in records} == {"s"} and {r.evidence["pair_id"] for r in records} == {"p"}


def test_a_choice_over_the_whole_run(generate, tmp_path):
    result, records = generate(["a", "b", "none", "c"], "-g", "choosy")
    assert "3 of 8 candidates were chosen" in result.output
    assert "4 lines in = 3 with pairs + 1 without + 0 errors; 3 pairs" in result.output
    assert [record.sentence2 for record in records] == ["a 0", "b 0", "c 0"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.jsonl"]


@pytest.mark.parametrize("generator, count", [("echo", 10), ("choosy", 5)])
def test_a_fatal_error_keeps_what_was_done(generate, tmp_path, generator, count, monkeypatch):
    result, records = generate(["a", "b", "c", "gone", "d"], "-g", generator)
    assert isinstance(result.exception, PawsError) and "X001" in str(result.exception)
    assert records == [] and (tmp_path / "out.jsonl.run").is_dir()
    # The model is back: the same command goes on after the chunk that was done.
    monkeypatch.setattr(Echo, "gone", "")
    Echo.seen.clear()
    result, records = generate(["a", "b", "c", "gone", "d"], "-g", generator)
    assert "5 lines in = 5 with pairs + 0 without + 0 errors" in result.output
    assert len(records) == count and Echo.seen == [2, 1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.jsonl"]


def test_skip(generate):
    result, records = generate(["a", "b", "c"], "-g", "echo", "--skip", "2")
    assert "1 lines in" in result.output and records[0].sentence1 == "c"


def test_one_bad_line_is_one_error(generate, tmp_path):
    result, records = generate(["a", "refuse", "b"], "-g", "echo")
    assert "3 lines in = 2 with pairs + 0 without + 1 errors" in result.output
    (error,) = [json.loads(line) for line in (tmp_path / "out.jsonl.errors.jsonl").open(encoding="utf8")]
    assert error["line"] == 2 and error["error"] == "RuntimeError: I refuse"


@pytest.mark.parametrize(
    "options, code",
    [
        (["-g", "nobody"], "P201"),
        (["-g", "echo", "--set", "tims=1"], "P203.*did you mean `times`"),
        (["-g", "echo", "--set", "times"], "P204"),
        (["-g", "echo", "--beam", "5"], "P210.*--beam.*echo"),
        (["--pairs", "--sentences"], "P211"),
    ],
)
def test_clear_errors_and_the_last_output_is_kept(generate, options, code):
    _, before = generate(["x"], "-g", "echo")
    result, after = generate(["a"], *options)
    with pytest.raises(PawsError, match=code):
        raise result.exception
    assert after == before != []


def test_a_metric_of_a_plugin(tmp_path):
    source, out = tmp_path / "in.tsv", tmp_path / "out.tsv"
    source.write_text("sentence1\tsentence2\nlong one\tone\nshort\tshort\n", encoding="utf8")
    options = ["--metrics", "bow_cosine", "--where", "shorter > 1", "--set", "shorter.by=2", "--quiet"]
    result = CliRunner().invoke(cli, ["metrics", str(source), "-o", str(out), *options])
    assert result.exit_code == 0, result.exception
    header, row = [line.split("\t") for line in out.read_text(encoding="utf8").splitlines()]
    assert dict(zip(header, row))["shorter"] == "2.5"
    for options, code in (
        (["--metrics", "wrong"], "P215"),
        (["--metrics", "wpd", "--set", "wpd.x=1"], "P203"),
        (["--metrics", "wpd", "--set", "ld.variant=paper"], "P214"),
    ):
        result = CliRunner().invoke(cli, ["metrics", str(source), "-o", str(out), "--quiet", *options])
        told = str(result.exception) + result.output + "".join(p.read_text() for p in tmp_path.glob("*.errors.jsonl"))
        assert code in told


def test_a_metric_of_a_plugin_in_a_pipeline():
    import spacy

    from paws_components import make_pair

    nlp = spacy.blank("en")
    config = {"metrics": ["shorter"], "where": "shorter > 1", "settings": {"shorter": {"by": 2}}}
    nlp.add_pipe("paws_pair_metrics", config=config)
    doc = make_pair(nlp, "long one", "one")
    assert doc._.paws_shorter == 2.5 and doc._.paws_selected is True


def test_the_list_of_plugins():
    listed = json.loads(CliRunner().invoke(cli, ["plugins", "--json"]).output)
    assert set(listed[0]) >= {"name", "version", "package", "hooks", "generators", "state", "error"}
    shown = CliRunner().invoke(cli, ["plugins"]).output
    assert "builtin  paws-components" in shown and "word_swap" in shown
    assert "times (int): default 2" in CliRunner().invoke(cli, ["plugins", "echo"]).output
    assert json.loads(CliRunner().invoke(cli, ["plugins", "kenlm", "--json"]).output)[0]["kind"] == "language model"
    assert "P201" in str(CliRunner().invoke(cli, ["plugins", "nobody"]).exception)
