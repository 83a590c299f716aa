"""What the admin pages show: progress, agreement, speed, disagreements side by side, and the writers' account."""

import csv
import io
import statistics
from collections import defaultdict
from typing import Any, Dict, List, Optional

from sqlalchemy import Connection, func, select

from ...curation.votes import Agreement, Vote, by_item, majority, measure_agreement
from ...writers import FORMULA
from .. import queue
from ..answers import Given, action_votes, grammar_votes, label_votes, list_answers, table_two
from ..raters import list_raters
from ..schema import assignments
from ..tasks import list_tasks
from ..writing import accounts

# How many items a page of disagreements shows.
PAGE = 50


def agreement_of(kind: str, answers: List[Given]) -> Dict[str, Agreement]:
    """How far people agree in a task, by what they were asked. What writers and translators do has no votes.

    An item that one person has answered says nothing of agreement, and is left out.
    """
    if kind == "judge":
        return {"label": _agreement(label_votes(answers))}
    if kind == "grade":
        return {"label": _agreement(label_votes(answers)), "grammar": _agreement(grammar_votes(answers), "ordinal")}
    if kind == "correct":
        return {"action": _agreement(action_votes(answers))}
    return {}


def _agreement(votes: List[Vote], level: str = "nominal") -> Agreement:
    several = {item for item, one in by_item(votes).items() if len(one) > 1}
    return measure_agreement([vote for vote in votes if vote.item_id in several], level)


def overview(connection: Connection) -> Dict[str, Any]:
    """The first page: every task, every rater, the account."""
    tasks, agreed, times = [], defaultdict(list), defaultdict(list)
    for task in list_tasks(connection):
        answers = list_answers(connection, task.id)
        done, total = queue.totals(connection, task.id)
        human = [one for one in answers if not one.is_model]
        for one in human:
            if one.seconds is not None:
                times[one.rater].append(one.seconds)
        found = agreement_of(task.kind, answers)
        for one_agreement in found.values():
            for name, rater in one_agreement.raters.items():
                agreed[name].append((rater.agreeing, rater.answers))
        states = _states(connection, task.id)
        tasks.append(
            {
                "name": task.name,
                "title": task.title,
                "kind": task.kind,
                "done": done,
                "total": total,
                "open": states.get(queue.OPEN, 0),
                "skipped": states.get(queue.SKIPPED, 0),
                "raters": len({one.rater for one in human}),
                "agreement": next((one.share for one in found.values()), None),
                "seconds": median([one.seconds for one in human if one.seconds is not None]),
            }
        )
    return {
        "tasks": tasks,
        "raters": [
            {
                "name": row.name,
                "kind": row.kind,
                "admin": row.admin,
                "revoked": row.revoked is not None,
                "answers": len(times[row.name]),
                "seconds": median(times[row.name]),
                "agreement": _share(agreed[row.name]),
            }
            for row in list_raters(connection)
            if row.kind == "person"
        ],
        "accounts": accounts(connection),
    }


def _states(connection: Connection, task: int) -> Dict[str, int]:
    query = select(assignments.c.state, func.count()).where(assignments.c.task_id == task)
    return {state: count for state, count in connection.execute(query.group_by(assignments.c.state))}


def median(values: List[float]) -> Optional[float]:
    return statistics.median(values) if values else None


def _share(parts: List[Any]) -> Optional[float]:
    right, count = (sum(part[i] for part in parts) for i in (0, 1))
    return right / count if count else None


def task_page(connection: Connection, task: Any, page: int) -> Dict[str, Any]:
    """A task: its figures, and its items with the most contested first."""
    answers = list_answers(connection, task.id)
    done, total = queue.totals(connection, task.id)
    shown = sorted(_contested(task.kind, answers), key=lambda one: (-one["doubt"], one["key"]))
    pages = max(1, -(-len(shown) // PAGE))
    page = min(page, pages)
    return {
        "task": task,
        "done": done,
        "total": total,
        "agreement": agreement_of(task.kind, answers),
        "table": table_two(answers) if task.kind == "grade" else None,
        "items": shown[(page - 1) * PAGE : page * PAGE],
        "contested": sum(one["doubt"] > 0 for one in shown),
        "number": page,
        "pages": pages,
        "settings": {name: value for name, value in task.settings.items() if value not in (None, {})},
    }


def _contested(kind: str, answers: List[Given]) -> List[Dict[str, Any]]:
    grouped: Dict[int, List[Given]] = defaultdict(list)
    for one in answers:
        grouped[one.item].append(one)
    found = []
    for given in grouped.values():
        people = [one for one in given if not one.is_model]
        content = given[0].content
        told = [_told(one.answer) for one in people]
        words = sorted(set(told))
        votes = [one.answer["label"] if "label" in one.answer else words.index(word) for one, word in zip(people, told)]
        verdict = majority(votes) if votes else None
        alone = kind in ("translate", "write")
        found.append(
            {
                "key": given[0].key,
                "texts": content.get("pair") or [content.get("sentence", ""), *_translation(content)],
                "version": content.get("version", ""),
                # The share of people who are not with the majority; a tie is as contested as can be.
                "doubt": 0.0
                if alone or not votes
                else 1.0
                if verdict is None
                else 1 - votes.count(verdict) / len(votes),
                "votes": [
                    {
                        "rater": one.rater,
                        "is_model": one.is_model,
                        "told": _told(one.answer),
                        "text": one.answer.get("text"),
                    }
                    for one in sorted(given, key=lambda one: one.is_model)
                ],
            }
        )
    return found


def _translation(content: Dict[str, Any]) -> List[str]:
    return [content["translation"]] if "translation" in content else []


def _told(answer: Dict[str, Any]) -> str:
    """An answer in a word or two."""
    parts = []
    if "label" in answer:
        parts.append("same" if answer["label"] else "not the same")
    if "grammar" in answer:
        parts.append("grammar " + " and ".join(map(str, answer["grammar"])))
    if "action" in answer:
        parts.append(answer["action"])
    return ", ".join(parts)


def payments_csv(connection: Connection) -> str:
    """The account as CSV: what each writer is to be paid."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("writer", "task", "submissions", "checks", "dollars"))
    for one in accounts(connection):
        # A name is somebody's text: a spreadsheet must not take it for a formula.
        name = "'" + one.writer if one.writer.startswith(FORMULA) else one.writer
        writer.writerow((name, one.task, one.submissions, one.checks, f"{one.dollars:.2f}"))
    return file.getvalue()
