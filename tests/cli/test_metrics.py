import json

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

from ..nli.models import TAUGHT, make_pipeline

SOURCE = "I keep a glass of water next to my bed when I sleep."
GENERATED = [
    "I keep a glass of water beside my bed when I sleep.",
    "When I sleep, I always keep a glass of water near my bed.",
    "When I sleep I keep a glass of water next to my bed.",
]


def paws(*args):
    result = CliRunner().invoke(cli, ["metrics", *map(str, args), "--quiet"])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    with RecordWriter(path) as writer:
        for i, text in enumerate(GENERATED):
            writer.write(PairRecord(SOURCE, text, label=i % 2, evidence={"gap": float(i)}))
    return path


def test_adds_columns(pairs, tmp_path):
    out = tmp_path / "out.tsv"
    result = paws(pairs, "-o", out)
    assert result.exit_code == 0
    lines = [line.split("\t") for line in out.read_text(encoding="utf8").splitlines()]
    assert lines[0][:4] == ["id", "sentence1", "sentence2", "label"]
    assert lines[0][-4:] == ["bow_cosine", "inversion_rate", "wpd", "ld"]
    assert float(lines[3][-1]) == 0.0 and float(lines[3][-4]) == 1.0
    assert "metric" in result.stdout and "label 1" in result.stdout
    assert "3 rows in = 3 kept + 0 left out + 0 errors" in result.stderr


def test_keeps_and_sorts(pairs, tmp_path):
    out = tmp_path / "out.jsonl"
    paws(pairs, "-o", out, "--where", "wpd > 0.2", "--sort", "-wpd", "--metrics", "bow_cosine")
    kept = list(read_pairs(out))
    assert [record.sentence2 for record in kept] == [GENERATED[1], GENERATED[2]]
    assert list(kept[0].evidence) == ["gap", "bow_cosine", "wpd"]
    paws(pairs, "-o", out, "--sort", "wpd")
    assert [record.sentence2 for record in read_pairs(out)] == [GENERATED[0], GENERATED[2], GENERATED[1]]
    paws(pairs, "-o", out, "--where", "gap >= 1 and label == 1", "--metrics", "bow_cosine")
    assert [record.sentence2 for record in read_pairs(out)] == [GENERATED[1]]


@pytest.mark.parametrize("ending", ["tsv", "csv", "parquet", "jsonl"])
def test_every_format_in_and_out(pairs, tmp_path, ending):
    middle, last = tmp_path / f"middle.{ending}", tmp_path / "last.jsonl"
    paws(pairs, "-o", middle)
    paws(middle, "-o", last)
    first = list(read_pairs(pairs))
    again = list(read_pairs(last))
    assert [(r.id, r.sentence1, r.sentence2, r.label) for r in again] == [
        (r.id, r.sentence1, r.sentence2, r.label) for r in first
    ]
    assert [record.evidence["gap"] for record in again] == [0.0, 1.0, 2.0]


def test_processes_change_nothing(data_dir, tmp_path):
    source = data_dir / "mrpc" / "msr_paraphrase_train.txt"
    one, two = tmp_path / "one.tsv", tmp_path / "two.tsv"
    paws(source, "-o", one, "--limit", 300)
    paws(source, "-o", two, "--limit", 300, "--n-process", 2)
    assert one.read_bytes() == two.read_bytes()
    assert len(one.read_bytes().splitlines()) == 301


def test_every_row_is_accounted_for(tmp_path):
    source = tmp_path / "pairs.tsv"
    source.write_text("sentence1\tsentence2\na b\tb a\nonly one\nc\td\n", encoding="utf8")
    result = paws(source, "-o", tmp_path / "out.tsv", "--metrics", "bow_cosine", "--where", "bow_cosine > 0.5")
    assert "3 rows in = 1 kept + 1 left out + 1 errors" in result.stderr
    (entry,) = map(json.loads, (tmp_path / "out.tsv.errors.jsonl").read_text(encoding="utf8").splitlines())
    assert entry["line"] == 3 and "1 columns" in entry["error"]
    # A second run without errors leaves no file of errors.
    source.write_text("sentence1\tsentence2\na b\tb a\n", encoding="utf8")
    paws(source, "-o", tmp_path / "out.tsv", "--metrics", "bow_cosine")
    assert not (tmp_path / "out.tsv.errors.jsonl").exists()


def test_columns_by_name(tmp_path):
    source = tmp_path / "pairs.csv"
    source.write_text('left,right,same\n"a, b","b, a",yes\n', encoding="utf8")
    with pytest.raises(PawsError, match="P144.*--columns"):
        paws(source, "-o", tmp_path / "out.csv", "--metrics", "bow_cosine")
    paws(source, "-o", tmp_path / "out.csv", "--metrics", "bow_cosine", "--columns", "left,right,same")
    assert (tmp_path / "out.csv").read_text(encoding="utf8") == ('left,right,same,bow_cosine\n"a, b","b, a",yes,1.0\n')


@pytest.mark.parametrize(
    "args, code",
    [
        (["--metrics", "wdp"], "P104"),
        (["--variant", "newest"], "P015"),
        (["--where", "import os"], "P105"),
        (["--where", "wdp > 1"], "P106"),
        (["--sort", "wdp"], "P110"),
        (["--model", "no_such_model"], "P013"),
    ],
)
def test_mistakes_are_our_errors(pairs, tmp_path, args, code):
    with pytest.raises(PawsError, match=code):
        paws(pairs, "-o", tmp_path / "out.jsonl", *args)


def test_the_output_is_not_the_input(pairs):
    before = pairs.read_bytes()
    with pytest.raises(PawsError, match="P150"):
        paws(pairs, "-o", pairs)
    assert pairs.read_bytes() == before


def test_tabs_within_a_sentence_are_told(tmp_path):
    source = tmp_path / "pairs.csv"
    source.write_text('sentence1,sentence2\n"a\tb","b\na"\nc,d\n', encoding="utf8")
    result = paws(source, "-o", tmp_path / "out.csv", "--metrics", "bow_cosine")
    assert "1 rows have tabs, line breaks" in result.stderr
    assert "2 rows in = 2 kept" in result.stderr
    rows = (tmp_path / "out.csv").read_text(encoding="utf8")
    assert rows == 'sentence1,sentence2,bow_cosine\na\tb,"b\na",1.0\nc,d,0.0\n'


def test_an_output_of_no_known_kind(pairs, tmp_path):
    with pytest.raises(PawsError, match="P011"):
        paws(pairs, "-o", tmp_path / "out.xlsx")


def test_mutual_implication_as_a_condition(tmp_path):
    """A model given with `--set`; the metric that the condition alone names has its settings too."""
    model = make_pipeline(tmp_path / "nli")
    with RecordWriter(tmp_path / "pairs.jsonl") as writer:
        for one, two in TAUGHT:
            writer.write(PairRecord(one, two))
    out = tmp_path / "out.jsonl"
    settings = [f"--set=mi_{field}.model={model}" for field in ("verdict", "forward")]
    result = paws(tmp_path / "pairs.jsonl", "-o", out, "--metrics=mi_forward", "--where=mi_verdict == 1", *settings)
    assert result.exit_code == 0, result.output
    kept = list(read_pairs(out))
    assert [record.sentence1 for record in kept] == ["anna saw ben.", "ben was seen by anna."]
    assert all(record.evidence["mi_forward"] > 0.4 for record in kept)
