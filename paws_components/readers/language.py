"""Whether a text is in the language that a pipeline is for. No more than a warning hangs on it."""

import re
import warnings
from collections import Counter
from itertools import chain, islice
from typing import Any, Iterable, Iterator, Optional, Tuple

from ..errors import Warnings
from ..lang import stop_words

# Languages that are told apart by their most frequent words, and by their script.
BY_WORDS = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "ru")
BY_SCRIPT = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
}
WORD = re.compile(r"[^\W\d_]+")
# How many rows are looked at, and how many words there must be for an answer.
ROWS, LEAST = 200, 50
# The share of words that are frequent ones in the language, and how much more than in the other language.
SHARE, MORE = 0.25, 1.3


def guess_language(texts: Iterable[str], among: Tuple[str, ...] = BY_WORDS) -> Optional[str]:
    """The language of some texts; None if it is not clear.

    texts (Iterable[str]): The texts.
    among (Tuple[str, ...]): The languages it may be, besides Japanese, Korean and Chinese.
    RETURNS (Optional[str]): Its code.
    """
    joined = "\n".join(texts)
    letters = sum(char.isalpha() for char in joined)
    for lang, script in BY_SCRIPT.items():
        # Kanji and kana stand together: a tenth of kana is Japanese.
        if letters >= LEAST and len(script.findall(joined)) > letters * (0.1 if lang == "ja" else 0.3):
            return lang
    words = Counter(word.lower() for word in WORD.findall(joined))
    total = words.total()
    shares = {lang: sum(words[word] for word in stop_words(lang)) / max(total, 1) for lang in among}
    first, second = sorted(shares.values(), reverse=True)[:2]
    if total < LEAST or first < SHARE or first < MORE * second:
        return None
    return max(shares, key=lambda lang: shares[lang])


def check_language(items: Iterable[Any], lang: str, message: str = "") -> Iterator[Any]:
    """The same rows or texts, with a warning if the first of them are in another language than they should be.

    items (Iterable): Rows or texts of a reader.
    lang (str): The language: that of the pipeline, say.
    message (str): The warning, if it is not about a pipeline.
    RETURNS (Iterator): The items.
    """
    items = iter(items)
    first = list(islice(items, ROWS))
    found = guess_language(text for item in first for text in _texts(item))
    # "xx" is what spaCy calls a pipeline for several languages.
    if found is not None and found != lang and lang != "xx":
        warnings.warn((message or Warnings.W026).format(found=found, lang=lang), stacklevel=3)
    return chain(first, items)


def _texts(item: Any) -> Tuple[str, ...]:
    return (item.text,) if hasattr(item, "text") else (item.sentence1, item.sentence2)
