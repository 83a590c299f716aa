"""What a beam search of transformers is told and asked while it runs."""

from typing import Any, List, Optional, Sequence, Tuple


class Beams:
    """Ends every translation at its own limit, and keeps the score of every beam. Goes into `logits_processor`.

    transformers reports scores only with `output_scores`, and then holds the whole vocabulary of every step: gigabytes
    for a batch. Here a number a beam and step is kept. The limits are those of the rows, not of the batch: a degenerate
    translation is cut where it would be cut in any other batch.
    """

    def __init__(self, limits: Sequence[int], beams: int, ends: Sequence[int], device: str) -> None:
        """
        limits (Sequence[int]): For each source, the most tokens of its translation, the end included.
        beams (int): The beams of each source.
        ends (Sequence[int]): The tokens that end a translation.
        device (str): Where the search runs.
        """
        import torch

        self.beams = beams
        self.first_limit = min(limits)
        self.limits = torch.tensor(limits, device=device).repeat_interleave(beams)
        self.ends = torch.tensor(ends, device=device)
        self.prompt = 0
        # For each step: the tokens of every beam, and its score if it ended there, for each token that can end it.
        self.steps: List[Tuple[Any, Any]] = []
        self._last: Optional[Tuple[Any, Any, Any]] = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if not self.steps:
            self.prompt = input_ids.shape[1]
        length = input_ids.shape[1] - self.prompt + 1
        if length >= self.first_limit:
            over = self.limits <= length
            scores = scores.masked_fill(over[:, None], float("-inf"))
            scores[over, self.ends[0]] = 0.0
        # Beam search hands over log-probabilities; a single beam is greedy search, which hands over plain scores.
        logs = scores.log_softmax(-1) if self.beams == 1 else scores
        totals = self._totals(input_ids)
        self.steps.append((input_ids, totals[:, None] + logs[:, self.ends]))
        self._last = (input_ids, totals, logs)
        return scores

    def _totals(self, ids: Any) -> Any:
        """The score of each beam so far: that of the beam it continues, and of the token it continues it by."""
        import torch

        if self._last is None:
            return torch.zeros(len(ids), device=ids.device)
        before, totals, logs = self._last
        parents = self._match(before, ids[:, :-1], torch.arange(len(ids), device=ids.device) // self.beams)
        return totals[parents] + logs[parents, ids[:, -1]]

    def _match(self, beams: Any, wanted: Any, items: Any) -> Any:
        """The row of each wanted sequence among the beams of its source."""
        candidates = beams.view(-1, self.beams, beams.shape[1])[items]
        same = (candidates == wanted[:, None, :]).all(-1)
        return items * self.beams + same.int().argmax(-1)

    def scores(self, sequences: Any, penalty: float) -> List[Optional[float]]:
        """The score of each sequence that the search gave back, as `sequences_scores` has it.

        sequences (Any): Its output, as many rows for each source.
        penalty (float): The exponent of the length that a score is divided by.
        RETURNS (List[Optional[float]]): The scores; None for a row that never ended (a beam that was never filled).
        """
        import torch

        items = torch.arange(len(sequences), device=sequences.device) // (
            len(sequences) * self.beams // len(self.limits)
        )
        found: List[Optional[float]] = [None] * len(sequences)
        ended = torch.isin(sequences[:, self.prompt :], self.ends)
        lengths = torch.where(ended.any(-1), ended.int().argmax(-1) + 1, 0)
        for length in sorted(set(lengths.tolist()) - {0}):
            rows = (lengths == length).nonzero()[:, 0]
            last = self.prompt + length - 1
            ids, totals = self.steps[length - 1]
            beams = self._match(ids, sequences[rows, :last], items[rows])
            end = (sequences[rows, last][:, None] == self.ends).int().argmax(-1)
            values = totals[beams, end] / (length**penalty)
            for row, value in zip(rows.tolist(), values.tolist()):
                found[row] = value
        return found
