"""BLEURT in the layouts that it is published in, each as a tiny model with random weights."""

import json
import pickle
import sys

import pytest
import spacy

from paws_components.errors import Fatal, PawsError
from paws_components.metrics.bleurt import Bleurt
from paws_components.plugins import make_registered

from ..ml.encoders import make_tiny_bert, make_tiny_classifier
from ..nli.models import PAIRS, TEXTS

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from safetensors.torch import load_file, save_file  # noqa: E402

# The words of bleurt-pytorch for what RemBERT and BERT have.
RENAMED = [("rembert.", "bleurt."), ("bert.", "bleurt."), ("embedding_hidden_mapping_in", "embedding_projection")]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_tiny_classifier(tmp_path_factory.mktemp("bleurt") / "bert", TEXTS, ["LABEL_0"])


def bare(model, tokenizer, pairs):
    """The plain way: reference first, candidate second, a forward pass each."""
    with torch.inference_mode():
        return [float(model(**tokenizer([a], [b], return_tensors="pt")).logits) for a, b in pairs]


def rename(weights):
    """The weights under the names that bleurt-pytorch saves them by."""
    found = {}
    for name, tensor in weights.items():
        for old, new in RENAMED:
            name = name.replace(old, new) if not name.startswith(new) else name
        found[name] = tensor.contiguous()
    size = found["bleurt.embeddings.position_embeddings.weight"].shape[0]
    return {**found, "bleurt.embeddings.position_ids": torch.arange(size).expand((1, -1)).contiguous()}


def write_published(folder, model, config):
    """A checkpoint as bleurt-pytorch writes one."""
    folder.mkdir(exist_ok=True)
    save_file(rename(model.state_dict()), folder / "model.safetensors", metadata={"format": "pt"})
    published = {"model_type": "bleurt", "architectures": ["BleurtForSequenceClassification"], **config}
    (folder / "config.json").write_text(json.dumps(published))
    return str(folder)


def sizes(config):
    names = "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings"
    found = {name: getattr(config, name) for name in names.split()}
    return {**found, "hidden_act": "gelu", "type_vocab_size": 2, "pad_token_id": 0}


def test_of_the_bert_kind(bert):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(bert).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    expected = bare(model, tokenizer, PAIRS)
    assert Bleurt(bert)(PAIRS) == pytest.approx(expected, abs=1e-5)
    assert len({round(score, 3) for score in expected}) > 4
    back = bare(model, tokenizer, [(two, one) for one, two in PAIRS])
    assert back != pytest.approx(expected, abs=1e-3)
    mean = [(one + two) / 2 for one, two in zip(expected, back)]
    assert Bleurt(bert, symmetric=True, batch_size=2)(PAIRS) == pytest.approx(mean, abs=1e-5)
    assert Bleurt(bert)([]) == []


def test_of_the_bert_kind_as_bleurt_pytorch_names_it(bert, tmp_path):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(bert).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    folder = write_published(tmp_path / "published", model, {"embedding_size": None, **sizes(model.config)})
    assert "bleurt.encoder.layer.1.attention.self.query.weight" in load_file(folder + "/model.safetensors")
    tokenizer.save_pretrained(folder)
    about = json.loads((tmp_path / "published" / "tokenizer_config.json").read_text())
    about["tokenizer_class"] = "BleurtTokenizer"
    (tmp_path / "published" / "tokenizer_config.json").write_text(json.dumps(about))
    assert Bleurt(folder)(PAIRS) == pytest.approx(bare(model, tokenizer, PAIRS), abs=1e-5)


