"""Parts of a corpus that share no sentence. Case, spaces and punctuation make no difference: corpora tokenise as they
like, and the same sentence in another spelling leaks all the same."""

from pathlib import Path
from random import Random
from typing import Dict, Iterable, List, Mapping, Protocol, Sequence, Set, Tuple, TypeVar

from ..errors import Errors, PawsError
from ..records import PairRecord, PathLike, RecordWriter


class HasSentences(Protocol):
    """A pair: a `PairRecord`, a row of a corpus, or a labelled pair of a reader."""

    @property
    def sentence1(self) -> str: ...

    @property
    def sentence2(self) -> str: ...


P = TypeVar("P", bound=HasSentences)


def sentence_key(sentence: str) -> str:
    """What of a sentence is compared: its letters and digits, or all of it where it has none."""
    return "".join(char for char in sentence.casefold() if char.isalnum()) or sentence


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


def write_parts(parts: Mapping[str, Sequence[PairRecord]], folder: PathLike) -> Dict[str, int]:
    """Write the parts of a corpus as FOLDER/NAME.jsonl; our error, before anything is written, for an empty one.

    parts (Mapping[str, Sequence[PairRecord]]): The pairs of each part, by its name.
    folder (Union[str, Path]): Where they go; it is made if it is not there.
    RETURNS (Dict[str, int]): How many pairs each part has, and how many of them are paraphrases.
    """
    for name, pairs in parts.items():
        if not pairs:
            raise PawsError(Errors.P152.format(name=name))
    Path(folder).mkdir(parents=True, exist_ok=True)
    counts = {}
    for name, pairs in parts.items():
        with RecordWriter(Path(folder) / f"{name}.jsonl") as writer:
            for pair in pairs:
                writer.write(pair)
        counts[name] = writer.count
        counts[f"{name}_paraphrases"] = sum(pair.label == 1 for pair in pairs)
    return counts


def _find(leader: Dict[str, str], sentence: str) -> str:
    """The sentence that stands for all that hang together with this one (union-find)."""
    while leader.setdefault(sentence, sentence) != sentence:
        leader[sentence] = leader[leader[sentence]]
        sentence = leader[sentence]
    return sentence
