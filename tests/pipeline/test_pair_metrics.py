import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Corpus

from paws_components import make_pair, pipe_pairs
from paws_components.errors import PawsError
from paws_components.pairs import pair_text
from paws_components.records import PairRecord

PAIRS = [
    ("Can a bad person become good?", "Can a good person become bad?"),
    ("I keep a glass of water next to my bed when I sleep.", "When I sleep I keep a glass of water next to my bed."),
    ("Dogs bark.", "Cats sleep at night"),
    ("Yes", "No"),
    ("", ""),
]
TEXTS = [pair_text(one, two) for one, two in PAIRS]
NAMES = ["paws_bow_cosine", "paws_inversion_rate", "paws_wpd", "paws_ld", "paws_selected"]


def values(doc):
    return [doc._.get(name) for name in NAMES]


@pytest.fixture(scope="module")
def nlp(en_nlp):
    """The components of the English pipeline that make lemmas, and ours around them."""
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair")
    for name in ("tok2vec", "tagger", "attribute_ruler", "lemmatizer"):
        nlp.add_pipe(name, source=en_nlp)
    nlp.add_pipe("paws_pair_metrics")
    return nlp


def test_a_swap_has_the_same_bag_of_words(nlp):
    doc = make_pair(nlp, *PAIRS[0])
    assert doc._.paws_bow_cosine == 1.0
    assert doc._.paws_ld == 0.0
    # good and person, bad, and become cross: of 21 pairs of alignments 5.
    assert doc._.paws_inversion_rate == 5 / 21
    assert 0 < doc._.paws_wpd < 0.25
    assert doc._.paws_selected is None  # no condition was set


def test_from_a_blank_pipeline():
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair_metrics", config={"metrics": ["bow_cosine", "inversion_rate"]})
    doc = nlp(TEXTS[0])  # without `paws_pair`: the tab is enough
    assert doc._.paws_bow_cosine == 1.0
    assert doc._.paws_wpd is None and doc._.paws_ld is None


def test_without_lemmas_it_says_what_to_do():
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair_metrics")
    with pytest.raises(PawsError, match="P102.*lemmatizer.*bow_cosine"):
        nlp(TEXTS[0])


def test_one_token_and_empty_sentences(nlp):
    assert values(nlp(TEXTS[3])) == [0.0, 0.0, 0.0, 1.0, None]
    assert values(nlp(TEXTS[4])) == [0.0, 0.0, 0.0, 1.0, None]
    assert values(nlp(TEXTS[2]))[2:4] == [1.0, 1.0]  # nothing in common


def test_an_empty_doc_is_no_pair(nlp):
    with pytest.raises(PawsError, match="P103"):
        nlp.get_pipe("paws_pair_metrics")(nlp.make_doc(""))


def test_a_long_doc(nlp):
    one = "The dog saw the cat and the cat saw the dog . " * 300
    doc = make_pair(nlp, one, one)
    assert values(doc)[:4] == [1.0, 0.0, 0.0, 0.0]


def test_pipe_equals_call(nlp):
    expected = [values(nlp(text)) for text in TEXTS]
    assert [values(doc) for doc in nlp.pipe(TEXTS, batch_size=2)] == expected
    assert [values(doc) for doc in nlp.pipe(TEXTS)] == expected


def test_two_processes(nlp):
    expected = [values(nlp(text)) for text in TEXTS]
    assert [values(doc) for doc in nlp.pipe(TEXTS, batch_size=2, n_process=2)] == expected
    records = [PairRecord(one, two) for one, two in PAIRS]
    assert [values(doc) for doc, _ in pipe_pairs(nlp, records, n_process=2)] == expected


def test_a_bad_doc_does_not_take_its_batch_along(nlp):
    bad = []
    component = nlp.get_pipe("paws_pair_metrics")
    component.set_error_handler(lambda name, proc, docs, error: bad.extend(doc.text for doc in docs))
    try:
        with nlp.select_pipes(disable=["paws_pair"]):
            found = list(nlp.pipe([TEXTS[0], "No tab.", TEXTS[1]]))
    finally:
        component.set_error_handler(spacy.util.raise_error)
    assert [doc._.paws_bow_cosine for doc in found] == [1.0, 1.0]
    assert bad == ["No tab."]


