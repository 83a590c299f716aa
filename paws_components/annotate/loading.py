"""New tasks: sources read into items, in an order that says nothing of where they come from."""

import random
import unicodedata
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from sqlalchemy import Connection, insert, select

from ..errors import Errors, PawsError
from ..readers import open_pairs, open_texts
from ..readers.names import name_sources
from ..records import PairRecord, stable_id
from . import schema
from .kinds import find_kind, make_settings
from .sampling import sample_fooled
from .study import Study, insert_one, now

# How many rows go into one statement.
BATCH = 500


class Draft(NamedTuple):
    """An item before it is in the study.

    key (str): What it is known by: the id of the record, with what is done to it.
    content (Dict[str, Any]): What is shown, and the record that it comes from.
    source (str): The corpus it comes from.
    """

    key: str
    content: Dict[str, Any]
    source: str = ""


@dataclass
class Loaded:
    """What came of the sources: rows in are items out (two per pair, where each sentence is one) and rows left out."""

    rows: int = 0
    taken: int = 0
    items: int = 0
    left_out: Dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1

    def __str__(self) -> str:
        out = "".join(f" + {count:,} {reason}" for reason, count in self.left_out.items())
        return f"{self.rows:,} rows in = {self.taken:,} taken{out}; {self.items:,} items"


def add_task(
    study: Study,
    kind: str,
    sources: Sequence[str],
    *,
    name: Optional[str] = None,
    title: Optional[str] = None,
    instructions: Optional[str] = None,
    settings: Optional[Mapping[str, Any]] = None,
    layout: Optional[str] = None,
    field: str = "text",
    of_pairs: bool = False,
    limit: Optional[int] = None,
) -> Loaded:
    """Add a task with its items to a study: all of it, or nothing.

    study (Study): The study.
    kind (str): "correct", "judge", "grade", "translate" or "write".
    sources (Sequence[str]): Pairs (see `open_pairs`, whose `layout` this is); for "write", and for "translate" of
        `.txt` files, texts (see `open_texts`, whose `field` this is). `NAME=SOURCE` names a corpus.
    name (Optional[str]): What the task is called; None for its kind.
    title (Optional[str]), instructions (Optional[str]): What raters are told; None for what its kind says.
    settings (Optional[Mapping[str, Any]]): Those of the kind.
    of_pairs (bool): Whether the sources of "write" hold pairs, whose first sentences are taken.
    limit (Optional[int]): How many rows of each source are read.
    RETURNS (Loaded): What came of the sources.
    """
    found, chosen = find_kind(kind), make_settings(kind, settings or {})
    name = name or kind
    if not name.replace("-", "").replace("_", "").isalnum() or len(name) > 100:
        raise PawsError(Errors.P015.format(name="name", what="letters, digits, - and _", value=name))
    loaded = Loaded()
    drafts = list(_drafts(kind, sources, loaded, layout, field, of_pairs, limit))
    if kind == "grade":
        drafts = sample_fooled(drafts, chosen.sample, chosen.seed)
    loaded.items = len(drafts)
    if not drafts:
        raise PawsError(Errors.P807.format(sources=", ".join(sources), account=loaded))
    random.Random(chosen.seed).shuffle(drafts)
    values = {
        "name": name,
        "kind": kind,
        "title": title or found.title,
        "instructions": instructions or found.instructions,
        "settings": asdict(chosen),
        "created": now(),
    }

    def work(connection: Connection) -> None:
        if connection.execute(select(schema.tasks.c.id).where(schema.tasks.c.name == name)).first():
            raise PawsError(Errors.P808.format(name=name))
        task = insert_one(connection, schema.tasks, values)
        rows = [
            {
                "task_id": task,
                "key": draft.key,
                "position": position,
                "source": draft.source,
                "stage": kind,
                "content": draft.content,
                "needed": chosen.raters,
                "taken": 0,
            }
            for position, draft in enumerate(drafts)
        ]
        for start in range(0, len(rows), BATCH):
            connection.execute(insert(schema.items), rows[start : start + BATCH])

    study.write(work)
    return loaded


def _drafts(
    kind: str,
    sources: Sequence[str],
    loaded: Loaded,
    layout: Optional[str],
    field: str,
    of_pairs: bool,
    limit: Optional[int],
) -> Iterator[Draft]:
    seen: set = set()
    for name, source in name_sources(sources, "sources").items():
        texts = not of_pairs and (kind == "write" or (kind == "translate" and str(source).lower().endswith(".txt")))
        found = _texts(source, loaded, field, limit) if texts else _records(source, loaded, layout, limit)
        for number, record in found:
            if not _can_be_shown(record):
                loaded.drop("with control characters")
                continue
            # A sentence is paraphrased once; a pair that stands there twice would be two items of one name.
            drafts = list(_items_of(kind, record, name, number))
            if any(draft.key in seen for draft in drafts):
                loaded.drop("repeated")
                continue
            seen.update(draft.key for draft in drafts)
            loaded.taken += 1
            yield from drafts


def _items_of(kind: str, record: PairRecord, source: str, number: int) -> Iterator[Draft]:
    data = record.to_dict()
    if kind == "write":
        content = {"sentence": record.sentence1, "dataset": source, "index": number}
        yield Draft(stable_id(record.sentence1), content, source)
    elif kind == "correct":
        yield Draft(record.id, {"sentence": record.sentence2, "record": data}, source)
    elif kind == "translate":
        # Each sentence stands alone, as in PAWS-X (section 2); a text is a pair without a second one.
        for side in (1, 2) if record.sentence2 else (1,):
            sentence = record.sentence1 if side == 1 else record.sentence2
            yield Draft(f"{record.id}#{side}", {"sentence": sentence, "side": side, "record": data}, source)
    else:
        yield Draft(record.id, {"pair": [record.sentence1, record.sentence2], "record": data}, source)


def _records(
    source: str, loaded: Loaded, layout: Optional[str], limit: Optional[int]
) -> Iterator[Tuple[int, PairRecord]]:
    for row in islice(open_pairs(source, layout), limit):
        loaded.rows += 1
        if not row.readable:
            loaded.drop("that can't be read")
        elif row.missing:
            loaded.drop("without a sentence")
        else:
            try:
                record = row.to_record()
            except PawsError:
                loaded.drop("that can't be read")
                continue
            yield row.number, record


def _texts(source: str, loaded: Loaded, field: str, limit: Optional[int]) -> Iterator[Tuple[int, PairRecord]]:
    for text in islice(open_texts([source], field), limit):
        loaded.rows += 1
        if text.reason:
            loaded.drop("that can't be read")
        elif not text.text:
            loaded.drop("without a sentence")
        else:
            yield text.number, PairRecord(text.text, "")


def _can_be_shown(record: PairRecord) -> bool:
    """Not with NUL and its like: PostgreSQL takes no NUL, and a page can't show them."""
    text = record.sentence1 + record.sentence2
    return not any(unicodedata.category(char) in ("Cc", "Cs") and not char.isspace() for char in text)
