"""Translation models of transformers: OPUS-MT, M2M100, NLLB and their kin."""

from functools import partial
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from paws_components.plugin import (
    Fatal,
    ForkGuard,
    Messages,
    PawsError,
    TorchAnswers,
    Translation,
    load_pretrained,
    reason_of,
    run_batches,
    spacy_device,
)

from ..batching import best, distinct, output_limit
from ..errors import Errors
from .beams import Beams
from .patterns import check_pattern, check_positive, check_settings, resolve
from .vocabulary import Vocabulary


class Loaded(NamedTuple):
    vocabulary: Vocabulary
    model: Any
    answers: TorchAnswers


class Marian:
    """The translator `marian`: any sequence-to-sequence translation model of transformers.

    Models are loaded when first needed and kept, one a name: a model for all directions is loaded once.
    """

    def __init__(
        self,
        *,
        model: str = "Helsinki-NLP/opus-mt-{source}-{target}",
        codes: Optional[Dict[str, str]] = None,
        batch_size: int = 32,
        num_beams: Optional[int] = None,
        early_stopping: bool = False,
        max_length: int = 256,
        length_ratio: float = 2.0,
        device: Optional[str] = None,
        half: bool = False,
    ) -> None:
        """
        model (str): A name on the hub or a folder. {source} and {target} stand for the language codes; without them
            it is one model for all directions.
        codes (Optional[Dict[str, str]]): Your language codes to the model's, where they can't be guessed.
        batch_size (int): How many sentences one call of `generate` takes.
        num_beams (Optional[int]): Beams of the search; never fewer than the translations asked for, the default.
        early_stopping (bool): End the search with as many translations as there are beams, even if a better one is
            still under way.
        max_length (int): The most tokens of a translation.
        length_ratio (float): How many times as many tokens as its source a translation may have.
        device (Optional[str]): Where it runs; None follows spaCy (`--gpu-id`, `spacy.prefer_gpu()`).
        half (bool): Half precision, on a GPU.
        """
        check_pattern("model", model)
        check_settings(batch_size=batch_size, num_beams=num_beams, max_length=max_length)
        check_positive(length_ratio=length_ratio)
        self.pattern = model
        self.codes = dict(codes or {})
        self.batch_size = batch_size
        self.num_beams = num_beams
        self.early_stopping = early_stopping
        self.max_length = max_length
        self.length_ratio = length_ratio
        self.device = device or spacy_device()
        self.half = half
        if half and self.device.startswith("cpu"):
            raise PawsError(Errors.B008.format(device=self.device))
        self._loaded: Dict[str, Loaded] = {}
        self._settle = ForkGuard()

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_loaded": {}}

    def translate(self, texts: Sequence[str], source: str, target: str, k: int) -> List[List[Translation]]:
        """Up to k translations of each text, best first.

        texts (Sequence[str]): Sentences. An empty one has no translations.
        source (str): Their language.
        target (str): The language to translate to.
        k (int): How many translations are wanted.
        RETURNS (List[List[Translation]]): For each text its translations, without duplicates.
        """
        wanted = distinct(texts)
        if not wanted:
            return [[] for _ in texts]
        loaded = self._load(source, target)
        encoded = loaded.vocabulary.encode(wanted, source, target)
        found: Dict[str, List[Translation]] = {}

        def generate(batch: List[int]) -> List[List[Translation]]:
            return self._generate(loaded, [encoded[position] for position in batch], target, k)

        name = resolve(self.pattern, source, target)
        for batch, results in run_batches(name, [len(ids) for ids in encoded], self.batch_size, generate):
            found.update(zip((wanted[position] for position in batch), results))
        return [list(found.get(text, ())) for text in texts]

    def _generate(self, loaded: Loaded, batch: List[List[int]], target: str, k: int) -> List[List[Translation]]:
        """What one call of `generate` comes to."""
        vocabulary = loaded.vocabulary
        beams = max(k, self.num_beams or k)
        # The decoder has as many positions as the encoder, and starts with a token of its own.
        most = min(self.max_length, vocabulary.limit - 1)
        limits = [output_limit(len(ids), self.length_ratio, most) for ids in batch]
        first = vocabulary.first_token(target)
        padding = vocabulary.tokenizer.pad_token_id
        options: Dict[str, Any] = {"early_stopping": self.early_stopping} if beams > 1 else {}
        if first is not None:
            options["forced_bos_token_id"] = vocabulary.tokenizer.convert_tokens_to_ids(first)
        asked = [batch, padding, limits, k, beams, options]
        search = partial(self._search, loaded.model, *asked)
        sequences, scores = loaded.answers(asked, search, len(batch))
        # Not every tokenizer knows its language tokens as special ones: the first is left out here.
        texts = vocabulary.decode([ids[first is not None :] for ids in sequences])
        pairs = list(zip(texts, scores))
        return [best(pairs[start : start + k], k) for start in range(0, len(pairs), k)]

    def _search(
        self,
        model: Any,
        batch: List[List[int]],
        padding: int,
        limits: List[int],
        k: int,
        beams: int,
        options: Dict[str, Any],
    ) -> Tuple[List[List[int]], List[Optional[float]]]:
        """One call of `generate`: the tokens of each translation, without the prompt, and its score."""
        import torch

        self._settle()
        longest = max(len(ids) for ids in batch)
        rows = torch.tensor([ids + [padding] * (longest - len(ids)) for ids in batch])
        mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids in batch])
        ends = model.generation_config.eos_token_id
        watch = Beams(limits, beams, ends if isinstance(ends, list) else [ends], self.device)
        with torch.inference_mode():
            sequences = model.generate(
                input_ids=rows.to(self.device),
                attention_mask=mask.to(self.device),
                num_beams=beams,
                num_return_sequences=k,
                do_sample=False,
                max_new_tokens=max(limits),
                logits_processor=[watch],
                **options,
            )
            penalty = model.generation_config.length_penalty
            scores = watch.scores(sequences, 1.0 if penalty is None else penalty)
        return sequences[:, watch.prompt :].tolist(), scores

    def _load(self, source: str, target: str) -> Loaded:
        name = resolve(self.pattern, source, target)
        if name not in self._loaded:
            self._loaded[name] = self._load_named(name, source, target)
        loaded = self._loaded[name]
        if loaded.vocabulary.one_way and name == resolve(self.pattern, target, source):
            raise Fatal(Errors.B005.format(name=name))
        return loaded

    def _load_named(self, name: str, source: str, target: str) -> Loaded:
        failed = Errors.B009 if _only_pickled(name) else Errors.B002
        messages = Messages(needs=Errors.B001, failed=failed, unfit=Errors.B004)
        told: Dict[str, Any] = {"translator": "marian", "source": source, "target": target}
        model, tokenizer = load_pretrained("AutoModelForSeq2SeqLM", name, "translation model", messages, **told)
        try:
            # Only where it is asked for, whatever it is stored as: half precision is slow on a CPU, its beams differ.
            (model.half() if self.half else model).to(self.device).eval()
        except (RuntimeError, AssertionError) as error:
            raise Fatal(Errors.B010.format(name=name, device=self.device, reason=reason_of(error))) from error
        limit = getattr(model.config, "max_position_embeddings", None)
        return Loaded(Vocabulary(tokenizer, name, self.codes, limit), model, TorchAnswers(name, model))


def _only_pickled(name: str) -> bool:
    """Whether a folder has weights, but none that are safe to read."""
    folder = Path(name)
    return any(folder.glob("pytorch_model*.bin")) and not any(folder.glob("*.safetensors"))
