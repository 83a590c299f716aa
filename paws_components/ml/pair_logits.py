from functools import partial
from typing import Any, List, Optional, Sequence, Tuple

import numpy

from ..errors import Errors, PawsError
from .hub import ForkGuard, Pretrained, longest_input, spacy_device
from .kept import TorchAnswers
from .pair_batches import Tokens, encode_pairs, pad_pairs, run_passes, tell_of_cut


class PairLogits:
    """What a transformer with a head says about pairs, without training it: its logits, batch by batch.

    loaded (Pretrained): The model and its tokenizer.
    name (str): What the model is called, for errors and warnings.
    max_length (Optional[int]): How many tokens of a pair the model sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs one forward pass takes; None for what suits the device.
    """

    def __init__(self, loaded: Pretrained, name: str, max_length: Optional[int], batch_size: Optional[int]) -> None:
        limit = longest_input(loaded)
        if max_length and limit and max_length > limit:
            raise PawsError(Errors.P347.format(name=name, limit=limit, value=max_length))
        self.model: Any = loaded.model.to(spacy_device()).eval()
        self.tokenizer: Any = loaded.tokenizer
        self.name = name
        self.limit = max_length or limit
        self.batch_size = batch_size
        # How many pairs were cut to the limit, of how many that were seen.
        self.truncated = self.seen = 0
        self._settle = ForkGuard()
        self.answers = TorchAnswers(name, self.model)

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> numpy.ndarray:
        """The logits of each pair, a row each."""
        import torch

        encoded, cut = encode_pairs(self.tokenizer, [one for one, _ in pairs], [two for _, two in pairs], self.limit)
        before, self.truncated, self.seen = self.truncated, self.truncated + cut, self.seen + len(encoded)
        tell_of_cut(before, self.truncated, seen=self.seen, limit=self.limit, name=self.name, setting="`max_length`")
        logits = numpy.zeros((len(encoded), self.model.config.num_labels), dtype="f")
        device = next(self.model.parameters()).device
        self._settle()

        def forward(part: List[int]) -> numpy.ndarray:
            batch = [encoded[i] for i in part]
            # These are all that the model sees in a pass, and whole passes are what a cache keeps.
            asked = [batch, [self.tokenizer.pad_token_id, self.tokenizer.pad_token_type_id]]
            return self.answers(asked, partial(self._ask, batch, device), len(part))

        with torch.inference_mode():
            for part, found in run_passes(self.name, encoded, self.batch_size, device, forward):
                logits[part] = found
        return logits

    def _ask(self, batch: List[Tokens], device: Any) -> numpy.ndarray:
        """One forward pass."""
        inputs = pad_pairs(batch, self.tokenizer, device)
        found: numpy.ndarray = self.model(**inputs).logits.float().cpu().numpy()
        return found
