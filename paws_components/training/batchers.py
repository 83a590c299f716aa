import itertools
from random import Random
from typing import Iterable, Iterator, List, Sequence, Union

from spacy.training import Example

from ..errors import Errors, PawsError
from .mixing import chance, check_share, swap_doc

BATCHER = "paws.batch_pairs.v1"
Sizing = Union[Sequence[int], int]


def make_pair_batcher(size: Sizing = 32, buffer: int = 1024, swap_sides: float = 0.0, seed: int = 0) -> "PairBatcher":
    """Create a batcher of pairs: `paws.batch_pairs.v1`. The settings are those of `PairBatcher`."""
    return PairBatcher(size, buffer=buffer, swap_sides=swap_sides, seed=seed)


class PairBatcher:
    """Cuts Examples of pairs into batches of so many pairs, of like length each, in random order.

    `spacy train` calls its batcher once an epoch, with Examples that it made once and keeps unless it streams. So this
    is where sides can be swapped anew in each epoch.

    size (Union[int, Sequence[int]]): How many pairs a batch has; or a schedule.
    buffer (int): How many pairs are sorted by length together. More waste less on padding, and are less random.
    swap_sides (float): The share of pairs whose sides are swapped, others in each epoch.
    seed (int): The seed of the order of batches and of what is swapped.
    """

    def __init__(self, size: Sizing, *, buffer: int = 1024, swap_sides: float = 0.0, seed: int = 0) -> None:
        if isinstance(size, int) and size < 1:
            raise PawsError(Errors.P015.format(name="size", what="at least 1", value=size))
        if buffer < 1:
            raise PawsError(Errors.P015.format(name="buffer", what="at least 1", value=buffer))
        check_share("swap_sides", swap_sides)
        self.size = size
        self.buffer = buffer
        self.swap_sides = swap_sides
        self.seed = seed
        self.epoch = 0

    def __call__(self, examples: Iterable[Example]) -> Iterator[List[Example]]:
        """Cut the Examples of one epoch.

        examples (Iterable[Example]): The Examples; read a buffer at a time.
        YIELDS (List[Example]): The batches.
        """
        self.epoch += 1
        order = chance(self.seed, self.epoch, "batches")
        sides = chance(self.seed, self.epoch, "batch sides")
        sizes = _sizes(self.size)
        size = next(sizes)
        stream = iter(examples)
        held: List[Example] = []
        while True:
            held.extend(itertools.islice(stream, max(self.buffer, size) - len(held)))
            taken: List[int] = []
            while size <= len(held) - sum(taken):
                taken.append(size)
                size = next(sizes)
            if not taken:
                break
            # What fills no batch waits, whatever its length: so all batches but the last are full.
            window, held = held[: sum(taken)], held[sum(taken) :]
            window.sort(key=len)
            ends = list(itertools.accumulate(taken))
            batches = [window[end - count : end] for end, count in zip(ends, taken)]
            order.shuffle(batches)
            for batch in batches:
                yield [self._turned(example, sides) for example in batch]
        if held:
            yield [self._turned(example, sides) for example in held]

    def _turned(self, example: Example, sides: Random) -> Example:
        if sides.random() >= self.swap_sides:
            return example
        return Example(swap_doc(example.predicted), swap_doc(example.reference))


def _sizes(size: Sizing) -> Iterator[int]:
    """The sizes of batches without end: a schedule that ends stays at its last value."""
    last = 1
    for last in [size] if isinstance(size, int) else size:
        last = max(1, int(last))
        yield last
    yield from itertools.repeat(last)
