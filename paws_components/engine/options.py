"""How a run works, which changes nothing in what comes of it: every long command has these options."""

from dataclasses import dataclass
from typing import Optional

ENGINES = ("local", "ray")


@dataclass
class RunOptions:
    """How a run works.

    n_process (int): How many workers there are; 0 or less for one per core.
    gpu_id (int): The GPU that all of them use; -1 for none.
    quiet (bool): Whether to show no progress.
    fresh (bool): Whether to start over, whatever is done.
    max_errors (Optional[int]): Stop when there are more errors than this; None to go on.
    retry (int): How often a chunk is tried again whose worker died.
    engine (str): Where workers live: "local" for this machine, "ray" for a cluster.
    address (Optional[str]): Of the Ray cluster; None starts one on this machine.
    log (Optional[str]): A file that gets JSON lines which tell how far the run is.
    judges (int): How many workers of a Ray cluster hold nothing but the neural judge's model, which the others ask.
    cache (Optional[str]): The folder that keeps what models answer, for other runs too; None for none.
    """

    n_process: int = 1
    gpu_id: int = -1
    quiet: bool = False
    fresh: bool = False
    max_errors: Optional[int] = None
    retry: int = 2
    engine: str = "local"
    address: Optional[str] = None
    judges: int = 0
    cache: Optional[str] = None
    log: Optional[str] = None
