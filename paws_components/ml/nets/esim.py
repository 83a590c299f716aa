"""ESIM: with its attention (Chen et al. 2017), or as PAWS describes it, without."""

import torch
from torch import Tensor, nn

from .bilstm import BiLSTM
from .masks import align, max_pool, mean_pool


class ESIM(nn.Module):
    """Two BiLSTM encodings and an MLP, which a softmax follows.

    hidden (int): The width of each direction of the LSTMs, and of the MLP.
    interaction (bool): Whether words of the two sentences are aligned and composed before pooling.
    width (int): The width of a token.
    """

    def __init__(self, hidden: int, interaction: bool, width: int) -> None:
        super().__init__()
        self.encoder = BiLSTM(width, hidden)
        self.interaction = interaction
        if interaction:
            self.projection = nn.Linear(4 * self.encoder.width, hidden)
            self.composition = BiLSTM(hidden, hidden)
        self.mlp = nn.Linear(4 * self.encoder.width, hidden)
        self.dropout = nn.Dropout()
        self.width = hidden

    def forward(self, first: Tensor, second: Tensor, mask1: Tensor, mask2: Tensor) -> Tensor:
        a, _ = self.encoder(self.dropout(first), mask1)
        b, _ = self.encoder(self.dropout(second), mask2)
        if self.interaction:
            aligned_a, aligned_b = align(a @ b.transpose(1, 2), a, b, mask1, mask2)
            a, b = self.compose(a, aligned_a, mask1), self.compose(b, aligned_b, mask2)
        # Average and maximum of either side (eq. 18-20).
        pooled = torch.cat((mean_pool(a, mask1), max_pool(a, mask1), mean_pool(b, mask2), max_pool(b, mask2)), dim=1)
        return self.dropout(torch.tanh(self.mlp(self.dropout(pooled))))

    def compose(self, rows: Tensor, aligned: Tensor, mask: Tensor) -> Tensor:
        """What a token and its alignment have in common and where they differ (eq. 14-15), read by a second BiLSTM."""
        enhanced = torch.cat((rows, aligned, rows - aligned, rows * aligned), dim=2)
        tokens, _ = self.composition(self.dropout(torch.relu(self.projection(enhanced))), mask)
        return tokens
