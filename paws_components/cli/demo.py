import shutil
from typing import TYPE_CHECKING, List

import click

if TYPE_CHECKING:
    from ..records import PairRecord


@click.command()
@click.option("-o", "--output", default="pairs.jsonl", show_default=True, help="Where the pairs go.")
def demo(output: str) -> None:
    """Make adversarial pairs from the package's sample text, and show them."""
    from ..corpora import sample_text
    from ..generation.job import GenerateJob, generate_pairs
    from ..readers import read_pairs

    done = generate_pairs(GenerateJob(), [str(sample_text("en"))], output, quiet=True)
    width = shutil.get_terminal_size((100, 20)).columns
    click.echo(table(list(read_pairs(output)), width))
    click.echo(f"\n{done.tally.found:,} of {done.tally.rows:,} sentences have a swap.")
    click.echo(f"The pairs are in {output}. Next: paws generate YOUR.txt -o pairs.jsonl")


def table(pairs: List["PairRecord"], width: int) -> str:
    """The pairs one above the other, with what moved in colour. Beside each stands how natural the judge finds it,
    or without a judge the gap in log-likelihood."""
    from textwrap import wrap

    judged = any("naturalness" in pair.evidence for pair in pairs)
    blocks = []
    for pair in pairs:
        moved = pair.evidence["moved"]
        source = _mark(pair.sentence1, [span["source"] for span in moved])
        target = _mark(pair.sentence2, [span["target"] for span in moved])
        value = pair.evidence.get("naturalness") if judged else pair.evidence["gap"]
        shown = "" if value is None else f"{value:.2f}" if judged else f"{value:+.2f}"
        beside = click.style(f"{shown:>6}", dim=True)
        if max(len(pair.sentence1), len(pair.sentence2)) + 10 > width:
            source, target = ("\n          ".join(wrap(text, width - 10)) for text in (source, target))
        blocks.append(f"          {source}\n  {beside}  {target}")
    return "\n\n".join([f"{'natural' if judged else '   gap '}   source and swap", *blocks])


def _mark(text: str, spans: List[List[int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + click.style(text[start:end], bold=True, fg="cyan") + text[end:]
    return text
