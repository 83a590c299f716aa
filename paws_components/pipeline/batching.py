"""How our components go through a stream: in batches, and a Doc at a time where a batch fails."""

from typing import Callable, Iterable, Iterator, List

from spacy.tokens import Doc
from spacy.util import minibatch

Annotate = Callable[[List[Doc]], None]


def pipe_batches(
    stream: Iterable[Doc], batch_size: int, annotate: Annotate, name: str, proc: Callable, error_handler: Callable
) -> Iterator[Doc]:
    """Annotate a stream in batches. A batch that fails is tried again a Doc at a time; only the bad Doc is handed to
    the error handler; the others come out as usual."""
    for batch in minibatch(stream, size=batch_size):
        try:
            annotate(batch)
        except Exception:
            for doc in batch:
                try:
                    annotate([doc])
                except Exception as error:
                    error_handler(name, proc, [doc], error)
                else:
                    yield doc
        else:
            yield from batch
