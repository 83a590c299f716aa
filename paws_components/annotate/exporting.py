"""What comes out of a study: votes, corrections, translated pairs, and the writers' checks."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Tuple

from sqlalchemy import Connection, select

from ..curation.corrections import ACTIONS
from ..curation.corrections import COLUMNS as CORRECTION_COLUMNS
from ..curation.votes import COLUMNS as VOTE_COLUMNS
from ..curation.votes import majority
from ..errors import Errors, PawsError
from ..records import PairRecord
from ..writers import RecordWriter, TableWriter, file_format, write_text
from .answers import Given, grammar_votes, label_votes, list_answers
from .queue import DONE
from .schema import assignments, checks, items, raters

# What each kind of task can be written as; the first is what it is written as if nothing is said.
WHAT: Dict[str, Tuple[str, ...]] = {
    "judge": ("votes",),
    "grade": ("votes", "grammar"),
    "correct": ("corrections",),
    "translate": ("pairs",),
    "write": ("checks", "pairs"),
}
# The columns of the authors' file of human attempts, which `paws apt stats` reads.
CHECK_COLUMNS = (
    "token",
    "time",
    "duration",
    "dataset",
    "index",
    "sentence",
    "candidate",
    "BLEURT",
    "MI",
    "dollar",
    "submitted",
)


@dataclass
class Exported:
    """What was written, and what was left out and why."""

    what: str
    count: int = 0
    left_out: Dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def __str__(self) -> str:
        out = "".join(f"; {count:,} left out: {reason}" for reason, count in self.left_out.items())
        return f"{self.count:,} {self.what}{out}"


def export_task(connection: Connection, task: Any, output: str, what: str = "") -> Exported:
    """Write the answers of a task.

    connection (Connection): Of the study.
    task (Row): The task.
    output (str): The file: JSONL, TSV or CSV; for pairs what `RecordWriter` writes; or "-".
    what (str): "votes", "grammar", "corrections", "pairs" or "checks"; "" for the first that the kind of task has.
    RETURNS (Exported): What was written.
    """
    known = WHAT[task.kind]
    what = what or known[0]
    if what not in known:
        raise PawsError(Errors.P821.format(what=what.capitalize(), kind=task.kind, known=", ".join(known)))
    if what == "checks":
        return _write_rows(list(list_check_rows(connection, task)), CHECK_COLUMNS, output, what)
    answers = list_answers(connection, task.id)
    if what == "pairs":
        return _write_pairs(task, answers, connection, output)
    if what == "corrections":
        return _write_corrections(answers, output)
    by_vote = label_votes(answers) if what == "votes" else grammar_votes(answers)
    meta = {(one.key, one.rater): one for one in answers}
    rows = []
    for vote in by_vote:
        item = vote.item_id if what == "votes" else vote.item_id.rpartition("#")[0]
        one = meta[item, vote.rater]
        seconds = None if one.seconds is None else round(one.seconds, 1)
        extra = {"time": round(one.answered, 1), "seconds": seconds, "task": task.name, "swapped": one.flipped}
        rows.append({**vote._asdict(), **extra})
    return _write_rows(rows, (*VOTE_COLUMNS, "time", "seconds", "task", "swapped"), output, "votes")


def _write_rows(rows: List[Dict[str, Any]], columns: Tuple[str, ...], output: str, what: str) -> Exported:
    """Rows as JSONL, or as a table with these columns. True and false are written as JSON has them."""
    default = ".tsv" if what == "checks" else ".jsonl"
    known = (default, *(one for one in (".jsonl", ".tsv", ".csv") if one != default))
    if file_format(output, known=known) == ".jsonl":
        write_text(output, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    else:
        with TableWriter(output, columns, format=file_format(output, known=known).removeprefix(".")) as writer:
            for row in rows:
                plain = {name: str(cell).lower() if isinstance(cell, bool) else cell for name, cell in row.items()}
                writer.write(plain)
    return Exported(what, len(rows))


def _write_corrections(answers: List[Given], output: str) -> Exported:
    """One decision an item: where several people decided, what most of them said."""
    rows: List[Dict[str, Any]] = []
    tied = 0
    for given in _by_item(answers).values():
        people = [one for one in given if not one.is_model]
        action = majority(ACTIONS.index(one.answer["action"]) for one in people)
        if action is None:
            tied += 1
            continue
        first = next(one for one in people if one.answer["action"] == ACTIONS[action])
        row = {"item_id": first.key, "rater": first.rater, "action": ACTIONS[action], "text": first.answer["text"]}
        rows.append({**row, "raters": len(people)})
    done = _write_rows(rows, (*CORRECTION_COLUMNS, "raters"), output, "corrections")
    if tied:
        done.left_out["the raters do not agree"] = tied
    return done


def _by_item(answers: List[Given]) -> Dict[int, List[Given]]:
    found: Dict[int, List[Given]] = defaultdict(list)
    for one in answers:
        found[one.item].append(one)
    return found


def list_check_rows(connection: Connection, task: Any) -> Iterator[Dict[str, Any]]:
    """Every check of a writing task, in the columns of the authors' `final_checks.tsv`."""
    query = (
        select(checks, raters.c.name, items.c.content, assignments.c.state, assignments.c.answer)
        .join(assignments, assignments.c.id == checks.c.assignment_id)
        .join(items, items.c.id == assignments.c.item_id)
        .join(raters, raters.c.id == assignments.c.rater_id)
        .where(assignments.c.task_id == task.id)
        .order_by(checks.c.id)
    )
    for row in connection.execute(query):
        chosen = row.state == DONE and (row.answer or {}).get("check") == row.id
        yield {
            "token": row.name,
            "time": row.at,
            "duration": row.seconds,
            "dataset": row.content["dataset"],
            "index": row.content["index"],
            "sentence": row.content["sentence"],
            "candidate": row.text,
            "BLEURT": row.similarity,
            "MI": int(row.mi),
            "dollar": row.dollars,
            "submitted": int(chosen),
        }