@pytest.fixture(scope="module")
def bleurt_20(tmp_path_factory):
    """As lucadiliello/BLEURT-20: small vectors of words, and a tokenizer of SentencePiece."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("bleurt20")
    (folder / "text.txt").write_text("\n".join(text for text in TEXTS * 10 if text))
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"),
        model_prefix=str(folder / "spm"),
        vocab_size=60,
        hard_vocab_limit=False,
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        pad_piece="[PAD]",
        unk_piece="[UNK]",
        control_symbols=["[CLS]", "[SEP]", "[MASK]"],
        minloglevel=2,
    )
    torch.manual_seed(0)
    config = transformers.RemBertConfig(
        vocab_size=80,
        hidden_size=32,
        input_embedding_size=8,
        output_embedding_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.2,
        num_labels=1,
    )
    model = transformers.RemBertForSequenceClassification(config).eval()
    write_published(folder / "published", model, {"embedding_size": 8, **sizes(config)})
    (folder / "spm.model").rename(folder / "published" / "spm.model")
    about = {"tokenizer_class": "BleurtSPTokenizer", "do_lower_case": False, "model_max_length": 512}
    (folder / "published" / "tokenizer_config.json").write_text(json.dumps(about))
    return folder / "published", model


def test_of_the_rembert_kind(bleurt_20):
    folder, model = bleurt_20
    assert "bleurt.encoder.embedding_projection.weight" in load_file(folder / "model.safetensors")
    metric = Bleurt(str(folder))
    state = torch.get_rng_state()
    assert len(metric(PAIRS)) == len(PAIRS)
    assert torch.equal(torch.get_rng_state(), state)
    tokenizer = transformers.DebertaV2Tokenizer.from_pretrained(folder)
    expected = bare(model, tokenizer, PAIRS)
    assert metric(PAIRS) == pytest.approx(expected, abs=1e-5)
    assert len({round(score, 3) for score in expected}) > 4
    assert metric.logits.limit == 64


def test_transformers_5_needs_protobuf_for_sentencepiece(bleurt_20, monkeypatch):
    """It would ask for another package, which is of no use."""
    monkeypatch.setattr(sys.modules["transformers"], "__version__", "5.0.0")
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    with pytest.raises(Fatal, match="P342.*'protobuf'"):
        Bleurt(str(bleurt_20[0]))(PAIRS)


def test_weights_that_do_not_fit(bleurt_20, tmp_path):
    folder, model = bleurt_20
    weights = load_file(folder / "model.safetensors")
    del weights["classifier.weight"]
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(PawsError, match="P401"):
        Bleurt(str(tmp_path))(PAIRS)


def test_what_is_no_bleurt(bert, tmp_path):
    three = make_tiny_classifier(tmp_path / "three", TEXTS, ["a", "b", "c"])
    with pytest.raises(Fatal, match="P405.* 3 numbers"):
        Bleurt(three)(PAIRS)
    with pytest.raises(Fatal, match="P402"):
        Bleurt(make_tiny_bert(tmp_path / "encoder", TEXTS))(PAIRS)
    with pytest.raises(Fatal, match="P401.*no-such/model"):
        Bleurt("no-such/model")(PAIRS)
    with pytest.raises(PawsError, match="P015"):
        Bleurt(bert, batch_size=0)


def test_by_its_names(bert):
    expected = Bleurt(bert)(PAIRS)
    config = {"similarity": {"@misc": "paws.BLEURT.v1", "model": bert, "batch_size": 3}}
    assert spacy.registry.resolve(config)["similarity"](PAIRS) == pytest.approx(expected, abs=1e-5)
    assert make_registered("metrics", "bleurt", {"model": bert})(PAIRS) == pytest.approx(expected, abs=1e-5)
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_pair_metrics", config={"metrics": ["bleurt"], "settings": {"bleurt": {"model": bert}}})
    assert nlp("\t".join(PAIRS[0]))._.paws_bleurt == pytest.approx(expected[0], abs=1e-5)
    again = pickle.loads(pickle.dumps(nlp.get_pipe("paws_pair_metrics").measure._made["bleurt"]))
    assert again._logits is None and again(PAIRS) == pytest.approx(expected, abs=1e-5)
