"""How a run works, which changes nothing in what comes of it: every long command has these options."""

from dataclasses import dataclass
from typing import Optional


@dataclass
class RunOptions:
    """How a run works.

    n_process (int): How many workers there are; 0 or less for one per core.
    gpu_id (int): The GPU that all of them use; -1 for none.
    quiet (bool): Whether to show no progress.
    fresh (bool): Whether to start over, whatever is done.
    max_errors (Optional[int]): Stop when there are more errors than this; None to go on.
    cache (Optional[str]): The folder that keeps what models answer, for other runs too; None for none.
    """

    n_process: int = 1
    gpu_id: int = -1
    quiet: bool = False
    fresh: bool = False
    max_errors: Optional[int] = None
    cache: Optional[str] = None