def test_saving(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert values(again(TEXTS[1])) == values(nlp(TEXTS[1]))
    assert values(again.from_bytes(nlp.to_bytes())(TEXTS[1])) == values(nlp(TEXTS[1]))


def test_config_round_trip(nlp):
    config = {"metrics": ["bow_cosine", "wpd"], "variant": "released", "where": "wpd > 0.2"}
    other = spacy.blank("en")
    other.add_pipe("paws_pair_metrics", config=config)
    again = spacy.util.load_model_from_config(spacy.util.Config().from_str(other.config.to_str()), auto_fill=True)
    assert again.config["components"] == other.config["components"]
    component = again.get_pipe("paws_pair_metrics")
    assert component.measure.metrics == ["bow_cosine", "wpd"]
    assert component.measure.settings == {"wpd": {"variant": "released"}}
    assert component.where.text == "wpd > 0.2"


def test_doc_bin(nlp):
    docs = list(nlp.pipe(TEXTS))
    packed = DocBin(docs=docs, store_user_data=True).to_bytes()
    again = list(DocBin().from_bytes(packed).get_docs(nlp.vocab))
    assert [values(doc) for doc in again] == [values(doc) for doc in docs]


def test_variants(nlp, en_nlp):
    text = pair_text("An apple fell.", "It was an apple that fell.")
    released = spacy.blank("en")
    for name in ("tok2vec", "tagger", "attribute_ruler", "lemmatizer"):
        released.add_pipe(name, source=en_nlp)
    released.add_pipe("paws_pair_metrics", config={"variant": "released"})
    ours, theirs = nlp(text), released(text)
    assert ours._.paws_bow_cosine == theirs._.paws_bow_cosine
    assert [token.lemma_ for token in ours] == [token.lemma_ for token in theirs]
    with pytest.raises(PawsError, match="variant"):
        spacy.blank("en").add_pipe("paws_pair_metrics", config={"variant": "newest"})


def test_the_condition_is_config(en_nlp):
    nlp = spacy.blank("en")
    for name in ("tok2vec", "tagger", "attribute_ruler", "lemmatizer"):
        nlp.add_pipe(name, source=en_nlp)
    nlp.add_pipe("paws_pair_metrics", config={"metrics": ["bow_cosine"], "where": "wpd > 0.2 and ld < 0.1"})
    docs = list(nlp.pipe(TEXTS))
    assert [doc._.paws_selected for doc in docs] == [False, True, False, False, False]
    assert docs[1]._.paws_wpd > 0.2  # what the condition names is computed too
    assert docs[1]._.paws_inversion_rate is None


@pytest.mark.parametrize(
    "config, code",
    [
        ({"metrics": ["wdp"]}, "P104"),
        ({"metrics": []}, "P104"),
        ({"where": "wdp > 1"}, "P106"),
        ({"where": "wpd"}, "P105"),
    ],
)
def test_wrong_config_is_our_error(config, code):
    with pytest.raises(PawsError, match=code):
        spacy.blank("en").add_pipe("paws_pair_metrics", config=config)


def test_docs_of_a_corpus(nlp, tmp_path):
    """`spacy evaluate` and `spacy train` read pairs with spaCy's own Corpus."""
    DocBin(docs=[nlp.make_doc(text) for text in TEXTS]).to_disk(tmp_path / "pairs.spacy")
    examples = list(Corpus(tmp_path / "pairs.spacy")(nlp))
    small = spacy.blank("en").add_pipe("paws_pair_metrics", config={"metrics": ["bow_cosine"]})
    for example in examples:
        assert small.predict([example.reference]) == small.predict([example.predicted])
    found = nlp.pipe(example.predicted for example in examples)
    assert [values(doc) for doc in found] == [values(nlp(text)) for text in TEXTS]
    nlp.evaluate(examples)
