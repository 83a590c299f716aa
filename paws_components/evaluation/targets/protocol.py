from typing import Dict, Iterable, Iterator, List, Protocol, Sequence, Tuple, runtime_checkable

Cats = Dict[str, float]
TextPair = Tuple[str, str]


class Words(Protocol):
    """A sentence that is cut into words.

    words (Tuple[str, ...]): Its words; punctuation marks are words too.
    spaces (Tuple[bool, ...]): Whether each is followed by a space.
    text (str): The sentence as it is written.
    """

    @property
    def words(self) -> Tuple[str, ...]: ...

    @property
    def spaces(self) -> Tuple[bool, ...]: ...

    @property
    def text(self) -> str: ...


WordPair = Tuple[Words, Words]


@runtime_checkable
class Target(Protocol):
    """A classifier that is evaluated or attacked.

    positive_label (str): Its label that means "paraphrase".
    blank (str): What an attack replaces a word with to see what it is worth; the classifier sees it as one token.
    """

    @property
    def positive_label(self) -> str: ...

    @property
    def blank(self) -> str: ...

    def __call__(self, pairs: Sequence[WordPair]) -> List[float]:
        """The probability of "paraphrase" for each pair. It cuts them into batches itself, as they come."""

    def cats(self, pairs: Iterable[TextPair]) -> Iterator[Cats]:
        """The scores of all labels for each pair of texts."""


def says_paraphrase(probability: float) -> bool:
    """Whether a target takes a pair for a paraphrase: above 0.5, as in `paws evaluate`."""
    return probability > 0.5


def gold_score(probability: float, label: int) -> float:
    """The target's score of the gold label: [Z(P, Q)]_y of section 3.1."""
    return probability if label else 1.0 - probability
