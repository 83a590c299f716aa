"""Causal transformers as language models. torch and transformers are imported only when one is made."""

from functools import partial
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from ..ml.batches import run_batches
from ..ml.hub import ForkGuard, Messages, load_pretrained, spacy_device
from ..ml.kept import TorchAnswers
from .protocol import State, Word

Ids = Tuple[int, ...]
MESSAGES = Messages(needs=Errors.P006, failed=Errors.P007, unfit=Errors.P007)


def make_causal_lm(
    name: str,
    gguf_file: Optional[str] = None,
    batch_size: int = 32,
    device: Optional[str] = None,
    dtype: str = "float32",
) -> "CausalLM":
    """`paws.CausalLM.v1`: any causal language model of transformers.

    name (str): A name on the hub, or a folder written by `save_pretrained`.
    gguf_file (Optional[str]): The GGUF file in that folder or repository, for models that come as one.
    batch_size (int): How many sequences one forward pass takes.
    device (Optional[str]): Where it runs; None follows spaCy (`--gpu-id`, `spacy.prefer_gpu()`).
    dtype (str): The number format of the weights, such as "float16" on a GPU.
    """
    return CausalLM(name, gguf_file, batch_size, device, dtype)


class CausalLM:
    """A causal transformer as a `LanguageModel`. A state is the tuple of all token ids so far."""

    order = None

    def __init__(self, name: str, gguf_file: Optional[str], batch_size: int, device: Optional[str], dtype: str) -> None:
        self.settings = (name, gguf_file, batch_size, device, dtype)
        self.batch_size = batch_size
        self.device = device or spacy_device()
        self.model, self.tokenizer = load_pretrained(
            "AutoModelForCausalLM", name, "causal language model", MESSAGES, tokens=(), gguf_file=gguf_file
        )
        self.model.to(self.device, torch_dtype(dtype)).eval()
        self.answers = TorchAnswers(name, self.model)
        # A sentence is scored after the token that texts begin with; GPT-2 and its kin have but one for both ends.
        first = self.tokenizer.bos_token_id
        if first is None:
            first = self.tokenizer.eos_token_id
        self._first: Ids = () if first is None else (first,)
        self._limit = int(getattr(self.model.config, "max_position_embeddings", None) or 1024)
        self._settle = ForkGuard()

    def __reduce__(self) -> tuple:
        return make_causal_lm, self.settings

    def begin(self) -> State:
        return self._first

    def extend(self, states: Sequence[State], words: Sequence[Sequence[Word]]) -> Tuple[List[float], List[State]]:
        encoded: Dict[str, Ids] = {}
        asked: List[Tuple[Ids, Ids]] = []
        for state, sequence in zip(states, words):
            text = "".join(sequence)
            if text not in encoded:
                encoded[text] = tuple(self.tokenizer.encode(text, add_special_tokens=False)) if text else ()
            asked.append((state, encoded[text]))  # type: ignore[arg-type]
        scores = self._score(list(dict.fromkeys(asked)))
        return [scores[pair] for pair in asked], [before + piece for before, piece in asked]

    def end(self, states: Sequence[State]) -> List[float]:
        # These models end documents, not sentences: how likely a document ends here says nothing about the sentence.
        return [0.0] * len(states)

    def _score(self, asked: List[Tuple[Ids, Ids]]) -> Dict[Tuple[Ids, Ids], float]:
        """The log-probability of each piece after its context, in batches of like length."""
        scores: Dict[Tuple[Ids, Ids], float] = dict.fromkeys(asked, 0.0)
        windows = [(pair, window) for pair in asked for window in _windows(*pair, self._limit)]

        def forward(chosen: List[int]) -> List[float]:
            sequences = [windows[i][1] for i in chosen]
            return self.answers([sequences], partial(self._forward, sequences), len(sequences))

        lengths = [len(ids) for _, (ids, _) in windows]
        for chosen, found in run_batches(self.settings[0], lengths, self.batch_size, forward):
            for i, score in zip(chosen, found):
                scores[windows[i][0]] += score
        return scores

    def _forward(self, batch: List[Tuple[Ids, int]]) -> List[float]:
        """For each sequence the log-probability of its last tokens, as many as are asked for."""
        import torch

        self._settle()
        longest = max(len(ids) for ids, _ in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, (sequence, _) in enumerate(batch):
            ids[row, : len(sequence)] = torch.tensor(sequence)
            mask[row, : len(sequence)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.inference_mode():
            logits = self.model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
            chosen = logits.gather(2, ids[:, 1:, None])[:, :, 0] - logits.logsumexp(-1)
        rows = chosen.cpu().double()
        return [
            float(rows[row, len(sequence) - 1 - count : len(sequence) - 1].sum())
            for row, (sequence, count) in enumerate(batch)
        ]


def _windows(before: Ids, piece: Ids, limit: int) -> List[Tuple[Ids, int]]:
    """The sequences that score a piece, each with how many of its last tokens count: one, unless it is too long."""
    ids = before + piece
    # The very first token has nothing before it and cannot be scored.
    start = max(len(before), 1)
    windows = []
    while start < len(ids):
        end = min(len(ids), start + max(1, limit - min(start, limit // 2)))
        windows.append((ids[max(0, end - limit) : end], end - start))
        start = end
    return windows


def torch_dtype(name: str) -> Any:
    """A number format of torch by its name, or our error."""
    import torch

    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise PawsError(Errors.P015.format(name="dtype", what="a number format of torch, such as float32", value=name))
    return dtype
