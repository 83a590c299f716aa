"""The names of what is trained on and of the runs: `mrpc_r1-0` is MRPC-R1 with seed 0."""

from typing import List

TITLES = {
    "paws": "PAWS-Wiki (baseline)",
    "mrpc": "MRPC",
    "mrpc_r1": "MRPC-R1",
    "mrpc_ours": "MRPC-R1 by `paws correct`",
}
DEV, TEST = "paws_dev", "paws_test"


def run_name(trained_on: str, seed: int) -> str:
    return f"{trained_on}-{seed}"


def check_sets(names: List[str]) -> None:
    for name in names:
        if name not in TITLES:
            raise SystemExit(f"there is no training set '{name}': take {', '.join(TITLES)}")
