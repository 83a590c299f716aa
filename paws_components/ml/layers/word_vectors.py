"""The pipeline's vectors: as they are (PAWS, section 6.1), or trained further (PAWS-X, section 4)."""

from functools import partial
from typing import Any, Callable, List, Optional, Tuple

import numpy
from spacy.ml.staticvectors import StaticVectors
from spacy.tokens import Doc
from spacy.vectors import Mode, Vectors  # type: ignore[import-not-found]
from spacy.vocab import Vocab
from thinc.api import Model, Ops, glorot_uniform_init
from thinc.types import Ints1d, Ragged

from ...errors import Errors, PawsError


def word_vectors(width: int, trainable: bool) -> Model[List[Doc], Ragged]:
    """Each token's vector, mapped to the width by a learned matrix.

    width (int): The width of what comes out.
    trainable (bool): Whether the vectors themselves are trained too.
    """
    if trainable:
        return Model(
            "tuned_vectors",
            forward,
            init=init,
            params={"E": None, "W": None},
            dims={"nO": width, "nM": None, "nV": None},
        )
    model = StaticVectors(width)
    # spaCy's own error for a vocabulary without vectors does not say what to do.
    model.init = partial(init_static, model.init)
    return model


def init_static(spacy_init: Callable, model: Model, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    if X:
        check_vectors(X[0].vocab)
    spacy_init(model, X, Y)


def forward(model: Model, docs: List[Doc], is_train: bool) -> Tuple[Ragged, Callable]:
    E: Any = model.get_param("E")
    W: Any = model.get_param("W")
    rows = find_rows(model.ops, docs)
    known = rows >= 0
    taken = E[rows]
    taken[~known] = 0.0
    lengths = model.ops.asarray1i([len(doc) for doc in docs])

    def backprop(d_vectors: Ragged) -> List[Doc]:
        d_out: Any = model.ops.as_contig(d_vectors.dataXd)
        model.inc_grad("W", model.ops.gemm(d_out, model.ops.as_contig(taken), trans1=True))
        d_taken = model.ops.gemm(d_out, W)
        dE = model.ops.alloc2f(*E.shape)
        model.ops.scatter_add(dE, rows[known], model.ops.as_contig(d_taken[known]))
        model.inc_grad("E", dE)
        return []

    return Ragged(model.ops.gemm(taken, W, trans2=True), lengths), backprop


def init(model: Model, X: Optional[List[Doc]] = None, Y: Any = None) -> None:
    if not X:
        return
    vectors = check_vectors(X[0].vocab)
    if not isinstance(vectors, Vectors) or vectors.mode != Mode.default:
        raise PawsError(Errors.P325)
    E = model.ops.asarray2f(vectors.data, dtype="float32").copy()
    model.set_dim("nV", E.shape[0])
    model.set_dim("nM", E.shape[1])
    model.set_param("E", E)
    model.set_param("W", glorot_uniform_init(model.ops, (model.get_dim("nO"), E.shape[1])))


def find_rows(ops: Ops, docs: List[Doc]) -> Ints1d:
    """The row of each token's vector, -1 where it has none."""
    vectors = docs[0].vocab.vectors
    keys = numpy.concatenate([doc.to_array(getattr(vectors, "attr", "ORTH")) for doc in docs])
    return ops.asarray1i(vectors.find(keys=keys), dtype="int32")


def check_vectors(vocab: Vocab) -> Any:
    """The vocabulary's vectors; our error where there are none."""
    if vocab.vectors.shape[1] == 0 or vocab.vectors.shape[0] == 0:
        raise PawsError(Errors.P321)
    return vocab.vectors
