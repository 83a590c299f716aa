"""A BiLSTM over padded sentences, and the sentence encodings it gives."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .masks import max_pool, mean_pool


class BiLSTM(nn.Module):
    """A BiLSTM that reads each sentence as if it stood alone: padding is never read, in neither direction.

    width (int): The width of a token.
    hidden (int): The width of each direction.
    layers (int): How many stand on each other.
    """

    def __init__(self, width: int, hidden: int, layers: int = 1) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, layers, batch_first=True, bidirectional=True)
        self.width = 2 * hidden

    def forward(self, rows: Tensor, mask: Tensor) -> tuple:
        """RETURNS (Tuple[Tensor, Tensor]): A vector a token, zero where there is none; and the last states."""
        lengths = mask.sum(1).clamp(min=1).cpu()
        packed = pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
        out, (last, _) = self.lstm(packed)
        tokens, _ = pad_packed_sequence(out, batch_first=True, total_length=rows.shape[1])
        ends = torch.cat((last[-2], last[-1]), dim=1) * mask.any(1, keepdim=True)
        return tokens * mask[:, :, None], ends


class BiLSTMEncoder(nn.Module):
    """Both sentences of a pair, each as one vector, side by side.

    pooling (str): "max", "mean" or "last".
    """

    def __init__(self, hidden: int, layers: int, pooling: str, width: int) -> None:
        super().__init__()
        self.lstm = BiLSTM(width, hidden, layers)
        self.pooling = pooling
        self.dropout = nn.Dropout()
        self.width = 2 * self.lstm.width

    def forward(self, first: Tensor, second: Tensor, mask1: Tensor, mask2: Tensor) -> Tensor:
        return torch.cat((self.encode(first, mask1), self.encode(second, mask2)), dim=1)

    def encode(self, rows: Tensor, mask: Tensor) -> Tensor:
        tokens, ends = self.lstm(self.dropout(rows), mask)
        if self.pooling == "last":
            return ends
        return max_pool(tokens, mask) if self.pooling == "max" else mean_pool(tokens, mask)
