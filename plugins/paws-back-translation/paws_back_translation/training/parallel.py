"""Sentences and their translations, as numbers, in batches of about the same length."""

import random
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import PathLike, PawsError

from ..errors import Errors


class Pair(NamedTuple):
    """A sentence and its translation as piece ids; both end with </s>."""

    source: List[int]
    target: List[int]


def languages(direction: str) -> Tuple[str, str]:
    """The two languages of a direction: "en-de" is from English to German."""
    source, hyphen, target = direction.partition("-")
    if not (source and target) or "-" in target:
        what = "two languages with a hyphen between them, as in en-de"
        raise PawsError(Errors.B007.format(name="direction", what=what, value=direction))
    return source, target


def read_split(folder: PathLike, split: str, direction: str) -> Tuple[List[str], List[str]]:
    """Read two files that are translations of each other, line by line.

    folder (Union[str, Path]): Where they are.
    split (str): What their names begin with: "train" or "val".
    direction (str): The two languages, which their names end with: "en-de" reads train.en and train.de.
    RETURNS (Tuple[List[str], List[str]]): The lines of the one, and of the other.
    """
    files = [Path(folder) / f"{split}.{language}" for language in languages(direction)]
    sides = [read_lines(file) for file in files]
    if len(sides[0]) != len(sides[1]):
        counts = [f"{file} has {len(side):,}" for file, side in zip(files, sides)]
        raise PawsError(Errors.B041.format(counts=" and ".join(counts)))
    return sides[0], sides[1]


def read_lines(file: Path) -> List[str]:
    """The lines of a text file. Only the line feed ends one: `splitlines` would also split at other characters, and
    that on one side alone."""
    try:
        return file.read_text(encoding="utf8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PawsError(PawsErrors.P020.format(path=str(file), reason=error)) from error


def encode(tokenizer: Any, source: Sequence[str], target: Sequence[str], max_length: int) -> List[Pair]:
    """Tokenise once, before training.

    tokenizer (Any): The tokenizer that is saved with the model.
    source (Sequence[str]): Sentences.
    target (Sequence[str]): Their translations.
    max_length (int): Pairs with more pieces on a side are left out.
    RETURNS (List[Pair]): The pairs.
    """
    sources = tokenizer(list(source))["input_ids"]
    targets = tokenizer(text_target=list(target))["input_ids"]
    pairs = [Pair(*pair) for pair in zip(sources, targets)]
    short = [pair for pair in pairs if max(map(len, pair)) <= max_length]
    if not short:
        raise PawsError(Errors.B042.format(max_length=max_length, count=f"{len(pairs):,}"))
    return short


def batches(pairs: Sequence[Pair], tokens: int, rng: random.Random) -> List[List[Pair]]:
    """Batches whose longer side, padded, has at most so many tokens.

    Pairs of about the same length come together, so that little is padding. The noise in the order gives other
    batches in every epoch.

    pairs (Sequence[Pair]): The pairs.
    tokens (int): The size of a batch; a single longer pair is a batch of its own.
    rng (random.Random): Shuffles.
    RETURNS (List[List[Pair]]): The batches, in random order.
    """
    keys = [(max(map(len, pair)) + rng.random(), rng.random(), pair) for pair in pairs]
    made: List[List[Pair]] = []
    longest = 0
    for _, _, pair in sorted(keys, key=lambda key: key[:2]):
        longest = max(longest, *map(len, pair))
        if not made or longest * (len(made[-1]) + 1) > tokens:
            made.append([])
            longest = max(map(len, pair))
        made[-1].append(pair)
    rng.shuffle(made)
    return made


def tensors(batch: Sequence[Pair], pad: int) -> Dict[str, Any]:
    """A batch as Marian takes it, padded.

    batch (Sequence[Pair]): The pairs.
    pad (int): The id of <pad>, which the decoder starts with.
    RETURNS (Dict[str, Any]): The tensors input_ids, attention_mask, decoder_input_ids and labels.
    """
    import torch

    inputs, labels = (_padded(side, pad) for side in zip(*batch))
    starts = torch.full((len(batch), 1), pad)
    shifted = torch.cat([starts, labels[:, :-1]], dim=1)
    mask = (inputs != pad).long()
    return {"input_ids": inputs, "attention_mask": mask, "decoder_input_ids": shifted, "labels": labels}


def _padded(rows: Sequence[List[int]], pad: int) -> Any:
    import torch

    width = max(map(len, rows))
    return torch.tensor([row + [pad] * (width - len(row)) for row in rows])
