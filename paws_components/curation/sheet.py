"""The counts of a data set that was built, in the layout of the paper's Tables 3, 4 and 5, and 2's kinds of change."""

from collections import Counter
from textwrap import shorten
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import spacy

from ..records import PairRecord
from ..tables import markdown_table, text_table
from .kinds import KINDS
from .splitting import is_identical
from .votes import Agreement, Decided

Counts = Dict[str, Any]
# How much of an example a terminal has room for, twice.
TERMINAL = 56
# The rows of Table 3: the heading of a block, or a count and how it is called.
CORRECTION = (("accepted", "# Accepted pairs"), ("fixed", "# Fixed pairs"), ("rejected", "# Rejected pairs"))
JUDGED = (("labelled", "Total # pairs"), ("paraphrase", "paraphrase"), ("non_paraphrase", "non-paraphrase"))
REACHED = (("agreement", "Human agreement"), ("kappa", "Fleiss' kappa"), ("alpha", "Krippendorff's alpha"))


def label_counts(records: Iterable[PairRecord]) -> Counts:
    """How many pairs there are, and of each label."""
    labels = Counter(record.label for record in records)
    return {"labelled": sum(labels.values()), "paraphrase": labels[1], "non_paraphrase": labels[0]}


def vote_counts(decided: Decided) -> Counts:
    """What people's votes came to, before and after the pairs that too few agree on are set apart."""
    return {
        **label_counts(decided.judged),
        **_reached(decided.before, ""),
        "kept": len(decided.kept),
        **_reached(decided.after, "kept_"),
        "models": {name: one.share for name, one in decided.before.models.items()},
    }


def _reached(found: Agreement, prefix: str) -> Counts:
    return {f"{prefix}agreement": found.share, f"{prefix}kappa": found.kappa, f"{prefix}alpha": found.alpha}


def part_counts(records: Sequence[PairRecord], lang: str = "en") -> Counts:
    """The pairs, paraphrases, tokens (of both sides, by spaCy's tokenizer) and identical pairs of a split."""
    nlp = spacy.blank(lang)
    tokens = 0
    with nlp.memory_zone():
        for record in records:
            tokens += len(nlp.make_doc(record.sentence1)) + len(nlp.make_doc(record.sentence2))
    return {
        "pairs": len(records),
        "paraphrases": sum(record.label == 1 for record in records),
        "tokens": tokens,
        "identical": sum(map(is_identical, records)),
    }


def kind_counts(found: Iterable[Tuple[PairRecord, List[str]]]) -> Dict[str, Counts]:
    """For each kind of change how many pairs show it, and a short one as an example. A pair may show several."""
    counts: Counter = Counter()
    examples: Dict[str, Tuple[Tuple[int, int], PairRecord]] = {}
    for record, kinds in found:
        for kind in kinds:
            counts[kind] += 1
            # A pair that shows this kind alone says more.
            best = examples.get(kind)
            rank = (len(kinds), len(record.sentence1))
            if best is None or rank < best[0]:
                examples[kind] = rank, record
    shown = {kind: [record.sentence1, record.sentence2] for kind, (_, record) in examples.items()}
    return {kind: {"pairs": counts[kind], "example": shown[kind]} for kind in KINDS if counts[kind]}


