"""The network that the judge is: how well a span fits between its neighbours. Here in torch, to be trained."""

from typing import Any, Dict, Iterator, List, Sequence, Tuple

import numpy
import torch
from torch import Tensor, nn

from paws_components.generation.embedded import BUCKETS, REACH, Features, bucket, places, window

SIZE, TAG_SIZE, HIDDEN, FIT = 64, 16, 192, 32
DROPOUT = 0.2


class Fit(nn.Module):
    def __init__(self, features: Features, tags: int) -> None:
        super().__init__()
        self.word = nn.Embedding(features.pad + 1, SIZE)
        self.tag = nn.Embedding(tags + 1, TAG_SIZE)
        self.first = nn.Linear((2 * REACH + 3) * (SIZE + TAG_SIZE), HIDDEN)
        self.second = nn.Linear(HIDDEN, FIT)
        self.last = nn.Linear(FIT, 1)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, words: Tensor, tags: Tensor) -> Tensor:
        """words, tags: (..., 2 * REACH + SPAN); of the span the rows beyond its words are -1."""
        return self.last(self.hidden(words, tags))[..., 0]

    def hidden(self, words: Tensor, tags: Tensor) -> Tensor:
        known = (words >= 0).unsqueeze(-1)
        vectors = torch.cat((self.word(words.clamp(min=0)), self.tag(tags.clamp(min=0))), -1) * known
        around, span = vectors[..., : 2 * REACH, :], vectors[..., 2 * REACH :, :]
        count = known[..., 2 * REACH :, :].sum(-2)
        last = span.gather(-2, (count - 1).unsqueeze(-1).expand(*span.shape[:-2], 1, span.shape[-1]))[..., 0, :]
        read = torch.cat((around.flatten(-2), span[..., 0, :], last, span.sum(-2) / count), -1)
        return torch.relu(self.second(self.drop(torch.relu(self.first(read)))))


def prepare(rows: Sequence[Dict[str, Any]], features: Features) -> Tuple[numpy.ndarray, numpy.ndarray, List[str]]:
    """Words and tags of the four spans of each proposal, and the tag under which they trade."""
    all_words, all_tags, groups = [], [], []
    for row in rows:
        words, tags = features.sentence(row["plain"], row["tags"])
        for _, _, _, a, b in row["proposals"]:
            a, b = sorted((a, b))
            order, spans = places(len(row["plain"]), tuple(a[:2]), tuple(b[:2]))
            after_words, after_tags = words[order], tags[order]
            all_words.append([window(words if k < 2 else after_words, *span) for k, span in enumerate(spans)])
            all_tags.append([window(tags if k < 2 else after_tags, *span) for k, span in enumerate(spans)])
            groups.append(a[2])
    return numpy.array(all_words, dtype="int32"), numpy.array(all_tags, dtype="int32"), groups


def first_vectors(words: Sequence[str], vectors: numpy.ndarray) -> numpy.ndarray:
    """The vectors to begin with: an unknown word's is the mean of the rarer known ones that share its row."""
    table = numpy.zeros((len(words) + BUCKETS + 1, vectors.shape[1]), dtype="float32")
    table[: len(words)] = vectors / numpy.sqrt((vectors**2).mean())
    counts = numpy.zeros(BUCKETS)
    for row in range(len(words) // 4, len(words)):
        place = bucket(words[row])
        table[len(words) + place] += table[row]
        counts[place] += 1
    table[len(words) : -1] /= numpy.maximum(counts, 1)[:, None]
    return table


def batches(count: int, size: int, generator: torch.Generator) -> Iterator[Tensor]:
    order = torch.randperm(count, generator=generator)
    return (order[i : i + size] for i in range(0, count, size))
