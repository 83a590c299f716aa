"""Densely interactive inference network (Gong et al. 2018)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .masks import masked_softmax


class Highway(nn.Module):
    """One layer of a highway network: part of a token is changed, the rest passes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.change = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)
        # Most of a token passes at first, as in Srivastava et al. (2015).
        nn.init.constant_(self.gate.bias, -1.0)

    def forward(self, rows: Tensor) -> Tensor:
        gate = torch.sigmoid(self.gate(rows))
        return gate * torch.relu(self.change(rows)) + (1 - gate) * rows


class SelfAttention(nn.Module):
    """Each token with the rest of its sentence, through a fuse gate (eq. 1-6)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        # The paper's score is w [p_i; p_j; p_i * p_j]. What depends on i alone has no effect on a softmax over j.
        self.other = nn.Linear(width, 1, bias=False)
        self.product = nn.Parameter(torch.randn(width) / width**0.5)
        self.new = nn.Linear(2 * width, width)
        self.keep = nn.Linear(2 * width, width)
        self.take = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout()

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        scores = (rows * self.product) @ rows.transpose(1, 2) + self.other(rows).transpose(1, 2)
        attended = masked_softmax(scores, mask[:, None, :]) @ rows
        both = self.dropout(torch.cat((rows, attended), dim=2))
        kept = torch.sigmoid(self.keep(both)) * rows
        return kept + torch.sigmoid(self.take(both)) * torch.tanh(self.new(both))


class DenseBlock(nn.Module):
    """Convolutions that each see all that came before (Huang et al. 2017), then half the channels and half the size."""

    def __init__(self, channels: int, layers: int, growth: int, transition: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(channels + i * growth, growth, 3, padding=1) for i in range(layers))
        grown = channels + layers * growth
        self.channels = max(1, int(grown * transition))
        self.transition = nn.Conv2d(grown, self.channels, 1)

    def forward(self, grid: Tensor, mask: Tensor) -> tuple:
        for layer in self.layers:
            grid = torch.cat((grid, torch.relu(layer(grid)) * mask), dim=1)
        return F.max_pool2d(self.transition(grid) * mask, 2), F.max_pool2d(mask, 2)


class DIIN(nn.Module):
    """Embed, encode, interact, extract features; a softmax follows.

    Where there are no words the interaction is zero, and stays so after each convolution: so the result is that of a
    grid of `max_length` by `max_length`, though only as much of it is computed as the longest sentences fill.

    highways (int): The layers of the highway network.
    blocks, layers, growth (int): The dense blocks, the layers of each, and the channels that each layer adds.
    scale_down (float): The part of the width that is left as channels before the first block.
    transition (float): The part of the channels that is left after each block.
    max_length (int): How many tokens of a sentence are looked at.
    width (int): The width of a token.
    """

    def __init__(
        self,
        highways: int,
        blocks: int,
        layers: int,
        growth: int,
        scale_down: float,
        transition: float,
        max_length: int,
        width: int,
    ) -> None:
        super().__init__()
        self.highways = nn.ModuleList(Highway(width) for _ in range(highways))
        self.attention = SelfAttention(width)
        channels = max(1, int(width * scale_down))
        self.scale_down = nn.Linear(width, channels)
        self.blocks = nn.ModuleList()
        for _ in range(blocks):
            block = DenseBlock(channels, layers, growth, transition)
            self.blocks.append(block)
            channels = block.channels
        self.dropout = nn.Dropout()
        self.max_length = max_length
        self.step = 2**blocks
        self.side = -(-max_length // self.step)
        self.width = channels * self.side**2

    def forward(self, first: Tensor, second: Tensor, mask1: Tensor, mask2: Tensor) -> Tensor:
        p, mask1 = self.encode(first, mask1)
        h, mask2 = self.encode(second, mask2)
        mask = (mask1[:, :, None] & mask2[:, None, :])[:, None].to(p.dtype)
        interaction = self.dropout(p[:, :, None, :] * h[:, None, :, :])
        grid = self.scale_down(interaction).permute(0, 3, 1, 2) * mask
        for block in self.blocks:
            grid, mask = block(grid, mask)
        grid = F.pad(grid, (0, self.side - grid.shape[3], 0, self.side - grid.shape[2]))
        return self.dropout(grid.flatten(1))

    def encode(self, rows: Tensor, mask: Tensor) -> tuple:
        """The encoded tokens and their mask, as many as can be halved at each block."""
        rows, mask = self.dropout(rows[:, : self.max_length]), mask[:, : self.max_length]
        for layer in self.highways:
            rows = layer(rows)
        rows = self.attention(rows, mask)
        missing = -rows.shape[1] % self.step
        return F.pad(rows, (0, 0, 0, missing)), F.pad(mask, (0, missing))
