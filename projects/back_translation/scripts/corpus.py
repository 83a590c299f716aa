"""Sentence pairs, as numbers, in batches of about the same length."""

import random
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, Tuple

import torch


class Pair(NamedTuple):
    """A sentence and its translation as piece ids; both end with </s>."""

    source: List[int]
    target: List[int]


def read_split(data: Path, part: str, direction: str) -> Tuple[List[str], List[str]]:
    """Read two files that are translations of each other, line by line.

    data (Path): The folder.
    part (str): What their names begin with: "train" or "val".
    direction (str): The two languages, which their names end with: "en-de".
    RETURNS (Tuple[List[str], List[str]]): The lines of the one, and of the other.
    """
    languages = direction.split("-")
    if len(languages) != 2:
        raise SystemExit(f"{direction} is not a direction: write the two languages with a hyphen, as in en-de.")
    files = [data / f"{part}.{language}" for language in languages]
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise SystemExit(f"Not there: {', '.join(missing)}. Give the folder that holds {part}.{languages[0]} first.")
    # Only the line feed ends a line: splitlines would also split at other characters, on one side alone.
    sides = [file.read_text(encoding="utf8").rstrip("\n").split("\n") for file in files]
    if len(sides[0]) != len(sides[1]):
        counts = " and ".join(f"{file} has {len(side)} lines" for file, side in zip(files, sides))
        raise SystemExit(f"{counts}: the two must be translations of each other, line by line.")
    return sides[0], sides[1]


def encode(tokenizer, source: Sequence[str], target: Sequence[str], max_length: int) -> List[Pair]:
    """Tokenise once, before training.

    tokenizer (MarianTokenizer): The tokenizer that is saved with the model.
    source (Sequence[str]): Sentences.
    target (Sequence[str]): Their translations.
    max_length (int): Pairs with a longer side are left out.
    RETURNS (List[Pair]): The pairs.
    """
    sources = tokenizer(list(source))["input_ids"]
    targets = tokenizer(text_target=list(target))["input_ids"]
    pairs = [Pair(*pair) for pair in zip(sources, targets)]
    short = [pair for pair in pairs if max(map(len, pair)) <= max_length]
    if not short:
        raise SystemExit(f"No pair has at most {max_length} pieces on both sides: raise --max-length.")
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


def tensors(batch: Sequence[Pair], pad: int) -> Dict[str, torch.Tensor]:
    """A batch as Marian takes it, padded.

    batch (Sequence[Pair]): The pairs.
    pad (int): The id of <pad>, which the decoder starts with.
    RETURNS (Dict[str, torch.Tensor]): input_ids, attention_mask, decoder_input_ids and labels.
    """
    inputs, labels = (padded(side, pad) for side in zip(*batch))
    starts = torch.full((len(batch), 1), pad)
    shifted = torch.cat([starts, labels[:, :-1]], dim=1)
    mask = (inputs != pad).long()
    return {"input_ids": inputs, "attention_mask": mask, "decoder_input_ids": shifted, "labels": labels}


def padded(rows: Sequence[List[int]], pad: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [pad] * (width - len(row)) for row in rows])
