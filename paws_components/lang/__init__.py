"""What swapping and correcting must know of a language: a file for each, named by its code, with its `RULES`."""

from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Callable, FrozenSet, List, Mapping, Optional, Sequence, Tuple

# Makes articles agree with what follows them: the words of a sentence in, the words and the places that changed out.
FixArticles = Callable[[Sequence[str]], Tuple[List[str], List[int]]]


@dataclass(frozen=True)
class Rules:
    """What is particular to a language. The defaults are for one that has no file: they hold anywhere.

    negations (Tuple[str, ...]): Clitics without an apostrophe at their beginning that stay with the word before.
    possessives (Tuple[str, ...]): Clitics with one that let the word before move without them.
    conjunctions (FrozenSet[str]): Words that link the items of a list, besides those tagged so.
    auxiliaries (FrozenSet[str]): The forms of verbs such as *be*, which trade places with nothing.
    quantifiers (FrozenSet[str]): Adjectives and adverbs that stand for articles, numbers or degrees.
    articles (Tuple[str, ...]): Words before a name that are no part of it.
    fix_articles (Optional[Callable]): Makes articles agree with the next word, if the language asks for it.
    fits_article (Optional[Callable]): Whether an article, or any other word, may stand before a word.
    units (Mapping[str, Tuple[str, ...]]): Units and their spellings.
    equivalents (Sequence[Sequence[str]]): Groups of spellings that say the same.
    """

    negations: Tuple[str, ...] = ()
    possessives: Tuple[str, ...] = ("'", "’")
    conjunctions: FrozenSet[str] = frozenset(("&",))
    auxiliaries: FrozenSet[str] = frozenset()
    quantifiers: FrozenSet[str] = frozenset()
    articles: Tuple[str, ...] = ()
    fix_articles: Optional[FixArticles] = None
    fits_article: Optional[Callable[[str, str], bool]] = None
    units: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    equivalents: Sequence[Sequence[str]] = ()


@lru_cache(maxsize=None)
def rules_of(lang: str) -> Rules:
    """The rules of a language.

    lang (str): Its code, such as "en".
    RETURNS (Rules): The `RULES` of its file, or the default ones if there is none.
    """
    if lang.isidentifier() and (Path(__file__).parent / f"{lang}.py").is_file():
        rules: Rules = import_module(f".{lang}", __package__).RULES
        return rules
    return Rules()


@lru_cache(maxsize=None)
def stop_words(lang: str) -> FrozenSet[str]:
    """The stop words that spaCy has for a language."""
    import spacy.lang

    # By the file: importing `spacy.lang.fr` alone takes seconds, for its tokenizer's exceptions.
    path = Path(str(spacy.lang.__file__)).parent / lang / "stop_words.py"
    return frozenset(run_path(str(path))["STOP_WORDS"])
