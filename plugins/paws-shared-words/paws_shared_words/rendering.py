"""A report as text, Markdown or HTML."""

import html
from typing import Any, Callable, Dict, List, Sequence, Set

from paws_components.plugin import PairRecord, markdown_table, text_table

from .report import Report, accuracy_table, closing, outcome_table

ABOUT = (
    "Accuracy in per cent, as in Table 1 of the paper: on the whole corpus, on the sampled examples, and on their "
    "modifications. Examples that the target had wrong already count as wrong among the modified ones too; those "
    "without a replaceable position count as they are."
)


def to_text(report: Report, target: str) -> str:
    """The tables, for a screen."""
    tables = [text_table(rows) for rows in (accuracy_rows(report, target), outcome_table(report))]
    return "\n\n".join([*tables, closing(report)])


def accuracy_rows(report: Report, target: str) -> List[List[str]]:
    """Table 1's line stood on its side: narrow enough for a screen."""
    names, values = accuracy_table(report, target)
    rows: Dict[str, List[str]] = {}
    for name, value in zip(names[1:], values[1:]):
        column, _, group = name.partition(": ")
        rows.setdefault(column, [column]).append(value)
    return [["accuracy (%)", "positive", "negative", "all"], *rows.values()]


def to_markdown(report: Report, target: str) -> str:
    """The report as Markdown."""
    parts = [f"# Attack on {target}", ABOUT, markdown_table(accuracy_table(report, target))]
    parts += [markdown_table(outcome_table(report)), closing(report), _settings(report, "`{}`")]
    if report.shown:
        parts += ["## Examples", "Changed words are in bold."]
        sides = (_side_by_side(record, _bold) for record in report.shown)
        parts += [markdown_table(rows, rows[0]) for rows in sides]
    return "\n\n".join(parts)


def to_html(report: Report, target: str) -> str:
    """The report as a page of its own."""
    parts = [
        f"<h1>Attack on {html.escape(target)}</h1>",
        f"<p>{ABOUT}</p>",
        _html_table(accuracy_table(report, target)),
    ]
    parts += [_html_table(outcome_table(report)), f"<p>{html.escape(closing(report))}</p>"]
    parts.append(f"<p>{_settings(report, '<code>{}</code>', html.escape)}</p>")
    parts += [f"<h2>Examples</h2>{''.join(_html_example(record) for record in report.shown)}"] if report.shown else []
    return PAGE.format(title=html.escape(f"Attack on {target}"), body="\n".join(parts))


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font-family: system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5 }}
table {{ border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }}
th, td {{ border: 1px solid #bbb; padding: .25rem .6rem; text-align: left; vertical-align: top }}
mark {{ background: #ffe08a; color: inherit; font-weight: bold }}
</style>
{body}
</html>"""


# By the ending of a file.
SHAPES: Dict[str, Callable[[Report, str], str]] = {
    ".md": to_markdown,
    ".html": to_html,
    ".json": lambda report, _: report.to_json(),
}


def _settings(report: Report, shape: str, escape: Callable[[str], str] = str) -> str:
    return "Settings: " + ", ".join(shape.format(escape(f"{name}={value}")) for name, value in report.settings.items())


def _side_by_side(record: PairRecord, mark: Callable[[str], str]) -> List[List[str]]:
    """The original and the modified sentences, with the changed words marked."""
    evidence = record.evidence
    label = "positive" if record.label else "negative"
    before, after = (f"{100 * evidence[name]:.1f}" for name in ("score_before", "score_after"))
    lines = [[f"{label}, {evidence['status']}", f"original ({before} % {label})", f"modified ({after} % {label})"]]
    for name, which in (("P", 0), ("Q", 1)):
        places = changed_places(evidence["changes"], which)
        spaces = evidence["spaces"][which]
        texts = [_marked(evidence[words][which], spaces, places, mark) for words in ("original_words", "words")]
        lines.append([name, *texts])
    return lines


def changed_places(changes: Sequence[Dict[str, Any]], which: int) -> Set[int]:
    """Where words of the first (0) or the second sentence (1) were replaced."""
    return {change["ij"[which]] for change in changes}


def _marked(words: Sequence[str], spaces: Sequence[int], places: Set[int], mark: Callable[[str], str]) -> str:
    parts = []
    for place, (word, space) in enumerate(zip(words, spaces)):
        parts.append((mark(word) if place in places else word) + (" " if space else ""))
    return "".join(parts)


def _bold(word: str) -> str:
    return f"**{word}**"


def _html_example(record: PairRecord) -> str:
    # The marks are put in before the text is escaped, as characters that no text has.
    lines = _side_by_side(record, lambda word: f"\x02{word}\x03")
    return _html_table(lines).replace("\x02", "<mark>").replace("\x03", "</mark>")


def _html_table(lines: Sequence[Sequence[str]]) -> str:
    rows = []
    for number, line in enumerate(lines):
        cell = "td" if number else "th"
        rows.append("<tr>" + "".join(f"<{cell}>{html.escape(each)}</{cell}>" for each in line) + "</tr>")
    return f"<table>{''.join(rows)}</table>"
