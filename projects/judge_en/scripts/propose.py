"""Have the swapper propose: every exchange of two spans that no rule stops, with its n-gram gap."""

import argparse
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Dict, Iterator, List

import srsly
from corpus import SHORT, sentences

from paws_components.generation.tokens import Tokens
from paws_components.models import load_with

MAX_GAP, MOST, CHUNK = 10.0, 8, 500
# The rules there were when the readers read: a rule that is added later changes no label.
RULES = (
    "two_spans one_name auxiliaries numbers quantifiers apposition dates whole_names entity_types agreement articles"
).split()
_swapper: Any = None


def _start() -> None:
    global _swapper
    nlp = load_with(["tagger", "attribute_ruler", "ner"])
    config = {"threshold": MAX_GAP, "precise": False, "constraints": RULES}
    _swapper = nlp.add_pipe("paws_swapper", config=config), nlp


def _propose(texts: List[str]) -> List[Dict[str, Any]]:
    component, nlp = _swapper
    rows = []
    with nlp.select_pipes(disable=["paws_swapper"]), nlp.memory_zone():
        docs = list(nlp.pipe(texts))
        maker = component.find_maker()
        sources = [Tokens(doc, maker.settings.attr) for doc in docs]
        templates = component.swapper.make_templates(sources, maker)
        # A text that holds several sentences is left out: where they end is a guess.
        single = [pair for pair in zip(sources, templates) if len(pair[0].sentences) == 1]
        for question in component.swapper.questions(*zip(*single), maker.settings, MOST):
            rows.append(
                {
                    "text": question.text,
                    "plain": question.plain,
                    "tags": question.tokens.tags,
                    "labels": question.tokens.labels,
                    "words": question.words,
                    "proposals": [
                        [p.text, p.words, p.gap, *sorted(slot[:2] for slot in p.traded)]
                        for p in question.proposals
                        if p.traded
                    ],
                }
            )
    return rows


def propose(texts: List[str], n_process: int) -> Iterator[Dict[str, Any]]:
    """The proposals of each sentence, in order, however many processes work."""
    chunks = [texts[i : i + CHUNK] for i in range(0, len(texts), CHUNK)]
    with get_context("spawn").Pool(n_process, _start) as pool:
        for done, rows in enumerate(pool.imap(_propose, chunks), 1):
            yield from rows
            if done % 20 == 0:
                print(f"  {done * CHUNK:,} of {len(texts):,} sentences", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wiki", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--limit", type=int, default=3_200)
    parser.add_argument("--n-process", type=int, default=2)
    parser.add_argument("--short", type=int, default=3_000, help="how many short ones besides")
    args = parser.parse_args()
    args.output.parent.mkdir(parents=True, exist_ok=True)
    texts = sentences(args.wiki, args.limit) + sentences(args.wiki, args.short, words=SHORT)
    srsly.write_gzip_jsonl(args.output, propose(texts, args.n_process))
