"""Label Studio: tasks as JSON with a labelling configuration; answers as its JSON export."""

import json
from typing import List
from xml.sax.saxutils import quoteattr

from .shared import NO, YES, Found, Sides, dig, vote_of


def write(sides: List[Sides]) -> str:
    tasks = [
        {"data": {"item_id": one.item_id, "one": one.one, "two": one.two, "swapped": one.swapped}} for one in sides
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def config(question: str) -> str:
    return f"""<View>
  <Header value={quoteattr(question)} />
  <Text name="one" value="$one" />
  <Text name="two" value="$two" />
  <Choices name="same" toName="one" choice="single-radio" required="true" showInline="true">
    <Choice value="{YES}" hotkey="y" />
    <Choice value="{NO}" hotkey="n" />
  </Choices>
</View>
"""


def read(text: str) -> Found:
    tasks = json.loads(text)
    if not isinstance(tasks, list):
        yield 1, "it is not a list of tasks: export as JSON, not JSON-MIN"
        return
    for number, task in enumerate(tasks, 1):
        for annotation in dig(task, "annotations") or []:
            if dig(annotation, "was_cancelled"):
                continue
            results = [one for one in dig(annotation, "result") or [] if dig(one, "from_name") == "same"]
            who = dig(annotation, "completed_by")
            # An id, or a user, whichever the export was asked for.
            rater = (who.get("email") or who.get("id")) if isinstance(who, dict) else who
            for result in results[-1:]:
                yield number, vote_of(dig(task, "data", "item_id"), rater, dig(result, "value", "choices", 0))
