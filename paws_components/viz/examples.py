"""The examples of the report: random pairs and both tails of every metric, drawn, in a table to sort and filter."""

from dataclasses import dataclass, field
from random import Random
from typing import Dict, List, Sequence, Tuple

import numpy
from spacy.language import Language

from ..records import PairRecord
from .inputs import score_notes, to_pairs
from .render import STYLES, draw_pair
from .sample import Corpus, label_name
from .svg import tag
from .text import escape

ENDS = ("high", "low")
END_NAMES = {"high": "highest", "low": "lowest"}
# The name of the random sample among the tails. The table begins with it, and of its first pairs the drawings are open.
RANDOM = "random"
OPEN = 2
Values = Dict[str, numpy.ndarray]


@dataclass
class ShownPair:
    """A pair that stands in one or more tails, or in the random sample."""

    corpus: int
    place: int  # among the corpus's records
    record: PairRecord
    tails: List[str] = field(default_factory=list)


def find_tails(corpora: Sequence[Corpus], values: Sequence[Values], count: int, seed: int = 0) -> List[ShownPair]:
    """Some pairs of every corpus at random, and those with the highest and lowest values of every metric, each once.

    corpora (Sequence[Corpus]): The corpora.
    values (Sequence[Dict[str, numpy.ndarray]]): For each corpus the values of each metric.
    count (int): How many pairs a tail has, and the random sample. Of equal values the first in the file are taken.
    seed (int): For the random sample.
    RETURNS (List[ShownPair]): The pairs, by corpus and then in the order of the file.
    """
    found: Dict[Tuple[int, int], ShownPair] = {}
    for c, (corpus, measured) in enumerate(zip(corpora, values)):
        places = range(len(corpus.records))
        for i in Random(seed).sample(places, min(count, len(places))):
            found[c, i] = ShownPair(c, i, corpus.records[i], [RANDOM])
        for metric, array in measured.items():
            ascending = [int(i) for i in numpy.argsort(array, kind="stable") if numpy.isfinite(array[i])]
            descending = [int(i) for i in numpy.argsort(-array, kind="stable") if numpy.isfinite(array[i])]
            for end, order in (("high", descending), ("low", ascending)):
                for i in order[:count]:
                    shown = found.setdefault((c, i), ShownPair(c, i, corpus.records[i]))
                    shown.tails.append(f"{_slug(metric)}-{end}")
    return [found[key] for key in sorted(found)]


def examples_table(
    corpora: Sequence[Corpus],
    values: Sequence[Values],
    titles: Dict[str, str],
    count: int,
    nlp: Language,
    seed: int = 0,
) -> str:
    """The table of examples with what sorts and filters it.

    titles (Dict[str, str]): The metrics by the names to show.
    count (int), seed (int): See `find_tails`.
    nlp (Language): Reads the sentences for the drawings.
    RETURNS (str): The markup.
    """
    shown = find_tails(corpora, values, count, seed)
    drawn = [pair for pair in shown if RANDOM in pair.tails][:OPEN]
    labels = sorted({label_name(pair.record) for pair in shown})
    head = [_sorter("corpus", "Corpus"), _sorter("label", "Label"), tag("th", "Pair", scope="col")]
    head += [_sorter(_slug(metric), title) for metric, title in titles.items()]
    bodies = [
        _body(place, pair, corpora[pair.corpus], values[pair.corpus], titles, labels, nlp, pair in drawn)
        for place, pair in enumerate(shown)
    ]
    said = f"{len(shown)} pairs: {count} of each corpus at random, and of every metric the {count} highest and lowest."
    caption = tag("caption", said)
    head_row = tag("thead", tag("tr", *head))
    table = tag("table", caption, head_row, "\n", "\n".join(bodies), id="examples", class_="stack")
    return tag("div", _tools(corpora, labels, titles, len(shown)), "\n", table, class_="card")