def list_pairs(connection: Connection, task: Any, tool: str) -> List[PairRecord]:
    """The pairs of a task, for another tool."""
    if task.kind != "judge":
        raise PawsError(Errors.P816.format(kind=task.kind, tool=tool, known="judge"))
    query = select(items.c.content).where(items.c.task_id == task.id).order_by(items.c.position)
    return [PairRecord.from_dict(dict(row.content["record"])) for row in connection.execute(query)]


def _write_pairs(task: Any, answers: List[Given], connection: Connection, output: str) -> Exported:
    done = Exported("pairs")
    file_format(output)
    found = _written(connection, task) if task.kind == "write" else _translated(task, answers, done)
    with RecordWriter(output) as writer:
        for record in found:
            writer.write(record)
            done.count += 1
    return done


def _written(connection: Connection, task: Any) -> Iterator[PairRecord]:
    """What writers submitted. The label is what MI says, as of every attempt."""
    for row in list_check_rows(connection, task):
        if row["submitted"]:
            evidence = {
                "mi": bool(row["MI"]),
                "similarity": row["BLEURT"],
                "writer": row["token"],
                "dollars": row["dollar"],
                "dataset": row["dataset"],
                "index": row["index"],
            }
            yield PairRecord(
                row["sentence"], row["candidate"], row["MI"], "silver", generator="human", evidence=evidence
            )


def _translated(task: Any, answers: List[Given], done: Exported) -> Iterator[PairRecord]:
    """Pairs whose sentences are both translated, with the label of the original (PAWS-X, section 2)."""
    texts: Dict[str, Dict[int, Dict[str, Any]]] = defaultdict(dict)
    records: Dict[str, Dict[str, Any]] = {}
    checked = {one.content["of"]: one for one in answers if one.stage == "check"}
    for one in answers:
        if one.stage == "check":
            continue
        records[one.record_id] = one.content["record"]
        check = checked.get(one.item)
        if one.answer["action"] == "impossible":
            text = None
        elif check is None:
            text = one.answer["text"]
        else:
            text = {"accept": one.answer["text"], "fix": check.answer["text"], "reject": None}[check.answer["action"]]
        told = {"text": text, "translator": one.rater}
        texts[one.record_id][one.content["side"]] = {**told, **({"checker": check.rater} if check else {})}
    for ident, sides in texts.items():
        original = PairRecord.from_dict(dict(records[ident]))
        wanted = (1, 2) if original.sentence2 else (1,)
        if any(side not in sides for side in wanted):
            done.left_out["a sentence is not translated yet"] += 1
            continue
        if any(sides[side]["text"] is None for side in wanted):
            done.left_out["a sentence can't be translated, or its translation was rejected"] += 1
            continue
        people = {str(side): {k: v for k, v in sides[side].items() if k != "text"} for side in wanted}
        translation = {"from": task.settings["source"], "to": task.settings["target"], "people": people}
        sentences = {
            "sentence1": sides[1]["text"],
            "sentence2": sides[2]["text"] if 2 in wanted else "",
            "evidence": {**original.evidence, "translation": translation},
        }
        yield PairRecord.from_dict({**original.to_dict(), **sentences})
