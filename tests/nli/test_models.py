"""Both kinds of models, by name."""

import gc
import pickle
import shutil
import sys

import pytest

from paws_components.errors import PawsError
from paws_components.ml.hub import packaged_folder
from paws_components.nli.making import _shared, is_pipeline, make_entailment
from paws_components.nli.mutual import MutualJudge
from paws_components.nli.pipeline import PipelineEntailment
from paws_components.nli.protocol import Entailment
from paws_components.nli.transformer import TransformerEntailment

from ..ml.encoders import make_tiny_bert
from .models import LABELS, PAIRS, TAUGHT, TEXTS, make_pipeline, make_transformer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_transformer(tmp_path_factory.mktemp("nli") / "bert")


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    return make_pipeline(tmp_path_factory.mktemp("nli") / "pipeline")


def bare(folder, pairs):
    """The plain way: one pair, one forward pass, one softmax."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = [model(**tokenizer([one], [two], return_tensors="pt")).logits[0] for one, two in pairs]
    return [row.softmax(-1).tolist() for row in logits]


@pytest.mark.parametrize("batch_size", [None, 2])
def test_a_transformer_says_what_it_says_without_us(bert, batch_size):
    state = torch.get_rng_state()
    model = make_entailment(bert, batch_size=batch_size)
    assert torch.equal(torch.get_rng_state(), state)
    assert isinstance(model, TransformerEntailment) and isinstance(model, Entailment)
    expected = bare(bert, PAIRS)
    found = model(PAIRS)
    assert [answer.probability for answer in found] == pytest.approx([row[0] for row in expected], abs=1e-5)
    assert [answer.entails for answer in found] == [row[0] == max(row) for row in expected]
    assert len({round(answer.probability, 3) for answer in found}) > 4
    assert model([]) == []


def test_every_label_can_be_the_one(bert):
    """The same model with another label: the probabilities of all labels add up, and one label is the best."""
    answers = [make_entailment(bert, entailment_label=label)(PAIRS) for label in (0, "neutral", 2)]
    for row in zip(*answers):
        assert sum(answer.probability for answer in row) == pytest.approx(1.0, abs=1e-6)
        assert [answer.entails for answer in row].count(True) == 1


def test_labels_without_names_are_not_guessed(tmp_path):
    folder = make_transformer(tmp_path / "bert", ["LABEL_0", "LABEL_1", "LABEL_2"])
    with pytest.raises(PawsError, match="P403.*LABEL_0.*entailment_label = 0"):
        make_entailment(folder)
    named = make_entailment(folder, entailment_label="LABEL_2")(PAIRS)
    assert named == make_entailment(folder, entailment_label=2)(PAIRS)


def test_long_pairs_are_cut_and_told(bert):
    model = make_entailment(bert, max_length=12)
    with pytest.warns(UserWarning, match=r"1 of 2 pairs so far were longer than 12 tokens.*`max_length` sets"):
        model([("anna saw ben " * 10, "ben"), ("anna", "ben")])
    with pytest.raises(PawsError, match="P347"):
        make_entailment(bert, max_length=65)


def test_of_the_kind_that_the_default_is(tmp_path):
    """RoBERTa has one kind of segment, and counts its positions from the padding's."""
    make_tiny_bert(tmp_path / "roberta", TEXTS)
    inputs = ["input_ids", "attention_mask"]
    tokenizer = transformers.BertTokenizerFast(str(tmp_path / "roberta" / "vocab.txt"), model_input_names=inputs)
    sizes = {"num_attention_heads": 2, "num_hidden_layers": 1, "hidden_size": 16, "intermediate_size": 16}
    labels = {"id2label": dict(enumerate(LABELS)), "label2id": {label: i for i, label in enumerate(LABELS)}}
    settings = {"vocab_size": len(tokenizer), "max_position_embeddings": 34, "pad_token_id": 0, **sizes, **labels}
    config = transformers.RobertaConfig(**settings)
    transformers.RobertaForSequenceClassification(config).save_pretrained(tmp_path / "roberta")
    tokenizer.save_pretrained(tmp_path / "roberta")
    model = make_entailment(str(tmp_path / "roberta"))
    expected = [row[0] for row in bare(tmp_path / "roberta", PAIRS)]
    assert [answer.probability for answer in model(PAIRS)] == pytest.approx(expected, abs=1e-5)
    with pytest.warns(UserWarning, match="longer than 33 tokens"):
        model([("anna " * 100, "ben")])


