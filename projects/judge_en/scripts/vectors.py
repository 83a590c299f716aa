"""Word vectors of the whole corpus: what the judge knows of words before it learns to judge."""

import argparse
import re
from pathlib import Path
from typing import Iterator, List

import numpy
from corpus import paragraphs

# As spaCy cuts English, nearly: fast, and near enough for vectors.
TOKEN = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*|'s|[^\w\s]")
CLITIC = re.compile(r"^(.+?)(n't|n’t|['’](?:s|m|re|ve|d|ll))$")
START = re.compile(r"(?<=[.!?]) (?=[A-Z\"'])")


class Corpus:
    """The sentences as lists of words; can be gone through again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[List[str]]:
        for paragraph in paragraphs(self.path):
            for sentence in START.split(paragraph):
                words: List[str] = []
                for token in TOKEN.findall(sentence):
                    clitic = CLITIC.match(token)
                    words.extend(clitic.groups() if clitic else [token])
                yield words


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wiki", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--words", type=int, default=60_000)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    # One worker: the same vectors each time.
    from gensim.models import Word2Vec

    model = Word2Vec(
        Corpus(args.wiki),
        vector_size=args.size,
        max_final_vocab=args.words,
        window=3,
        sg=1,
        negative=6,
        sample=1e-4,
        epochs=args.epochs,
        workers=1,
        seed=1,
    )
    args.output.parent.mkdir(parents=True, exist_ok=True)
    words = model.wv.index_to_key
    numpy.savez(args.output, vectors=model.wv.vectors, words=numpy.array(words), counts=model.wv.expandos["count"])
    print(len(words), "words")
