"""Parts of a corpus that share no sentence. Case, spaces and punctuation make no difference: corpora tokenise as they
like, and the same sentence in another spelling leaks all the same."""

from dataclasses import dataclass, field, replace
from random import Random
from typing import Dict, Iterable, List, Mapping, Protocol, Sequence, Set, Tuple, TypeVar, Union

from ..errors import Errors, PawsError
from ..records import PairRecord
from .text import sentence_key

TRAIN = "train"


class HasSentences(Protocol):
    """A pair: a `PairRecord`, a row of a corpus, or a labelled pair of a reader."""

    @property
    def sentence1(self) -> str: ...

    @property
    def sentence2(self) -> str: ...


P = TypeVar("P", bound=HasSentences)


def sentence_keys(pairs: Iterable[HasSentences]) -> Set[str]:
    """The keys of all sentences of some pairs."""
    return {sentence_key(sentence) for pair in pairs for sentence in (pair.sentence1, pair.sentence2)}


def without_shared(pairs: Sequence[P], others: Iterable[HasSentences]) -> List[P]:
    """The pairs that share no sentence with some others.

    pairs (Sequence): The pairs, of which those that leak are left out.
    others (Iterable): The pairs that must stay unseen, such as a test set.
    RETURNS (List): The rest, in their order.
    """
    taken = sentence_keys(others)
    return [pair for pair in pairs if not sentence_keys([pair]) & taken]


def set_apart(pairs: Sequence[P], size: int, seed: int = 0) -> Tuple[List[P], List[P]]:
    """Two parts of the pairs that share no sentence: about so many, drawn at random, and the rest.

    Pairs that hang together by their sentences stay together. So the first part may be a few pairs too small.

    pairs (Sequence): The pairs.
    size (int): How many are set apart at most.
    seed (int): The seed of the draw.
    RETURNS (Tuple[List, List]): Those that were set apart, and the rest in their order.
    """
    leader: Dict[str, str] = {}
    for pair in pairs:
        first, second = (_find(leader, sentence_key(text)) for text in (pair.sentence1, pair.sentence2))
        leader[second] = first
    groups: Dict[str, List[int]] = {}
    for i, pair in enumerate(pairs):
        groups.setdefault(_find(leader, sentence_key(pair.sentence1)), []).append(i)
    names = list(groups)
    Random(seed).shuffle(names)
    apart: List[int] = []
    for name in names:
        if len(apart) + len(groups[name]) <= size:
            apart.extend(groups[name])
    taken = set(apart)
    return [pairs[i] for i in apart], [pair for i, pair in enumerate(pairs) if i not in taken]


@dataclass
class Splits:
    """A set that was cut up.

    parts (Dict[str, List[PairRecord]]): The pairs of each split by its name; "train" is what is left.
    identical (List[PairRecord]): Pairs of identical sentences that were taken out of the others than "train".
    """

    parts: Dict[str, List[PairRecord]] = field(default_factory=dict)
    identical: List[PairRecord] = field(default_factory=list)


def split_by_source(pairs: Sequence[PairRecord], sizes: Mapping[str, Union[int, float]], seed: int = 0) -> Splits:
    """Cut pairs into splits: no source, and no sentence, is in two of them (PAWS, section 4).

    Pairs that hang together by their source or a sentence stay together, so that a split may be a few pairs too small.
    Pairs of identical sentences stay in "train" alone, and do not count for the others' sizes.

    pairs (Sequence[PairRecord]): The pairs.
    sizes (Mapping[str, Union[int, float]]): How large each split is, "train" aside: a number of pairs, or below 1 a
        share of all.
    seed (int): The seed of the draw.
    RETURNS (Splits): The splits, each in the order of the pairs.
    """
    check_sizes(sizes)
    room = {name: int(size) if size >= 1 else int(len(pairs) * size) for name, size in sizes.items()}
    if sum(room.values()) > len(pairs):
        wanted = ", ".join(f"{name} {size:,}" for name, size in room.items())
        raise PawsError(Errors.P706.format(wanted=wanted, pairs=f"{len(pairs):,}"))
    leader: Dict[str, str] = {}
    names = []
    for pair in pairs:
        # A source is not a sentence: what stands before it keeps the two apart.
        keys = ("source\t" + pair.source_id, sentence_key(pair.sentence1), sentence_key(pair.sentence2))
        first = _find(leader, keys[0])
        for key in keys[1:]:
            leader[_find(leader, key)] = first
        names.append(keys[0])
    groups: Dict[str, List[int]] = {}
    for i, name in enumerate(names):
        groups.setdefault(_find(leader, name), []).append(i)
    order = list(groups.values())
    Random(seed).shuffle(order)
    place: Dict[int, str] = {}
    for group in order:
        counted = sum(not is_identical(pairs[i]) for i in group)
        # A group of nothing but identical pairs would be lost there.
        name = next((name for name, left in room.items() if 0 < counted <= left), TRAIN)
        room[name] = room.get(name, 0) - counted
        place.update((i, name) for i in group)
    done = Splits({TRAIN: [], **{name: [] for name in sizes}})
    for i, pair in enumerate(pairs):
        if place[i] != TRAIN and is_identical(pair):
            done.identical.append(pair)
        else:
            done.parts[place[i]].append(pair)
    return done


def check_sizes(sizes: Mapping[str, Union[int, float]]) -> None:
    """Our error for sizes of splits that mean nothing."""
    for name, size in sizes.items():
        if name == TRAIN or size < 0 or (size >= 1 and size != int(size)):
            what = "a number of pairs, or a share below 1; train is what is left"
            raise PawsError(Errors.P015.format(name=f"splits.{name}", what=what, value=size))


def is_identical(pair: HasSentences) -> bool:
    """Whether a pair is one sentence twice, as where somebody fixed a swap back to its source (footnote 6)."""
    return pair.sentence1 == pair.sentence2


def flip_sides(pairs: Iterable[PairRecord], seed: int = 0) -> List[PairRecord]:
    """Swap the sides of every other pair, by chance, so that nobody can tell the source by its side (PAWS, section 4).

    The chance is the pair's own, whatever stands around it. The id stays, and `evidence["flipped"]` says so. A
    judgement of natural language inference goes one way: such a pair stays as it is.

    pairs (Iterable[PairRecord]): The pairs.
    seed (int): The seed.
    RETURNS (List[PairRecord]): The pairs.
    """
    return [
        _flipped(pair) if pair.nli is None and Random(f"flip:{seed}:{pair.id}").random() < 0.5 else pair
        for pair in pairs
    ]


def _flipped(pair: PairRecord) -> PairRecord:
    evidence = {key: value for key, value in pair.evidence.items() if key != "flipped"}
    if not pair.evidence.get("flipped"):
        evidence["flipped"] = True
    if isinstance(evidence.get("moved"), list):
        # What moved is told of both sentences: the first is the source no longer.
        evidence["moved"] = [{**one, "source": one["target"], "target": one["source"]} for one in evidence["moved"]]
    return replace(pair, sentence1=pair.sentence2, sentence2=pair.sentence1, evidence=evidence)


def _find(leader: Dict[str, str], sentence: str) -> str:
    """The sentence that stands for all that hang together with this one (union-find)."""
    while leader.setdefault(sentence, sentence) != sentence:
        leader[sentence] = leader[leader[sentence]]
        sentence = leader[sentence]
    return sentence
