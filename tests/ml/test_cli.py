"""The architectures with spaCy's own commands."""

import numpy
import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.cli.train import train

from ..training.configs import PAIRS, pair_config, write_pairs
from .cases import BLOCKS, every_architecture, needs_gpu, predict


@pytest.fixture(scope="module")
def pairs_path(tmp_path_factory):
    return write_pairs(tmp_path_factory.mktemp("pairs") / "pairs.spacy")


@every_architecture
def test_train_from_a_blank_pipeline(name, pairs_path, tmp_path):
    config = pair_config(
        BLOCKS[name], pairs_path, pairs_path, **{"training.max_steps": 4, "training.eval_frequency": 2}
    )
    config.to_disk(tmp_path / "config.cfg")
    train(tmp_path / "config.cfg", tmp_path / "out")
    nlp = spacy.load(tmp_path / "out" / "model-last")
    assert nlp.get_pipe("textcat").labels == ("paraphrase", "not_paraphrase")
    assert len(predict(nlp, PAIRS)) == len(PAIRS)


@pytest.mark.parametrize("name", [name for name in BLOCKS if "-" not in name])
def test_fill_config_knows_every_key(name, pairs_path, tmp_path):
    """The name of the architecture is enough; the filled config has its settings, and is complete."""
    block = {"@architectures": BLOCKS[name]["@architectures"]}
    pair_config(block, pairs_path, pairs_path).to_disk(tmp_path / "base.cfg")
    _, filled = fill_config(tmp_path / "full.cfg", tmp_path / "base.cfg")
    settings = filled["components"]["textcat"]["model"]
    assert {"tok2vec", "batch_size", "nO"} < set(settings)
    again = spacy.util.load_config(tmp_path / "full.cfg")
    assert spacy.util.load_model_from_config(again, auto_fill=False, validate=True).pipe_names == [
        "paws_pair",
        "textcat",
    ]
    _, twice = fill_config(tmp_path / "twice.cfg", tmp_path / "full.cfg")
    assert (tmp_path / "twice.cfg").read_text() == (tmp_path / "full.cfg").read_text()


def test_an_unknown_setting_is_an_error(pairs_path, tmp_path, capsys):
    config = pair_config({"@architectures": "paws.ESIM.v1", "hiden": 3}, pairs_path, pairs_path)
    config.to_disk(tmp_path / "config.cfg")
    with pytest.raises(SystemExit):
        fill_config(tmp_path / "full.cfg", tmp_path / "config.cfg")
    assert "unexpected argument: 'hiden'" in capsys.readouterr().out


@needs_gpu
@every_architecture
def test_train_on_the_gpu(name, pairs_path, tmp_path):
    """With `--gpu-id 0` torch and thinc work on the GPU; what was trained there says the same on the CPU."""
    config = pair_config(
        BLOCKS[name], pairs_path, pairs_path, **{"training.max_steps": 4, "training.eval_frequency": 2}
    )
    config.to_disk(tmp_path / "config.cfg")
    try:
        train(tmp_path / "config.cfg", tmp_path / "out", use_gpu=0)
        nlp = spacy.load(tmp_path / "out" / "model-last")
        net = next(node for node in nlp.get_pipe("textcat").model.walk() if node.name == "torch_pairs")
        assert net.shims[0].device.type == "cuda"
        scores = predict(nlp, PAIRS)
    finally:
        spacy.require_cpu()
    again = predict(spacy.load(tmp_path / "out" / "model-last"), PAIRS)
    assert numpy.allclose(again, scores, atol=1e-3)
