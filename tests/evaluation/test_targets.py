"""Targets of all kinds answer as they do by themselves."""

import sys
from typing import NamedTuple, Tuple

import pytest
import spacy
from spacy.training import Example

from paws_components.errors import PawsError
from paws_components.evaluation.targets import (
    FunctionTarget,
    PipelineTarget,
    TransformerTarget,
    check_target,
    load_target,
)
from paws_components.evaluation.targets.pipeline import BLANK, pair_doc
from paws_components.pairs import make_pair, pair_spans, pair_text

from ..ml.cases import BLOCKS, make_pipeline
from ..ml.encoders import make_tiny_bert, make_tiny_classifier
from ..training.configs import PAIRS

TEXTS = [(one, two) for one, two, _ in PAIRS]
WORDS = [text for pair in TEXTS for text in pair]
NLP = spacy.blank("en")


class Sentence(NamedTuple):
    words: Tuple[str, ...]
    spaces: Tuple[bool, ...]

    @property
    def text(self):
        return "".join(word + " " * space for word, space in zip(self.words, self.spaces))


def cut(text):
    return Sentence(*zip(*((token.text, bool(token.whitespace_)) for token in NLP(text))))


SENTENCES = [(cut(one), cut(two)) for one, two in TEXTS]


@pytest.fixture(scope="module")
def pipeline():
    nlp = make_pipeline(BLOCKS["decatt"], steps=3)
    nlp.add_pipe("paws_pair", first=True)
    return nlp


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    pytest.importorskip("transformers")
    return make_tiny_classifier(tmp_path_factory.mktemp("model"), WORDS, ["not_paraphrase", "paraphrase"])


def test_a_pipeline_answers_as_it_does_by_itself(pipeline, tmp_path):
    target = PipelineTarget(pipeline)
    alone = [make_pair(pipeline, one, two).cats["paraphrase"] for one, two in TEXTS]
    assert target(SENTENCES) == pytest.approx(alone, abs=1e-6)
    assert len(set(alone)) > 5
    pipeline.to_disk(tmp_path / "model")
    loaded = load_target(str(tmp_path / "model"), batch_size=3)
    assert isinstance(loaded, PipelineTarget) and loaded(SENTENCES) == pytest.approx(alone, abs=1e-6)
    assert loaded([]) == [] and list(loaded.cats([])) == []
    # Texts are asked about as texts, with all labels.
    cats = list(loaded.cats(iter(TEXTS)))
    assert [each["paraphrase"] for each in cats] == pytest.approx(alone, abs=1e-6)
    assert all(set(each) == {"paraphrase", "not_paraphrase"} for each in cats)
    # Within somebody else's zone, too.
    with pipeline.memory_zone():
        assert target(SENTENCES[:2]) == pytest.approx(alone[:2], abs=1e-6)


def test_words_are_tokens():
    """Nothing is tokenised again, and the Doc is the one that the text would make."""
    odd = Sentence(("I", "cannot", "[PAD]", "U.K.", "?"), (True, True, True, False, False))
    doc = pair_doc(NLP.vocab, odd, SENTENCES[0][1])
    assert [token.text for token in pair_spans(doc)[0]] == list(odd.words)
    for one, two in SENTENCES:
        doc, usual = pair_doc(NLP.vocab, one, two), make_pair(NLP, one.text, two.text)
        assert doc.text == usual.text == pair_text(one.text, two.text)
        assert [token.text for token in doc] == [token.text for token in usual]
        assert [token.is_sent_start for token in doc] == [token.is_sent_start for token in usual]
        assert [span.text for span in pair_spans(doc)] == [span.text for span in pair_spans(usual)]
    empty = Sentence((), ())
    assert [len(span) for span in pair_spans(pair_doc(NLP.vocab, empty, odd))] == [0, 5]


def test_a_pipeline_that_learns_answers_as_it_is_now(pipeline):
    nlp = make_pipeline(BLOCKS["decatt"])
    target = PipelineTarget(nlp)
    before = target(SENTENCES)
    gold = [
        Example.from_dict(nlp.make_doc(pair_text(one, two)), {"cats": {"paraphrase": 0.0, "not_paraphrase": 1.0}})
        for one, two in TEXTS
    ]
    for _ in range(5):
        nlp.update(gold)
    after = target(SENTENCES)
    assert sum(after) < sum(before)
    assert after == pytest.approx([make_pair(nlp, one, two).cats["paraphrase"] for one, two in TEXTS], abs=1e-6)


def test_blanks(pipeline, classifier, tmp_path):
    assert PipelineTarget(pipeline).blank == BLANK
    # One token, also for the tokenizer that reads the text again.
    assert [token.text for token in NLP(f"the {BLANK}, or {BLANK}?")] == ["the", BLANK, ",", "or", BLANK, "?"]
    assert PipelineTarget(pipeline, blank="nothing").blank == "nothing"
    # The transformer of a pipeline has its own padding.
    encoder = make_tiny_bert(tmp_path / "encoder", WORDS)
    inside = make_pipeline({"@architectures": "paws.Transformer.v1", "name": encoder})
    assert PipelineTarget(inside).blank == "[PAD]"
    target = TransformerTarget(classifier)
    assert target.blank == "[PAD]"
    one, two = SENTENCES[0]
    blanked = Sentence(("[PAD]", *one.words[1:]), one.spaces)
    tokens = target.logits.tokenizer(blanked.text, two.text)["input_ids"]
    assert tokens.count(target.logits.tokenizer.pad_token_id) == 1
    assert target([(blanked, two)]) != target([(one, two)])


