"""`paws.DecAtt.v1`."""

from functools import partial
from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..hub import require_torch
from ..layers.pair_classifier import need_sizes, softmax_classifier
from .word_embed import build_word_embed


def build_decatt(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    hidden: int = 200,
    encoder: bool = False,
    symmetric: bool = False,
    batch_size: int = 64,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.DecAtt.v1`: decomposable attention (Parikh et al. 2016), which aligns words and knows no order.

    tok2vec (Optional[Model]): The embedding of words: `paws.WordEmbed.v1` with its defaults if None, or any of spaCy's.
    hidden (int): The width of all layers.
    encoder (bool): Whether a BiLSTM encodes the words first, as in PAWS's "+BiLSTM".
    symmetric (bool): Whether predictions are the mean over both orders of the sentences.
    batch_size (int): How many pairs go through torch at once.
    nO (Optional[int]): The number of labels; spaCy sets it.
    """
    require_torch("architecture `paws.DecAtt.v1`", "safetensors")
    need_sizes(hidden=hidden, batch_size=batch_size)
    from ..nets.decatt import DecAtt

    return softmax_classifier(
        tok2vec or build_word_embed(),
        partial(DecAtt, hidden, encoder),
        width=hidden,
        symmetric=symmetric,
        batch_size=batch_size,
        nO=nO,
    )
