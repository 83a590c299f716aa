from typing import Iterable, Iterator, List

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc

from ..pairs import mark_pair, pair_spans
from .batching import pipe_batches


@Language.factory("paws_pair", assigns=["doc.spans", "token.is_sent_start"])
def make_pair_marker(nlp: Language, name: str):
    """Mark the two sentences of each pair Doc: `doc.spans["paws_pair"]`, and a sentence start at the second.

    Put it first in the pipeline, before any parser. The text of the Doc is `paws_components.pairs.pair_text(s1, s2)`.
    """
    return PairMarker(nlp, name)


class PairMarker(Pipe):
    """Marks where the two sentences of a pair are."""

    def __init__(self, nlp: Language, name: str = "paws_pair") -> None:
        self.nlp = nlp
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one Doc."""
        error_handler = self.get_error_handler()
        try:
            self.annotate([doc])
        except Exception as error:
            error_handler(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of Docs."""
        yield from pipe_batches(stream, batch_size, self.annotate, self.name, self, self.get_error_handler())

    def annotate(self, docs: List[Doc]) -> None:
        for doc in docs:
            pair_spans(doc)  # a batch with a bad Doc in it fails before any Doc is changed
        for doc in docs:
            mark_pair(doc)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        return b""  # there is nothing to keep

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "PairMarker":
        return self

    def to_disk(self, path: object, *, exclude: Iterable[str] = ()) -> None:
        pass

    def from_disk(self, path: object, *, exclude: Iterable[str] = ()) -> "PairMarker":
        return self
