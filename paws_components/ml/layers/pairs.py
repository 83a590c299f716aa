"""From a Doc of two sentences to the vectors of each."""

from dataclasses import dataclass
from typing import Any, Callable, List, Tuple

from spacy.tokens import Doc
from thinc.api import Linear, Model, chain, with_array
from thinc.types import Floats2d

from ...pairs import pair_spans


@dataclass
class Pairs:
    """The vectors of many pairs: of the first sentences and, in the same order, of the second ones."""

    first: List[Floats2d]
    second: List[Floats2d]

    def __len__(self) -> int:
        return len(self.first)

    def swapped(self) -> "Pairs":
        return Pairs(self.second, self.first)


def pair_vectors(tok2vec: Model[List[Doc], List[Floats2d]], exact_match: bool = False) -> Model[List[Doc], Pairs]:
    """Embed the tokens of pair Docs and take their two sentences apart. The tab between them goes unused.

    tok2vec (Model[List[Doc], List[Floats2d]]): The embedding.
    exact_match (bool): Whether each vector gets one number more: 1 if the other sentence has the word too, else 0.
    """
    return Model("pair_vectors", forward, init=init, layers=[tok2vec], attrs={"exact_match": exact_match})


def forward(model: Model, docs: List[Doc], is_train: bool) -> Tuple[Pairs, Callable]:
    tok2vec, exact_match = model.layers[0], model.attrs["exact_match"]
    spans = [pair_spans(doc) for doc in docs]
    bounds = [(first.start, first.end, second.start, second.end) for first, second in spans]
    vectors, bp_vectors = tok2vec(docs, is_train)
    first, second = [], []
    for doc, rows, (start1, end1, start2, end2) in zip(docs, vectors, bounds):
        if exact_match:
            rows = add_match(model, doc, rows, (start1, end1, start2, end2))
        first.append(rows[start1:end1])
        second.append(rows[start2:end2])

    def backprop(d_pairs: Pairs) -> List[Doc]:
        d_vectors = []
        for rows, d_first, d_second, (start1, end1, start2, end2) in zip(
            vectors, d_pairs.first, d_pairs.second, bounds
        ):
            width = rows.shape[1]
            d_rows = model.ops.alloc2f(*rows.shape)
            d_rows[start1:end1] += d_first[:, :width]
            d_rows[start2:end2] += d_second[:, :width]
            d_vectors.append(d_rows)
        bp_vectors(d_vectors)
        return []

    return Pairs(first, second), backprop


def add_match(model: Model, doc: Doc, rows: Floats2d, bounds: Tuple[int, int, int, int]) -> Floats2d:
    """The vectors with one column more, that says which words stand in both sentences."""
    start1, end1, start2, end2 = bounds
    norms = [token.norm for token in doc]
    both = set(norms[start1:end1]) & set(norms[start2:end2])
    column = model.ops.asarray2f([[float(norm in both)] for norm in norms])
    return model.ops.xp.concatenate((rows, column), axis=1)


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    model.layers[0].initialize(X=X)


def with_width(tok2vec: Model[List[Doc], List[Floats2d]], width: int) -> Model[List[Doc], List[Floats2d]]:
    """The embedding, with a width that is known before it sees data. The torch parts are built on it, while a
    transformer's listener finds out its own only then: such a one gets a learned mapping to the given width."""
    if tok2vec.has_dim("nO"):
        return tok2vec
    mapped: Model[List[Doc], List[Floats2d]] = chain(tok2vec, with_array(Linear(nO=width)))
    mapped.set_dim("nO", width)
    return mapped
