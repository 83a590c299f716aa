"""Bilateral multi-perspective matching (Wang et al. 2017)."""

import torch
from torch import Tensor, nn

from .bilstm import BiLSTM
from .masks import max_pool

EPSILON = 1e-8


def match(one: Tensor, other: Tensor, weights: Tensor) -> Tensor:
    """The cosine of two vectors per token, under each perspective's weights (section 3.2, eq. 4-5).

    one, other (Tensor): (pairs, tokens, width); the second may have one token only.
    weights (Tensor): (perspectives, width).
    RETURNS (Tensor): (pairs, tokens, perspectives).
    """
    squares = (weights * weights).t()
    lengths = ((one * one) @ squares).clamp(min=EPSILON) * ((other * other) @ squares).clamp(min=EPSILON)
    return ((one * other) @ squares) / lengths.sqrt()


def match_all(one: Tensor, other: Tensor, weights: Tensor) -> Tensor:
    """The same, of each token with each of the other sentence.

    RETURNS (Tensor): (pairs, perspectives, tokens, tokens of the other).
    """
    one, other = one[:, None] * weights[:, None, :], other[:, None] * weights[:, None, :]
    lengths1 = (one * one).sum(3, keepdim=True).clamp(min=EPSILON).sqrt()
    lengths2 = (other * other).sum(3, keepdim=True).clamp(min=EPSILON).sqrt()
    return (one / lengths1) @ (other / lengths2).transpose(2, 3)


class Matching(nn.Module):
    """The four ways to match one direction of the tokens of either sentence against the other sentence."""

    def __init__(self, perspectives: int, width: int) -> None:
        super().__init__()
        self.full = nn.Parameter(torch.rand(perspectives, width))
        self.maxpool = nn.Parameter(torch.rand(perspectives, width))
        self.attentive = nn.Parameter(torch.rand(perspectives, width))
        self.max_attentive = nn.Parameter(torch.rand(perspectives, width))
        self.width = 4 * perspectives

    def forward(self, rows: Tensor, others: Tensor, end: Tensor, mask: Tensor) -> Tensor:
        """Match tokens against the other sentence.

        rows, others (Tensor): The tokens, and those of the other sentence.
        end (Tensor): The last state of the other sentence.
        mask (Tensor): Which of the others are there.
        """
        alike = match_all(rows, others, rows.new_ones(1, rows.shape[2]))[:, 0]
        everywhere = match_all(rows, others, self.maxpool)
        pairs, perspectives, tokens, _ = everywhere.shape
        there = mask[:, None, None, :].expand_as(everywhere)
        highest = max_pool(everywhere.flatten(0, 2)[:, :, None], there.flatten(0, 2)).view(pairs, perspectives, tokens)
        # The paper divides by the sum of the weights. A cosine sees no length, and a negative sum would turn it around.
        weighted = (alike * mask[:, None, :]) @ others
        best = alike.masked_fill(~mask[:, None, :], -2.0).argmax(2, keepdim=True)
        chosen = others.gather(1, best.expand(-1, -1, others.shape[2]))
        return torch.cat(
            (
                match(rows, end[:, None, :], self.full),
                highest.transpose(1, 2),
                match(rows, weighted, self.attentive),
                match(rows, chosen, self.max_attentive),
            ),
            dim=2,
        )


class BiMPM(nn.Module):
    """Encode, match both ways, aggregate, predict; a softmax follows.

    hidden (int): The width of each direction of the LSTMs.
    perspectives (int): How many weightings the vectors are compared under.
    width (int): The width of a token.
    """

    def __init__(self, hidden: int, perspectives: int, width: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.context = BiLSTM(width, hidden)
        self.forwards = Matching(perspectives, hidden)
        self.backwards = Matching(perspectives, hidden)
        self.aggregation = BiLSTM(2 * self.forwards.width, hidden)
        self.mlp = nn.Linear(4 * hidden, 2 * hidden)
        self.dropout = nn.Dropout()
        self.width = 2 * hidden

    def forward(self, first: Tensor, second: Tensor, mask1: Tensor, mask2: Tensor) -> Tensor:
        a, end_a = self.context(self.dropout(first), mask1)
        b, end_b = self.context(self.dropout(second), mask2)
        a, b = self.dropout(a), self.dropout(b)
        matched = torch.cat((self.aggregate(a, b, end_b, mask1, mask2), self.aggregate(b, a, end_a, mask2, mask1)), 1)
        return self.dropout(torch.tanh(self.mlp(self.dropout(matched))))

    def aggregate(self, rows: Tensor, others: Tensor, end: Tensor, mask: Tensor, other_mask: Tensor) -> Tensor:
        h = self.hidden
        matches = torch.cat(
            (
                self.forwards(rows[:, :, :h], others[:, :, :h], end[:, :h], other_mask),
                self.backwards(rows[:, :, h:], others[:, :, h:], end[:, h:], other_mask),
            ),
            dim=2,
        )
        _, ends = self.aggregation(self.dropout(matches), mask)
        return ends
