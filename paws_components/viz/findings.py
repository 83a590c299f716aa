"""The faults that an audit finds, as a table of the report."""

from typing import Any, Dict, Optional

from ..errors import PawsError
from .svg import tag
from .text import escape

LEVELS = ("error", "warning", "info")
MAX_EXAMPLES = 5
MAX_LENGTH = 300


def findings_table(splits: Dict[str, str], layout: Optional[str] = None) -> Optional[str]:
    """Audit the corpora together and show what was found.

    splits (Dict[str, str]): Paths by the names of the corpora; sentences that two of them share are a finding too.
    layout (Optional[str]): The layout of the files; None to find out.
    RETURNS (Optional[str]): The markup; None where the audit can't be imported.
    """
    try:
        from ..curation.audit import audit
    except ImportError:
        return None
    try:
        found = audit(splits, layout=layout) if layout else audit(splits)
    except PawsError as error:
        return tag("p", escape(f"The audit could not be made: {error}"), class_="note")
    if not found:
        return tag("p", "Nothing was found to be wrong.", class_="note")
    ranked = sorted(found, key=lambda finding: LEVELS.index(finding.level) if finding.level in LEVELS else len(LEVELS))
    columns = ("Level", "Check", "Where", "Count", "What")
    head = tag("tr", *(tag("th", name, scope="col", class_="n" if name == "Count" else "") for name in columns))
    rows = [_row(finding) for finding in ranked]
    caption = tag("caption", f"{len(found)} findings, the gravest first.")
    table = tag("table", caption, tag("thead", head), tag("tbody", "\n".join(rows)), class_="stack")
    return tag("div", table, class_="card")


def _row(finding: Any) -> str:
    shown = [tag("p", escape(_short(example)), dir="auto") for example in list(finding.examples)[:MAX_EXAMPLES]]
    examples = tag("details", tag("summary", "Examples"), *shown) if shown else ""
    return tag(
        "tr",
        tag("td", escape(finding.level), data_label="Level", class_=f"k level-{finding.level}"),
        tag("td", escape(finding.check.replace("_", " ")), data_label="Check", class_="k"),
        tag("td", escape(str(finding.split)), data_label="Where"),
        tag("td", f"{finding.count:,}", data_label="Count", class_="n"),
        tag("td", tag("p", escape(finding.message)), examples),
    )


def _short(example: Any) -> str:
    if isinstance(example, dict):
        example = "; ".join(f"{key}: {value}" for key, value in example.items())
    elif isinstance(example, (list, tuple)):
        example = " | ".join(str(value) for value in example)
    text = str(example)
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + "…"