def test_an_encoder_without_a_head_is_refused(tmp_path):
    folder = make_tiny_bert(tmp_path / "bert", TEXTS)
    with pytest.raises(PawsError, match="P402.*classifier"):
        make_entailment(folder)


def test_no_pickle_is_opened(bert, tmp_path):
    shutil.copytree(bert, tmp_path / "bert")
    (tmp_path / "bert" / "model.safetensors").unlink()
    torch.save({}, tmp_path / "bert" / "pytorch_model.bin")
    with pytest.raises(PawsError, match="P401.*safetensors"):
        make_entailment(str(tmp_path / "bert"))


def test_a_pipeline_is_asked_in_both_orders(taught):
    model = make_entailment(taught)
    assert isinstance(model, PipelineEntailment) and isinstance(model, Entailment)
    found = model(list(TAUGHT))
    assert [answer.entails for answer in found] == [label == "entailment" for label in TAUGHT.values()]
    assert model([("", "")])[0].probability > 0
    verdicts = [answer.verdict for answer in MutualJudge(taught)(PAIRS[:3])]
    assert verdicts == [True, False, False]
    contradicts = make_entailment(taught, entailment_label="contradiction")(list(TAUGHT))
    assert [answer.entails for answer in contradicts] == [label == "contradiction" for label in TAUGHT.values()]


def test_a_pipeline_keeps_no_words(taught):
    model = make_entailment(taught)
    size = len(model.nlp.vocab.strings)
    model([("a word nobodyeversaw", "another onetoo")])
    assert len(model.nlp.vocab.strings) == size


def test_a_pipeline_without_labels(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(PawsError, match="P404"):
        make_entailment(str(tmp_path / "blank"))


def test_installed_packages_of_either_kind(bert, taught, tmp_path, monkeypatch):
    """As `spacy package` and as packages of models on an index have them."""
    shutil.copytree(taught, tmp_path / "en_nli_small" / "en_nli_small-0.0.0")
    meta = tmp_path / "en_nli_small" / "meta.json"
    shutil.copy(tmp_path / "en_nli_small" / "en_nli_small-0.0.0" / "meta.json", meta)
    (tmp_path / "en_nli_small" / "__init__.py").write_text("")
    shutil.copytree(bert, tmp_path / "tiny_nli" / "model")
    (tmp_path / "tiny_nli" / "__init__.py").write_text("raise RuntimeError('it is not imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert is_pipeline("en_nli_small") and not is_pipeline("tiny-nli") and not is_pipeline("no-such/model")
    assert packaged_folder("tiny-nli") == tmp_path / "tiny_nli" / "model"
    assert make_entailment("tiny-nli")(PAIRS) == make_entailment(bert)(PAIRS)
    assert "tiny_nli" not in sys.modules


def test_a_model_is_loaded_once_and_goes_when_nobody_uses_it(bert):
    one, two, other = MutualJudge(bert), MutualJudge(bert), MutualJudge(bert, entailment_label=1)
    assert one.entailment is two.entailment
    assert one.entailment is not other.entailment
    found = one(PAIRS)
    assert pickle.loads(pickle.dumps(one))._model is None
    assert two(PAIRS) == found
    key = one.settings
    del one, two
    gc.collect()
    assert key not in _shared
    assert [sorted(answer._fields) for answer in other(PAIRS[:1])] == [["backward", "forward", "verdict"]]