def _slug(metric: str) -> str:
    return metric.replace("_", "-")


def _sorter(key: str, title: str) -> str:
    numeric = key not in ("corpus", "label")
    button = tag("button", escape(title), type="button", title=f"Sort by {title}")
    return tag("th", button, scope="col", aria_sort="none", data_key=key, class_="n" if numeric else "")


def _body(
    place: int,
    pair: ShownPair,
    corpus: Corpus,
    measured: Values,
    titles: Dict[str, str],
    labels: List[str],
    nlp: Language,
    opened: bool,
) -> str:
    record = pair.record
    label = label_name(record)
    sentences = [tag("p", escape(text) or "(empty)", dir="auto") for text in (record.sentence1, record.sentence2)]
    line = record.evidence.get("line")
    notes = [f"line {line:,}"] if isinstance(line, int) else []
    notes += score_notes(record.evidence)
    said = tag("p", escape("; ".join(notes)), class_="meta") if notes else ""
    cells = [
        tag("td", escape(corpus.name), data_label="Corpus"),
        tag("td", escape(label), data_label="Label"),
        tag("td", tag("div", *sentences, class_="pair"), said),
    ]
    data = {}
    for metric, title in titles.items():
        value = float(measured[metric][pair.place])
        cells.append(tag("td", f"{value:.3f}", data_label=title, class_="n"))
        data[f"data_{_slug(metric)}"] = repr(value)
    tails = " ".join(pair.tails)
    chosen = {"data_corpus": pair.corpus, "data_label": labels.index(label), "data_tail": tails, "data_place": place}
    # A body of its own, so that the drawings have the table's whole width and move with their pair.
    drawings = tag("tr", tag("td", _drawings(record, nlp, opened), colspan=len(cells)), class_="drawings")
    return tag("tbody", tag("tr", *cells, class_="values"), "\n", drawings, **chosen, **data)  # type: ignore[arg-type]


def _drawings(record: PairRecord, nlp: Language, opened: bool) -> str:
    pair = to_pairs(record, nlp)[0]
    pair.notes.clear()  # the table says it already
    figures = [draw_pair(pair, style) for style in STYLES]
    return tag("details", tag("summary", "Drawings"), *figures, **({"open": "open"} if opened else {}))


def _tools(corpora: Sequence[Corpus], labels: List[str], titles: Dict[str, str], count: int) -> str:
    tails = [("", "all", ""), (RANDOM, "random sample", "corpus up")]
    sorts = [("corpus up", "corpus", ""), ("label up", "label", "")]
    for metric, title in titles.items():
        slug = _slug(metric)
        for end, way in zip(ENDS, ("down", "up")):
            tails.append((f"{slug}-{end}", f"{END_NAMES[end]} {title}", f"{slug} {way}"))
            sorts.append((f"{slug} {way}", f"{title}, {END_NAMES[end]} first", ""))
    sorts += [("corpus down", "corpus, backwards", ""), ("label down", "label, backwards", "")]
    parts = [
        _select("tail", "Pairs", tails),
        _select("corpus", "Corpus", [("", "all", ""), *((str(i), c.name, "") for i, c in enumerate(corpora))]),
        _select("label", "Label", [("", "all", ""), *((str(i), label, "") for i, label in enumerate(labels))]),
        _select("sort", "Sort by", sorts),
        tag("label", "Text ", tag("input", id="pick-text", type="search")),
        tag("output", f"{count} pairs", id="shown"),
    ]
    # Hidden until the script runs: without it the table shows everything.
    return tag("div", *parts, id="tools", class_="tools", hidden="hidden")


def _select(name: str, title: str, options: Sequence[Tuple[str, str, str]]) -> str:
    entries = [
        tag("option", escape(text), value=value, **({"data_sort": order} if order else {}))
        for value, text, order in options
    ]
    return tag("label", f"{title} ", tag("select", *entries, id=f"pick-{name}"))
