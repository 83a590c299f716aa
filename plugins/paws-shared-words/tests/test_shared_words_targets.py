"""Targets of all kinds answer as they do by themselves."""

import pytest
import spacy
from spacy.training import Example as Gold
from tiny_models import PAIRS, make_classifier, make_masked_lm, make_pipeline

from paws_components.errors import PawsError
from paws_components.pairs import make_pair, pair_spans, pair_text
from paws_shared_words.sentences import Sentence, read_sentence
from paws_shared_words.targets import FunctionTarget, PipelineTarget, TransformerTarget, load_target
from paws_shared_words.targets.pipeline import BLANK, pair_doc

NLP = spacy.blank("en")
SENTENCES = [(read_sentence(NLP, one), read_sentence(NLP, two)) for one, two, _ in PAIRS]


@pytest.fixture(scope="module")
def pipeline():
    return make_pipeline()


def test_a_pipeline_answers_as_it_does_by_itself(pipeline, tmp_path):
    target = PipelineTarget(pipeline)
    alone = [make_pair(pipeline, one, two).cats["paraphrase"] for one, two, _ in PAIRS]
    assert target(SENTENCES) == pytest.approx(alone, abs=1e-6)
    assert len(set(alone)) > 5
    pipeline.to_disk(tmp_path / "model")
    loaded = load_target(str(tmp_path / "model"), batch_size=3)
    assert isinstance(loaded, PipelineTarget) and loaded(SENTENCES) == pytest.approx(alone, abs=1e-6)
    assert loaded([]) == []
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
    nlp = make_pipeline()
    target = PipelineTarget(nlp)
    before = target(SENTENCES)
    gold = [
        Gold.from_dict(nlp.make_doc(pair_text(one, two)), {"cats": {"paraphrase": 0.0, "not_paraphrase": 1.0}})
        for one, two, _ in PAIRS
    ]
    for _ in range(5):
        nlp.update(gold)
    after = target(SENTENCES)
    assert sum(after) < sum(before)
    assert after == pytest.approx([make_pair(nlp, one, two).cats["paraphrase"] for one, two, _ in PAIRS], abs=1e-6)


def test_blanks(pipeline, classifier, tmp_path):
    assert PipelineTarget(pipeline).blank == BLANK
    # One token, also for the tokenizer that reads the text again.
    assert [token.text for token in NLP(f"the {BLANK}, or {BLANK}?")] == ["the", BLANK, ",", "or", BLANK, "?"]
    assert PipelineTarget(pipeline, blank="nothing").blank == "nothing"
    # The transformer of a pipeline has its own padding.
    encoder = str(make_masked_lm(tmp_path / "encoder"))
    inside = make_pipeline({"@architectures": "paws.Transformer.v1", "name": encoder})
    assert PipelineTarget(inside).blank == "[PAD]"
    target = TransformerTarget(classifier)
    assert target.blank == "[PAD]"
    one, two = SENTENCES[0]
    texts = one.with_word(3, target.blank).text, two.with_word(3, target.blank).text
    tokens = target.logits.tokenizer(*texts)["input_ids"]
    assert tokens.count(target.logits.tokenizer.pad_token_id) == 2
    assert target([(one.with_word(3, "[PAD]"), two)]) != target([(one, two)])


def test_a_transformer_answers_as_it_does_by_itself(classifier):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    target = load_target(classifier, batch_size=4)
    assert isinstance(target, TransformerTarget)
    tokenizer = AutoTokenizer.from_pretrained(classifier)
    model = AutoModelForSequenceClassification.from_pretrained(classifier).eval()
    with torch.inference_mode():
        alone = [model(**tokenizer(one, two, return_tensors="pt")).logits.softmax(-1)[0, 1] for one, two, _ in PAIRS]
    assert target(SENTENCES) == pytest.approx([float(each) for each in alone], abs=1e-5)
    assert target([]) == []
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
    assert FunctionTarget(len).blank == "[PAD]"
    for name in ("wrong", "few"):
        with pytest.raises(PawsError, match="S022.*one probability a pair"):
            load_target(f"my_model:{name}")(SENTENCES)
    for name in ("my_model:number", "my_model:absent", "no_such_module:f"):
        with pytest.raises(PawsError, match=f"S020.*{name}"):
            load_target(name)


def test_labels_that_are_not_there(pipeline, classifier, tmp_path):
    with pytest.raises(PawsError, match="S021.*'same'.*paraphrase.*--positive-label"):
        PipelineTarget(pipeline, positive_label="same")
    with pytest.raises(PawsError, match="S021.*'same'.*not_paraphrase, paraphrase"):
        TransformerTarget(classifier, positive_label="same")
    with pytest.raises(PawsError, match="S021.*none at all"):
        PipelineTarget(spacy.blank("en"))(SENTENCES)
    # Two labels without names are those of GLUE; of three it can't be told.
    make_classifier(tmp_path / "two", labels=["LABEL_0", "LABEL_1"])
    assert TransformerTarget(str(tmp_path / "two")).label == 1
    make_classifier(tmp_path / "three", labels=["LABEL_0", "LABEL_1", "LABEL_2"])
    with pytest.raises(PawsError, match="S021"):
        TransformerTarget(str(tmp_path / "three"))


def test_a_target_that_is_not_there():
    with pytest.raises(PawsError, match="no/such"):
        load_target("no/such")
