"""Models converted for CTranslate2: the same translations, several times as fast on a CPU."""

import os
from collections import defaultdict
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from paws_components.plugin import Fatal, FileAnswers, Messages, PawsError, Translation, load_tokenizer, reason_of

from ..batching import best, distinct, output_limit
from ..errors import Errors
from .patterns import check_pattern, check_positive, check_settings, resolve
from .vocabulary import Vocabulary


class Loaded(NamedTuple):
    vocabulary: Vocabulary
    model: Any
    answers: FileAnswers


class CTranslate2:
    """The translator `ctranslate2`: a model that `ct2-transformers-converter` has written."""

    def __init__(
        self,
        *,
        model: str,
        tokenizer: Optional[str] = None,
        codes: Optional[Dict[str, str]] = None,
        batch_size: int = 32,
        num_beams: Optional[int] = None,
        patience: float = 2.0,
        max_length: int = 256,
        length_ratio: float = 2.0,
        max_tokens: int = 512,
        device: str = "cpu",
        compute_type: str = "default",
        inter_threads: int = 1,
        intra_threads: int = 0,
    ) -> None:
        """
        model (str): The folder of the converted model. {source} and {target} stand for the language codes.
        tokenizer (Optional[str]): The name or folder of its tokenizer, a pattern too; by default the model's folder.
        codes (Optional[Dict[str, str]]): Your language codes to the model's, where they can't be guessed.
        batch_size (int): How many sentences are translated at once.
        num_beams (Optional[int]): Beams of the search; never fewer than the translations asked for, the default.
        patience (float): The search ends with this many times as many translations as there are beams; with 1 a
            better one may still be under way.
        max_length (int): The most tokens of a translation.
        length_ratio (float): How many times as many tokens as its source a translation may have.
        max_tokens (int): The most tokens of a sentence: a converted model does not say how many it takes.
        device (str): "cpu", "cuda" or "auto".
        compute_type (str): The number format, such as "int8"; "default" keeps that of the conversion.
        inter_threads (int): How many batches are translated side by side.
        intra_threads (int): Threads of one batch; 0 leaves the choice to CTranslate2.
        """
        check_pattern("model", model)
        check_pattern("tokenizer", tokenizer or "")
        check_settings(batch_size=batch_size, num_beams=num_beams, max_length=max_length, max_tokens=max_tokens)
        check_settings(inter_threads=inter_threads, intra_threads=intra_threads)
        check_positive(length_ratio=length_ratio, patience=patience)
        self.pattern = model
        self.tokenizer = tokenizer
        self.codes = dict(codes or {})
        self.batch_size = batch_size
        self.num_beams = num_beams
        self.patience = patience
        self.max_length = max_length
        self.length_ratio = length_ratio
        self.max_tokens = max_tokens
        self.options = {
            "device": device,
            "compute_type": compute_type,
            "inter_threads": inter_threads,
            "intra_threads": intra_threads,
        }
        self._loaded: Dict[Tuple[str, str], Loaded] = {}
        self._process = os.getpid()

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
        vocabulary, model, answers = self._load(source, target)
        encoded = vocabulary.encode(wanted, source, target)
        first = vocabulary.first_token(target)
        # One limit a call: sentences that share it go together, and are sorted by length and cut into batches inside.
        groups: Dict[int, List[int]] = defaultdict(list)
        most = min(self.max_length, vocabulary.limit - 1)
        for position, ids in enumerate(encoded):
            groups[output_limit(len(ids), self.length_ratio, most)].append(position)
        # Those of the groups that were asked for before, and those that are being worked on.
        results: List[Tuple[int, Any]] = []
        started: List[Tuple[Any, List[int], Any]] = []
        for limit, group in sorted(groups.items(), reverse=True):
            tokens = [vocabulary.tokenizer.convert_ids_to_tokens(encoded[position]) for position in group]
            settings = {
                "target_prefix": [[first]] * len(group) if first else None,
                "beam_size": max(k, self.num_beams or k),
                "num_hypotheses": k,
                "patience": self.patience,
                "max_batch_size": self.batch_size,
                "max_decoding_length": limit,
            }
            key = answers.key([tokens, settings])
            known = answers.get(key, len(group))
            if known is not None:
                results += zip(group, known)
                continue
            waiting = model.translate_batch(
                tokens,
                return_scores=True,
                # 1, the default, shares out the probability of an end at the first token: scores would be too high.
                min_decoding_length=0,
                # 0: nothing is cut off. What is too long was an error above.
                max_input_length=0,
                asynchronous=True,
                **settings,
            )
            started.append((key, group, waiting))
        for key, group, waiting in started:
            try:
                done = [each.result() for each in waiting]
            except RuntimeError as error:
                raise PawsError(Errors.B024.format(path=vocabulary.name, reason=reason_of(error))) from error
            said = [[result.hypotheses, result.scores] for result in done]
            answers.put(key, said, len(group))
            results += zip(group, said)
        found: Dict[str, List[Translation]] = {}
        # Not every tokenizer knows its language tokens as special ones.
        special = {*vocabulary.tokenizer.all_special_tokens, first}
        for position, (hypotheses, scores) in results:
            pieces = [[piece for piece in tokens if piece not in special] for tokens in hypotheses]
            spelt = [vocabulary.tokenizer.convert_tokens_to_string(tokens).strip() for tokens in pieces]
            found[wanted[position]] = best(zip(spelt, scores), k)
        return [list(found.get(text, ())) for text in texts]

    def _load(self, source: str, target: str) -> Loaded:
        if os.getpid() != self._process:
            # The threads of a model do not survive a fork.
            self._loaded.clear()
            self._process = os.getpid()
        path = resolve(self.pattern, source, target)
        tokens = resolve(self.tokenizer, source, target) if self.tokenizer else path
        if (path, tokens) not in self._loaded:
            self._loaded[path, tokens] = self._load_named(path, tokens, source, target)
        loaded = self._loaded[path, tokens]
        if loaded.vocabulary.one_way and path == resolve(self.pattern, target, source):
            raise Fatal(Errors.B005.format(name=path))
        return loaded

    def _load_named(self, path: str, tokens: str, source: str, target: str) -> Loaded:
        try:
            import ctranslate2
            import transformers  # noqa: F401
        except ImportError as error:
            raise Fatal(Errors.B001.format(translator="ctranslate2", package=error.name)) from error
        if not Path(path, "model.bin").is_file():
            reason = "it has no model.bin" if Path(path).is_dir() else "no such folder"
            raise Fatal(Errors.B021.format(path=path, source=source, target=target, reason=reason))
        answers = FileAnswers(path, path, "ctranslate2", options=self.options)
        try:
            model = ctranslate2.Translator(path, **self.options)
        except (RuntimeError, ValueError) as error:
            raise Fatal(Errors.B023.format(path=path, reason=reason_of(error))) from error
        messages = Messages(needs=Errors.B001, failed=Errors.B022)
        tokenizer = load_tokenizer(tokens, "tokenizer", messages, translator="ctranslate2")
        answers.device = model.device
        answers.settings["numbers"] = model.compute_type
        return Loaded(Vocabulary(tokenizer, path, self.codes, self.max_tokens), model, answers)
