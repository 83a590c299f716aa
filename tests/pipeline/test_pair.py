import pytest
import spacy
from spacy.tokens import Doc, DocBin

from paws_components.errors import PawsError
from paws_components.pairs import PAIR_KEY, pair_spans, pair_text

PAIRS = [("The dog bit the man.", "The man bit the dog."), ("One.", "Two. Three."), ("A", "B"), ("", ""), ("", "x y")]
TEXTS = [pair_text(one, two) for one, two in PAIRS]


@pytest.fixture
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair", first=True)
    return nlp


def marks(doc):
    return [(span.start, span.end, span.text) for span in pair_spans(doc)], [t.is_sent_start for t in doc]


def test_spans_and_sentence_start(nlp):
    doc = nlp(TEXTS[0])
    assert [span.text for span in doc.spans[PAIR_KEY]] == list(PAIRS[0])
    second = pair_spans(doc)[1]
    assert doc[second.start].is_sent_start is True
    assert doc[second.start - 1].text == "\t" and doc[second.start - 1].is_sent_start is False


def test_one_token_and_empty_sentences(nlp):
    short, empty = nlp(TEXTS[2]), nlp(TEXTS[3])
    assert [span.text for span in short.spans[PAIR_KEY]] == ["A", "B"]
    assert [(span.start, span.end) for span in pair_spans(empty)] == [(0, 0), (1, 1)]
    # spaCy can't copy empty spans, and copies every Doc that it evaluates.
    assert PAIR_KEY not in empty.spans
    assert [span.text for span in pair_spans(empty.copy())] == ["", ""]
    assert [span.text for span in pair_spans(short.copy())] == ["A", "B"]


def test_an_empty_doc_is_no_pair(nlp):
    with pytest.raises(PawsError, match="P103"):
        nlp("")


def test_a_long_doc(nlp):
    doc = nlp(pair_text("dog " * 20_000, "cat " * 20_000))
    assert [len(span) for span in doc.spans[PAIR_KEY]] == [20_000, 20_000]


def test_a_parser_keeps_the_boundary(en_nlp):
    """Without the mark the parser joins these two; with it, nothing depends on a word across the tab."""
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair")
    for name in ("tok2vec", "tagger", "parser"):
        nlp.add_pipe(name, source=en_nlp)
    doc = nlp(pair_text("the dog of my aunt", "and the man next door"))
    one, two = pair_spans(doc)
    assert doc[two.start].is_sent_start
    assert all((token.i < two.start) == (token.head.i < two.start) for token in doc)


def test_pipe_equals_call(nlp):
    expected = [marks(nlp(text)) for text in TEXTS]
    assert [marks(doc) for doc in nlp.pipe(TEXTS, batch_size=2)] == expected
    assert [marks(doc) for doc in nlp.pipe(TEXTS, batch_size=2, n_process=2)] == expected


def test_a_doc_that_is_no_pair_goes_to_the_error_handler(nlp):
    bad = []
    nlp.set_error_handler(lambda name, proc, docs, error: bad.extend((name, doc.text, str(error)[:6]) for doc in docs))
    found = list(nlp.pipe([TEXTS[0], "No tab.", TEXTS[1]]))
    assert [doc.text for doc in found] == [TEXTS[0], TEXTS[1]]
    assert bad == [("paws_pair", "No tab.", "[P103]")]


def test_saving(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert marks(again(TEXTS[1])) == marks(nlp(TEXTS[1]))
    from_config = spacy.util.load_model_from_config(nlp.config, auto_fill=True)
    assert from_config.pipe_names == ["paws_pair"]
    assert marks(from_config.from_bytes(nlp.to_bytes())(TEXTS[1])) == marks(nlp(TEXTS[1]))


def test_doc_bin(nlp):
    packed = DocBin(docs=nlp.pipe(TEXTS)).to_bytes()
    docs = list(DocBin().from_bytes(packed).get_docs(nlp.vocab))
    assert [[span.text for span in pair_spans(doc)] for doc in docs] == [list(pair) for pair in PAIRS]


def test_marking_twice_changes_nothing(nlp):
    doc = nlp(TEXTS[0])
    before = marks(doc)
    assert marks(nlp.get_pipe("paws_pair")(doc)) == before


def test_spans_that_are_not_ours_are_no_pair(nlp):
    """A group of that name with another number of spans is not believed: the tab is."""
    doc = nlp.make_doc(TEXTS[0])
    doc.spans[PAIR_KEY] = [doc[0:1]]
    assert [span.text for span in pair_spans(doc)] == list(PAIRS[0])
    assert isinstance(doc, Doc)
