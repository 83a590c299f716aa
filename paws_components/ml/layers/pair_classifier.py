"""How the architectures are put together: embedding, torch part, and a softmax or a cosine at the end."""

from functools import partial
from typing import Any, Callable, List, Optional

from spacy.tokens import Doc
from thinc.api import Model, Softmax, chain
from thinc.layers.chain import init as init_chain
from thinc.types import Floats2d

from ...errors import Errors, PawsError
from .both_orders import both_orders
from .cosine import cosine
from .pairs import pair_vectors, with_width
from .torch_pairs import torch_pairs

Embedding = Model[List[Doc], List[Floats2d]]


def softmax_classifier(
    tok2vec: Embedding,
    make_net: Callable[[int], Any],
    *,
    width: int,
    symmetric: bool,
    batch_size: int,
    exact_match: bool = False,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """A classifier for any number of labels.

    tok2vec (Model[List[Doc], List[Floats2d]]): The embedding of words.
    make_net (Callable): Makes the torch module, given the width of its input.
    width (int): What embeddings of a width that is not known yet are mapped to.
    symmetric (bool): Whether predictions are the mean over both orders of the sentences.
    batch_size (int): How many pairs go through torch at once.
    exact_match (bool): Whether words that stand in both sentences are marked.
    nO (Optional[int]): The number of labels, if it is known.
    """
    embed, net = _body(tok2vec, make_net, width, batch_size, exact_match)
    softmax = Softmax(nO=nO, nI=net.get_dim("nO"))
    model: Model[List[Doc], Floats2d] = chain(embed, both_orders(chain(net, softmax), symmetric))
    return _finish(model, embed, softmax, nO)


def cosine_classifier(
    tok2vec: Embedding,
    make_net: Callable[[int], Any],
    *,
    width: int,
    batch_size: int,
    loss: str,
    scale: float,
    positive_label: str,
    nO: Optional[int] = None,
) -> Model[List[Doc], Floats2d]:
    """A classifier for two labels; the score of the positive one is the cosine of the two encodings.

    make_net (Callable): Makes the torch module, given the width of its input; it gives both encodings in one row.
    loss (str), scale (float): See `cosine`.
    positive_label (str): The label of pairs that mean the same.
    The other arguments are those of `softmax_classifier`.
    """
    head = cosine(loss, scale)
    embed, net = _body(tok2vec, make_net, width, batch_size, False)
    model: Model[List[Doc], Floats2d] = chain(embed, net, head)
    model.init = partial(init_cosine, positive_label)
    return _finish(model, embed, head, nO)


def init_cosine(positive_label: str, model: Model, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    """Find the column of the positive label: the model is shown the order of the labels only in its first examples."""
    if X and Y is not None:
        known = sorted({label for doc in X for label in doc.cats})
        if Y.shape[1] != 2:
            raise PawsError(Errors.P324.format(count=Y.shape[1], known=", ".join(known)))
        if positive_label not in known:
            raise PawsError(Errors.P323.format(label=positive_label, known=", ".join(known)))
        row = next(i for i, doc in enumerate(X) if positive_label in doc.cats)
        truth = X[row].cats[positive_label]
        model.get_ref("output_layer").attrs["positive"] = int(Y[row, 0] != truth)
    init_chain(model, X, Y)


def need_sizes(**sizes: float) -> None:
    """Our error for a size that is not more than zero."""
    for name, value in sizes.items():
        if not value > 0:
            raise PawsError(Errors.P015.format(name=name, what="more than 0", value=value))


def _body(tok2vec: Embedding, make_net: Callable[[int], Any], width: int, batch_size: int, exact_match: bool) -> Any:
    tok2vec = with_width(tok2vec, width)
    embed = pair_vectors(tok2vec, exact_match)
    embed.set_ref("tok2vec", tok2vec)
    return embed, torch_pairs(partial(make_net, tok2vec.get_dim("nO") + int(exact_match)), batch_size)


def _finish(model: Model, embed: Model, head: Model, nO: Optional[int]) -> Model[List[Doc], Floats2d]:
    model.set_ref("tok2vec", embed.get_ref("tok2vec"))
    model.set_ref("output_layer", head)
    model.attrs["multi_label"] = False
    if nO is not None and model.has_dim("nO") is None:
        model.set_dim("nO", nO)
    return model
