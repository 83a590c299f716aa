"""The cross-encoder: a tiny BERT with random weights goes the way of any other."""

import shutil
import warnings

import numpy
import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from thinc.api import fix_random_seed

from paws_components.errors import PawsError

from .cases import needs_gpu
from .encoders import make_tiny_bert, minilm
from .pairs import PAIRS, TEXTS, make_examples, pair_config, scores_of, write_corpus

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

# Of several lengths, and without a sentence on one side or both.
ODD = [("anna saw ben.", "ben was seen by anna."), ("", "ben met anna."), ("anna", ""), ("", ""), ("a " * 25, "b c")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_bert(tmp_path_factory.mktemp("encoder") / "bert", TEXTS)


def make_nlp(name, seed=0, **settings):
    fix_random_seed(seed)
    nlp = spacy.blank("en")
    model = {"@architectures": "paws.Transformer.v1", "name": name, **settings}
    nlp.add_pipe("textcat", config={"model": model})
    return nlp


def make_trained(name, steps, drop=0.0, learn_rate=0.002, **settings):
    nlp = make_nlp(name, **settings)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = learn_rate
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer, drop=drop)
    return nlp


@pytest.fixture(scope="module")
def trained(folder):
    """A pipeline that was trained a little, so that its answers differ from pair to pair."""
    return make_trained(folder, 5)


def shim_of(nlp):
    return next(shim for node in nlp.get_pipe("textcat").model.walk() for shim in node.shims)


def test_overfits(folder):
    nlp = make_trained(folder, 40)
    found = scores_of(nlp, PAIRS)[:, 0] > 0.5
    assert found.tolist() == [bool(label) for *_, label in PAIRS]


def test_first_scores_are_those_of_the_plain_way(trained, monkeypatch):
    """One pair, one call of tokenizer and model with segment ids, one softmax."""
    # Older tokenizers remember threads that a test used, and warn when a later one forks.
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    shim = shim_of(trained)
    softmax = next(node for node in trained.get_pipe("textcat").model.walk() if node.name == "softmax")
    for first, second in ODD[:3]:
        inputs = shim.tokenizer([first], [second], return_tensors="pt")
        if first and second:
            assert inputs["token_type_ids"].sum() > 0
        shim._model.eval()
        with torch.no_grad():
            pooled = shim._model(**inputs).pooler_output.numpy()
        logits = pooled @ softmax.get_param("W").T + softmax.get_param("b")
        expected = numpy.exp(logits) / numpy.exp(logits).sum()
        assert scores_of(trained, [(first, second)]) == pytest.approx(expected, abs=1e-5)


def test_a_batch_of_one_equals_a_batch_of_many(trained):
    pairs = [*ODD, *PAIRS[:6]]
    together = scores_of(trained, pairs)
    alone = numpy.concatenate([scores_of(trained, [pair]) for pair in pairs])
    assert together == pytest.approx(alone, abs=1e-5)
    assert numpy.ptp(together[:, 0]) > 0.01
    assert together.sum(axis=1) == pytest.approx(1.0)


def test_two_processes_equal_one(trained, capfd):
    pairs = [(first, second) for first, second, _ in PAIRS]
    assert scores_of(trained, pairs, n_process=2, batch_size=5) == pytest.approx(scores_of(trained, pairs), abs=1e-5)
    assert "parallelism" not in capfd.readouterr().err


def test_parts_of_a_training_batch_make_the_same_step(folder):
    """However a batch is cut into passes, its gradients add up to the same; dropout apart, which is off here."""
    gradients = []
    for batch_size in (1, 5, 64):
        nlp = make_nlp(folder, batch_size=batch_size)
        examples = make_examples(nlp)
        nlp.initialize(lambda examples=examples: examples)
        shim = shim_of(nlp)
        for module in shim._model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        softmax = next(node for node in nlp.get_pipe("textcat").model.walk() if node.name == "softmax")
        softmax.set_param("W", numpy.linspace(-0.5, 0.5, softmax.get_param("W").size, dtype="f").reshape(2, -1))
        nlp.update(examples, sgd=False, drop=0.0)
        weights = [weight.grad.ravel() for weight in shim._model.parameters() if weight.grad is not None]
        gradients.append(torch.cat([*weights, torch.from_numpy(softmax.get_grad("W").ravel())]))
    assert gradients[0].abs().max() > 0.01
    for other in gradients[1:]:
        assert torch.allclose(gradients[0], other, atol=1e-4)


