"""Which backend a run has. A backend decides where workers live, and nothing else."""

from typing import Any, Callable, Generator, Iterable, Iterator, List, Protocol, TypeVar

from ..errors import Errors, PawsError
from .local import Here, Processes, cores
from .options import ENGINES, RunOptions
from .pool import CHUNK, Job, Pool, Staff, in_chunks

In = TypeVar("In")
Out = TypeVar("Out")


class Backend(Protocol):
    staff: Staff

    def map(self, job: Job, chunks: Iterable[Any]) -> Generator[Any, None, None]:
        """What a worker makes of each chunk, in the order of the chunks."""


def find_backend(options: RunOptions) -> Backend:
    """The backend that the options ask for."""
    if options.engine not in ENGINES:
        raise PawsError(Errors.P015.format(name="--engine", what=" or ".join(ENGINES), value=options.engine))
    if options.engine == "ray":
        from .ray import Actors

        return Pool(Actors(options), options.retry)
    if options.judges:
        raise PawsError(Errors.P053.format(count=options.judges))
    count = options.n_process if options.n_process > 0 else cores()
    return Here() if count == 1 else Pool(Processes(count), options.retry)


def map_chunks(
    job: Job[Callable[[List[In]], Out]], items: Iterable[In], n_process: int = 1, chunk: int = CHUNK
) -> Iterator[Out]:
    """Cut items into chunks and have workers turn each chunk into something; results come in the order of the input."""
    return find_backend(RunOptions(n_process=n_process)).map(job, in_chunks(items, chunk))
