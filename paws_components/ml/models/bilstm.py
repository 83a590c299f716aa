"""`paws.BiLSTM.v1`."""

from functools import partial
from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ...errors import Errors, PawsError
from ..hub import require_torch
from ..layers.pair_classifier import cosine_classifier, need_sizes
from .word_embed import build_word_embed

POOLINGS = ("max", "mean", "last")


def build_bilstm(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    hidden: int = 128,
    layers: int = 1,
    pooling: str = "max",
    loss: str = "cross_entropy",
    scale: float = 10.0,
    positive_label: str = "paraphrase",
    batch_size: int = 64,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.BiLSTM.v1`: the cosine of two BiLSTM encodings; above 0.5 is a paraphrase (PAWS, section 5).

    tok2vec (Optional[Model]): The embedding of words: `paws.WordEmbed.v1` with its defaults if None, or any of spaCy's.
    hidden (int): The width of each direction.
    layers (int): How many BiLSTMs stand on each other.
    pooling (str): What becomes of the tokens: their "max" or "mean", or the "last" states of both directions.
    loss (str): "cross_entropy" or "squared". The papers don't say which they trained with.
    scale (float): How steep the loss is.
    positive_label (str): The label whose score is the cosine.
    batch_size (int): How many pairs go through torch at once.
    nO (Optional[int]): The number of labels, which is two; spaCy sets it.
    """
    if pooling not in POOLINGS:
        raise PawsError(Errors.P015.format(name="pooling", what=f"one of {', '.join(POOLINGS)}", value=pooling))
    require_torch("architecture `paws.BiLSTM.v1`", "safetensors")
    need_sizes(hidden=hidden, layers=layers, batch_size=batch_size)
    from ..nets.bilstm import BiLSTMEncoder

    return cosine_classifier(
        tok2vec or build_word_embed(),
        partial(BiLSTMEncoder, hidden, layers, pooling),
        width=hidden,
        batch_size=batch_size,
        loss=loss,
        scale=scale,
        positive_label=positive_label,
        nO=nO,
    )
