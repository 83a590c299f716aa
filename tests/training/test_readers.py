import pickle
import warnings
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Corpus

from paws_components.errors import PawsError
from paws_components.pairs import pair_spans
from paws_components.readers import LAYOUTS
from paws_components.records import PairRecord
from paws_components.training.readers import PairCorpus, make_pair_corpus
from tests.readers.test_layouts import FILES, write

from .small import make_pairs, write_pairs

NAMED = ["paws_wiki", "paws_qqp", "pawsx", "mrpc", "qqp", "twitter_url", "apt", "snli", "mnli", "anli", "sick"]
NAMES = {0: "not_paraphrase", 1: "paraphrase"}


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture
def pairs(tmp_path):
    return write_pairs(tmp_path / "pairs.jsonl", make_pairs())


def texts(corpus, nlp):
    return [example.reference.text for example in corpus(nlp)]


def kept(corpus, epoch=1):
    return [(pair.sentence1, pair.sentence2, pair.label) for pair in corpus.read(epoch)]


def quietly(read):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read()


def test_an_example_of_a_pair(nlp, pairs):
    record = make_pairs()[1]
    example = list(PairCorpus(pairs)(nlp))[1]
    assert example.predicted is not example.reference
    assert example.predicted.cats == {} and not example.predicted.spans
    assert example.reference.cats == {"not_paraphrase": 0.0, "paraphrase": 1.0}
    assert list(example.reference.cats) == ["not_paraphrase", "paraphrase"]
    assert [span.text for span in pair_spans(example.reference)] == [record.sentence1, record.sentence2]
    assert [span.text for span in pair_spans(example.predicted)] == [record.sentence1, record.sentence2]
    assert example.reference.vocab is nlp.vocab


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "tsv", "tsv.xz", "parquet"])
def test_every_format(tmp_path, ending):
    if "parquet" in ending:
        pytest.importorskip("pyarrow")
    path = write_pairs(tmp_path / f"pairs.{ending}", make_pairs())
    expected = [(record.sentence1, record.sentence2, NAMES[record.label]) for record in make_pairs()]
    assert kept(PairCorpus(path)) == expected
    assert kept(PairCorpus(Path(path))) == expected


def test_a_folder_of_a_data_set(tmp_path):
    datasets = pytest.importorskip("datasets")
    columns = {"sentence1": ["a b", "c"], "sentence2": ["b a", "d"], "label": [0, -1]}
    features = datasets.Features(
        {
            "sentence1": datasets.Value("string"),
            "sentence2": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["not_equivalent", "equivalent"]),
        }
    )
    made = datasets.Dataset.from_dict(columns, features=features)
    datasets.DatasetDict({"train": made, "test": made}).save_to_disk(str(tmp_path / "set"))
    corpus = PairCorpus(tmp_path / "set", split="test")
    with pytest.warns(UserWarning, match="W301.*2 rows in = 1 pairs [+] 1 left out.*1 have no label"):
        assert kept(corpus) == [("a b", "b a", "not_paraphrase")]
    with pytest.raises(PawsError, match="P109.*train, test"):
        kept(PairCorpus(tmp_path / "set", split="validation"))


@pytest.mark.parametrize("layout", [None, "snli", "mnli"])
@pytest.mark.parametrize("names", [None, ["entailment", "neutral", "contradiction"]])
def test_a_data_set_of_inference(tmp_path, layout, names):
    datasets = pytest.importorskip("datasets")
    label = datasets.ClassLabel(names=names) if names else datasets.Value("int64")
    text = datasets.Value("string")
    made = datasets.Dataset.from_dict(
        {"premise": ["a", "b", "c"], "hypothesis": ["d", "e", "f"], "label": [0, 1, -1]},
        features=datasets.Features({"premise": text, "hypothesis": text, "label": label}),
    )
    made.save_to_disk(str(tmp_path / "set"))
    found = quietly(lambda: kept(PairCorpus(tmp_path / "set", layout=layout)))
    assert found == [("a", "d", "entailment"), ("b", "e", "neutral")]


def test_a_data_set_with_other_columns(tmp_path):
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_dict({"left": ["a"], "right": ["b"]}).save_to_disk(str(tmp_path / "set"))
    with pytest.raises(PawsError, match="P303.*left, right"):
        kept(PairCorpus(tmp_path / "set"))


@pytest.mark.parametrize("name", NAMED)
def test_every_layout_by_name_and_guessed(tmp_path, name):
    path = write(tmp_path, name)
    first, second, label, _ = FILES[name][1]
    for layout in (name, None):
        found = quietly(lambda layout=layout: kept(PairCorpus(path, layout=layout)))
        assert found[0] == (first.strip(), second.strip(), NAMES.get(label, label))


