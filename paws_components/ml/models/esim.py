"""`paws.ESIM.v1`."""

from functools import partial
from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..hub import require_torch
from ..layers.pair_classifier import need_sizes, softmax_classifier
from .word_embed import build_word_embed


def build_esim(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    hidden: int = 128,
    interaction: bool = False,
    symmetric: bool = False,
    batch_size: int = 64,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.ESIM.v1`: a BiLSTM over each sentence, average and maximum of each, and an MLP.

    tok2vec (Optional[Model]): The embedding of words: `paws.WordEmbed.v1` with its defaults if None, or any of spaCy's.
    hidden (int): The width of each direction of the LSTMs, and of the MLP.
    interaction (bool): False as PAWS describes it, without attention; true as Chen et al. (2017): soft alignment,
        enhancement, and a second BiLSTM.
    symmetric (bool): Whether predictions are the mean over both orders of the sentences.
    batch_size (int): How many pairs go through torch at once.
    nO (Optional[int]): The number of labels; spaCy sets it.
    """
    require_torch("architecture `paws.ESIM.v1`", "safetensors")
    need_sizes(hidden=hidden, batch_size=batch_size)
    from ..nets.esim import ESIM

    return softmax_classifier(
        tok2vec or build_word_embed(),
        partial(ESIM, hidden, interaction),
        width=hidden,
        symmetric=symmetric,
        batch_size=batch_size,
        nO=nO,
    )
