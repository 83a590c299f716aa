"""The names of the extensions, and the one function that installs them."""

from typing import Any, Dict

from spacy.tokens import Doc

from .errors import Errors, PawsError

TEMPLATE = "paws_template"
SWAPS = "paws_swaps"
CANDIDATES = "paws_candidates"
MI = "paws_mi"
# A metric's extension is its name with this before it: `doc._.paws_wpd`.
METRIC_PREFIX = "paws_"
SELECTED = "paws_selected"

# Each with its default. None means "no component has looked at this Doc yet".
DOC_EXTENSIONS: Dict[str, Any] = {
    TEMPLATE: None,
    SWAPS: None,
    CANDIDATES: None,
    MI: None,
    "paws_bow_cosine": None,
    "paws_inversion_rate": None,
    "paws_wpd": None,
    "paws_ld": None,
    "paws_rouge_l": None,
    "paws_self_bleu": None,
    "paws_damerau_levenshtein": None,
    SELECTED: None,
}


def install(*others: str) -> None:
    """Install the Doc extensions. Installing twice is fine; over somebody else's different one is an error.

    *others (str): Further names, such as those of metrics that plugins bring; their default is None.
    """
    for name, default in {**DOC_EXTENSIONS, **dict.fromkeys(others)}.items():
        ours = (default, None, None, None)
        if not Doc.has_extension(name):
            Doc.set_extension(name, default=default)
        elif Doc.get_extension(name) != ours:
            raise PawsError(Errors.P008.format(name=name, owner="Doc"))