@pytest.mark.parametrize("layout", ["snli", "mnli", "anli", None])
def test_inference_in_records(tmp_path, layout):
    path = tmp_path / "nli.jsonl"
    path.write_text('{"premise": "a", "hypothesis": "b", "label": 1}\n', encoding="utf8")
    assert kept(PairCorpus(path, layout=layout)) == [("a", "b", "neutral")]


def test_inference_has_three_labels(nlp, tmp_path):
    path = tmp_path / "nli.tsv"
    path.write_text("premise\thypothesis\tlabel\na\tb\tneutral\nc\td\tentailment\n", encoding="utf8")
    examples = list(PairCorpus(path)(nlp))
    assert [example.reference.cats for example in examples] == [
        {"entailment": 0.0, "neutral": 1.0, "contradiction": 0.0},
        {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0},
    ]


@pytest.mark.parametrize("where", [{"nli": "contradiction"}, {"evidence": {"nli": "contradiction"}}])
def test_inference_in_a_record(tmp_path, where):
    """In its own field, or in the evidence as it was before there was one."""
    path = write_pairs(tmp_path / "nli.jsonl", [PairRecord("a", "b", **where)])
    assert kept(PairCorpus(path)) == [("a", "b", "contradiction")]


def test_rows_that_give_no_pair_are_counted(nlp, tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = ["1\ta\tb\t1", "2\ta\tb\t", "3\ta\tb\t7", "4\ta", "5\tc\t\t0", "6\tNS\td\t0"]
    path.write_text("\n".join(["id\tsentence1\tsentence2\tlabel", *rows]) + "\n", encoding="utf8")
    corpus = PairCorpus(path)
    with pytest.warns(UserWarning, match="W301") as caught:
        assert texts(corpus, nlp) == ["a\tb"]
    (message,) = [str(warning.message) for warning in caught]
    assert "6 rows in = 1 pairs + 3 left out + 2 errors" in message
    for part in (
        "1 can't be read",
        "1 have a label that the layout does not know",
        "1 have no label",
        "1 have an empty",
        "1 have NS",
    ):
        assert part in message
    with warnings.catch_warnings():  # told once
        warnings.simplefilter("error")
        assert len(texts(corpus, nlp)) == 1


def test_the_account_is_logged(nlp, pairs, caplog, monkeypatch):
    monkeypatch.setattr(spacy.util.logger, "propagate", True)
    with caplog.at_level("INFO", logger="spacy"):
        texts(PairCorpus(pairs, labels="silver"), nlp)
    (line,) = [record.getMessage() for record in caplog.records]
    assert "24 rows in = 8 pairs + 16 left out + 0 errors; labels: silver 8" in line
    assert line.endswith("; 16 have labels from others than `labels` names")


def test_no_pair_at_all(nlp, tmp_path):
    path = write_pairs(tmp_path / "pairs.jsonl", [PairRecord("a", "b")])
    with pytest.raises(PawsError, match="P308.*1 rows in = 0 pairs [+] 1 left out.*1 have no label"):
        texts(PairCorpus(path), nlp)


def test_white_space_and_bytes_are_made_plain(nlp, tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"sentence1": "a\\tb", "sentence2": "b\'c\\\\xc3\\\\xa9\'", "label": 0}\n', encoding="utf8")
    with pytest.warns(UserWarning, match="1 hold tabs or line breaks.*1 are written as Python bytes"):
        assert texts(PairCorpus(path), nlp) == ["a b\tcé"]


def test_a_limit_and_a_skip_cut_a_corpus_in_two(pairs):
    everything = kept(PairCorpus(pairs))
    assert kept(PairCorpus(pairs, limit=7)) == everything[:7]
    assert kept(PairCorpus(pairs, skip=7)) == everything[7:]
    assert kept(PairCorpus(pairs, skip=2, limit=3)) == everything[2:5]
    head = kept(PairCorpus(pairs, shuffle=True, seed=3, limit=7))
    tail = kept(PairCorpus(pairs, shuffle=True, seed=3, skip=7))
    assert sorted(head + tail) == sorted(everything)
    assert set(kept(PairCorpus(pairs, shuffle=True, seed=3, limit=4))) < set(head)
    assert set(head) != set(everything[:7])


def test_shuffling_goes_by_the_seed_and_the_pass(pairs):
    everything = kept(PairCorpus(pairs))
    one, again, other = (PairCorpus(pairs, shuffle=True, seed=seed) for seed in (1, 1, 2))
    assert kept(one, 1) == kept(again, 1) != everything
    assert kept(one, 2) == kept(again, 2) != kept(one, 1)
    assert kept(other, 1) != kept(one, 1)
    for corpus in (one, other):
        assert sorted(kept(corpus, 1)) == sorted(everything)


def test_whose_labels(nlp, pairs, tmp_path):
    records = make_pairs()
    human = [record.sentence1 for record in records if record.label_source == "human"]

    def firsts(**settings):
        return [pair[0] for pair in kept(PairCorpus(pairs, **settings))]

    assert firsts(labels="human") == human
    assert len(firsts(labels="silver")) == len(records) - len(human)
    assert firsts(labels=["human", "silver"]) == firsts(labels="all") == [record.sentence1 for record in records]
    with warnings.catch_warnings():  # it was asked for
        warnings.simplefilter("error")
        kept(PairCorpus(pairs, labels="human"))
    with pytest.raises(PawsError, match="P308.*24 have labels from others"):
        kept(PairCorpus(pairs, labels="rule"))
    unknown = write_pairs(tmp_path / "unknown.jsonl", [PairRecord("a", "b", 1)])
    assert kept(PairCorpus(unknown, labels="unknown")) == [("a", "b", "paraphrase")]


def test_passes_change_nothing_but_what_they_should(nlp, pairs):
    corpus = PairCorpus(pairs)
    first = texts(corpus, nlp)
    size = len(nlp.vocab), len(nlp.vocab.strings)
    assert texts(corpus, nlp) == first
    assert sorted(texts(PairCorpus(pairs, swap_sides=1.0, shuffle=True), nlp)) == sorted(
        "\t".join(reversed(text.split("\t"))) for text in first
    )
    assert (len(nlp.vocab), len(nlp.vocab.strings)) == size  # the vocabulary holds the words once


@pytest.mark.parametrize("kind", ["records", "table", "docs", "data set"])
def test_pickles(nlp, pairs, tmp_path, kind):
    source = pairs
    if kind == "table":
        source = write_pairs(tmp_path / "pairs.tsv", make_pairs())
    elif kind == "docs":
        source = tmp_path / "docs.spacy"
        DocBin(docs=[example.reference for example in PairCorpus(pairs)(nlp)]).to_disk(source)
    elif kind == "data set":
        source = tmp_path / "set"
        rows = [record.to_dict() for record in make_pairs()]
        datasets = pytest.importorskip("datasets")
        datasets.Dataset.from_list([{**row, "evidence": None} for row in rows]).save_to_disk(str(source))
    corpus = PairCorpus(source, shuffle=True, swap_sides=0.5)
    texts(corpus, nlp)
    again = pickle.loads(pickle.dumps(corpus))
    assert texts(again, nlp) == texts(corpus, nlp)


def test_reads_what_spacy_writes(nlp, pairs, tmp_path):
    docs = [example.reference for example in PairCorpus(pairs)(nlp)]
    folder = tmp_path / "docs"
    folder.mkdir()
    DocBin(docs=docs[:10]).to_disk(folder / "1.spacy")
    DocBin(docs=docs[10:]).to_disk(folder / "2.spacy")
    expected = kept(PairCorpus(pairs))
    assert kept(PairCorpus(folder)) == expected
    assert kept(PairCorpus(folder / "1.spacy")) == expected[:10]
    assert [(eg.reference.text, eg.reference.cats) for eg in Corpus(folder)(nlp)] == [
        (doc.text, doc.cats) for doc in docs
    ]


@pytest.mark.parametrize(
    "settings, code",
    [
        ({"path": None}, "P301"),
        ({"path": []}, "P301"),
        ({"path": ["a.tsv", "b.tsv"], "weights": [1.0]}, "P302.*1 entries for 2 paths"),
        ({"path": "a.tsv", "labels": "gold"}, "P304"),
        ({"path": "a.tsv", "layout": "papers"}, "P141"),
        ({"path": "a.tsv", "class_weights": {"same": 1.0}}, "P305"),
        ({"path": "a.tsv", "class_weights": {"paraphrase": -1.0}}, "P015"),
        ({"path": "a.tsv", "weights": [-1.0]}, "P015"),
        ({"path": "a.tsv", "limit": -1}, "P015"),
        ({"path": "a.tsv", "swap_sides": 2.0}, "P015"),
    ],
)
def test_mistakes_are_our_errors(settings, code):
    with pytest.raises(PawsError, match=code):
        make_pair_corpus(**settings)


@pytest.mark.parametrize("name", ["no.tsv", "no.jsonl", "no.parquet", "no.spacy", "no.tsv.gz"])
def test_a_file_that_is_not_there(nlp, tmp_path, name):
    with pytest.raises(PawsError, match="P020.*no[.]"):
        texts(PairCorpus(tmp_path / name), nlp)


def test_every_layout_of_the_issue_is_there():
    assert set(NAMED) <= set(LAYOUTS)
