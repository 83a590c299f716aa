"""English."""

from typing import List, Sequence, Tuple

from . import Rules

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT_DAYS = (("mon",), ("tue", "tues"), ("wed",), ("thu", "thur", "thurs"), ("fri",), ("sat",), ("sun",))
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split()
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()

# The pairs of the paper's authors, who found them among the most frequent replacements, and the rest of each series
# that they took one member of (*Nov. 11*, *10 years*).
EQUIVALENTS: List[List[str]] = [
    ["United States", "U.S.", "US", "U.S.A.", "USA"],
    ["United Nations", "U.N.", "UN"],
    ["United Kingdom", "U.K.", "UK"],
    ["European Union", "E.U.", "EU"],
    ["each year", "every year", "annually"],
    ["a decade ago", "10 years ago", "ten years ago"],
    ["a year ago", "a year earlier", "one year ago", "one year earlier"],
    ["a day", "one day"],
    ["more than", "over"],
    *([month, month[:3] + ".", month[:3]] for month in _MONTHS if month != "may"),
    ["september", "sept.", "sept"],
    *([day, *(form + dot for form in forms for dot in (".", ""))] for day, forms in zip(_DAYS, _SHORT_DAYS)),
    *([str(number), word] for number, word in enumerate(_NUMBERS)),
    *([str(number), word] for number, word in zip(range(30, 100, 10), _TENS)),
    *([short, word] for short, word in zip(_ORDINALS, _ORDINAL_WORDS)),
]

# Spelling and sound part ways in few English words; these beginnings cover the frequent ones.
CONSONANT_SOUND = ("eu", "uni", "use", "usa", "usu", "uti", "ura", "uk", "one-", "once", "ewe", "u.")
VOWEL_SOUND = ("hour", "honest", "honor", "honour", "heir")
VOWEL_LETTERS = frozenset("AEFHILMNORSX")


def fix_articles(words: Sequence[str]) -> Tuple[List[str], List[int]]:
    """Make *a* and *an* agree with the word that follows.

    words (Sequence[str]): The words of a sentence.
    RETURNS (Tuple[List[str], List[int]]): The words, and the positions that changed.
    """
    fixed = list(words)
    changed = []
    for i, (word, following) in enumerate(zip(words, words[1:])):
        if word.lower() in ("a", "an") and following[:1].isalpha():
            right = "an" if _vowel_sound(following) else "a"
            if right != word.lower():
                fixed[i] = right.capitalize() if word[0].isupper() else right
                changed.append(i)
    return fixed, changed


def fits_article(word: str, following: str) -> bool:
    """Whether *a* or *an* may stand before a word; any other word may.

    word (str): The word before.
    following (str): The word.
    RETURNS (bool): Whether they fit.
    """
    if word.lower() not in ("a", "an") or not following[:1].isalpha():
        return True
    return (word.lower() == "an") == _vowel_sound(following)


def _vowel_sound(word: str) -> bool:
    lower = word.lower()
    if len(word) > 1 and word.isupper() and not any(char in "AEIOU" for char in word[1:2]):
        return word[0] in VOWEL_LETTERS  # read out letter by letter: "an FBI agent"
    if lower == "one" or lower.startswith(CONSONANT_SOUND):
        return lower.startswith(("unim", "unin", "uninh"))  # "unimportant", "uninvited" have the plain vowel
    return lower[0] in "aeiou" or lower.startswith(VOWEL_SOUND)


RULES = Rules(
    attr="tag_",
    strict=False,
    agrees=None,
    negations=("n't", "n’t", "nt"),
    possessives=("'s", "’s", "'", "’"),
    conjunctions=frozenset(("and", "or", "nor", "but", "yet", "&", "and/or")),
    auxiliaries=frozenset(
        "be am is are was were been being 's 'm 're have has had having 've do does did doing done 'd".split()
    ),
    quantifiers=frozenset("few fewer many several more most less least same own such n't not".split()),
    articles=("the",),
    fix_articles=fix_articles,
    fits_article=fits_article,
    # "$US5" is "$5", "5%" is "5 percent".
    units={"dollar": ("$US", "US$", "$"), "percent": ("per cent", "percent", "%")},
    equivalents=EQUIVALENTS,
)
