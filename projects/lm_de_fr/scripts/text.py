"""The text that a model is trained on: one half of PAWS-X's development part, and whatever other text there is.

The pairs with an even id, or an odd one, are left out, and of the rest each sentence that shares eight words in a row
with one of theirs: PAWS has several swaps of one sentence under different ids.
"""

import argparse
from pathlib import Path
from typing import Iterator, List, Sequence, Set, Tuple

SHARED = 8


def read_pairs(path: Path) -> Iterator[Tuple[int, List[str]]]:
    """The id and the sentences of each pair; those that nobody translated are left out."""
    for line in path.read_text(encoding="utf8").splitlines()[1:]:
        number, one, two, _ = line.split("\t")
        if all(text.strip() not in ("", "NS") for text in (one, two)):
            yield int(number), [one, two]


def runs(text: str) -> Set[Tuple[str, ...]]:
    """All runs of eight words; the whole text if it has no more."""
    words = text.lower().split()
    return {tuple(words[i : i + SHARED]) for i in range(max(1, len(words) - SHARED + 1))}


def write_text(pairs: Path, left_out: str, others: Sequence[Path], output: Path, tested: Path) -> None:
    """Write what a model is trained on, a sentence per line, and what it may be tested on.

    pairs (Path): PAWS-X's development part of the language.
    left_out (str): "even" or "odd": the ids of the pairs that the model must not have seen.
    others (Sequence[Path]): Files of other text, a sentence per line; of tables the last column is taken.
    output (Path), tested (Path): Where the text goes.
    """
    kept: List[str] = []
    test: List[str] = []
    for number, sentences in read_pairs(pairs):
        (test if (number % 2 == 0) == (left_out == "even") else kept).extend(sentences)
    known = {run for text in test for run in runs(text)}
    lines = [text for text in dict.fromkeys(kept) if known.isdisjoint(runs(text))]
    for path in others:
        table = path.suffix == ".tsv"
        for line in path.read_text(encoding="utf8").splitlines()[table:]:
            lines.append(line.rpartition("\t")[2])
    output.write_text("\n".join(lines) + "\n", encoding="utf8")
    tested.write_text("\n".join(dict.fromkeys(test)) + "\n", encoding="utf8")
    print(f"{output}: {len(lines):,} lines without {left_out} ids; {tested}: {len(set(test)):,} sentences")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path, help="dev_2k.tsv of PAWS-X")
    parser.add_argument("others", type=Path, nargs="*", help="other text, a sentence per line")
    parser.add_argument("--left-out", choices=("even", "odd"), default="even", help="the ids of what is tested on")
    parser.add_argument("--output", type=Path, required=True, help="the text to train on")
    parser.add_argument("--tested", type=Path, required=True, help="the text that was left out")
    args = parser.parse_args()
    write_text(args.pairs, args.left_out, args.others, args.output, args.tested)


if __name__ == "__main__":
    main()
