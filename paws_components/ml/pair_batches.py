"""Pairs of texts as batches for a transformer: tokens, passes of like length, padding. Used in training and without.

torch is imported only when a batch is padded.
"""

import os
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar

import numpy

from ..errors import Errors, PawsError, Warnings
from .batches import run_batches
from .hub import batches_of_like_length

# The tokens of a pair: input_ids, and token_type_ids where the model tells the two sentences apart by them.
Tokens = Dict[str, List[int]]
A = TypeVar("A")
# How many pairs one forward pass takes where nobody says: small passes of like length pad least, and a GPU wants more.
ON_CPU, ON_GPU = 8, 64


def check_sizes(max_length: Optional[int], batch_size: Optional[int]) -> None:
    """Our error for a setting under 1."""
    for name, value in (("max_length", max_length), ("batch_size", batch_size)):
        if value is not None and value < 1:
            raise PawsError(Errors.P015.format(name=name, what="1 or more", value=value))


def encode_pairs(
    tokenizer: Any, first: Sequence[str], second: Sequence[str], limit: Optional[int]
) -> Tuple[List[Tokens], int]:
    """The tokens of each pair. Those that are longer than the model may see are cut, the longer sentence first.

    tokenizer (PreTrainedTokenizer): The tokenizer.
    first, second (Sequence[str]): The sentences.
    limit (Optional[int]): How many tokens the model may see; None for any number.
    RETURNS (Tuple[List[Tokens], int]): The tokens, and how many pairs were cut.
    """
    if not first:
        return [], 0
    with _one_thread_tokenizing():
        encoded = _tokenize(tokenizer, first, second)
        long = [i for i, tokens in enumerate(encoded) if limit and len(tokens["input_ids"]) > limit]
        if long:
            cut = {"truncation": "longest_first", "max_length": limit}
            shorter = _tokenize(tokenizer, [first[i] for i in long], [second[i] for i in long], **cut)
            for i, tokens in zip(long, shorter):
                encoded[i] = tokens
    return encoded, len(long)


def passes(encoded: Sequence[Tokens], batch_size: Optional[int], device: Any) -> List[List[int]]:
    """Which pairs share a forward pass, by their indices.

    encoded (Sequence[Tokens]): The tokens of the pairs.
    batch_size (Optional[int]): How many pairs one pass takes; None for what suits the device.
    device (torch.device): The device.
    """
    return batches_of_like_length([len(tokens["input_ids"]) for tokens in encoded], _pass_size(batch_size, device))


def run_passes(
    name: str,
    encoded: Sequence[Tokens],
    batch_size: Optional[int],
    device: Any,
    forward: Callable[[List[int]], A],
) -> Iterator[Tuple[List[int], A]]:
    """Do the forward passes of some pairs, in batches of like length, smaller ones where the memory asks for it.

    name (str): What the model is called.
    encoded (Sequence[Tokens]): The tokens of the pairs.
    batch_size (Optional[int]): How many pairs one pass takes; None for what suits the device.
    device (torch.device): The device.
    forward (Callable): Does a pass, given the indices of its pairs.
    YIELDS (Tuple[List[int], Any]): The indices of a batch, and what came of it.
    """
    lengths = [len(tokens["input_ids"]) for tokens in encoded]
    return run_batches(name, lengths, _pass_size(batch_size, device), forward)


def _pass_size(batch_size: Optional[int], device: Any) -> int:
    return batch_size or (ON_CPU if device.type == "cpu" else ON_GPU)


def pad_pairs(batch: Sequence[Tokens], tokenizer: Any, device: Any) -> Dict[str, Any]:
    """The inputs of a forward pass: tokens padded to the longest pair, and the mask of those that count."""
    import torch

    lengths = [len(tokens["input_ids"]) for tokens in batch]
    shape = (len(batch), max(lengths))
    padding = {"input_ids": tokenizer.pad_token_id, "token_type_ids": tokenizer.pad_token_type_id}
    arrays = {name: numpy.full(shape, padding[name], dtype="i8") for name in batch[0]}
    for name, array in arrays.items():
        for row, tokens in enumerate(batch):
            array[row, : lengths[row]] = tokens[name]
    arrays["attention_mask"] = (numpy.arange(shape[1]) < numpy.array(lengths)[:, None]).astype("i8")
    return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}


def ask_both_orders(model: Callable[[List[Tuple[str, str]]], A], pairs: Sequence[Tuple[str, str]]) -> Tuple[A, A]:
    """What a model says of (a, b) and of (b, a), asked about all of them at once.

    model (Callable): Answers about pairs, with a list or an array.
    pairs (Sequence[Tuple[str, str]]): The pairs.
    RETURNS (Tuple): The answers as they stand, and those to the swapped pairs.
    """
    answers: Any = model([*pairs, *((two, one) for one, two in pairs)])
    return answers[: len(pairs)], answers[len(pairs) :]


def tell_of_cut(before: int, now: int, **account: Any) -> None:
    """Warn of the first pair that is cut, and again whenever there are ten times as many.

    before, now (int): How many were cut until the last batch, and until this one.
    **account: The rest of the message.
    """
    if now > before and (not before or len(str(now)) > len(str(before))):
        warnings.warn(Warnings.W341.format(count=now, **account), stacklevel=3)


def _tokenize(tokenizer: Any, first: Sequence[str], second: Sequence[str], **settings: Any) -> List[Tokens]:
    found = tokenizer(list(first), list(second), return_attention_mask=False, verbose=False, **settings)
    names = [name for name in ("input_ids", "token_type_ids") if name in found]
    return [dict(zip(names, row)) for row in zip(*(found[name] for name in names))]


@contextmanager
def _one_thread_tokenizing() -> Iterator[None]:
    """Tokenizers that have once used threads warn at every later fork, and spaCy forks for `n_process`."""
    name = "TOKENIZERS_PARALLELISM"
    if name in os.environ:
        yield
        return
    os.environ[name] = "false"
    try:
        yield
    finally:
        os.environ.pop(name, None)