def test_gradient_is_that_of_the_cross_entropy(folder):
    nlp = make_nlp(folder)
    examples = make_examples(nlp)[:6]
    nlp.initialize(lambda: examples)
    shim = shim_of(nlp)
    for module in shim._model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    softmax = next(node for node in nlp.get_pipe("textcat").model.walk() if node.name == "softmax")
    softmax.set_param("W", numpy.linspace(-0.5, 0.5, softmax.get_param("W").size, dtype="f").reshape(2, -1))
    nlp.update(examples, sgd=False, drop=0.0)
    name, weight = next((n, w) for n, w in shim._model.named_parameters() if n.endswith("query.weight"))
    ours = weight.grad.clone()
    shim._model.zero_grad()
    pairs = [pair[:2] for pair in PAIRS[:6]]
    inputs = shim.tokenizer([a for a, _ in pairs], [b for _, b in pairs], padding=True, return_tensors="pt")
    logits = shim._model(**inputs).pooler_output @ torch.from_numpy(softmax.get_param("W")).T
    truths = torch.tensor([1 - label for *_, label in PAIRS[:6]])
    torch.nn.functional.cross_entropy(logits, truths, reduction="sum").backward()
    assert ours.abs().max() > 1e-4
    assert torch.allclose(ours, weight.grad, atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"pooling": "mean", "dropout": 0.2, "symmetric": True, "batch_size": 3}])
def test_saved_and_loaded_with_the_source_gone(settings, tmp_path):
    source = tmp_path / "bert"
    nlp = make_trained(make_tiny_bert(source, TEXTS), 2, **settings)
    expected = scores_of(nlp, [*ODD, *PAIRS])
    nlp.to_disk(tmp_path / "saved")
    shutil.rmtree(source)
    state = torch.get_rng_state()
    again = spacy.load(tmp_path / "saved")
    assert torch.equal(torch.get_rng_state(), state)
    assert numpy.array_equal(scores_of(again, [*ODD, *PAIRS]), expected)
    assert again.config["components"]["textcat"]["model"]["name"] == str(source)
    # And from bytes, into a pipeline of the same config.
    other = spacy.blank("en").from_config(nlp.config).from_bytes(again.to_bytes())
    assert numpy.array_equal(scores_of(other, [*ODD, *PAIRS]), expected)
    # A loaded pipeline goes on learning.
    optimizer = again.resume_training()
    optimizer.learn_rate = 0.01
    again.update(make_examples(again), sgd=optimizer)
    assert not numpy.allclose(scores_of(again, PAIRS), expected[len(ODD) :])


def test_settings_can_be_changed_when_loading(trained, tmp_path):
    trained.to_disk(tmp_path)
    again = spacy.load(tmp_path, config={"components": {"textcat": {"model": {"batch_size": 2}}}})
    assert shim_of(again).batch_size == 2
    assert scores_of(again, PAIRS) == pytest.approx(scores_of(trained, PAIRS), abs=1e-5)


def test_symmetric_answers_do_not_depend_on_the_order(folder):
    nlp = make_trained(folder, 5, symmetric=True)
    plain = make_trained(folder, 5)
    there = [(first, second) for first, second, _ in PAIRS]
    back = [(second, first) for first, second, _ in PAIRS]
    assert scores_of(nlp, there) == pytest.approx(scores_of(nlp, back), abs=1e-6)
    # Training is the same; only the prediction is the mean of both orders.
    mean = (scores_of(plain, there) + scores_of(plain, back)) / 2
    assert scores_of(nlp, there) == pytest.approx(mean, abs=1e-5)
    assert not numpy.allclose(scores_of(plain, there), scores_of(plain, back), atol=1e-4)


