import subprocess
import sys

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Corpus, Example

import paws_components
from paws_components.errors import PawsError
from paws_components.pairs import PAIR_KEY, make_pair, pair_spans, pair_text, pipe_pairs
from paws_components.records import PairRecord

S1 = "The dog bit the man, didn't it?"
S2 = 'The man bit the dog ("Rex").'
RECORDS = [PairRecord(S1, S2, label=0), PairRecord(S2, S1, label=1), PairRecord("", "One."), PairRecord("One.", "")]


@pytest.fixture
def nlp():
    return spacy.blank("en")


def texts(doc):
    return tuple(span.text for span in pair_spans(doc))


def test_make_pair_needs_no_component(nlp):
    doc = make_pair(nlp, S1, S2)
    assert doc.text == f"{S1}\t{S2}"
    assert texts(doc) == (S1, S2)
    assert [span.text for span in doc.spans[PAIR_KEY]] == [S1, S2]


def test_exported_by_the_package(nlp):
    assert paws_components.make_pair is make_pair
    assert paws_components.pipe_pairs is pipe_pairs
    assert paws_components.pair_spans is pair_spans
    with pytest.raises(AttributeError, match="no attribute 'make_pairs'"):
        paws_components.make_pairs  # noqa: B018
    code = "import sys, paws_components; print('spacy' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_tabs_and_line_breaks_within_a_sentence_are_normalised(nlp):
    assert pair_text(" a\tb\n", "c  d\u2028e ") == "a b\tc d e"
    assert texts(make_pair(nlp, "a\tb", "c\nd")) == ("a b", "c d")


def test_tokens_are_those_of_the_sentences_apart(nlp, data_dir):
    """On real text: quotes, currencies, brackets and abbreviations either side of the tab."""
    lines = (data_dir / "mrpc" / "msr_paraphrase_train.txt").read_text(encoding="utf-8-sig").splitlines()[1:]
    assert len(lines) == 4076
    for line in lines:
        one, two = (" ".join(text.split()) for text in line.split("\t")[3:5])
        spans = pair_spans(nlp.make_doc(pair_text(one, two)))
        assert [[token.text for token in span] for span in spans] == [
            [token.text for token in nlp.make_doc(text)] for text in (one, two)
        ]


def test_empty_sentences(nlp):
    for s1, s2 in (("", "One."), ("One.", ""), ("", "")):
        doc = make_pair(nlp, s1, s2)
        assert texts(doc) == (s1, s2)
        assert texts(doc.copy()) == (s1, s2)


@pytest.mark.parametrize("text", ["", "No tab here.", "a\tb\tc"])
def test_not_a_pair_is_our_error(nlp, text):
    with pytest.raises(PawsError, match=r"P103.*make_pair"):
        pair_spans(nlp(text))


def test_a_tab_with_spaces_around_it(nlp):
    assert texts(nlp("One dog. \t  Two cats.")) == ("One dog.", "Two cats.")


def test_pipe_pairs_keeps_records_and_their_order(nlp):
    nlp.add_pipe("paws_pair")
    found = list(pipe_pairs(nlp, iter(RECORDS), batch_size=2))
    assert [record for _, record in found] == RECORDS
    assert [texts(doc) for doc, _ in found] == [(record.sentence1, record.sentence2) for record in RECORDS]


def test_pipe_pairs_with_two_processes(nlp):
    nlp.add_pipe("paws_pair")
    nlp.add_pipe("sentencizer")
    found = list(pipe_pairs(nlp, RECORDS * 3, batch_size=2, n_process=2))
    assert [record for _, record in found] == RECORDS * 3
    assert [texts(doc) for doc, _ in found][:2] == [(S1, S2), (S2, S1)]


def test_reference_docs_that_never_saw_a_component(nlp, tmp_path):
    """spaCy's Corpus rebuilds the predicted Doc from text alone; both it and the reference have to be pairs."""
    docs = []
    for record in RECORDS[:2]:
        doc = nlp.make_doc(pair_text(record.sentence1, record.sentence2))
        doc.cats = {"paraphrase": float(record.label), "not_paraphrase": 1.0 - record.label}
        docs.append(doc)
    DocBin(docs=docs).to_disk(tmp_path / "pairs.spacy")
    examples = list(Corpus(tmp_path / "pairs.spacy")(nlp))
    assert len(examples) == 2
    for example, record in zip(examples, RECORDS):
        for doc in (example.reference, example.predicted):
            assert PAIR_KEY not in doc.spans
            assert texts(doc) == (record.sentence1, record.sentence2)


def test_training_sees_pairs_without_annotating_components(nlp, tmp_path):
    """A textcat beside `paws_pair`, initialised and updated from a Corpus as `spacy train` does it."""
    nlp.add_pipe("paws_pair")
    nlp.add_pipe("textcat")
    docs = []
    for record in RECORDS[:2]:
        doc = nlp.make_doc(pair_text(record.sentence1, record.sentence2))
        doc.cats = {"paraphrase": float(record.label), "not_paraphrase": 1.0 - record.label}
        docs.append(doc)
    DocBin(docs=docs).to_disk(tmp_path / "pairs.spacy")
    corpus = Corpus(tmp_path / "pairs.spacy")
    nlp.initialize(lambda: corpus(nlp))
    examples = list(corpus(nlp))
    losses = nlp.update(examples)
    assert losses["textcat"] > 0
    for example in examples:
        assert isinstance(example, Example)
        assert len(pair_spans(example.predicted)) == len(pair_spans(example.reference)) == 2
    assert "cats_score" in nlp.evaluate(examples)
