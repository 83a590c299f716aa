"""Parts of a corpus that share no sentence. Case, spaces and punctuation make no difference: corpora tokenise as they
like, and the same sentence in another spelling leaks all the same."""

from random import Random
from typing import Dict, Iterable, List, Protocol, Sequence, Set, Tuple, TypeVar

from .text import sentence_key


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


def _find(leader: Dict[str, str], sentence: str) -> str:
    """The sentence that stands for all that hang together with this one (union-find)."""
    while leader.setdefault(sentence, sentence) != sentence:
        leader[sentence] = leader[leader[sentence]]
        sentence = leader[sentence]
    return sentence
