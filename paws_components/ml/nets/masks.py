"""Softmax, mean and maximum over the tokens that are there. What is taken over no token at all is zero."""

import torch
from torch import Tensor


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Weights that add up to 1 over the tokens of the mask."""
    weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim)
    return weights * mask


def mean_pool(rows: Tensor, mask: Tensor) -> Tensor:
    """The mean of (pairs, tokens, width) over the tokens."""
    return (rows * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


def max_pool(rows: Tensor, mask: Tensor) -> Tensor:
    """The maximum of (pairs, tokens, width) over the tokens."""
    highest = rows.masked_fill(~mask[:, :, None], torch.finfo(rows.dtype).min).max(1).values
    return highest * mask.any(1, keepdim=True)


def align(scores: Tensor, rows: Tensor, others: Tensor, mask: Tensor, other_mask: Tensor) -> tuple:
    """Soft alignment (Chen et al. 2017, eq. 12-13; Parikh et al. 2016, eq. 2).

    scores (Tensor): How well each token goes with each of the other sentence.
    RETURNS (Tuple[Tensor, Tensor]): What each token is aligned with: those of the rows, and those of the others.
    """
    to_others = masked_softmax(scores, other_mask[:, None, :]) @ others
    to_rows = masked_softmax(scores.transpose(1, 2), mask[:, None, :]) @ rows
    return to_others, to_rows
