"""A batch that does not fit into memory is halved: with real modules, and torch's own exceptions."""

import warnings

import numpy
import pytest

from paws_components.errors import PawsError
from paws_components.ml import batches
from paws_components.ml.batches import is_out_of_memory, run_batches

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    monkeypatch.setattr(batches, "_most", {})


class Small(torch.nn.Module):
    """A layer with room for so many inputs at once, or so many numbers."""

    def __init__(self, room, error):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.room = room
        self.error = error
        self.seen = []

    def forward(self, x):
        self.seen.append(len(x))
        if len(x) > self.room:
            if self.error is None:
                torch.empty(1 << 60)  # more than any machine has
            raise self.error
        return self.layer(x)


def outputs(model, count, size=8, name="small"):
    x = torch.arange(count, dtype=torch.float32)[:, None]
    found = numpy.zeros(count)
    with torch.inference_mode():
        for part, y in run_batches(name, [1] * count, size, lambda part: model(x[part])):
            found[part] = y[:, 0].numpy()
    return found


@pytest.mark.parametrize("error", [torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate"), None])
def test_the_batch_is_halved_and_that_is_told_once_and_remembered(error):
    torch.manual_seed(0)
    model = Small(100, error)
    whole = outputs(model, 20)
    assert model.seen == [8, 8, 4]
    model.room, model.seen = 3, []
    with pytest.warns(UserWarning, match=r"W342.*8 inputs of 'small'.*4 at a time") as told:
        found = outputs(model, 20)
    assert len(told) == 1 and model.seen == [8, 4] + [2] * 10
    assert numpy.allclose(found, whole)
    model.seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numpy.allclose(outputs(model, 5), whole[:5])
        assert model.seen == [2, 2, 1]
        model.seen, model.room = [], 100
        outputs(model, 5, name="another")
        assert model.seen == [5]


def test_an_input_that_does_not_fit_alone_is_an_error_of_its_own():
    """As the engine does: a chunk that fails is tried row by row."""
    from paws_components.engine.work import Accounted

    class Job:
        def start(self):
            def work(lengths):
                def forward(part):
                    if sum(lengths[i] for i in part) > 100:
                        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
                    return [lengths[i] for i in part]

                return [n for part, found in run_batches("long", lengths, 8, forward) for n in found]

            return work

    with pytest.warns(UserWarning, match="W342"):
        answers = Accounted(Job()).start()([60, 50, 1000, 10])
    assert [value for value, _ in answers] == [60, 50, None, 10]
    assert "[P348] Not even one input of 'long' fits into memory: CUDA out of memory" in answers[2][1]


def test_other_errors_stay_what_they_are():
    model = Small(0, RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    with pytest.raises(RuntimeError, match="shapes"):
        outputs(model, 4)
    assert model.seen == [4]
    assert not is_out_of_memory(ValueError("out of memory")) and is_out_of_memory(MemoryError())
    with pytest.raises(PawsError, match="P348.*can't allocate memory"):
        outputs(Small(0, None), 1)


def test_a_classifier_of_pairs_gives_the_same_in_halves(tmp_path, monkeypatch):
    """The real thing: a small BERT whose forward pass runs out of memory."""
    transformers = pytest.importorskip("transformers")
    from paws_components.ml.hub import Pretrained
    from paws_components.ml.pair_logits import PairLogits

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    tokenizer = transformers.BertTokenizerFast(str(tmp_path / "vocab.txt"))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=8, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    model = transformers.BertForSequenceClassification(config)
    logits = PairLogits(Pretrained(model, tokenizer), "tiny", None, 6)
    pairs = [("a b", "b a"), ("a", "c"), ("b b b", "c"), ("c", "c"), ("a c", "b"), ("c b a", "a")]
    whole = logits(pairs)
    forward, seen = model.forward, []

    def tight(**inputs):
        seen.append(len(inputs["input_ids"]))
        if seen[-1] > 2:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
        return forward(**inputs)

    monkeypatch.setattr(model, "forward", tight)
    with pytest.warns(UserWarning, match="W342.*'tiny'"):
        found = logits(pairs)
    assert seen == [6, 3, 1, 1, 1, 1, 1, 1] and numpy.allclose(found, whole, atol=1e-6)
