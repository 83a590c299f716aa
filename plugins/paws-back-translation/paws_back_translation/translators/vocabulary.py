"""A tokenizer of transformers, and how its model is told the languages."""

import re
import textwrap
from typing import Any, Dict, List, Mapping, Optional, Sequence

from paws_components.plugin import PawsError

from ..errors import Errors
from .languages import model_code

# A language token of NLLB (deu_Latn) or mBART-50 (de_DE).
_LANGUAGE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}")


class Vocabulary:
    """Sentences to tokens and back.

    OPUS-MT models to several languages want `>>deu<<` in front of the sentence. M2M100, NLLB and mBART-50 want a token
    of the source language in the sentence and begin the translation with one of the target language. Others translate
    in one direction and want nothing.
    """

    def __init__(self, tokenizer: Any, name: str, codes: Mapping[str, str], limit: Optional[int]) -> None:
        """
        tokenizer (Any): A tokenizer of transformers.
        name (str): The model's name, for errors.
        codes (Mapping[str, str]): The user's language codes to the model's.
        limit (Optional[int]): The positions that the model has, if that is known.
        """
        self.tokenizer = tokenizer
        self.name = name
        self.codes = codes
        self.in_text: Dict[str, str] = {
            token[2:-2]: token for token in getattr(tokenizer, "supported_language_codes", None) or ()
        }
        self.beside_text = {} if self.in_text else _language_tokens(tokenizer)
        limits = [limit, getattr(tokenizer, "model_max_length", None)]
        self.limit = int(min([value for value in limits if value] or [512]))

    @property
    def one_way(self) -> bool:
        return not self.in_text and not self.beside_text

    def encode(self, texts: Sequence[str], source: str, target: str) -> List[List[int]]:
        """The tokens of each sentence. One that the model has no room for is an error: it would be cut silently."""
        written = list(texts)
        if self.in_text:
            prefix = self.in_text[model_code(target, self.in_text, self.codes, self.name)]
            written = [f"{prefix} {text}" for text in texts]
        elif self.beside_text:
            self.tokenizer.src_lang = model_code(source, self.beside_text, self.codes, self.name)
        encoded: List[List[int]] = self.tokenizer(written, verbose=False)["input_ids"]
        for text, ids in zip(texts, encoded):
            if len(ids) > self.limit:
                short = textwrap.shorten(text, 80, placeholder=" …") or text[:80]
                raise PawsError(Errors.B006.format(name=self.name, length=len(ids), limit=self.limit, text=short))
        return encoded

    def first_token(self, target: str) -> Optional[str]:
        """The token that a translation begins with, if the model wants one."""
        if not self.beside_text:
            return None
        return self.beside_text[model_code(target, self.beside_text, self.codes, self.name)]

    def decode(self, sequences: Any) -> List[str]:
        # The old clean-up of spaces would also turn "do not" into "don't".
        texts = self.tokenizer.batch_decode(sequences, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return [text.strip() for text in texts]


def _language_tokens(tokenizer: Any) -> Dict[str, str]:
    """The language codes of a tokenizer, and the token of each."""
    if not hasattr(tokenizer, "src_lang"):
        return {}
    named = getattr(tokenizer, "lang_code_to_token", None)
    if named:
        return dict(named)
    return {token: token for token in tokenizer.get_added_vocab() if _LANGUAGE.fullmatch(token)}
