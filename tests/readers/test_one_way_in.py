"""One set of files, every command and reader: the same rows, labels and problems from all of them."""

import bz2
import gzip
import json
import lzma
import warnings
from functools import lru_cache
from pathlib import Path

import pytest
import spacy
from click.testing import CliRunner
from spacy.training import Corpus

from paws_components import models
from paws_components.cli import cli
from paws_components.curation import correct
from paws_components.evaluation.judging import gold_label, read_test_set
from paws_components.pairs import label_name, pair_spans, read_cats
from paws_components.plugins import Registration, host
from paws_components.readers import open_pairs, read_pairs
from paws_components.training.readers import PairCorpus
from paws_components.viz.sample import read_corpus

from .test_layouts import FILES, file_name
from .test_layouts import write as write_layout

# Good rows, and every problem that a row can have: no label, an unknown one, too few columns, a line that belongs to
# none, no sentence, a placeholder, bytes that are no text, a bytes literal, white space within.
ROWS = [
    ("1", "The cat saw a dog.", "A dog saw the cat.", "0"),
    ("2", "It rains today.", "Today it rains.", "1"),
    ("3", "Birds sing.", "They sing.", ""),
    ("4", "Birds fly.", "They fly.", "maybe"),
    ("5", "Only one"),
    ("6", "", "Nothing before.", "0"),
    ("7", "NS", "Nobody translated it.", "0"),
    ("8", "b'Caf\\xc3\\xa9 noir.'", "Black coffee.", "1"),
    ("9", "Last one here.", "Here is the last.", "0"),
]
HEADER = ("id", "sentence1", "sentence2", "label")
TSV = "\n".join("\t".join(row) for row in (HEADER, *ROWS)) + "\n"
GOOD = [row for row in ROWS if len(row) == 4 and row[1] and row[1] != "NS"]


class Echo:
    """Makes one pair of each pair."""

    def __init__(self, nlp):
        pass

    def __call__(self, docs):
        spans = [pair_spans(doc) for doc in docs]
        return [[{"source": first.text, "text": second.text}] for first, second in spans]


@lru_cache(maxsize=None)
def load_once():
    """The pipeline is loaded once; nobody changes it."""
    return models.load_pipeline(exclude=["parser"])


@pytest.fixture(autouse=True)
def echo(monkeypatch):
    monkeypatch.setitem(host().registered["generators"], "echo", Registration("echo", Echo, "test", takes_pairs=True))
    monkeypatch.setattr(correct, "load_pipeline", lambda *_, **__: load_once())


