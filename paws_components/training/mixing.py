"""Random choices of a reader: how often a pair comes, and which side is first. Each pass has its own, from one seed."""

from itertools import islice
from random import Random
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, TypeVar

from spacy.tokens import Doc

from ..errors import Errors, PawsError
from ..pairs import BINARY_CATS, pair_spans, swap_words
from ..records import NLI
from .labelled import Pair

T = TypeVar("T")
# What a Doc can hold besides its words that goes by tokens.
ANNOTATIONS = ("TAG", "POS", "MORPH", "LEMMA", "DEP", "SENT_START", "ENT_IOB")


def chance(seed: int, epoch: int, what: str) -> Random:
    """A source of chance for one purpose in one pass. A text as the seed is hashed the same way on every machine."""
    return Random(f"paws:{seed}:{epoch}:{what}")


def one_each(name: str, value: Any, count: int) -> List[Any]:
    """A setting for each of several corpora: the one there is for all of them, or a list with one for each."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise PawsError(Errors.P302.format(name=name, given=len(value), count=count))
    return list(value)


def check_weights(name: str, weights: Iterable[float]) -> None:
    for weight in weights:
        if not 0 <= weight < float("inf"):
            raise PawsError(Errors.P015.format(name=name, what="0 or more", value=weight))


def check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise PawsError(Errors.P015.format(name=name, what="between 0 and 1", value=value))


def check_class_weights(weights: Optional[Dict[str, float]]) -> Dict[str, float]:
    for name in weights or {}:
        if name not in (*BINARY_CATS, *NLI):
            raise PawsError(Errors.P305.format(name=name, known=", ".join((*BINARY_CATS, *NLI))))
    check_weights("class_weights", (weights or {}).values())
    return dict(weights or {})


def repeated(pairs: Iterable[Pair], weight: float, class_weights: Dict[str, float], random: Random) -> Iterator[Pair]:
    """Each pair as often as its weight says: with 2.25 twice, and in a quarter of all cases once more.

    pairs (Iterable[Pair]): The pairs.
    weight (float): The weight of their corpus.
    class_weights (Dict[str, float]): What it is multiplied with, by label; a label that is not there has 1.0.
    random (Random): Decides about the fractions.
    YIELDS (Pair): The pairs; the same one comes in a row.
    """
    for pair in pairs:
        times = weight * class_weights.get(pair.label, 1.0)
        whole = int(times)
        for _ in range(whole + (random.random() < times - whole)):
            yield pair


def shuffled(items: Iterable[T], random: Random) -> List[T]:
    held = list(items)
    random.shuffle(held)
    return held


class Choice(NamedTuple):
    """Which pairs of a corpus are taken, and in which order.

    skip (int), limit (int): Leave out the first so many, and take no more than so many; 0 for all.
    shuffle (bool): Whether they are counted in an order that the seed decides, the same in each pass: so a limit and a
        skip of the same number cut a corpus in two, and a smaller limit takes a part of what a larger one takes.
    seed (int): That seed.
    """

    skip: int = 0
    limit: int = 0
    shuffle: bool = False
    seed: int = 0

    def __call__(self, pairs: Iterable[Pair], i: int) -> Iterator[Pair]:
        """The pairs that are taken of those of the i-th corpus."""
        if self.shuffle:
            pairs = shuffled(pairs, chance(self.seed, 0, f"choice:{i}"))
        yield from islice(pairs, self.skip, self.skip + self.limit if self.limit else None)


def check_symmetric(labels: Sequence[str]) -> None:
    """Our error for sides that are to be swapped where the label goes one way: what entails is not entailed."""
    judgement = next((label for label in labels if label in NLI), None)
    if judgement:
        raise PawsError(Errors.P306.format(label=judgement))


def swap_pair(pair: Pair) -> Pair:
    check_symmetric([pair.label])
    return pair._replace(sentence1=pair.sentence2, sentence2=pair.sentence1)


def swap_doc(doc: Doc) -> Doc:
    """A pair Doc with its sentences swapped: another Doc with the same tokens, their annotations and `doc.cats`.

    doc (Doc): The pair Doc.
    RETURNS (Doc): A new Doc.
    """
    check_symmetric(list(doc.cats))
    if any(doc.has_annotation(name) for name in ANNOTATIONS):
        first, second = pair_spans(doc)
        parts = [part for part in (second, doc[first.end : second.start], first) if len(part)]
        swapped = Doc.from_docs([part.as_doc() for part in parts], ensure_whitespace=False)
    else:
        swapped = swap_words(doc)
    swapped.cats = dict(doc.cats)
    return swapped
