"""What strict readers said of swaps, without the swaps: `readings.tsv` has a hash of each and y or n."""

from hashlib import sha256
from pathlib import Path
from typing import Dict


def key(source: str, swap: str) -> str:
    """What a swap goes by."""
    return sha256(f"{source}\t{swap}".encode()).hexdigest()[:12]


def read(path: Path) -> Dict[str, bool]:
    """By key whether the reader found the swap natural."""
    lines = (line.split("\t") for line in path.read_text(encoding="utf8").splitlines())
    return {name: answer == "y" for name, answer in lines}
