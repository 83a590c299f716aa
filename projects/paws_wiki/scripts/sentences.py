"""The first so many sentences of a text, a paragraph a line, from which silver pairs can be made.

A sentence is taken if it begins with a capital letter, ends with a full stop, closes its quotes and brackets, is
neither short nor long, and is in none of the labelled pairs. Reads no further than it has to. Prints one JSON object
of counts.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Iterator, Set

import spacy
from spacy.tokens import Span

from paws_components.curation.splitting import sentence_keys
from paws_components.curation.text import sentence_key
from paws_components.readers import open_texts, read_pairs

BRACKETS = ("()", "[]", "“”")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="a paragraph a line; .xz, .gz and .bz2 are unpacked")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the sentences go, one a line")
    parser.add_argument("--labelled", type=Path, required=True, help="the folder of the labelled pairs (.jsonl)")
    parser.add_argument("--limit", type=int, default=20000, help="how many sentences")
    parser.add_argument("--shortest", type=int, default=8, help="tokens")
    parser.add_argument("--longest", type=int, default=40, help="tokens")
    args = parser.parse_args()

    seen: Set[str] = set()
    for path in sorted(args.labelled.glob("*.jsonl")):
        seen |= sentence_keys(read_pairs(path))
    counts: Counter = Counter(taken=0, unusable=0, labelled_or_seen=0)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with args.output.open("w", encoding="utf8") as output:
        for sentence in split(args.text):
            if counts["taken"] >= args.limit:
                break
            key = sentence_key(sentence.text)
            if not usable(sentence, args.shortest, args.longest):
                counts["unusable"] += 1
            elif key in seen:
                counts["labelled_or_seen"] += 1
            else:
                seen.add(key)
                counts["taken"] += 1
                output.write(sentence.text + "\n")
    if not counts["taken"]:
        raise SystemExit(f"{args.text} has no sentence that can be used")
    print(json.dumps({f"sentences_{name}": count for name, count in counts.items()}))


def split(path: str) -> Iterator[Span]:
    """The sentences of all paragraphs, as they come."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    for doc in nlp.pipe(line.text for line in open_texts([path]) if line.text):
        yield from doc.sents


def usable(sentence: Span, shortest: int, longest: int) -> bool:
    text = sentence.text
    closed = all(text.count(pair[0]) == text.count(pair[1]) for pair in BRACKETS) and text.count('"') % 2 == 0
    return shortest <= len(sentence) <= longest and text[0].isupper() and text.endswith(".") and closed


if __name__ == "__main__":
    main()
