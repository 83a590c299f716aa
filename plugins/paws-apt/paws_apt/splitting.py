"""A split that no source sentence crosses (section 4), and no other sentence either."""

from typing import List, Sequence, Tuple

from paws_components.plugin import PairRecord, set_apart


def split_by_source(
    pairs: Sequence[PairRecord], share: float, seed: int = 0
) -> Tuple[List[PairRecord], List[PairRecord]]:
    """Split attempts so that all attempts at a sentence are on one side.

    An attempt at one sentence may be another source, or an attempt at another: such pairs stay together too.

    pairs (Sequence[PairRecord]): The pairs.
    share (float): How large a share is held back.
    seed (int): Of the draw.
    RETURNS (Tuple[List[PairRecord], List[PairRecord]]): What is for training and what is held back, in their order.
    """
    held, _ = set_apart(pairs, round(share * len(pairs)), seed)
    apart = {id(pair) for pair in held}
    return [pair for pair in pairs if id(pair) not in apart], [pair for pair in pairs if id(pair) in apart]