def sheet_tables(counts: Counts, width: int = 200) -> List[Tuple[str, List[List[str]], List[str]]]:
    """The tables of a data set: title, rows with the head first, and the heads of the columns that hold text. A
    sentence is cut to so many characters."""
    name = str(counts["name"])
    tables = []
    if counts.get("swaps"):
        rows = [["", name], *_table3(counts["swaps"])]
        tables.append(("Pairs of word swapping (as Table 3)", rows, [""]))
    if counts.get("back"):
        rows = [["", name], *_table4(counts["back"])]
        tables.append(("Pairs of back translation (as Table 4)", rows, [""]))
    tables.append(("Splits (as Table 5)", _table5(name, counts), [""]))
    for what, kinds in (counts.get("kinds") or {}).items():
        rows = [["Kind of change", "Pairs", "Sentence 1", "Sentence 2"]]
        for kind, one in kinds.items():
            rows.append(
                [kind, f"{one['pairs']:,}", *(shorten(text, width, placeholder=" …") for text in one["example"])]
            )
        tables.append((f"Kinds of change, {what} (as Table 2)", rows, ["Kind of change", "Sentence 1", "Sentence 2"]))
    dropped, account = counts.get("dropped") or {}, counts.get("account") or {}
    if account:
        total, out, lost = (f"{account[name]:,}" for name in ("labels_in", "labels_out", "labels_dropped"))
        rows = [["Pairs with a label of their own", "Pairs"], ["in", total], ["out", out], ["dropped", lost]]
        tables.append(("Labels in are labels out and labels dropped", rows, ["Pairs with a label of their own"]))
    if dropped:
        rows = [["What did not come", "Pairs"], *([why, f"{count:,}"] for why, count in dropped.items())]
        tables.append(("What did not come, and why", rows, ["What did not come"]))
    return tables


def show_sheet(counts: Counts, markdown: bool = True, level: int = 3) -> str:
    """The tables, for a Markdown page or a terminal.

    counts (Counts): What `paws build` counted.
    markdown (bool): Whether for a page.
    level (int): The level of the headings there.
    RETURNS (str): The text, without a break at its end.
    """
    parts = []
    for title, rows, left in sheet_tables(counts, *([] if markdown else [TERMINAL])):
        table = markdown_table(rows, left) if markdown else text_table(rows, left)
        parts.append(f"{'#' * level + ' ' if markdown else ''}{title}\n\n{table}")
    return "\n\n".join(parts)


def _table3(found: Mapping[str, Any]) -> List[List[str]]:
    rows = [["# Raw pairs", _number(found["raw"])]]
    if "accepted" in found:
        rows += [["*Sentence correction*", ""], *_rows(found, CORRECTION)]
    return [*rows, *_judged(found)]


def _table4(found: Mapping[str, Any]) -> List[List[str]]:
    rows = _judged(found)
    return [["Total # back translation pairs", _number(found["raw"])], *rows]


def _judged(found: Mapping[str, Any]) -> List[List[str]]:
    rows = [["*Paraphrase identification*", ""], *_rows(found, JUDGED), *_shares(found, "")]
    for model, share in (found.get("models") or {}).items():
        rows.append([f"{model} (a model) with the majority", _share(share)])
    if "kept" in found:
        kept = [["Total # pairs", _number(found["kept"])], *_shares(found, "kept_")]
        rows += [["*After post-filtering*", ""], *kept]
    return rows


def _table5(name: str, counts: Counts) -> List[List[str]]:
    splits = counts["splits"]
    names = list(splits)
    rows = [["", *(one.capitalize() for one in names), "Yes %", "Tokens"]]
    rows.append([name, *(_number(splits[one]["pairs"]) for one in names), *_totals(list(splits.values()))])
    aside = counts.get("auxiliary")
    if aside and aside["pairs"]:
        blank = ["–"] * (len(names) - 1)
        rows.append([f"{name}-Swap", _number(aside["pairs"]), *blank, *_totals([aside])])
    return rows


def _totals(parts: List[Counts]) -> List[str]:
    pairs, yes, tokens = (sum(part[key] for part in parts) for key in ("pairs", "paraphrases", "tokens"))
    return [f"{100 * yes / pairs:.1f} %" if pairs else "–", _number(tokens)]


def _rows(found: Mapping[str, Any], names: Iterable[Tuple[str, str]]) -> List[List[str]]:
    return [[title, _number(found[name])] for name, title in names if name in found]


def _shares(found: Mapping[str, Any], prefix: str) -> List[List[str]]:
    rows = []
    for name, title in REACHED:
        value = found.get(prefix + name)
        if value is not None:
            rows.append([title, _share(value) if name == "agreement" else f"{value:.3f}"])
    return rows


def _share(value: Optional[float]) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _number(value: int) -> str:
    return f"{value:,}"
