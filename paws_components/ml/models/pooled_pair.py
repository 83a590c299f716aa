from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Maxout, Model, Softmax, chain
from thinc.types import Floats2d

from ...errors import Errors, PawsError
from ..layers.either_order import Sides, either_order
from ..layers.matched_sides import matched_sides
from ..layers.pooled_sides import POOLING, pooled_sides, predict_swapped


def build_pooled_pair(
    tok2vec: Model[List[Doc], List[Floats2d]],
    pooling: str = "mean",
    hidden_width: int = 128,
    hidden_pieces: int = 3,
    symmetric: bool = False,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.PooledPair.v1`: each sentence pooled to a vector, [u; v; |u - v|; u * v], a hidden layer, a softmax.

    tok2vec (Model[List[Doc], List[Floats2d]]): Any of spaCy's `tok2vec` layers, or a listener to a `tok2vec` or a
        `transformer` component.
    pooling (str): "mean" or "max".
    hidden_width (int): The width of the hidden layer.
    hidden_pieces (int): Its maxout pieces.
    symmetric (bool): Whether to predict the mean over both orders.
    nO (Optional[int]): How many labels there are; found out from the data.
    """
    if pooling not in POOLING:
        raise PawsError(Errors.P015.format(name="pooling", what=f"one of {', '.join(POOLING)}", value=pooling))
    for setting, value in (("hidden_width", hidden_width), ("hidden_pieces", hidden_pieces)):
        if value < 1:
            raise PawsError(Errors.P015.format(name=setting, what="1 or more", value=value))
    hidden: Model[Floats2d, Floats2d] = Maxout(hidden_width, nP=hidden_pieces, normalize=True, dropout=0.0)
    scored: Model[Sides, Floats2d] = chain(matched_sides(), hidden, Softmax(nO=nO, nI=hidden_width))
    sides = pooled_sides(tok2vec, pooling)
    model = either_order(sides, scored, predict_swapped) if symmetric else chain(sides, scored)
    model.set_ref("tok2vec", tok2vec)
    model.attrs["multi_label"] = False
    return model
