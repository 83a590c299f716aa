"""Mechanical Turk: a CSV of inputs with a template; answers as the CSV of batch results."""

import csv
import io
import json
from html import escape
from typing import Any, Dict, List, Optional

from .shared import LABELS, NO, YES, Found, Sides, dig, vote_of


def write(sides: List[Sides]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("item_id", "one", "two", "swapped"))
    for one in sides:
        # The template puts these into a page as they are.
        writer.writerow((one.item_id, escape(one.one), escape(one.two), str(one.swapped).lower()))
    return file.getvalue()


def template(question: str) -> str:
    return f"""<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<crowd-form>
  <p><strong>{escape(question)}</strong></p>
  <p>1. ${{one}}</p>
  <p>2. ${{two}}</p>
  <crowd-radio-group>
    <crowd-radio-button name="{YES}" value="{YES}">Yes, the same</crowd-radio-button>
    <crowd-radio-button name="{NO}" value="{NO}">No, not the same</crowd-radio-button>
  </crowd-radio-group>
</crowd-form>
"""


def read(text: str) -> Found:
    # The longest cell that csv takes is too short for no answer of these.
    rows = csv.DictReader(io.StringIO(text, newline=""))
    for row in rows:
        if (row.get("AssignmentStatus") or "").strip().lower() == "rejected":
            continue
        yield rows.line_num, vote_of(row.get("Input.item_id"), row.get("WorkerId"), _label(row))


def _label(row: Dict[str, Optional[str]]) -> Any:
    """The answer: a column a button ("Answer.paraphrase" = "true"), one column, or JSON of all buttons."""
    pressed = [name for name in LABELS if (row.get(f"Answer.{name}") or "").strip().lower() in ("true", "on", name)]
    pressed += [name for name in LABELS if (row.get(f"Answer.{name}.{name}") or "").strip().lower() == "true"]
    if not pressed and row.get("Answer.taskAnswers"):
        try:
            answers = json.loads(row["Answer.taskAnswers"] or "")
        except ValueError:
            return row["Answer.taskAnswers"]
        first = answers[0] if isinstance(answers, list) and answers else answers
        groups = [first, *(first.values() if isinstance(first, dict) else ())]
        pressed = [name for name in LABELS if any(_is_on(dig(group, name), name) for group in groups)]
    if len(pressed) == 1:
        return pressed[0]
    return row.get("Answer.same") or (" and ".join(pressed) or None)


def _is_on(value: Any, name: str) -> bool:
    return value is True or value in ("true", name) or (isinstance(value, dict) and dig(value, name) is True)