def test_long_pairs_are_cut_counted_and_told(folder):
    nlp = make_trained(folder, 0, max_length=12)
    long = [("anna saw ben " * 10, "ben met anna")] * 11 + [("anna saw ben", "ben")]
    shim = shim_of(nlp)
    shim.truncated = shim.seen = 0  # some were seen while initialising
    with pytest.warns(UserWarning, match="11 of 12 pairs"):
        scores_of(nlp, long)
    assert (shim.truncated, shim.seen) == (11, 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded = shim.encode(([long[0][0]], [long[0][1]]))  # told when it is a hundred
    assert len(encoded[0]["input_ids"]) == 12
    # The longer sentence alone is cut: three pieces of the second and its [SEP] stand at the end.
    assert encoded[0]["token_type_ids"] == [0] * 8 + [1] * 4


def test_as_long_as_the_encoder_can(folder):
    nlp = make_trained(folder, 0)
    with pytest.warns(UserWarning, match="1 of .* pairs so far were longer than 64 tokens"):
        scores_of(nlp, [("anna " * 100, "ben")])
    with pytest.raises(PawsError, match=r"P347.* 64 "):
        make_trained(folder, 0, max_length=65)


def test_averaged_weights_are_used_and_put_back(folder):
    nlp = make_nlp(folder)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    optimizer.averages = {}
    for _ in range(3):
        nlp.update(examples, sgd=optimizer)
    last = scores_of(nlp, PAIRS)
    shim = shim_of(nlp)
    name, weight = next(iter(shim._model.named_parameters()))
    now = weight.detach().clone()
    with nlp.get_pipe("textcat").model.use_params(optimizer.averages):
        assert numpy.allclose(weight.detach().numpy(), optimizer.averages[(shim.id, name)])
        assert not torch.allclose(weight, now)
        averaged = scores_of(nlp, PAIRS)
    assert torch.equal(weight, now)
    assert numpy.array_equal(scores_of(nlp, PAIRS), last) and not numpy.allclose(averaged, last)


@pytest.mark.parametrize(
    "name, reason", [("no-such/model", "P343"), ("./nowhere", "P343"), ("spacy", "P343"), ("EMPTY", "P343")]
)
def test_a_missing_model_is_one_clear_error(name, reason, tmp_path):
    nlp = make_nlp(str(tmp_path) if name == "EMPTY" else name)
    with pytest.raises(PawsError, match=reason):
        nlp.initialize(lambda: make_examples(nlp))


def test_a_pickle_is_not_opened(tmp_path):
    folder = make_tiny_bert(tmp_path / "bert", TEXTS)
    state = torch.nn.Linear(1, 1).state_dict()
    torch.save(state, tmp_path / "bert" / "pytorch_model.bin")
    (tmp_path / "bert" / "model.safetensors").unlink()
    nlp = make_nlp(folder)
    with pytest.raises(PawsError, match="P343.*safetensors"):
        nlp.initialize(lambda: make_examples(nlp))


def test_not_loaded_yet(folder):
    nlp = make_nlp(folder)
    nlp.get_pipe("textcat").add_label("paraphrase")
    with pytest.raises(PawsError, match="P346"):
        nlp("a\tb")
    assert spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes()).pipe_names == ["textcat"]


@pytest.mark.parametrize(
    "setting", [{"max_length": 0}, {"batch_size": 0}, {"pooling": "last"}, {"dropout": 1.0}, {"dropout": -0.1}]
)
def test_settings_are_checked(folder, setting):
    with pytest.raises(PawsError, match="P015"):
        make_nlp(folder, **setting)


def test_an_encoder_with_a_decoder_is_refused(tmp_path):
    from transformers import T5Config

    T5Config(d_model=8, num_layers=1, num_heads=1).save_pretrained(tmp_path)
    nlp = make_nlp(str(tmp_path))
    with pytest.raises(PawsError, match="P344"):
        nlp.initialize(lambda: make_examples(nlp))


def test_tied_weights_and_half_precision_come_back(tmp_path):
    """ALBERT shares its layers, and checkpoints are published in half precision."""
    from transformers import AlbertConfig, AlbertModel, BertTokenizerFast

    source = tmp_path / "albert"
    tokenizer = BertTokenizerFast.from_pretrained(make_tiny_bert(source, TEXTS))
    config = AlbertConfig(
        vocab_size=len(tokenizer),
        embedding_size=16,
        hidden_size=16,
        num_attention_heads=2,
        intermediate_size=16,
        num_hidden_layers=2,
    )
    AlbertModel(config).half().save_pretrained(source)
    nlp = make_trained(str(source), 1)
    assert {weight.dtype for weight in shim_of(nlp)._model.parameters()} == {pytest.importorskip("torch").float32}
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    assert {weight.dtype for weight in shim_of(again)._model.parameters()} == {pytest.importorskip("torch").float32}
    assert numpy.array_equal(scores_of(again, PAIRS), scores_of(nlp, PAIRS))


