"""Attempts at the Adversarial Paraphrasing Task in the report: how similar they are, by whether they are MI and pass.

Figure 2 of Nighojkar and Licato (2021). It is drawn from what a file has recorded, and nothing is judged anew: the
columns of the authors' files, the evidence of `paws apt build`, or that of `paws metrics --metrics bleurt,mi_verdict`.
"""

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy

from ..readers import Row
from .charts import Series, histogram
from .svg import tag
from .text import escape

# As in the figure: pairs that pass are MI too, and are not counted among these again.
PASSED, MI, NOT_MI = GROUPS = ("APT", "MI, not APT", "not MI")
# The names that a similarity, an MI verdict and the verdict of the task go by, the first that is there.
SIMILARITY, VERDICT, TASK = ("similarity", "BLEURT", "bleurt"), ("mi", "mi_verdict"), ("passed", "apt")
# What was paid for has passed, as the paper counts.
PAID = "dollar"
# With a similarity of these names the label of a pair is its MI verdict. A metric may be measured of any pairs.
ATTEMPTED = ("similarity", "BLEURT")
# The highest BLEURT that passes, of the checkpoints the paper used; for files that have nothing but that.
THRESHOLD = 0.5
BINS = 100
Similarities = Dict[str, List[float]]


def recorded(row: Row) -> Dict[str, Any]:
    """What the row of a corpus has on an attempt, in its columns or in its evidence."""
    known = {**row.columns, **((row.fields or {}).get("evidence") or {})}
    return {name: known[name] for name in (*SIMILARITY, *VERDICT, *TASK, PAID) if name in known}


def note_attempt(similarities: Similarities, evidence: Mapping[str, Any], label: Optional[int]) -> None:
    """Put the similarity of an attempt to its group, if both are known.

    similarities (Dict[str, List[float]]): The similarities by group.
    evidence (Mapping[str, Any]): What is recorded of a pair.
    label (Optional[int]): Its label, which in files of attempts is the MI verdict.
    """
    similarity = _first(evidence, SIMILARITY)
    mi = _first(evidence, VERDICT)
    if mi is None and _first(evidence, ATTEMPTED) is not None:
        mi = label
    if similarity is None or mi is None:
        return
    similarities.setdefault(_group(evidence, similarity, bool(mi)), []).append(similarity)


def _group(evidence: Mapping[str, Any], similarity: float, mi: bool) -> str:
    if not mi:
        return NOT_MI
    verdict, paid = _first(evidence, TASK), _first(evidence, (PAID,))
    passed = verdict if verdict is not None else paid if paid is not None else similarity <= THRESHOLD
    return PASSED if passed else MI


def _first(evidence: Mapping[str, Any], names: Sequence[str]) -> Optional[float]:
    """The first of some values that is a number."""
    for name in names:
        try:
            value = float(evidence[name])
        except (KeyError, TypeError, ValueError):
            continue
        if numpy.isfinite(value):
            return value
    return None


def attempt_charts(corpora: Sequence[Tuple[str, Similarities]]) -> Optional[str]:
    """A chart for each corpus with attempts: the distributions of their similarity, as shares of all attempts.

    corpora (Sequence[Tuple[str, Dict[str, List[float]]]]): The names of the corpora, and their similarities by group.
    RETURNS (Optional[str]): The markup; None where no corpus has any.
    """
    charts = []
    for name, similarities in corpora:
        total = sum(map(len, similarities.values()))
        series = [
            Series(_told(group, len(similarities[group]), total), numpy.array(similarities[group]), colour)
            for colour, group in enumerate(GROUPS)
            if group in similarities
        ]
        if series:
            charts.append(histogram(name, series, bins=BINS, of_all=True))
    if not charts:
        return None
    note = (
        "The similarity that is recorded of each attempt, in all of the file. Each line is the share of all attempts "
        "that fall into a bin. APT: mutually implicative (MI) and not too similar."
    )
    return tag("p", escape(note), class_="note") + tag("div", *charts, class_="charts")


def _told(group: str, count: int, total: int) -> str:
    return f"{group}, {count:,} ({count / total:.1%})"
