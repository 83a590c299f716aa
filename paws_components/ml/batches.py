"""Forward passes through batches of like length. Where the memory does not hold one, it is halved."""

import gc
import sys
import warnings
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterator, List, Sequence, Tuple, TypeVar

from ..errors import Errors, PawsError, Warnings
from .hub import batches_of_like_length, reason_of

Out = TypeVar("Out")
# What else than torch's own exception says that memory is short.
TOLD = ("out of memory", "not enough memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
# How many inputs of a model go through at once, by its name, once more of them did not fit: for the whole process.
_most: Dict[str, int] = {}


def run_batches(
    name: str, lengths: Sequence[int], size: int, forward: Callable[[List[int]], Out]
) -> Iterator[Tuple[List[int], Out]]:
    """Do the forward passes of some inputs, the longest first.

    A batch that does not fit into memory is halved, as often as it takes, and so are all after it. That is told once.
    An input that does not fit by itself is our error.

    name (str): What the model is called.
    lengths (Sequence[int]): The length of each input.
    size (int): How many inputs one pass takes, if they fit.
    forward (Callable): Does a pass, given the indices of its inputs. It may be asked again about the same ones.
    YIELDS (Tuple[List[int], Any]): The indices of a batch, and what came of it.
    """
    waiting: Deque[List[int]] = deque(batches_of_like_length(lengths, min(size, _most.get(name, size))))
    while waiting:
        batch = waiting.popleft()
        most = _most.get(name, size)
        if len(batch) > most:
            waiting.extendleft(reversed([batch[start : start + most] for start in range(0, len(batch), most)]))
            continue
        reason = ""
        try:
            found = forward(batch)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            reason = reason_of(error)
        if not reason:
            yield batch, found
            continue
        # Not before the exception is gone: it holds on to what the pass has made.
        free_memory()
        if len(batch) == 1:
            raise PawsError(Errors.P348.format(name=name, reason=reason))
        waiting.appendleft(batch)
        if name not in _most:
            warnings.warn(Warnings.W342.format(name=name, tried=len(batch), size=len(batch) // 2), stacklevel=2)
        _most[name] = len(batch) // 2


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that memory is short: that of a GPU or of the machine."""
    torch: Any = sys.modules.get("torch")
    kind = getattr(torch, "OutOfMemoryError", None) or getattr(getattr(torch, "cuda", None), "OutOfMemoryError", None)
    if isinstance(error, MemoryError) or (kind is not None and isinstance(error, kind)):
        return True
    return isinstance(error, RuntimeError) and any(told in str(error) for told in TOLD)


def free_memory() -> None:
    """Give back what torch keeps for later."""
    gc.collect()
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
