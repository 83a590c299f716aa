"""Argilla: records as JSON with a script that makes the data set; answers as `records.to_json` writes them."""

import json
from typing import Any, List

from .shared import NO, YES, Found, Sides, dig, vote_of


def write(sides: List[Sides]) -> str:
    records = [
        {"id": one.item_id, "fields": {"one": one.one, "two": one.two}, "metadata": {"swapped": str(one.swapped)}}
        for one in sides
    ]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def script(question: str) -> str:
    return f'''"""python THIS_FILE records.json makes the data set.

When people are done: dataset.records(with_responses=True).to_json("answers.json")
"""

import json
import sys

import argilla as rg

client = rg.Argilla()  # ARGILLA_API_URL and ARGILLA_API_KEY
settings = rg.Settings(
    fields=[rg.TextField(name="one"), rg.TextField(name="two")],
    questions=[rg.LabelQuestion(name="same", title={question!r}, labels=["{YES}", "{NO}"])],
    metadata=[rg.TermsMetadataProperty(name="swapped", visible_for_annotators=False)],
    distribution=rg.TaskDistribution(min_submitted=5),
)
dataset = rg.Dataset(name="paraphrases", settings=settings, client=client)
dataset.create()
with open(sys.argv[1], encoding="utf8") as file:
    dataset.records.log([rg.Record(**record) for record in json.load(file)])
'''


def read(text: str) -> Found:
    records = json.loads(text)
    if not isinstance(records, list):
        yield 1, "it is not a list of records"
        return
    for number, record in enumerate(records, 1):
        responses: Any = dig(record, "responses") or {}
        if isinstance(responses, dict):  # version 2: by question
            found = [(dig(one, "user_id"), dig(one, "value")) for one in dig(responses, "same") or []]
        else:  # version 1: by person
            done = [one for one in responses if dig(one, "status") in (None, "submitted")]
            found = [(dig(one, "user_id"), dig(one, "values", "same", "value")) for one in done]
        for rater, label in found:
            yield number, vote_of(dig(record, "id") or dig(record, "external_id"), rater, label)
