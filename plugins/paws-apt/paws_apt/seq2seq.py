"""Sequence-to-sequence models of transformers that paraphrase: loading, and sampling in batches."""

from importlib import import_module
from typing import Any, Dict, Iterator, List, Optional, Sequence

from paws_components.plugin import (
    ForkGuard,
    Messages,
    PawsError,
    Pretrained,
    load_pretrained,
    normalise,
    run_batches,
    spacy_device,
)

from .drawing import Draw, row_random
from .errors import Errors
from .schedule import Round

# The paper's model, as its authors published it.
DEFAULT_MODEL = "coderpotter/T5-for-Adversarial-Paraphrasing"
# What T5 is told before a sentence, in training as in use. The authors' "</s>" behind it is the end of the sequence.
PROMPT = "paraphrase: {sentence}"


class Paraphraser:
    """Samples paraphrases. The model is loaded when the first sentence comes; what pickles is the settings.

    model (str): A name on the hub, or a folder that `save_pretrained` wrote.
    prompt (str): What the model is given; {sentence} stands for the sentence.
    batch_size (int): How many sentences go through the model at once, each with all samples of a round.
    max_length (int): The most tokens of a sentence with its prompt, and of a paraphrase.
    device (Optional[str]): Where it runs; None follows spaCy (`--gpu-id`, `spacy.prefer_gpu()`).
    seed (int): Of the draws.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        prompt: str = PROMPT,
        batch_size: int = 16,
        max_length: int = 256,
        device: Optional[str] = None,
        seed: int = 0,
    ) -> None:
        check_prompt(prompt)
        self.name = model
        self.prompt = prompt
        self.batch_size = batch_size
        self.max_length = max_length
        self.device = device
        self.seed = seed
        self._loaded: Optional[Pretrained] = None
        self._settle = ForkGuard()

    @property
    def loaded(self) -> Pretrained:
        if self._loaded is None:
            self._loaded = load(self.name)
            self._loaded.model.to(self.device or spacy_device()).eval()
        return self._loaded

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    def __call__(self, sentences: Sequence[str], step: Round) -> List[List[str]]:
        """The samples of a round for each sentence, in batches of like length, longest first."""
        encoded = [self.encode(sentence) for sentence in sentences]
        found: List[List[str]] = [[] for _ in sentences]

        def generate(batch: List[int]) -> Iterator[str]:
            randoms = [
                row_random(self.seed, sentences[i], step.number, sample)
                for i in batch
                for sample in range(step.samples)
            ]
            return self.generate([encoded[i] for i in batch], Draw(step.top_k, step.top_p, randoms), step.samples)

        for batch, texts in run_batches(self.name, [len(ids) for ids in encoded], self.batch_size, generate):
            for i in batch:
                found[i] = [next(texts) for _ in range(step.samples)]
        return found

    def encode(self, sentence: str) -> List[int]:
        """The tokens of a sentence in its prompt, with one end."""
        ids = encode(self.loaded.tokenizer, self.prompt.replace("{sentence}", sentence))
        if len(ids) > self.max_length:
            raise PawsError(Errors.A013.format(length=len(ids), limit=self.max_length, text=sentence))
        return ids

    def generate(self, encoded: Sequence[List[int]], draw: Draw, samples: int) -> Iterator[str]:
        """The samples of a batch: those of the first sentence first."""
        self._settle()
        return iter(sample(self.loaded, encoded, draw, samples, self.max_length))


def sample(loaded: Pretrained, encoded: Sequence[List[int]], draw: Draw, samples: int, max_length: int) -> List[str]:
    """One call of a model's `generate`.

    loaded (Pretrained): The model, on its device, and its tokenizer.
    encoded (Sequence[List[int]]): The tokens of each sentence in its prompt.
    draw (Draw): Draws the tokens: a row a sample.
    samples (int): How many samples each sentence gets.
    max_length (int): The most tokens of one.
    RETURNS (List[str]): The texts, those of the first sentence first.
    """
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    model, tokenizer = loaded
    rows = [torch.tensor(ids) for ids in encoded]
    padding = tokenizer.pad_token_id
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=padding).to(model.device)
    lengths = torch.tensor([len(row) for row in rows], device=model.device)
    mask = (torch.arange(ids.shape[1], device=model.device) < lengths[:, None]).long()
    with torch.no_grad():
        # A sentence is encoded once, and not once a sample.
        states = model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        sequences = model.generate(
            encoder_outputs=BaseModelOutput(last_hidden_state=states.repeat_interleave(samples, 0)),
            attention_mask=mask.repeat_interleave(samples, 0),
            do_sample=False,
            num_beams=1,
            max_length=max_length,
            logits_processor=[draw],
        )
    return [normalise(text) for text in tokenizer.batch_decode(sequences, skip_special_tokens=True)]


def require(*packages: str) -> None:
    """Our error where one of the packages of the extra `[t5]` is not installed."""
    for package in packages:
        try:
            import_module(package)
        except ImportError as error:
            raise PawsError(Errors.A010.format(package=error.name or package)) from error


def check_prompt(prompt: str) -> None:
    """Our error for a prompt with no place for the sentence."""
    if prompt.count("{sentence}") != 1:
        raise PawsError(Errors.A012.format(prompt=prompt))


def encode(tokenizer: Any, text: str) -> List[int]:
    """The tokens of a text with exactly one end: some tokenizers add it, others leave it to their callers."""
    ids: List[int] = tokenizer(text, add_special_tokens=True)["input_ids"]
    end = tokenizer.eos_token_id
    while ids and ids[-1] == end:
        ids = ids[:-1]
    return [*ids, end]


def load(name: str) -> Pretrained:
    """Load a sequence-to-sequence model, or our error that says what to do.

    name (str): A folder, an installed package that carries a model, or a name on the hub.
    RETURNS (Pretrained): The model in single precision, and its tokenizer.
    """
    messages = Messages(needs=Errors.A010, failed=Errors.A011, unfit=Errors.A011)
    return load_pretrained("AutoModelForSeq2SeqLM", name, "paraphraser", messages)
