"""The generator, with a translator that knows a few sentences by heart; real ones are in the other tests."""

import spacy
from pytest import approx, fixture, mark, raises

from paws_back_translation.generator import BackTranslation
from paws_components import make_pair
from paws_components.errors import PawsError
from paws_components.generation.protocol import Translation
from paws_components.plugins import Registration, host

THERE = {
    "the dog saw the old cat": ["der Hund sah die alte Katze", "die alte Katze sah der Hund"],
    "it rains": ["es regnet"],
}
BACK = {
    "der Hund sah die alte Katze": ["the dog saw the old cat", "the dog saw  the old cat", "the hound saw a tom"],
    "die alte Katze sah der Hund": ["the old cat saw the dog", "the dog saw the old cat", "the dog saw the cat"],
    "es regnet": ["it is raining"],
    "le chien": ["the dog the old cat saw"],
}


class ByHeart:
    """Translates what it knows; keeps what it was asked."""

    asked: list = []

    def translate(self, texts, source, target, k):
        self.asked.append((list(texts), source, target, k))
        known = BACK if target == "en" else THERE if target == "de" else {"the dog saw the old cat": ["le chien"]}
        return [[Translation(text, -1.0 - i) for i, text in enumerate(known.get(t, [])[:k])] for t in texts]


@fixture(autouse=True)
def by_heart():
    host().registered["translators"]["by_heart"] = Registration("by_heart", ByHeart, "test")
    ByHeart.asked.clear()
    yield
    del host().registered["translators"]["by_heart"]


def make(**settings):
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "paws_generator",
        config={"generator": "back_translation", "settings": {"translator": "by_heart", **settings}},
    )
    return nlp


def texts(doc):
    return [candidate["text"] for candidate in doc._.paws_candidates]


def test_candidates_are_distinct_similar_and_not_the_source():
    nlp = make()
    doc = nlp("the dog saw the old cat")
    # The source itself comes back three times, once with a space too many; "the hound saw a tom" has other words.
    assert texts(doc) == ["the old cat saw the dog", "the dog saw the cat"]
    first, second = doc._.paws_candidates
    assert first == {
        "text": "the old cat saw the dog",
        "pivot_lang": "de",
        "pivot": "die alte Katze sah der Hund",
        "pivot_score": -2.0,
        "back_score": -1.0,
        "bow_cosine": approx(1.0),
        # old and cat each cross saw, the second "the" and dog; saw and that "the" cross dog: eight of fifteen pairs.
        "inversion_rate": approx(8 / 15),
    }
    assert second["inversion_rate"] == 0.0
    assert second["bow_cosine"] == approx(7 / (8 * 7) ** 0.5)


def test_each_pivot_text_is_translated_back_once():
    nlp = make(k=3)
    list(nlp.pipe(["the dog saw the old cat", "it rains", "the dog saw the old cat", ""]))
    (there, back) = ByHeart.asked
    assert there[1:] == ("en", "de", 3) and back[1:] == ("de", "en", 3)
    assert sorted(back[0]) == sorted(["der Hund sah die alte Katze", "die alte Katze sah der Hund", "es regnet"])


def test_k_thresholds_and_pivots():
    assert texts(make(k=1)("the dog saw the old cat")) == []
    assert texts(make(min_bow_cosine=0)("the dog saw the old cat"))[0] == "the hound saw a tom"
    assert texts(make(min_bow_cosine=1)("the dog saw the old cat")) == ["the old cat saw the dog"]
    several = make(k=1, pivots=["de", "fr"])("the dog saw the old cat")
    assert texts(several) == ["the dog the old cat saw"]
    assert several._.paws_candidates[0]["pivot_lang"] == "fr"
    assert texts(make(per_sentence=1, min_bow_cosine=0.5)("the dog saw the old cat")) == ["the old cat saw the dog"]


def test_pairs_and_odd_docs():
    nlp = make(min_bow_cosine=0.2)
    doc = make_pair(nlp, "it rains", "the dog saw the old cat")
    assert [c["source"] for c in doc._.paws_candidates] == ["it rains"] + ["the dog saw the old cat"] * 3
    assert [texts(doc) for doc in nlp.pipe(["", "unknown", "word " * 10_000])] == [[], [], []]


def test_pipe_equals_call_and_the_docs_stay_as_they_are(tmp_path):
    nlp = make()
    sources = ["the dog saw the old cat", "", "it rains"] * 5
    alone = [nlp(text)._.paws_candidates for text in sources]
    assert [doc._.paws_candidates for doc in nlp.pipe(sources, batch_size=4)] == alone
    assert [doc._.paws_candidates for doc in nlp.pipe(sources, n_process=2, batch_size=4)] == alone
    nlp.to_disk(tmp_path)
    assert [doc._.paws_candidates for doc in spacy.load(tmp_path).pipe(sources)] == alone


@mark.parametrize(
    "settings, reason",
    [
        ({"k": 0}, "`k`"),
        ({"min_bow_cosine": 2}, "`min_bow_cosine`"),
        ({"pivots": []}, "`pivots`"),
        ({"pivot": "de"}, "there is no `pivot` .did you mean `pivots`"),
        ({"translator": "nobody"}, "translator 'nobody'.*marian"),
        ({"translator": "marian", "translator_settings": {"modle": "x"}}, "translator 'marian'.*did you mean `model`"),
    ],
)
def test_errors_name_the_key(settings, reason):
    with raises(PawsError, match=reason):
        make(**settings)


def test_the_translator_is_in_the_evidence():
    assert BackTranslation(spacy.blank("en"), translator="by_heart").evidence == {"translator": {"name": "by_heart"}}