def test_encoders_without_segments_or_a_pooling_layer(tmp_path):
    """DistilBERT has neither; RoBERTa has one kind of segment, and counts its positions from the padding's."""
    from transformers import (
        BertTokenizerFast,
        DistilBertConfig,
        DistilBertModel,
        DistilBertTokenizerFast,
        RobertaConfig,
        RobertaModel,
    )

    sizes = {"num_attention_heads": 2, "num_hidden_layers": 1, "hidden_size": 16, "intermediate_size": 16}
    for kind in ("distilbert", "roberta"):
        source = tmp_path / kind
        vocabulary = make_tiny_bert(source, TEXTS) + "/vocab.txt"
        if kind == "distilbert":
            tokenizer = DistilBertTokenizerFast(vocabulary)
            model = DistilBertModel(
                DistilBertConfig(vocab_size=len(tokenizer), n_heads=2, n_layers=1, dim=16, hidden_dim=16)
            )
        else:
            tokenizer = BertTokenizerFast(vocabulary, model_input_names=["input_ids", "attention_mask"])
            settings = {"vocab_size": len(tokenizer), "max_position_embeddings": 34, "pad_token_id": 0, **sizes}
            model = RobertaModel(RobertaConfig(**settings))
        tokenizer.save_pretrained(source)
        model.save_pretrained(source)
        nlp = make_trained(str(source), 1)
        shim = shim_of(nlp)
        assert set(shim.encode((["a"], ["b"]))[0]) == {"input_ids"}
        assert shim.limit == (512 if kind == "distilbert" else 33)
        scores_of(nlp, [("a " * 100, "b")])  # as long as it can be, and not one more
        nlp.to_disk(tmp_path / "saved")
        assert numpy.array_equal(scores_of(spacy.load(tmp_path / "saved"), PAIRS), scores_of(nlp, PAIRS))


def test_train_from_a_blank_pipeline_and_fill_config(folder, tmp_path):
    corpus = write_corpus(tmp_path / "pairs.spacy")
    block = {"@architectures": "paws.Transformer.v1", "name": folder}
    pair_config(block, corpus).to_disk(tmp_path / "base.cfg")
    _, filled = fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    settings = filled["components"]["textcat"]["model"]
    assert set(settings) == {
        *("@architectures", "name", "max_length", "batch_size", "pooling"),
        *("dropout", "mixed_precision", "symmetric", "nO"),
    }
    train(tmp_path / "config.cfg", tmp_path / "out")
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp.get_pipe("textcat").labels == ("paraphrase", "not_paraphrase")
    performance = nlp.meta["performance"]
    assert 0 < performance["cats_score"] <= 1 and performance["cats_score_desc"] == "AUC-PR (paraphrase)"


@needs_gpu
def test_train_on_the_gpu(folder, tmp_path):
    """With `--gpu-id 0` the encoder works on the GPU; what was trained there says nearly the same on the CPU."""
    corpus = write_corpus(tmp_path / "pairs.spacy")
    block = {"@architectures": "paws.Transformer.v1", "name": folder, "mixed_precision": True}
    pair_config(block, corpus).to_disk(tmp_path / "base.cfg")
    fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    try:
        train(tmp_path / "config.cfg", tmp_path / "out", use_gpu=0)
        nlp = spacy.load(tmp_path / "out" / "model-last")
        assert shim_of(nlp).device.type == "cuda"
        scores = scores_of(nlp, PAIRS)
    finally:
        spacy.require_cpu()
    # Half precision there, bfloat16 here.
    again = scores_of(spacy.load(tmp_path / "out" / "model-last"), PAIRS)
    assert numpy.allclose(again, scores, atol=5e-2)


def test_mixed_precision_on_the_cpu(folder):
    """bfloat16 has three digits: it learns the same, and says nearly the same as single precision."""
    nlp = make_trained(folder, 40, mixed_precision=True)
    shim = shim_of(nlp)
    assert {weight.dtype for weight in shim.encoder.model.parameters()} == {pytest.importorskip("torch").float32}
    rough = numpy.array(scores_of(nlp, PAIRS))
    shim.autocast = False
    exact = numpy.array(scores_of(nlp, PAIRS))
    assert not numpy.array_equal(rough, exact) and numpy.allclose(rough, exact, atol=5e-2)


def test_a_real_encoder():
    """all-MiniLM-L6-v2 from its package: what pretraining taught it shows without any training of ours."""
    nlp = make_trained(minilm(), 0)
    shim = shim_of(nlp)
    assert shim.limit == 512 and shim.encoder.model.config.hidden_size == 384
    pooled = (
        nlp.get_pipe("textcat")
        .model.layers[1]
        .layers[0]
        .predict(
            (["A man plays the guitar.", "A man plays the guitar."], ["Someone plays music.", "The stock market fell."])
        )
    )
    assert pooled.shape == (2, 384) and not numpy.allclose(pooled[0], pooled[1], atol=1e-2)
    assert scores_of(nlp, [("a", "b")]).tolist() == [[0.5, 0.5]]
