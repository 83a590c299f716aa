"""What a page shows, as plain data for its template."""

import time
from typing import Any, Dict, List, Optional, Tuple

from sqlalchemy import Connection

from .. import queue, writing
from ..checking import is_rough
from ..queue import Turn
from ..tasks import list_tasks

# The languages that raters are told by name; others by their code.
LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "zh": "Chinese",
}
# How old a count of all answers may be, in seconds.
FRESH = 2.0
# What a draft holds where nothing was answered before.
NO_DRAFT: Dict[str, Any] = {"label": "", "action": "", "text": "", "grammar": []}


class Totals:
    """How far tasks are. Counting all answers for every page would be most of a page's work."""

    def __init__(self) -> None:
        self._found: Dict[int, Tuple[float, Tuple[int, int]]] = {}

    def __call__(self, connection: Connection, task: int) -> Tuple[int, int]:
        when, found = self._found.get(task, (0.0, (0, 0)))
        if time.monotonic() - when > FRESH or found[0] >= found[1]:
            found = queue.totals(connection, task)
            self._found[task] = (time.monotonic(), found)
        return found


def task_list(connection: Connection, rater: int, totals: Totals) -> List[Dict[str, Any]]:
    """The tasks as a rater sees them."""
    shown = []
    for task in list_tasks(connection):
        done, total = totals(connection, task.id)
        own = queue.own_answers(connection, task.id, rater)
        done = max(done, own)
        one = {"name": task.name, "title": task.title, "done": done, "total": total, "own": own}
        if task.kind == "write":
            one["earned"] = writing.earned(connection, task.id, rater)
        shown.append(one)
    return shown


def item_page(connection: Connection, task: Any, turn: Turn, rater: int, totals: Totals) -> Dict[str, Any]:
    """An item before a rater. What they are not to know is not in it."""
    done, total = totals(connection, task.id)
    own = queue.own_answers(connection, task.id, rater)
    # The count of all may be a moment older than that of one's own.
    done = max(done, own)
    page: Dict[str, Any] = {
        "task": task,
        "stage": turn.stage,
        "ticket": turn.ticket,
        "done": done,
        "total": total,
        "own": own,
        "taken_back": turn.draft is not None,
        "draft": {**NO_DRAFT, **(turn.draft or {})},
        "undo": queue.last_answer(connection, task.id, rater) is not None,
        "sentence": turn.content.get("sentence", ""),
        "languages": _languages(task),
    }
    if "pair" in turn.content:
        one, two = turn.content["pair"]
        page["pair"] = [two, one] if turn.flipped else [one, two]
        if turn.flipped:
            page["draft"] = {**page["draft"], "grammar": page["draft"]["grammar"][::-1]}
    if turn.stage == "check":
        page["translation"] = turn.content["translation"]
    if task.kind == "write":
        settings = task.settings
        page.update(
            checks=writing.list_checks(connection, turn.id),
            earned=writing.earned(connection, task.id, rater),
            dollars=settings["dollars"],
            cap=settings["cap"],
            rough=is_rough(settings),
        )
    return page


def nothing_page(connection: Connection, task: Any, rater: int) -> Dict[str, Any]:
    """What a rater sees if there is no item for them."""
    done, total = queue.totals(connection, task.id)
    return {
        "task": task,
        "done": done,
        "total": total,
        "own": queue.own_answers(connection, task.id, rater),
        "undo": queue.last_answer(connection, task.id, rater) is not None,
        "earned": writing.earned(connection, task.id, rater) if task.kind == "write" else None,
    }


def _languages(task: Any) -> Optional[Dict[str, str]]:
    if task.kind != "translate":
        return None
    codes = {name: task.settings[name] for name in ("source", "target")}
    return {**codes, **{f"{name}_name": LANGUAGES.get(code, code) for name, code in codes.items()}}


def shown_text(turn: Any, stage: str, content: Dict[str, Any]) -> str:
    """The text that an answer is held against: a fix must differ from it."""
    return str(content["translation"] if stage == "check" else content.get("sentence", ""))


def as_given(answer: Dict[str, Any], flipped: bool) -> Dict[str, Any]:
    """An answer about two sides, turned back to the order that the pair has."""
    if flipped and "grammar" in answer:
        return {**answer, "grammar": answer["grammar"][::-1]}
    return answer
