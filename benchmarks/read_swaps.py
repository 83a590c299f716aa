"""A kit for readers: how many of the swaps that come out would a stranger take for ordinary sentences?

`sheet` makes swaps with several settings and writes them without saying which is whose: SHEET.tsv (id, sentence) is for
the reader, SHEET.key.jsonl (id, setting, source, swap, naturalness) is for nobody until the reading is done. Sentences
are dealt out among the settings at random, so that none is read twice. It prints each setting's yield.

`count` takes the answers (a TSV with id, natural y or n, and another meaning y or n if the reader was asked for it) and
prints for each setting how many are natural, and whether the judge's naturalness means what it says.

Read strictly: natural means that a stranger would not notice anything. Sheets and answers stay out of the repository.

    python benchmarks/read_swaps.py sheet /tmp/wiki --setting all='{"precise": false}' --setting embedded='{}' \\
        --setting neural='{"judge": "neural"}'
    python benchmarks/read_swaps.py count /tmp/wiki.key.jsonl /tmp/wiki.answers.tsv
"""

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from data import kept_sentences, load_pipeline, questions
from spacy.language import Language
from tqdm import tqdm

from paws_components.evaluation.measures import wilson
from paws_components.generation.word_swap import WordSwap

BATCH = 128
BINS = 5


class Row(NamedTuple):
    """A swap to be read, and all that the reader must not know."""

    setting: str
    source: str
    swap: str
    naturalness: Optional[float]


class Answer(NamedTuple):
    natural: bool
    other_meaning: Optional[bool]


def deal(sentences: Sequence[str], names: Sequence[str], seed: int) -> Dict[str, List[str]]:
    """Each setting's own sentences, at random: what one setting gets does not depend on what another finds."""
    shuffled = random.Random(seed).sample(list(sentences), len(sentences))
    return {name: shuffled[i :: len(names)] for i, name in enumerate(names)}


def find_swaps(nlp: Language, name: str, settings: Dict[str, Any], sentences: Sequence[str]) -> List[Row]:
    """The best swap of each sentence that has one."""
    generator = WordSwap(nlp, **{"n_best": 1, **settings})
    rows = []
    with tqdm(total=len(sentences), desc=name, unit="sentences") as bar:
        for start in range(0, len(sentences), BATCH):
            batch = sentences[start : start + BATCH]
            for text, swaps in zip(batch, generator(list(nlp.pipe(batch)))):
                rows += [Row(name, text, swap["text"], swap.get("naturalness")) for swap in swaps[:1]]
            bar.update(len(batch))
    return rows


def hide(rows: Sequence[Row], seed: int) -> Dict[str, Row]:
    """The rows in a random order, under ids that tell nothing."""
    shuffled = random.Random(seed).sample(list(rows), len(rows))
    return {f"{i:04d}": row for i, row in enumerate(shuffled, 1)}


def write_sheet(path: str, rows: Dict[str, Row]) -> None:
    with open(f"{path}.tsv", "w", encoding="utf8") as sheet, open(f"{path}.key.jsonl", "w", encoding="utf8") as key:
        sheet.write("id\tsentence\n")
        for id_, row in rows.items():
            sheet.write(f"{id_}\t{' '.join(row.swap.split())}\n")
            key.write(json.dumps({"id": id_, **row._asdict()}, ensure_ascii=False) + "\n")


def read_key(path: str) -> Dict[str, Row]:
    entries = map(json.loads, Path(path).read_text(encoding="utf8").splitlines())
    return {entry.pop("id"): Row(**entry) for entry in entries}


def read_answers(path: str) -> Dict[str, Answer]:
    """What the reader said, by id; a first line with names and empty lines are passed over."""
    answers: Dict[str, Answer] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf8").splitlines(), 1):
        id_, *said = (part.strip().lower() for part in line.split("\t"))
        if not id_ or id_ == "id":
            continue
        if len(said) not in (1, 2) or not set(said) <= {"y", "n"}:
            sys.exit(f"{path}, line {number}: expected an id and y or n once or twice, tabs between: {line!r}")
        if id_ in answers:
            sys.exit(f"{path}, line {number}: {id_} was answered before.")
        answers[id_] = Answer(said[0] == "y", said[1] == "y" if said[1:] else None)
    return answers


def count(key: Dict[str, Row], answers: Dict[str, Answer]) -> Dict[str, Dict[str, Any]]:
    """What the answers say of each setting."""
    strangers = sorted(set(answers) - set(key))
    if strangers:
        sys.exit(f"The key does not have these ids: {', '.join(strangers)}. Is it the key of another sheet?")
    figures: Dict[str, Dict[str, Any]] = {}
    for setting in dict.fromkeys(row.setting for row in key.values()):
        read = [(key[id_], answer) for id_, answer in answers.items() if key[id_].setting == setting]
        natural = sum(answer.natural for _, answer in read)
        told = [answer for _, answer in read if answer.other_meaning is not None]
        figures[setting] = {"read": len(read), "natural": natural, **interval(natural, len(read))}
        if told:
            both = sum(answer.natural and bool(answer.other_meaning) for answer in told)
            figures[setting]["natural_and_other_meaning"] = {"read": len(told), "count": both}
        figures[setting]["reliability"] = reliability(
            [(row.naturalness, answer.natural) for row, answer in read if row.naturalness is not None]
        )
    return figures


