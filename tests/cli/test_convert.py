import json

import pytest
import spacy
from click.testing import CliRunner
from spacy.training import Corpus

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.pairs import pair_spans
from paws_components.records import PairRecord
from paws_components.training.readers import PairCorpus
from paws_components.writers import RecordWriter

NLP = spacy.blank("en")
TSV = "id\tsentence1\tsentence2\tlabel\n"


def paws(*args):
    result = CliRunner().invoke(cli, ["convert", *map(str, args), "--quiet"])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def read(path):
    """The pairs of a `.spacy` file as spaCy's own reader gives them."""
    examples = list(Corpus(path)(NLP))
    assert [example.predicted.text for example in examples] == [example.reference.text for example in examples]
    return [(*(span.text for span in pair_spans(eg.reference)), eg.reference.cats["paraphrase"]) for eg in examples]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    with RecordWriter(path) as writer:
        for i in range(10):
            writer.write(PairRecord(f"Don't go, {i}.", f"Go not {i}…", label=i % 2, label_source="human"))
    return path


def test_spacy_reads_the_same_pairs(pairs, tmp_path):
    out = tmp_path / "out.spacy"
    result = paws(pairs, "-o", out)
    assert read(out) == [(f"Don't go, {i}.", f"Go not {i}…", float(i % 2)) for i in range(10)]
    assert result.stderr == f"10 rows in = 10 pairs + 0 left out + 0 errors in {out}\n"
    first, again = out.read_bytes(), tmp_path / "again.spacy"
    paws(pairs, "-o", again)
    assert again.read_bytes() == first


def test_every_row_is_accounted_for(tmp_path):
    source, out = tmp_path / "pairs.tsv", tmp_path / "out.spacy"
    source.write_text(TSV + "1\ta\tb\t1\n2\tc\td\t\n3\te\tf\tx\n4\tg\n", encoding="utf8")
    result = paws(source, "-o", out)
    assert "4 rows in = 1 pairs + 1 left out + 2 errors" in result.stderr
    assert "1 can't be read; 1 have a label that the layout does not know; 1 have no label" in result.stderr
    entries = [json.loads(line) for line in (tmp_path / "out.spacy.errors.jsonl").read_text().splitlines()]
    assert [(entry["line"], entry["path"]) for entry in entries] == [(4, str(source)), (5, str(source))]
    assert "x" in entries[0]["error"] and "columns" in entries[1]["error"]
    source.write_text(TSV + "1\ta\tb\t1\n", encoding="utf8")
    paws(source, "-o", out)
    assert not (tmp_path / "out.spacy.errors.jsonl").exists()


def test_several_inputs_and_tabs_within(pairs, tmp_path):
    other, out = tmp_path / "other.jsonl", tmp_path / "out.spacy"
    other.write_text('{"sentence1": "a\\tb", "sentence2": "b\\na", "label": 1}\n', encoding="utf8")
    result = paws(pairs, other, "-o", out)
    assert read(out)[-1] == ("a b", "b a", 1.0) and len(read(out)) == 11
    assert "1 hold tabs or line breaks within a sentence, read as spaces" in result.stderr


def test_cuts_a_corpus_in_two(pairs, tmp_path):
    head, tail = tmp_path / "head.spacy", tmp_path / "tail.spacy"
    result = paws(pairs, "-o", head, "--shuffle", "--seed", 5, "--limit", 4)
    assert "10 rows in = 4 pairs + 6 left out + 0 errors" in result.stderr
    assert "6 do not lie within skip and limit" in result.stderr
    paws(pairs, "-o", tail, "--shuffle", "--seed", 5, "--skip", 4)
    assert sorted(read(head) + read(tail)) == sorted(
        (f"Don't go, {i}.", f"Go not {i}…", float(i % 2)) for i in range(10)
    )
    same = PairCorpus(pairs, shuffle=True, seed=5, limit=4).read(1)
    assert {pair.sentence1 for pair in same} == {first for first, _, _ in read(head)}
    assert "3 rows in = 3 pairs" in paws(pairs, "-o", head, "--limit", 3).stderr


def test_silver_labels_stay_apart(pairs, tmp_path):
    silver, out = tmp_path / "silver.tsv", tmp_path / "out.spacy"
    silver.write_text("text_a\ttext_b\tlabels\na\tb\t1\n", encoding="utf8")
    paws(pairs, silver, "-o", out)
    assert [pair.sentence1 for pair in PairCorpus(out, labels="silver").read(1)] == ["a"]
    paws(pairs, silver, "-o", out, "--labels", "human,rule")
    assert len(read(out)) == 10


def test_inference_keeps_its_labels(tmp_path):
    source, out = tmp_path / "snli.tsv", tmp_path / "out.spacy"
    source.write_text("premise\thypothesis\tlabel\na\tb\t2\nc\td\t1\n", encoding="utf8")
    paws(source, "-o", out, "--layout", "snli")
    cats = [example.reference.cats for example in Corpus(out)(NLP)]
    assert cats[0] == {"entailment": 0.0, "neutral": 0.0, "contradiction": 1.0}


def test_mistakes_are_our_errors(pairs, tmp_path):
    before = pairs.read_bytes()
    for args, code in (
        ([pairs, "-o", tmp_path / "out.json"], "P311"),
        ([pairs, "-o", tmp_path / "no" / "out.spacy"], "P021"),
        ([pairs, "-o", tmp_path / "out.spacy", "--lang", "xx2"], "P312"),
        ([pairs, "-o", tmp_path / "out.spacy", "--labels", "gold"], "P304"),
        ([pairs, "-o", tmp_path / "out.spacy", "--labels", "silver"], "P308"),
        ([tmp_path / "no.tsv", "-o", tmp_path / "out.spacy"], "P020"),
    ):
        with pytest.raises(PawsError, match=code):
            paws(*args)
    assert pairs.read_bytes() == before and not (tmp_path / "out.spacy").exists()
    paws(pairs, "-o", tmp_path / "out.spacy")
    with pytest.raises(PawsError, match="P150"):
        paws(tmp_path / "out.spacy", "-o", tmp_path / "out.spacy")
