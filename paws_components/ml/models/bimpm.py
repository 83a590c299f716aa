"""`paws.BiMPM.v1`."""

from functools import partial
from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..hub import require_torch
from ..layers.pair_classifier import need_sizes, softmax_classifier
from .word_embed import build_word_embed


def build_bimpm(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    hidden: int = 100,
    perspectives: int = 20,
    symmetric: bool = False,
    batch_size: int = 64,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.BiMPM.v1`: bilateral multi-perspective matching (Wang et al. 2017), in all of its four ways.

    tok2vec (Optional[Model]): The embedding of words: `paws.WordEmbed.v1` with its defaults if None, or any of spaCy's.
    hidden (int): The width of each direction of the LSTMs.
    perspectives (int): How many weightings the vectors are compared under.
    symmetric (bool): Whether predictions are the mean over both orders of the sentences.
    batch_size (int): How many pairs go through torch at once.
    nO (Optional[int]): The number of labels; spaCy sets it.
    """
    require_torch("architecture `paws.BiMPM.v1`", "safetensors")
    need_sizes(hidden=hidden, perspectives=perspectives, batch_size=batch_size)
    from ..nets.bimpm import BiMPM

    return softmax_classifier(
        tok2vec or build_word_embed(),
        partial(BiMPM, hidden, perspectives),
        width=hidden,
        symmetric=symmetric,
        batch_size=batch_size,
        nO=nO,
    )
