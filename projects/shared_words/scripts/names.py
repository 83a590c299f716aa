"""The names of models, of data sets, and of what is trained: `diin-qqp` is DIIN on QQP, `diin-qqp-adversarial` the same
after adversarial training."""

from typing import List

# As the paper's Table 1 calls them; the transformer stands where it has BERT.
TITLES = {"bimpm": "BiMPM", "diin": "DIIN", "transformer": "transformer"}
SETS = {"qqp": "QQP", "mrpc": "MRPC"}
NORMAL, ADVERSARIAL = "normal", "adversarial"


def run_name(model: str, data_set: str, training: str = NORMAL) -> str:
    return f"{model}-{data_set}" if training == NORMAL else f"{model}-{data_set}-{training}"


def check_names(models: List[str], sets: List[str]) -> None:
    for kind, names, known in (("model", models, TITLES), ("data set", sets, SETS)):
        for name in names:
            if name not in known:
                raise SystemExit(f"there is no {kind} '{name}': take {', '.join(known)}")


def checkpoint(training: str) -> str:
    """Which of the two checkpoints is attacked. The best one on pairs that nobody attacked says nothing of adversarial
    training: that may be its very first."""
    return "model-best" if training == NORMAL else "model-last"
