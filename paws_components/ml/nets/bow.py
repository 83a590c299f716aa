"""Bag-of-words encodings of unigrams and bigrams."""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from .masks import mean_pool


class BOW(nn.Module):
    """Both sentences of a pair as the mean of their words beside the mean of their bigrams.

    Either mean has length 1, so that the cosine of two sentences is the mean of two cosines, that of their words and
    that of their bigrams. Otherwise the longer of the two vectors would decide, whatever the other says.

    hidden (int): The width of a bigram.
    width (int): The width of a token.
    """

    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        self.bigram = nn.Linear(2 * width, hidden)
        self.dropout = nn.Dropout()
        self.width = 2 * (width + hidden)

    def forward(self, first: Tensor, second: Tensor, mask1: Tensor, mask2: Tensor) -> Tensor:
        return torch.cat((self.encode(first, mask1), self.encode(second, mask2)), dim=1)

    def encode(self, rows: Tensor, mask: Tensor) -> Tensor:
        rows = self.dropout(rows)
        words = normalize(mean_pool(rows, mask), dim=1)
        if rows.shape[1] == 1:
            return torch.cat((words, words.new_zeros(len(words), self.bigram.out_features)), dim=1)
        bigrams = torch.tanh(self.bigram(torch.cat((rows[:, :-1], rows[:, 1:]), dim=2)))
        return torch.cat((words, normalize(mean_pool(bigrams, mask[:, 1:]), dim=1)), dim=1)
