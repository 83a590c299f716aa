"""Train the network: which word stands between its neighbours? On two thirds of the corpus, drawn at random.

Noise-contrastive estimation: each word is told from words drawn by their frequency, so that the scores come out as
logarithms of probabilities without a sum over the vocabulary.
"""

import argparse
import time
from array import array
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn.functional import softplus
from vectors import Corpus

from paws_components.generation.embedded import BUCKETS, REACH, Features, bucket

HIDDEN, NOISE, BATCH, RATE = 160, 512, 8192, 2e-3


class Words(nn.Module):
    """Scores a word by the words around it; `EmbeddedJudge.facts` does the same in numpy."""

    def __init__(self, vectors: torch.Tensor) -> None:
        super().__init__()
        size = vectors.shape[1]
        self.word = nn.Embedding.from_pretrained(vectors, freeze=False)
        self.bias = nn.Parameter(torch.zeros(len(vectors)))
        self.first = nn.Linear(2 * REACH * size, HIDDEN)
        self.second = nn.Linear(HIDDEN, size)

    def forward(self, around: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(self.word(around).flatten(1))))


def first_vectors(words: list, vectors: numpy.ndarray) -> torch.Tensor:
    """The vectors to begin with: an unknown word's is the mean of the rarer known ones that share its row."""
    table = numpy.zeros((len(words) + BUCKETS + 1, vectors.shape[1]), dtype="float32")
    table[: len(words)] = vectors / numpy.sqrt((vectors**2).mean()) * 0.5
    counts = numpy.zeros(BUCKETS)
    for row in range(len(words) // 4, len(words)):
        place = bucket(words[row])
        table[len(words) + place] += table[row]
        counts[place] += 1
    table[len(words) : -1] /= numpy.maximum(counts, 1)[:, None]
    return torch.tensor(table)


def read_rows(path: Path, features: Features) -> numpy.ndarray:
    """The corpus as rows of the table, with as many rows for no word between sentences as a window reaches."""
    rows, known, edge = array("i"), {}, [features.pad] * REACH
    rows.extend(edge)
    for words in Corpus(path):
        for i, word in enumerate(words):
            if i == 0 and features.words.get(word.lower(), 10**9) < features.words.get(word, 10**9):
                word = word.lower()  # as it would stand inside the sentence
            row = known.get(word)
            if row is None:
                row = known[word] = features.word(word)
            rows.append(row)
        rows.extend(edge)
    return numpy.frombuffer(rows, dtype="int32")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wiki", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--limit", type=int, default=24_000_000, help="words to train on")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(2)
    loaded = numpy.load(args.vectors)
    words = loaded["words"].tolist()
    features = Features(words)
    rows = read_rows(args.wiki, features)
    counts = numpy.bincount(rows, minlength=features.pad + 1).astype("float64")
    counts[features.pad] = 0
    share = torch.tensor((counts + 0.5) / (counts + 0.5).sum(), dtype=torch.float32)
    cumulated = share.double().cumsum(0)
    log_noise = (share * NOISE).log()
    places = torch.tensor(numpy.flatnonzero(rows != features.pad))
    places = places[torch.randperm(len(places))][: args.limit]
    around = torch.tensor([k for k in range(-REACH, REACH + 1) if k])
    rows_tensor = torch.tensor(rows)
    print(f"{len(rows):,} rows, {len(places):,} words to learn", flush=True)

    model = Words(first_vectors(words, loaded["vectors"]))
    with torch.no_grad():
        model.bias.copy_(share.log())
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    steps = max(len(places) // BATCH, 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1 - step / steps))
    began, lost = time.time(), 0.0
    for step in range(steps):
        here = places[step * BATCH : (step + 1) * BATCH]
        targets = rows_tensor[here].long()
        output = model(rows_tensor[here[:, None] + around].long())
        noise = torch.searchsorted(cumulated, torch.rand(NOISE, dtype=torch.float64)).clamp(max=len(share) - 1)
        good = (output * model.word(targets)).sum(1) + model.bias[targets] - log_noise[targets]
        bad = output @ model.word(noise).T + model.bias[noise] - log_noise[noise]
        loss = softplus(-good).mean() + softplus(bad).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        lost += loss.item()
        if step % 100 == 99:
            speed = (time.time() - began) / (step + 1)
            print(f"  {step + 1} of {steps}: loss {lost / 100:.4f}, {speed:.3f} s a step", flush=True)
            lost = 0.0
    torch.save({"model": model.state_dict(), "words": words}, args.output)
