"""Which of a model's labels means entailment."""

from typing import Iterable, Optional, Sequence, Union

from ..errors import Errors, PawsError

ENTAILMENT = "entailment"
Label = Union[int, str]


def find_entailment(labels: Sequence[str], wanted: Optional[Label], name: str, also: Iterable[int] = ()) -> int:
    """The number of the label that means entailment. One that is not called so is never guessed.

    labels (Sequence[str]): The labels in their order.
    wanted (Optional[Label]): The label's number or name; None if it is called "entailment", in whatever case.
    name (str): What the model is called, for the error.
    also (Iterable[int]): Numbers that the model gives to a label of this name elsewhere.
    RETURNS (int): Its number.
    """
    if isinstance(wanted, int):
        found = {wanted} & set(range(len(labels)))
    else:
        asked = ENTAILMENT if wanted is None else wanted
        found = {i for i, label in enumerate(labels) if same_label(label, asked)}
        if wanted is None:
            found |= set(also)
    if len(found) != 1:
        known = ", ".join(f"{i}: {label!r}" for i, label in enumerate(labels)) or "none"
        raise PawsError(Errors.P403.format(name=name, known=known))
    return found.pop()


def same_label(one: str, two: str) -> bool:
    """Whether two labels are the same but for their case."""
    return one.strip().lower() == two.strip().lower()
