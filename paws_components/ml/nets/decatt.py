"""Decomposable attention (Parikh et al. 2016), over words or over a BiLSTM's encodings."""

from typing import Optional

import torch
from torch import Tensor, nn

from .bilstm import BiLSTM
from .masks import align


class FeedForward(nn.Module):
    """Two layers of ReLU, with dropout before each."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.dropout = nn.Dropout()
        # With torch's default, vectors shrink from layer to layer, and all words are aligned with all alike at first.
        for layer in (self.first, self.second):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)

    def forward(self, rows: Tensor) -> Tensor:
        return torch.relu(self.second(self.dropout(torch.relu(self.first(self.dropout(rows))))))


class DecAtt(nn.Module):
    """Attend, compare, aggregate.

    hidden (int): The width of all layers.
    encoder (bool): Whether a BiLSTM reads the words first (PAWS, Table 8).
    width (int): The width of a token.
    """

    def __init__(self, hidden: int, encoder: bool, width: int) -> None:
        super().__init__()
        self.encoder: Optional[BiLSTM] = BiLSTM(width, hidden) if encoder else None
        self.projection = nn.Linear(self.encoder.width if self.encoder else width, hidden, bias=False)
        nn.init.orthogonal_(self.projection.weight)
        # Each sentence begins with a token that words without a counterpart are aligned with (section 5).
        self.null = nn.Parameter(torch.randn(hidden) * 0.1)
        self.attend = FeedForward(hidden, hidden)
        self.compare = FeedForward(2 * hidden, hidden)
        self.aggregate = FeedForward(2 * hidden, hidden)
        self.dropout = nn.Dropout()
        self.width = hidden

    def forward(self, first: Tensor, second: Tensor, mask1: Tensor, mask2: Tensor) -> Tensor:
        (a, mask1), (b, mask2) = self.represent(first, mask1), self.represent(second, mask2)
        scores = self.attend(a) @ self.attend(b).transpose(1, 2)
        beta, alpha = align(scores, a, b, mask1, mask2)
        v1 = (self.compare(torch.cat((a, beta), dim=2)) * mask1[:, :, None]).sum(1)
        v2 = (self.compare(torch.cat((b, alpha), dim=2)) * mask2[:, :, None]).sum(1)
        return self.aggregate(torch.cat((v1, v2), dim=1))

    def represent(self, rows: Tensor, mask: Tensor) -> tuple:
        """The tokens that are attended to, the null token first, and their mask."""
        if self.encoder is not None:
            rows, _ = self.encoder(self.dropout(rows), mask)
        null = self.null.expand(len(rows), 1, -1)
        there = mask.new_ones(len(rows), 1)
        return torch.cat((null, self.projection(rows)), dim=1), torch.cat((there, mask), dim=1)
