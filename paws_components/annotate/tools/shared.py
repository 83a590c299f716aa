"""What the tools have in common: the pair as it is shown, the two answers, and reading without trusting."""

from typing import Any, Iterator, NamedTuple, Optional, Tuple, Union

from ...curation.votes import Vote

YES, NO = "paraphrase", "not_paraphrase"
LABELS = {YES: 1, NO: 0}
# What a line of answers gives: its number, and a vote or what is wrong with it.
Found = Iterator[Tuple[int, Union[Vote, str]]]


class Sides(NamedTuple):
    """A pair as it is shown: `one` before `two`, whichever they are in the record."""

    item_id: str
    one: str
    two: str
    swapped: bool


def vote_of(item: Any, rater: Any, label: Any) -> Union[Vote, str]:
    """A vote from what a tool says, or what is wrong with it."""
    name = str(rater if rater is not None else "").strip()
    if not isinstance(item, str) or not item:
        return "it has no item_id; the file must be made by `paws annotate export`"
    if label not in LABELS:
        return f"the answer is {label!r}, and should be {YES} or {NO}"
    return Vote(item, name or "unknown", LABELS[label])


def dig(data: Any, *keys: Any) -> Optional[Any]:
    """What stands deep in plain data; None where the way there breaks off."""
    for key in keys:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data
