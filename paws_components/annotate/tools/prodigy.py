"""Prodigy: a stream as JSONL with a recipe; answers as `prodigy db-out` writes them."""

import json
from typing import List

from .shared import NO, YES, Found, Sides, dig, vote_of


def write(sides: List[Sides]) -> str:
    return "".join(
        json.dumps(
            {
                "text": f"1. {one.one}\n2. {one.two}",
                "options": [{"id": YES, "text": "the same"}, {"id": NO, "text": "not the same"}],
                "item_id": one.item_id,
                "swapped": one.swapped,
            },
            ensure_ascii=False,
        )
        + "\n"
        for one in sides
    )


def recipe(question: str) -> str:
    return f'''"""prodigy paws.judge DATASET pairs.jsonl -F THIS_FILE, then prodigy db-out DATASET > answers.jsonl

{question} Give each person a name of their own: http://…/?session=ann
"""

import prodigy
import srsly


@prodigy.recipe(
    "paws.judge",
    dataset=("Where answers go", "positional", None, str),
    source=("The pairs", "positional", None, str),
)
def judge(dataset, source):
    # Everybody gets every pair.
    config = {{"choice_style": "single", "choice_auto_accept": True, "feed_overlap": True}}
    return {{"dataset": dataset, "stream": srsly.read_jsonl(source), "view_id": "choice", "config": config}}
'''


def read(text: str) -> Found:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        task = json.loads(line)
        if dig(task, "answer") != "accept":
            continue  # ignored or rejected: no answer was given
        rater = dig(task, "_annotator_id") or dig(task, "_session_id")
        yield number, vote_of(dig(task, "item_id"), rater, dig(task, "accept", 0))
