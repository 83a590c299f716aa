"""Masked language models of transformers: loading, and the words they expect in a masked position."""

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy

from paws_components.plugin import (
    ForkGuard,
    Messages,
    Tokens,
    load_pretrained,
    longest_input,
    pad_pairs,
    run_passes,
    spacy_device,
)

from .errors import Errors
from .sentences import Sentence

ON_CPU = 32
MESSAGES = Messages(needs=Errors.S010, failed=Errors.S011, unfit=Errors.S011)
# Models whose head can be asked about single positions, by the attribute that holds it. The others compute all of them.
HEADS = {"bert": "cls", "roberta": "lm_head", "xlm-roberta": "lm_head", "camembert": "lm_head"}


class Masked(NamedTuple):
    """A sentence and the position in it that is masked."""

    sentence: Sentence
    position: int


class MaskedModel:
    """A masked language model. A word of several pieces takes one mask, whether the model knows the word or not.

    name (str): A folder written by `save_pretrained`, an installed package that carries one, or a name on the hub.
    batch_size (Optional[int]): How many inputs one forward pass takes; None for what suits the device.
    """

    def __init__(self, name: str, batch_size: Optional[int] = None) -> None:
        self.name = name
        self.batch_size = batch_size
        loaded = load_pretrained(
            "AutoModelForMaskedLM", name, "masked language model", MESSAGES, trained=True, tokens=("mask", "pad")
        )
        self.limit = longest_input(loaded)
        self.model: Any = loaded.model.to(spacy_device()).eval()
        self.tokenizer: Any = loaded.tokenizer
        self._special = set(self.tokenizer.all_special_tokens)
        self._settle = ForkGuard()

    def __call__(self, inputs: Sequence[Tuple[Masked, ...]], chosen: Any) -> List[numpy.ndarray]:
        """The log-probabilities of words in masked positions.

        inputs (Sequence[Tuple[Masked, ...]]): One sentence, or two that are read together.
        chosen (numpy.ndarray): The numbers of the words.
        RETURNS (List[numpy.ndarray]): For each input the sum over its masked positions.
        """
        import torch

        encoded = [self.encode(each) for each in inputs]
        device = next(self.model.parameters()).device
        wanted = torch.as_tensor(chosen, device=device)
        found: List[numpy.ndarray] = [numpy.empty(0)] * len(encoded)
        self._settle()
        size = self.batch_size or (ON_CPU if device.type == "cpu" else None)

        def forward(part: List[int]) -> numpy.ndarray:
            batch = pad_pairs([encoded[i] for i in part], self.tokenizer, device)
            rows, columns = torch.nonzero(batch["input_ids"] == self.tokenizer.mask_token_id, as_tuple=True)
            logits = self._logits(batch, rows, columns)
            return torch.log_softmax(logits.float(), dim=-1)[:, wanted].cpu().numpy()

        with torch.inference_mode():
            for part, logs in run_passes(self.name, encoded, size, device, forward):
                first = 0
                for i in part:
                    found[i] = logs[first : first + len(inputs[i])].sum(axis=0)
                    first += len(inputs[i])
        return found

    def _logits(self, batch: Any, rows: Any, columns: Any) -> Any:
        head = getattr(self.model, HEADS.get(self.model.config.model_type, ""), None)
        if head is None:
            return self.model(**batch).logits[rows, columns]
        # The head is as large as the vocabulary, and only the masked positions are asked about.
        return head(self.model.base_model(**batch).last_hidden_state[rows, columns])

    def encode(self, masked: Sequence[Masked]) -> Tokens:
        """The tokens of an input. Of one that is longer than the model takes, the words nearest to the mask stay."""
        tokens = self._tokens(masked, None)
        reach = self.limit or 0
        while self.limit and len(tokens["input_ids"]) > self.limit:
            reach //= 2
            tokens = self._tokens(masked, reach)
        return tokens

    def _tokens(self, masked: Sequence[Masked], reach: Optional[int]) -> Tokens:
        found = self.tokenizer(*(self._text(*each, reach) for each in masked), return_attention_mask=False)
        return {name: found[name] for name in ("input_ids", "token_type_ids") if name in found}

    def _text(self, sentence: Sentence, position: int, reach: Optional[int]) -> str:
        # A sentence that itself speaks of [MASK] or [SEP] has something unknown there.
        words = [self.tokenizer.unk_token if word in self._special else word for word in sentence.words]
        words[position] = self.tokenizer.mask_token
        start, end = (0, len(words)) if reach is None else (max(0, position - reach), position + reach + 1)
        return Sentence(tuple(words[start:end]), sentence.spaces[start:end]).text
