"""`paws.BOW.v1`."""

from functools import partial
from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..hub import require_torch
from ..layers.pair_classifier import cosine_classifier, need_sizes
from .word_embed import build_word_embed


def build_bow(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    hidden: int = 128,
    loss: str = "cross_entropy",
    scale: float = 10.0,
    positive_label: str = "paraphrase",
    batch_size: int = 64,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.BOW.v1`: the cosine of two bags of unigrams and bigrams; above 0.5 is a paraphrase (PAWS, section 5).

    tok2vec (Optional[Model]): The embedding of words: `paws.WordEmbed.v1` with its defaults if None, or any of spaCy's.
    hidden (int): The width of the encoding of a bigram.
    loss (str): "cross_entropy" or "squared". The papers don't say which they trained with.
    scale (float): How steep the loss is.
    positive_label (str): The label whose score is the cosine.
    batch_size (int): How many pairs go through torch at once.
    nO (Optional[int]): The number of labels, which is two; spaCy sets it.
    """
    require_torch("architecture `paws.BOW.v1`", "safetensors")
    need_sizes(hidden=hidden, batch_size=batch_size)
    from ..nets.bow import BOW

    return cosine_classifier(
        tok2vec or build_word_embed(),
        partial(BOW, hidden),
        width=hidden,
        batch_size=batch_size,
        loss=loss,
        scale=scale,
        positive_label=positive_label,
        nO=nO,
    )
