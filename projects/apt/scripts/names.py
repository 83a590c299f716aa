"""The names of what is trained on: `twitter+aph` is the Twitter pairs with AP_H-train, a row of the paper's Table 6."""

from typing import List

PARTS = {"twitter": "TwitterPPDB", "aph": "AP_H-train", "t5m": "AP_T5^M", "t5tw": "AP_T5^Tw"}
# The first is the paper's Table 5, the other seven are the rows of its Table 6.
SETS = (
    "twitter",
    "twitter+aph",
    "twitter+t5m",
    "twitter+aph+t5m",
    "twitter+t5tw",
    "twitter+aph+t5tw",
    "twitter+t5m+t5tw",
    "twitter+aph+t5m+t5tw",
)
BASE = SETS[0]
# The test sets: human attempts that were held back, all of them, and MSRP's two parts.
APH_TEST, APH, MSRP_TRAIN, MSRP_TEST = TESTS = ("aph_test", "aph_all", "msrp_train", "msrp_test")
TEST_TITLES = {APH_TEST: "AP_H-test", APH: "AP_H", MSRP_TRAIN: "MSRP-train", MSRP_TEST: "MSRP-test"}


def title(name: str) -> str:
    """A training set as the paper calls it; both halves of AP_T5 together are AP_T5."""
    return " + ".join(PARTS[part] for part in name.split("+")).replace("AP_T5^M + AP_T5^Tw", "AP_T5")


def asked_about(name: str) -> List[str]:
    """What a training set is tested on: all human attempts where it has none of them, MSRP for the Twitter pairs."""
    tests = [APH_TEST] if "aph" in name.split("+") else [APH_TEST, APH]
    return [*tests, MSRP_TRAIN, MSRP_TEST] if name == BASE else tests


def check_sets(names: List[str]) -> None:
    for name in names:
        if name not in SETS:
            raise SystemExit(f"there is no training set '{name}': take {', '.join(SETS)}")
