import pytest
import spacy
from spacy.tokens import Doc, DocBin

from paws_components import make_pair
from paws_components.errors import Fatal, PawsError
from paws_components.plugins import Registration, host

TEXTS = [
    "Mary lives in Boston and works in Chicago.",
    "",
    "Rain",
    "Can a bad person become good?",
    "old word " * 300,
]


class Twice:
    """Says everything twice; refuses one word, gives up for good at another, and answers wrongly at others."""

    def __init__(self, nlp, *, mark: str = "!"):
        self.mark = mark

    def __call__(self, docs):
        texts = [doc.text for doc in docs]
        if "refuse" in texts:
            raise RuntimeError("I refuse")
        if "gone" in texts:
            raise Fatal("the model is gone")
        if "few" in texts:
            return []
        odd = {"no text": {"t": 1}, "a doc": {"text": "x", "deep": [{"doc": docs[0]}]}}
        return [[odd.get(text, {"text": text + self.mark + text})] for text in texts]


@pytest.fixture
def twice():
    host().registered["generators"]["twice"] = Registration("twice", Twice, "test")
    yield {"generator": "twice"}
    del host().registered["generators"]["twice"]


def test_word_swapping_by_default_is_the_swapper(make_nlp):
    nlp = make_nlp("paws_swapper", "paws_generator")
    for doc in nlp.pipe(TEXTS[:4]):
        assert doc._.paws_candidates == doc._.paws_swaps
    assert nlp(TEXTS[0])._.paws_candidates[0]["text"] == "Mary lives in Chicago and works in Boston."


def test_empty_short_and_long_docs(make_nlp):
    nlp = make_nlp("paws_generator")
    assert [len(doc._.paws_candidates) for doc in nlp.pipe(TEXTS)][:3] == [1, 0, 0]


@pytest.mark.parametrize("n_process, batch_size", [(1, 2), (2, 2)])
def test_pipe_equals_call(make_nlp, n_process, batch_size):
    nlp = make_nlp("paws_generator", paws_generator={"settings": {"n_best": 3}})
    alone = [nlp(text)._.paws_candidates for text in TEXTS[:4]]
    docs = nlp.pipe(TEXTS[:4], n_process=n_process, batch_size=batch_size)
    assert [doc._.paws_candidates for doc in docs] == alone and alone[0]


def test_saved_and_loaded_gives_the_same(make_nlp, tmp_path):
    nlp = make_nlp("paws_generator", paws_generator={"settings": {"n_best": 3, "templates": ["names"]}})
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.config["components"]["paws_generator"]["settings"] == {"n_best": 3, "templates": ["names"]}
    assert loaded(TEXTS[0])._.paws_candidates == nlp(TEXTS[0])._.paws_candidates != []
    assert spacy.blank("en").from_config(nlp.config).pipe_names == nlp.pipe_names


def test_docbin_keeps_candidates(make_nlp):
    nlp = make_nlp("paws_generator")
    doc = nlp(TEXTS[0])
    (again,) = DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab)
    assert again._.paws_candidates[0]["text"] == doc._.paws_candidates[0]["text"]


def test_a_pair_gets_candidates_of_both_sides(twice):
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_generator", config=twice)
    doc = make_pair(nlp, "One", "Two")
    assert doc._.paws_candidates == [{"source": "One", "text": "One!One"}, {"source": "Two", "text": "Two!Two"}]
    assert [c["text"] for c in make_pair(nlp, "One", "")._.paws_candidates] == ["One!One"]


def test_a_failing_doc_is_kept_apart(twice):
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_generator", config={**twice, "settings": {"mark": "?"}})
    failed = []
    nlp.set_error_handler(lambda name, proc, docs, error: failed.extend((doc.text, str(error)) for doc in docs))
    docs = list(nlp.pipe(["a", "refuse", "b"]))
    assert [doc._.paws_candidates[0]["text"] for doc in docs] == ["a?a", "b?b"]
    assert failed == [("refuse", "I refuse")]


def test_a_fatal_error_is_told_once(twice):
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_generator", config=twice)
    with pytest.raises(Fatal, match="the model is gone"):
        list(nlp.pipe(["a", "gone", "b"]))


@pytest.mark.parametrize(
    "text, what", [("few", "0 lists"), ("no text", "not a dict with"), ("a doc", "under 'deep.0.doc'")]
)
def test_what_is_not_as_agreed_is_an_error(twice, text, what):
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_generator", config=twice)
    with pytest.raises(PawsError, match=f"P206.*'twice'.*{what}"):
        nlp(text)


def test_wrong_names_and_settings():
    nlp = spacy.blank("en")
    with pytest.raises(PawsError, match="P201.*no_such.*word_swap"):
        nlp.add_pipe("paws_generator", config={"generator": "no_such"})
    with pytest.raises(PawsError, match="P203.*`n_bset`.*did you mean `n_best`"):
        nlp.add_pipe("paws_generator", config={"settings": {"n_bset": 3}})
    assert Doc.has_extension("paws_candidates")


def test_a_language_model_in_the_config(make_nlp):
    from paws_components.lm.embedded import MODELS

    path = str(MODELS / "en.klm")
    ours = make_nlp("paws_generator")(TEXTS[0])._.paws_candidates
    by_name = {"settings": {"lm": "kenlm", "lm_settings": {"path": path}}}
    by_registry = {"settings": {"lm": {"@misc": "paws.LanguageModel.v1", "name": "kenlm", "settings": {"path": path}}}}
    for config in (by_name, by_registry):
        nlp = make_nlp("paws_generator", paws_generator=config)
        assert nlp(TEXTS[0])._.paws_candidates == ours
