"""Which back translations of a run stay: at least a given share of them reordered (PAWS, section 3.2)."""

from array import array
from typing import Callable, Iterable

from paws_components.plugin import PairRecord, stable_id


def choose(
    records: Iterable[PairRecord], reordered_above: float, reordered_share: float, seed: int
) -> Callable[[PairRecord], bool]:
    """Keep every reordered pair, and of the others as many as the share allows, drawn by a seeded hash.

    What is drawn depends on the pairs of the run alone, not on their order nor on how they were cut into batches.

    records (Iterable[PairRecord]): All pairs; each is looked at once, and eight bytes are kept of it.
    reordered_above (float): Above this inversion rate a pair counts as reordered.
    reordered_share (float): The share of what is kept that must be reordered, at the least.
    seed (int): Of the hash.
    RETURNS (Callable[[PairRecord], bool]): Whether a record stays.
    """
    reordered = 0
    draws = array("Q")
    for record in records:
        if record.evidence["inversion_rate"] > reordered_above:
            reordered += 1
        else:
            draws.append(draw(record, seed))
    room = len(draws) if reordered_share == 0 else int(reordered * (1 - reordered_share) / reordered_share)
    # The draws below the last are distinct or stand for one and the same pair: no more than there is room for stay.
    limit = sorted(draws)[room] if room < len(draws) else 1 << 64

    def stays(record: PairRecord) -> bool:
        return record.evidence["inversion_rate"] > reordered_above or draw(record, seed) < limit

    return stays


def draw(record: PairRecord, seed: int) -> int:
    """A number that looks random and is the same for a pair and a seed wherever it is asked for."""
    return int(stable_id(str(seed), record.id), 16)
