"""`paws.DIIN.v1`."""

from functools import partial
from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..hub import require_torch
from ..layers.pair_classifier import need_sizes, softmax_classifier
from .word_embed import build_word_embed


def build_diin(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    highways: int = 2,
    blocks: int = 3,
    layers: int = 4,
    growth: int = 20,
    scale_down: float = 0.3,
    transition: float = 0.5,
    max_length: int = 48,
    exact_match: bool = True,
    symmetric: bool = False,
    batch_size: int = 32,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.DIIN.v1`: a DenseNet over the interaction of each word with each (Gong et al. 2018).

    tok2vec (Optional[Model]): The embedding of words: `paws.WordEmbed.v1` with its defaults if None, or any of spaCy's.
    highways (int): The layers of the highway network.
    blocks (int): The dense blocks; each halves the size of the interaction.
    layers (int): The layers of each block; the paper has 8.
    growth (int): The channels that each layer adds.
    scale_down (float): The part of the embedding's width that is left as channels before the first block.
    transition (float): The part of the channels that is left after each block.
    max_length (int): How many tokens of a sentence are looked at; the rest is left out, as in the paper.
    exact_match (bool): Whether words that stand in both sentences are marked, as in the paper.
    symmetric (bool): Whether predictions are the mean over both orders of the sentences.
    batch_size (int): How many pairs go through torch at once.
    nO (Optional[int]): The number of labels; spaCy sets it.
    """
    require_torch("architecture `paws.DIIN.v1`", "safetensors")
    need_sizes(layers=layers, growth=growth, max_length=max_length, batch_size=batch_size)
    need_sizes(scale_down=scale_down, transition=transition)
    from ..nets.diin import DIIN

    return softmax_classifier(
        tok2vec or build_word_embed(),
        partial(DIIN, highways, blocks, layers, growth, scale_down, transition, max_length),
        width=128,
        symmetric=symmetric,
        batch_size=batch_size,
        exact_match=exact_match,
        nO=nO,
    )
