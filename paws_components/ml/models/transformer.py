from typing import List, Optional

from spacy.tokens import Doc
from thinc.api import Dropout, Model, Softmax, chain
from thinc.types import Floats2d

from ...errors import Errors, PawsError
from ..layers.cross_encoder import cross_encoder
from ..layers.either_order import either_order, swap_sides
from ..layers.encoder_shim import POOLING
from ..layers.fixed_dropout import fixed_dropout
from ..layers.pair_texts import Texts, pair_texts
from ..pair_batches import check_sizes


def build_transformer(
    name: str,
    max_length: Optional[int] = None,
    batch_size: Optional[int] = None,
    pooling: str = "cls",
    dropout: Optional[float] = None,
    mixed_precision: bool = False,
    symmetric: bool = False,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """`paws.Transformer.v1`: a cross-encoder. It reads both sentences at once, as BERT does in the PAWS paper.

    The encoder is loaded when the pipeline is initialised, and from the pipeline's own files ever after.

    name (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can. Of longer pairs
        the longer sentence is cut, and a warning says how many there were.
    batch_size (Optional[int]): How many pairs, sorted by length, one forward pass takes; None for what suits the
        device. It changes the speed alone: a training batch is one step, whatever its parts.
    pooling (str): "cls": the first token, through the encoder's own pooling layer if it has one; "mean": all tokens.
    dropout (Optional[float]): Between the encoder and the output; None for the rate that `[training]` has.
    mixed_precision (bool): Whether a GPU computes in half precision, a CPU in bfloat16.
    symmetric (bool): Whether to predict the mean over both orders, which takes twice as long.
    nO (Optional[int]): How many labels there are; found out from the data.
    """
    check_sizes(max_length, batch_size)
    if pooling not in POOLING:
        raise PawsError(Errors.P015.format(name="pooling", what=f"one of {', '.join(POOLING)}", value=pooling))
    if dropout is not None and not 0 <= dropout < 1:
        raise PawsError(Errors.P015.format(name="dropout", what="at least 0 and under 1", value=dropout))
    encoder: Model[Texts, Floats2d] = cross_encoder(name, max_length, batch_size, pooling, mixed_precision)
    drop: Model[Floats2d, Floats2d] = Dropout() if dropout is None else fixed_dropout(dropout)
    # textcat's gradient is that of the cross-entropy with regard to what goes into the softmax: it has to be thinc's.
    scored: Model[Texts, Floats2d] = chain(encoder, drop, Softmax(nO=nO))
    model = either_order(pair_texts(), scored, swap_sides) if symmetric else chain(pair_texts(), scored)
    model.attrs["multi_label"] = False
    return model
