"""The names of models, of mixes, and of what is trained: `diin-qqp+paws` is DIIN on QQP and all of PAWS-QQP."""

from typing import List, Optional

QQP = "qqp"
BOTH = "qqp+paws"
# As the paper's Table 7 calls them; the transformer stands where it has BERT. ESIM with attention and BiMPM are ours.
TITLES = {
    "bow": "BOW",
    "bilstm": "BiLSTM",
    "esim": "ESIM",
    "esim_chen": "ESIM (Chen et al.)",
    "decatt": "DecAtt",
    "bimpm": "BiMPM",
    "diin": "DIIN",
    "transformer": "transformer",
}


def run_name(model: str, mix: str) -> str:
    return f"{model}-{mix}"


def paws_pairs(mix: str) -> Optional[int]:
    """How many pairs of PAWS-QQP a mix has: none in `qqp`, 1,000 in `qqp+1000`; None for all, in `qqp+paws`."""
    if mix == QQP:
        return 0
    if mix == BOTH:
        return None
    start, _, number = mix.partition("+")
    if start != QQP or not number.isdecimal() or not int(number):
        raise SystemExit(f"'{mix}' is not a mix: write {QQP}, {BOTH}, or {QQP}+1000 for 1,000 pairs of PAWS-QQP")
    return int(number)


def check_models(models: List[str]) -> None:
    for model in models:
        if model not in TITLES:
            raise SystemExit(f"there is no model '{model}': take {', '.join(TITLES)}")
