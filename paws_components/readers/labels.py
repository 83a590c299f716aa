"""Labels as corpora write them, and what they mean."""

from typing import Any, Dict, Iterable, Mapping, Optional, Union

from ..records import NLI

# 1 paraphrase, 0 not, or one of the three judgements of natural language inference.
Label = Union[int, str]
# How a label is written -> what it means; None for one that says the raters could not decide.
Scheme = Mapping[str, Optional[Label]]

BINARY: Scheme = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}
# Twitter URL: how many of six raters said "paraphrase". Three of six is not a decision.
VOTES: Scheme = {**{f"({n},6)": int(n >= 4) for n in range(7) if n != 3}, "(3,6)": None}
NLI_WORDS: Scheme = {**{word: word for word in NLI}, "-": None}
NLI_DIGITS: Scheme = {**{str(i): word for i, word in enumerate(NLI)}, "-1": None}
NLI_LETTERS: Scheme = {word[0]: word for word in NLI}
# The same corpus has words as TSV and digits as a data set; no label of the one means something else in the other.
NLI_EITHER: Scheme = {**NLI_WORDS, **NLI_DIGITS}
WORDS: Scheme = {
    **{word: 1 for word in ("paraphrase", "duplicate", "equivalent", "yes", "true")},
    **{word: 0 for word in ("not_paraphrase", "not_duplicate", "not_equivalent", "no", "false")},
}
# For files of which nothing is known but their column names: every way of writing that can be told apart.
ANY: Scheme = {**BINARY, **VOTES, **NLI_WORDS, **WORDS}

# The way of writing that needs no reading: anything else is an encoding that a reader has to know of.
PLAIN = ("0", "1", *NLI)


def read_label(written: str, scheme: Scheme) -> Optional[Label]:
    """What a label means, or None if it is missing, undecided or unknown."""
    return scheme.get(written.strip().lower())


def label_problem(written: str, scheme: Scheme) -> Optional[str]:
    """Why a label means nothing: "missing", "undecided" or "unknown"; None if it means something."""
    text = written.strip().lower()
    if not text:
        return "missing"
    if text not in scheme:
        return "unknown"
    return "undecided" if scheme[text] is None else None


def encoding(written: str) -> str:
    """The kind of writing a label has: "plain", "decimal", "votes", "digit" or "text"."""
    text = written.strip()
    if text in PLAIN:
        return "plain"
    if text.lower() in VOTES:
        return "votes"
    if text in BINARY:
        return "decimal"
    return "digit" if text.lstrip("-").isdigit() else "text"


def count_labels(labels: Iterable[Any]) -> Dict[str, int]:
    """How often each label occurs, under a name that JSON can hold, in a fixed order."""
    counts: Dict[str, int] = {}
    for label in labels:
        name = "none" if label is None else str(label)
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))
