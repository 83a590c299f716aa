"""`paws.CharacterTokenizer.v1`: a tokenizer for Chinese, Japanese and Korean that needs no other package."""

import re
from typing import Callable, Iterable, List

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import DummyTokenizer, get_words_and_spaces
from spacy.vocab import Vocab

from ..errors import Errors, PawsError

# What is written without spaces between words, and Hangul, whose words hold their particles.
SCRIPTS = {
    "han": "々〇〻\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "kana": "\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
}


def make_character_tokenizer(scripts: Iterable[str] = tuple(SCRIPTS)) -> Callable[[Language], "CharacterTokenizer"]:
    """Create a tokenizer with a token for each character: `paws.CharacterTokenizer.v1`.

    scripts (Iterable[str]): Whose characters are tokens: "han", "kana" and "hangul", or some of these.
    RETURNS (Callable[[Language], CharacterTokenizer]): What makes the tokenizer of a pipeline.
    """
    return CharacterTokenizerMaker(list(scripts))


class CharacterTokenizerMaker:
    """Makes the tokenizer once the pipeline's vocabulary is there."""

    def __init__(self, scripts: List[str]) -> None:
        for name in scripts:
            if name not in SCRIPTS:
                raise PawsError(Errors.P015.format(name="scripts", what=f"some of {', '.join(SCRIPTS)}", value=name))
        self.scripts = scripts

    def __call__(self, nlp: Language) -> "CharacterTokenizer":
        return CharacterTokenizer(nlp.vocab, self.scripts)


class CharacterTokenizer(DummyTokenizer):
    """Makes a token of each character of some scripts; of other letters and digits, a token is a word or a number.

    So *1953年* is 1953 and 年, and *Audubon* stays whole. spaCy's own Chinese tokenizer cuts these into letters too
    where it goes by characters.

    vocab (Vocab): The pipeline's vocabulary.
    scripts (List[str]): See `make_character_tokenizer`.
    """

    def __init__(self, vocab: Vocab, scripts: List[str]) -> None:
        self.vocab = vocab
        characters = "".join(SCRIPTS[name] for name in scripts)
        alone, word = (f"[{characters}]", rf"(?:(?![{characters}])[\w\u0300-\u036f])+") if characters else ("", r"\w+")
        self.find = re.compile("|".join(filter(None, (alone, word, r"[^\w\s]")))).findall

    def __call__(self, text: str) -> Doc:
        words, spaces = get_words_and_spaces(self.find(text), text)
        return Doc(self.vocab, words=words, spaces=spaces)
