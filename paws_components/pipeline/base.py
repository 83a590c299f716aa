"""What all our components have in common: they predict and annotate in batches, and are all config."""

from typing import Any, Iterable, Iterator, List

from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.util import minibatch

from ..errors import Fatal


class BatchPipe(Pipe):
    """A component that is made anew from its config, and does its work in `predict` and `set_annotations`."""

    name: str

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one Doc."""
        error_handler = self.get_error_handler()
        try:
            self.annotate([doc])
        except Exception as error:
            error_handler(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of Docs in batches. A batch that fails is tried again a Doc at a time; only the bad Doc is
        handed to the error handler, and the others come out as usual. After a fatal error there is nothing to try."""
        error_handler = self.get_error_handler()
        for batch in minibatch(stream, size=batch_size):
            try:
                self.annotate(batch)
            except Fatal as error:
                error_handler(self.name, self, batch, error)
            except Exception:
                yield from self._one_by_one(batch, error_handler)
            else:
                yield from batch

    def _one_by_one(self, batch: List[Doc], error_handler: Any) -> Iterator[Doc]:
        for doc in batch:
            try:
                self.annotate([doc])
            except Exception as error:
                error_handler(self.name, self, [doc], error)
            else:
                yield doc

    def annotate(self, docs: List[Doc]) -> None:
        self.set_annotations(docs, self.predict(docs))

    def predict(self, docs: List[Doc]) -> List[Any]:
        """What each Doc will be annotated with; the Docs stay as they are."""
        raise TypeError(f"{type(self).__name__} does not say what it predicts")

    def set_annotations(self, docs: Iterable[Doc], values: Iterable[Any]) -> None:
        """Write what was predicted to the Docs, as plain data."""
        raise TypeError(f"{type(self).__name__} does not say what it writes")

    # All of a component is config: there is nothing else to save.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        return b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "BatchPipe":
        return self

    def to_disk(self, path: object, *, exclude: Iterable[str] = ()) -> None:
        pass

    def from_disk(self, path: object, *, exclude: Iterable[str] = ()) -> "BatchPipe":
        return self