def reliability(said: Sequence[Tuple[float, bool]]) -> List[Dict[str, Any]]:
    """Swaps of about one naturalness: its mean, and the share that the reader finds natural. They should be equal."""
    bins: List[List[Tuple[float, bool]]] = [[] for _ in range(BINS)]
    for value, natural in said:
        bins[min(int(value * BINS), BINS - 1)].append((value, natural))
    return [
        {
            "read": len(members),
            "naturalness": round(sum(value for value, _ in members) / len(members), 4),
            **interval(sum(natural for _, natural in members), len(members)),
        }
        for members in bins
        if members
    ]


def interval(successes: int, trials: int) -> Dict[str, Optional[float]]:
    """A share and its 95 % interval by Wilson; None where nothing was tried."""
    if not trials:
        return {"share": None, "low": None, "high": None}
    found = wilson(successes, trials)
    return {"share": round(found.value, 4), "low": round(found.low, 4), "high": round(found.high, 4)}


def shown(figure: Dict[str, Any]) -> str:
    if figure["share"] is None:
        return "nothing read"
    return f"{figure['share']:.3f} ({figure['low']:.3f} to {figure['high']:.3f})"


def parse_setting(text: str) -> Tuple[str, Dict[str, Any]]:
    name, _, settings = text.partition("=")
    try:
        found = json.loads(settings)
    except json.JSONDecodeError:
        found = None
    if not name or not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"expected NAME={{JSON}}, such as all='{{\"precise\": false}}', not {text!r}")
    return name, found


def make_sheet(args: argparse.Namespace) -> None:
    settings = dict(args.setting)
    total = args.sentences * len(settings)
    if args.text:
        lines = Path(args.text).read_text(encoding="utf8").splitlines()
        sentences = list(dict.fromkeys(line.strip() for line in lines if line.strip()))[args.skip : args.skip + total]
    else:
        sentences = (questions if args.questions else kept_sentences)(total, args.skip)
    nlp = load_pipeline()
    chosen: List[Row] = []
    yields: Dict[str, Dict[str, Any]] = {}
    for name, own in deal(sentences, list(settings), args.seed).items():
        rows = find_swaps(nlp, name, settings[name], own)
        yields[name] = {"sentences": len(own), "swaps": len(rows), **interval(len(rows), len(own))}
        print(f"{name}: yield {shown(yields[name])}, {len(rows)} of {len(own)} sentences", flush=True)
        if len(rows) < args.per_setting:
            print(f"  fewer than the {args.per_setting} wanted: take more --sentences", flush=True)
        chosen += random.Random(args.seed).sample(rows, min(args.per_setting, len(rows)))
    write_sheet(args.sheet, hide(chosen, args.seed))
    print(f"{len(chosen)} swaps in {args.sheet}.tsv; the key is in {args.sheet}.key.jsonl")
    print(json.dumps(yields))


def print_counts(args: argparse.Namespace) -> None:
    key, answers = read_key(args.key), read_answers(args.answers)
    figures = count(key, answers)
    for setting, figure in figures.items():
        print(f"{setting}: read {figure['read']}, natural {figure['natural']}, {shown(figure)}")
        both = figure.get("natural_and_other_meaning")
        if both:
            print(f"  natural with another meaning: {both['count']} of {both['read']}")
        for part in figure["reliability"]:
            print(f"  naturalness {part['naturalness']:.3f} on average: {shown(part)} natural of {part['read']}")
    if len(answers) < len(key):
        print(f"{len(key) - len(answers)} of {len(key)} swaps have no answer")
    print(json.dumps(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    sheet = commands.add_parser("sheet", help="make swaps and write them for a reader")
    sheet.add_argument("sheet", help="where they go, without an ending")
    sheet.add_argument(
        "--setting", type=parse_setting, action="append", required=True, metavar="NAME={JSON}", help="repeatable"
    )
    sheet.add_argument("--per-setting", type=int, default=100, help="how many swaps of each setting are read")
    sheet.add_argument("--sentences", type=int, default=2000, help="how many sentences each setting gets")
    sheet.add_argument("--skip", type=int, default=0, help="leave out this many sentences first")
    sheet.add_argument("--text", help="a file with a sentence per line  [default: kept paragraphs of the wiki text]")
    sheet.add_argument("--questions", action="store_true", help="Quora questions in place of the wiki")
    sheet.add_argument("--seed", type=int, default=0)
    sheet.set_defaults(run=make_sheet)
    counting = commands.add_parser("count", help="count what the reader said")
    counting.add_argument("key", help="the key that `sheet` wrote")
    counting.add_argument("answers", help="TSV: id, natural y/n [, another meaning y/n]")
    counting.set_defaults(run=print_counts)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
