"""Projects of hand-made pairs: swaps and back translations as files, so that nothing has to be generated."""

import json

import srsly

from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

NAMES = ["Oslo", "Bonn", "Lima", "Rome", "Kiev", "Bern", "Cairo", "Paris", "Tunis", "Dakar", "Quito", "Sofia"]
MOVED = [{"text": "x", "tag": "NAME", "source": [0, 1], "target": [0, 1]}]


def sentences(i):
    """A sentence and its swap, and a back translation of each. No other number shares one of them."""
    one, other = NAMES[i % 12], NAMES[(i + 1 + i // 12) % 12]
    return (
        f"Train {i} ran from {one} to {other}.",
        f"Train {i} ran from {other} to {one}.",
        f"From {one} to {other} ran train {i}.",
        f"From {other} to {one} ran train {i}.",
    )


def swaps(count):
    return [
        PairRecord(*sentences(i)[:2], generator="word_swap", evidence={"moved": MOVED, "gap": 0.5, "n": i})
        for i in range(count)
    ]


def backs(numbers):
    """Back translations of both sentences of some swaps."""
    found = []
    for i in numbers:
        first, second, third, fourth = sentences(i)
        for pair in ((first, third), (second, fourth)):
            evidence = {"pivot": "…", "translator": {"name": "by hand"}, "n": "text"}
            found.append(PairRecord(*pair, generator="back_translation", evidence=evidence))
    return found


def write(path, records):
    with RecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    return records


def make_project(folder, count=40, with_back=30, **plan):
    """A project whose pairs are files: so many swaps, of which the first ones have back translations."""
    folder.mkdir(exist_ok=True)
    write(folder / "s.jsonl", swaps(count))
    write(folder / "b.jsonl", backs(range(with_back)))
    base = {
        "swaps": {"file": "s.jsonl"},
        "back": {"file": "b.jsonl"},
        "splits": {"dev": 30, "test": 0.2},
        "kinds": False,
    }
    write_plan(folder, {"license": "mit", "source": "sentences about trains", "seed": 7, **base, **plan})
    return folder


def write_plan(folder, plan):
    srsly.write_yaml(folder / "build.yml", plan)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def put(path, rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
