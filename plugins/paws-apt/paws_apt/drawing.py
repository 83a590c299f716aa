"""Top-k and top-p sampling in which every row has random numbers of its own, so that batches change no draw."""

from random import Random
from typing import Any, List, Sequence

from paws_components.plugin import stable_id


def row_random(seed: int, sentence: str, round_number: int, sample: int) -> Random:
    """The random numbers of one sample: they depend on nothing but these four."""
    return Random(stable_id(str(seed), sentence, str(round_number), str(sample)))


class Draw:
    """Draws the next token of every row. Goes into `logits_processor` of a greedy search.

    transformers' own sampling draws for a whole batch from one stream, so that a sample depends on what else is in
    the batch and when its rows end. Here a row takes one number of its own a token, and finds the token by the
    cumulative probability; greedy search then has no choice. What is left of the batch is rounding: the model's
    probabilities differ by about 1e-7 with the padding, which can change a draw that falls on the very border.

    top_k (int): How many of the most probable tokens can be drawn.
    top_p (float): The smallest set of these that has so much of their probability is kept.
    randoms (Sequence[Random]): The random numbers of each row.
    """

    def __init__(self, top_k: int, top_p: float, randoms: Sequence[Random]) -> None:
        self.top_k = top_k
        self.top_p = top_p
        self.randoms = list(randoms)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        import torch

        logits, tokens = scores.float().topk(min(self.top_k, scores.shape[-1]), dim=-1)
        # In double precision: a sum of two hundred probabilities should not depend on how it is added up.
        probabilities = logits.double().softmax(-1)
        before = probabilities.cumsum(-1) - probabilities
        # The most probable token is kept in any case, also where it alone has more than top_p.
        kept = probabilities * (before < self.top_p)
        drawn: List[float] = [random.random() for random in self.randoms]
        points = torch.tensor(drawn, dtype=torch.float64, device=scores.device)[:, None] * kept.sum(-1, keepdim=True)
        ranks = (kept.cumsum(-1) <= points).sum(-1, keepdim=True)
        # A point at the very end, by rounding, is the last token that was kept.
        ranks = torch.minimum(ranks, (kept > 0).sum(-1, keepdim=True) - 1)
        chosen = torch.full_like(scores, float("-inf"))
        return chosen.scatter(-1, tokens.gather(-1, ranks), 0.0)
