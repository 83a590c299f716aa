"""What swapping and correcting must know of a language: a file for each, named by its code, with its `RULES`."""

from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Callable, FrozenSet, List, Mapping, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from spacy.tokens import Token

# Makes articles agree with what follows them: the words of a sentence in, the words and the places that changed out.
FixArticles = Callable[[Sequence[str]], Tuple[List[str], List[int]]]
# What two words must have in common to stand for each other, where their morphology says it at all.
TRAITS = ("Number", "Person", "Gender", "Case", "Degree", "VerbForm", "Tense", "Mood", "Voice", "Aspect")


def same_form(one: "Token", other: "Token", traits: Sequence[str] = TRAITS) -> bool:
    """Whether two words are of one part of speech and one form. The gender of names does not matter.

    one, other (Token): The words.
    traits (Sequence[str]): The traits of their morphology that count.
    RETURNS (bool): Whether they are.
    """
    if one.pos_ == other.pos_ == "PROPN":
        return one.morph.get("Case", []) == other.morph.get("Case", []) or "Case" not in traits
    if one.pos_ != other.pos_:
        return False
    return all(one.morph.get(trait, []) == other.morph.get(trait, []) for trait in traits)


def same_form_and_place(one: "Token", other: "Token") -> bool:
    """`same_form`, and adjectives on the same side of their noun: "une grande maison blanche"."""
    return same_form(one, other) and (one.pos_ != "ADJ" or _nouns_beside(one) == _nouns_beside(other))


def _nouns_beside(token: "Token") -> Tuple[bool, bool]:
    doc, i = token.doc, token.i
    return i > 0 and doc[i - 1].pos_ == "NOUN", i + 1 < len(doc) and doc[i + 1].pos_ in ("NOUN", "PROPN")


@dataclass(frozen=True)
class Rules:
    """What is particular to a language. The defaults are for one that has no file: they hold anywhere.

    attr (str): The token attribute whose values are its tags: universal ones, but for English, which has Penn's.
    strict (bool): Whether the rules stop what is merely doubtful, too. So they do where no judge was fitted to what
        readers said of the language's swaps.
    negations (Tuple[str, ...]): Clitics without an apostrophe at their beginning that stay with the word before.
    possessives (Tuple[str, ...]): Clitics with one that let the word before move without them.
    conjunctions (FrozenSet[str]): Words that link the items of a list, besides those tagged so.
    auxiliaries (FrozenSet[str]): The forms of verbs such as *be*, which trade places with nothing.
    particles (FrozenSet[str]): Other words that trade with nothing: negations, degrees, parts of comparisons.
    quantifiers (FrozenSet[str]): Adjectives and adverbs that stand for articles, numbers or degrees.
    articles (Tuple[str, ...]): Words before a name that are not part of it.
    elisions (FrozenSet[str]): Words that end in an apostrophe and are written together with the next, which may move.
    determiners (Mapping[str, str]): Words before a name that fit some names only, and a word for what fits: names
        that stand after different ones do not trade. Contractions of a preposition with an article are among them.
    fix_articles (Optional[Callable]): Makes articles agree with the next word, if the language asks for it.
    fits_article (Optional[Callable]): Whether an article, or any other word, may stand before a word that moves.
    fits_word (Optional[Callable]): Likewise of a word on either side of what moves.
    agrees (Optional[Callable]): Whether two words may stand for each other by their forms; None asks for number and
        person alone.
    capitals (FrozenSet[str]): Universal tags of words that are written with a capital anywhere.
    spaced (Optional[bool]): Whether spaces part words; None goes by what spaCy says of the script.
    parsed_lists (bool): Whether parses of the language have the items of a list as conjuncts.
    bare_lemmas (bool): Whether words stand for lemmas where nothing sets lemmas.
    units (Mapping[str, Tuple[str, ...]]): Units and their spellings.
    equivalents (Sequence[Sequence[str]]): Groups of spellings that say the same.
    """

    attr: str = "pos_"
    strict: bool = True
    negations: Tuple[str, ...] = ()
    possessives: Tuple[str, ...] = ("'", "’")
    conjunctions: FrozenSet[str] = frozenset(("&",))
    auxiliaries: FrozenSet[str] = frozenset()
    particles: FrozenSet[str] = frozenset()
    quantifiers: FrozenSet[str] = frozenset()
    articles: Tuple[str, ...] = ()
    elisions: FrozenSet[str] = frozenset()
    determiners: Mapping[str, str] = field(default_factory=dict)
    fix_articles: Optional[FixArticles] = None
    fits_article: Optional[Callable[[str, str], bool]] = None
    fits_word: Optional[Callable[[str, str], bool]] = None
    agrees: Optional[Callable[["Token", "Token"], bool]] = same_form
    capitals: FrozenSet[str] = frozenset()
    spaced: Optional[bool] = None
    parsed_lists: bool = True
    bare_lemmas: bool = False
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
