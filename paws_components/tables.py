"""Tables of texts, for a terminal and for Markdown. The first row is the head."""

from typing import Collection, List, Optional, Sequence

Rows = Sequence[Sequence[str]]
# A column may be wider; then the line under its head is not.
MAX_RULE = 200


def text_table(rows: Rows, left: Optional[Collection[str]] = None) -> str:
    """A table for a terminal.

    rows (Sequence[Sequence[str]]): The head and the body.
    left (Optional[Collection[str]]): The heads of the columns that stand to the left; None for the first column. All
        others hold numbers, and stand to the right.
    RETURNS (str): The lines, without a break at the end.
    """
    from wasabi import table

    head, *body = rows
    aligns = ["l" if is_left else "r" for is_left in _lefts(head, left)]
    lines = table(body, header=head, divider=True, aligns=aligns, max_col=MAX_RULE)  # type: ignore[arg-type]
    return "\n".join(line.rstrip() for line in lines.strip("\n").splitlines())


def markdown_table(rows: Rows, left: Optional[Collection[str]] = None) -> str:
    """The same for a Markdown page."""
    rule = "|" + "|".join("---" if is_left else "---:" for is_left in _lefts(rows[0], left)) + "|"
    head, *body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return "\n".join([head, rule, *body])


def _lefts(head: Sequence[str], left: Optional[Collection[str]]) -> List[bool]:
    return [name in left if left is not None else i == 0 for i, name in enumerate(head)]