def make_sources(folder):
    """The same pairs in every form that a source can have, and a small file of every layout."""
    tsv = folder / "pairs.tsv"
    tsv.write_text(TSV, encoding="utf8")
    data = TSV.encode("utf8")
    (folder / "broken.tsv").write_bytes(data + b"10\tcaf\xe9\tb\t0\n")
    for ending, pack in ((".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)):
        (folder / f"pairs.tsv{ending}").write_bytes(pack(data))
    (folder / "wide.tsv").write_bytes(TSV.encode("utf-16"))
    (folder / "marked.tsv").write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    objects = [dict(zip(HEADER, row)) for row in ROWS if len(row) == 4]
    lines = "".join(json.dumps(row) + "\n" for row in objects)
    (folder / "pairs.jsonl").write_text(lines + '{"sentence1": "half"}\n[1]\n' + "[" * 9999 + "\n", encoding="utf8")
    (folder / "pairs.jsonl.bz2").write_bytes(bz2.compress(lines.encode()))
    (folder / "pairs.csv").write_text("\n".join(",".join(row) for row in (HEADER, *GOOD)) + "\n", encoding="utf8")
    other = TSV.replace("sentence1\tsentence2", "source\ttarget")
    (folder / "source.tsv").write_text(other, encoding="utf8")
    (folder / "candidate.tsv").write_text(other.replace("source\ttarget", "sentence\tcandidate"), encoding="utf8")
    assert CliRunner().invoke(cli, ["convert", str(tsv), "-o", str(folder / "docs.spacy"), "--quiet"]).exit_code == 0
    for name in FILES:
        (folder / name).mkdir()
        write_layout(folder / name, name)


FORMS = [
    "pairs.tsv",
    "broken.tsv",
    "pairs.tsv.gz",
    "pairs.tsv.xz",
    "pairs.tsv.bz2",
    "wide.tsv",
    "marked.tsv",
    "pairs.jsonl",
    "pairs.jsonl.bz2",
    "pairs.csv",
    "source.tsv",
    "candidate.tsv",
    "docs.spacy",
]
TABLES = [f"{name}/{file_name(name)}" for name in FILES]
EXTRAS = ["pairs.parquet", "saved"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("sources")
    make_sources(made)
    return made


@pytest.fixture
def source(request, folder):
    path = folder / request.param
    if request.param == "pairs.parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow

        rows = [dict(zip(HEADER, row)) for row in GOOD]
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    if request.param == "saved":
        datasets = pytest.importorskip("datasets")
        datasets.Dataset.from_list([dict(zip(HEADER, row)) for row in GOOD]).save_to_disk(path)
    return path


def expected(path):
    """What the reader says: the pairs with their labels, the rows that can't be read, and how many have no sentence."""
    rows = list(open_pairs(path))
    good = [row for row in rows if row.readable and not row.missing]
    pairs = [(r.to_record().sentence1, r.to_record().sentence2, r.label) for r in good]
    rejected = [row.number for row in rows if row.reason is not None]
    return pairs, rejected, len(rows) - len(good) - len(rejected)


def command(*arguments, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments], **kwargs)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def written(out):
    """The pairs of an output, and the lines of its errors."""
    errors = Path(f"{out}.errors.jsonl")
    lines = errors.read_text(encoding="utf8").splitlines() if errors.exists() else []
    pairs = [(r.sentence1, r.sentence2, gold_label(r)) for r in read_pairs(out)]
    return pairs, [json.loads(line)["line"] for line in lines]


def by_metrics(path, out, **kwargs):
    said = command("metrics", path, "-o", out, "--metrics", "bow_cosine", "--quiet", **kwargs).output
    pairs, errors = written(out)
    assert f"= {len(pairs):,} kept + " in said and f" + {len(errors):,} errors" in said
    return pairs, errors


def by_generate(path, out, **kwargs):
    command("generate", path, "--pairs", "-o", out, "--generator", "echo", "--quiet", **kwargs)
    pairs, errors = written(out)
    labels = [record.evidence["pair_label"] for record in read_pairs(out)]
    return [(one, two, label) for (one, two, _), label in zip(pairs, labels)], errors


def by_correct(path, out, **kwargs):
    command("correct", path, "-o", out, "--quiet", "--ld-guard", "1", **kwargs)
    return written(out)


def only_binary(pairs):
    return [(one, two, label if isinstance(label, int) else None) for one, two, label in pairs]


@pytest.mark.parametrize("source", [*FORMS, *EXTRAS, *TABLES], indirect=True)
def test_every_command_reads_the_same(source, tmp_path):
    pairs, rejected, missing = expected(source)
    out = tmp_path / "out.jsonl"
    assert by_metrics(source, out) == (pairs, rejected)
    assert by_generate(source, out) == (only_binary(pairs), rejected)
    assert by_correct(source, out) == (pairs, rejected)
    rows = len(pairs) + len(rejected) + missing
    corpus = read_corpus("c", str(source), None, 0)
    found = [(r.sentence1, r.sentence2, gold_label(r)) for r in corpus.records]
    assert (found, corpus.unreadable) == (pairs, len(rejected) + missing)
    audited = json.loads(command("audit", f"it={source}", "--json").stdout)
    assert audited["splits"]["it"]["rows"] == rows
    kept = command("repair", source, "-o", out, "--train", "--no-detokenise", *skips()).output
    assert f"{rows:,} rows in" in kept
    assert written(out)[0] == pairs
    labelled = [pair for pair in pairs if pair[2] is not None]
    if not labelled:
        return
    test_set = read_test_set("it", str(source))
    assert [(r.sentence1, r.sentence2, gold_label(r)) for r in test_set.records] == labelled
    assert len(labelled) + sum(test_set.left_out.values()) == rows
    reader = PairCorpus(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = [(one, two, label_name(label)) for one, two, label in labelled]
        assert [(pair.sentence1, pair.sentence2, pair.label) for pair in reader.read(1)] == named
    command("convert", source, "-o", tmp_path / "out.spacy", "--quiet")
    docs = [example.reference for example in Corpus(tmp_path / "out.spacy")(spacy.blank("en"))]
    assert [(*(span.text for span in pair_spans(doc)), read_cats(doc.cats)) for doc in docs] == named


def skips():
    """What `repair` does beyond reading."""
    labels = ("label_missing", "label_unknown", "label_undecided")
    for name in ("duplicate_pair", "contradictory_pair", "identical_pair", *labels):
        yield from ("--skip", name)


@pytest.mark.parametrize("source", [name for name in FORMS if "mark" not in name], indirect=True)
def test_standard_input_is_as_good_as_a_file(source, tmp_path):
    pairs, rejected, missing = expected(source)
    data = source.read_bytes()
    out = tmp_path / "out.jsonl"
    for read in (by_metrics, by_generate, by_correct):
        assert read("-", out, input=data) == (pairs, rejected)
    audited = json.loads(command("audit", "-", "--json", input=data).stdout)
    assert audited["splits"]["-"]["rows"] == len(pairs) + len(rejected) + missing
    assert command("repair", "-", "-o", out, "--train", "--no-detokenise", *skips(), input=data).exit_code == 0
    assert written(out)[0] == pairs
    command("convert", "-", "-o", tmp_path / "out.spacy", "--quiet", input=data)
    assert len(list(read_pairs(tmp_path / "out.spacy"))) == sum(label is not None for _, _, label in pairs)
    page = tmp_path / "page.html"
    command("report", "-", "-o", page, "--metrics", "bow_cosine", "--quiet", input=data)
    assert f">{len(pairs)}<" in page.read_text(encoding="utf8")


def test_what_the_reader_makes_of_the_rows(folder):
    """The expectation itself, by hand."""
    pairs, rejected, missing = expected(folder / "pairs.tsv")
    assert pairs == [
        ("The cat saw a dog.", "A dog saw the cat.", 0),
        ("It rains today.", "Today it rains.", 1),
        ("Birds sing.", "They sing.", None),
        ("Birds fly.", "They fly.", None),
        ("Café noir.", "Black coffee.", 1),
        ("Last one here.", "Here is the last.", 0),
    ]
    assert (rejected, missing) == ([6], 2)
    for name in ("pairs.tsv.gz", "pairs.tsv.xz", "pairs.tsv.bz2", "wide.tsv", "marked.tsv", "source.tsv"):
        assert expected(folder / name) == (pairs, rejected, 2), name
    assert expected(folder / "broken.tsv") == (pairs, [6, 11], 2)
    assert expected(folder / "pairs.jsonl") == (pairs, [9, 10, 11], 2)
    assert expected(folder / "pairs.csv")[0] == pairs