def test_a_transformer_answers_as_it_does_by_itself(classifier):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    target = load_target(classifier, batch_size=4)
    assert isinstance(target, TransformerTarget)
    tokenizer = AutoTokenizer.from_pretrained(classifier)
    model = AutoModelForSequenceClassification.from_pretrained(classifier).eval()
    with torch.inference_mode():
        alone = [model(**tokenizer(one, two, return_tensors="pt")).logits.softmax(-1)[0, 1] for one, two in TEXTS]
    assert target(SENTENCES) == pytest.approx([float(each) for each in alone], abs=1e-5)
    assert target([]) == [] and list(target.cats([])) == []
    assert [each["paraphrase"] for each in target.cats(iter(TEXTS))] == target(SENTENCES)
    assert all(sum(each.values()) == pytest.approx(1) for each in target.cats(TEXTS))
    turned = load_target(classifier, positive_label="not_paraphrase")
    assert turned(SENTENCES) == pytest.approx([1 - float(each) for each in alone], abs=1e-5)
    assert load_target(classifier, positive_label="0")(SENTENCES[:1]) == turned(SENTENCES[:1])


def test_a_function(tmp_path, monkeypatch):
    (tmp_path / "my_model.py").write_text(
        "def short(pairs):\n    return [1 / (1 + len(one + two)) for one, two in pairs]\n"
        "short.blank = '_'\n"
        "def wrong(pairs):\n    return [2.0 for _ in pairs]\n"
        "def few(pairs):\n    return []\n"
        "number = 3\n",
        encoding="utf8",
    )
    monkeypatch.chdir(tmp_path)
    target = load_target("my_model:short")
    assert isinstance(target, FunctionTarget) and target.blank == "_"
    assert target(SENTENCES[:1]) == [1 / (1 + len(PAIRS[0][0] + PAIRS[0][1]))]
    assert list(target.cats(TEXTS[:1])) == [
        {"paraphrase": pytest.approx(1 / (1 + len("".join(TEXTS[0])))), "not_paraphrase": pytest.approx(1, abs=0.1)}
    ]
    assert FunctionTarget(len).blank == "[PAD]"
    for name in ("wrong", "few"):
        with pytest.raises(PawsError, match="P357.*one probability per pair"):
            load_target(f"my_model:{name}")(SENTENCES)
    for name in ("my_model:number", "my_model:absent", "no_such_module:f"):
        with pytest.raises(PawsError, match=f"P356.*{name}"):
            load_target(name)
    with pytest.raises(PawsError, match="P358.*TypeError"):
        FunctionTarget(abs)(SENTENCES)


def test_a_model_with_one_output_gives_a_logit(tmp_path):
    """So do most CrossEncoders: what they predict is the sigmoid."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = make_tiny_classifier(tmp_path, WORDS, ["LABEL_0"])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        alone = [float(model(**tokenizer(*pair, return_tensors="pt")).logits.sigmoid()) for pair in TEXTS]
    target = load_target(folder)
    assert target(SENTENCES) == pytest.approx(alone, abs=1e-5) and target.positive_label == "paraphrase"
    assert [each["not_paraphrase"] for each in target.cats(TEXTS)] == pytest.approx(
        [1 - each for each in alone], abs=1e-5
    )
    # A regression has one output too, of another kind.
    model.config.problem_type = "regression"
    model.config.save_pretrained(folder)
    with pytest.raises(PawsError, match="P352"):
        load_target(folder)


def test_labels_of_inference_in_capitals(tmp_path):
    folder = make_tiny_classifier(tmp_path, WORDS, ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"])
    target = load_target(folder, positive_label="entailment")
    assert target.positive_label == "entailment"
    assert set(next(iter(target.cats(TEXTS)))) == {"entailment", "neutral", "contradiction"}
    with pytest.raises(PawsError, match="P352.*paraphrase"):
        load_target(folder)


def test_labels_that_are_not_there(pipeline, classifier, tmp_path):
    with pytest.raises(PawsError, match="P352.*paraphrase.*same.*--positive-label"):
        PipelineTarget(pipeline, positive_label="same")
    with pytest.raises(PawsError, match="P352.*not_paraphrase, paraphrase.*same"):
        TransformerTarget(classifier, positive_label="same")
    with pytest.raises(PawsError, match="P351.*en_pipeline"):
        PipelineTarget(spacy.blank("en"))(SENTENCES)
    # Two labels without names are those of GLUE; of three it can't be told.
    make_tiny_classifier(tmp_path / "two", WORDS, ["LABEL_0", "LABEL_1"])
    assert TransformerTarget(str(tmp_path / "two")).label == 1
    make_tiny_classifier(tmp_path / "three", WORDS, ["LABEL_0", "LABEL_1", "LABEL_2"])
    with pytest.raises(PawsError, match="P352"):
        TransformerTarget(str(tmp_path / "three"))


def test_what_is_no_target(tmp_path):
    (tmp_path / "file.txt").write_text("no model", encoding="utf8")
    cases = {
        "no/such": "nor an installed package, and not on the hub",
        "out/of/here": "no such folder",
        "./nowhere": "no such folder",
        str(tmp_path): "neither config.cfg nor config.json",
        str(tmp_path / "file.txt"): "it is a file",
    }
    for name, reason in cases.items():
        with pytest.raises(PawsError, match=f"P356.*{reason}"):
            check_target(name)
        with pytest.raises(PawsError, match="P356"):
            load_target(name)


def test_a_name_on_the_hub_needs_transformers(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(PawsError, match=r"P356.*asking the hub needs transformers.*paws-components\[train\]"):
        check_target("somebody/some-model")
