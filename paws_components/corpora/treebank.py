"""Words in the manner of the Penn Treebank, as PAWS-QQP's index counts them.

The index was made with NLTK 3.2.5's `word_tokenize`: sentences are found first, so that a full stop is a word of its
own at the end of each, and every sentence is cut by the Treebank's rules. What follows are these rules, and a small
stand-in for NLTK's trained sentence splitter; `tests/corpora/test_joining.py` holds them against PAWS-QQP's own text.
"""

import re
from typing import List

# Where a sentence may end, and words before a full stop that do not end one.
SENTENCE_END = re.compile(r"""(?<=[.?!])["')\]]*\s+(?=["'(\[]*\S)""")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st vs no jr sr inc ltd co corp etc e.g i.e eg ie u.s u.k u.n d.c ph.d b.sc m.sc a.m p.m "
    "jan feb mar apr jun jul aug sep sept oct nov dec gen col sgt capt lt rev hon gov sen rep approx est fig".split()
)
SPLITS = (
    # Quotation marks that open, before all others.
    (re.compile(r"([«“‘])"), r" \1 "),
    (re.compile(r'^"'), "`` "),
    (re.compile(r"(``)"), r" \1 "),
    (re.compile(r'([ (\[{<])"'), r"\1 `` "),
    # Commas and colons, but not within numbers and times.
    (re.compile(r"([^.])(\.)([\])}>\"'»”’ ]*)\s*$"), r"\1 \2 \3 "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.\.\."), r" ... "),
    (re.compile(r"([;@#$%&])"), r" \1 "),
    (re.compile(r"([?!])"), r" \1 "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"([\]\[(){}<>])"), r" \1 "),
    (re.compile(r"--"), r" -- "),
)
CLOSING = (
    (re.compile(r"([»”’])"), r" \1 "),
    (re.compile(r'"'), " '' "),
    (re.compile(r"(\S)('')"), r"\1 \2 "),
    (re.compile(r"([^' ])('[sS]|'[mM]|'[dD]|') "), r"\1 \2 "),
    (re.compile(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
    # Two words that are written as one.
    (re.compile(r"\b(can)(not)\b|\b(d)('ye)\b|\b(gim)(me)\b|\b(gon)(na)\b|\b(got)(ta)\b|\b(lem)(me)\b", re.I), None),
    (re.compile(r"\b(mor)('n)\b|\b(wan)(na)(?=\s)", re.I), None),
    (re.compile(r" ('t)(is)\b| ('t)(was)\b", re.I), None),
)


def treebank_words(text: str) -> List[str]:
    """The words of a text.

    text (str): The text.
    RETURNS (List[str]): The words and signs; quotation marks are `` and ''.
    """
    return [word for sentence in sentences(text) for word in _cut(sentence)]


def sentences(text: str) -> List[str]:
    """The sentences of a text, cut where a full stop, a question mark or an exclamation mark ends one."""
    found, start = [], 0
    for match in SENTENCE_END.finditer(text):
        before, after = text[start : match.start()], text[match.end() : match.end() + 1]
        if before.endswith(".") and not _ends(before, after):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _ends(before: str, after: str) -> bool:
    """Whether a full stop ends a sentence, rather than an abbreviation or an initial."""
    last = before[:-1].split()[-1].lower().lstrip("(\"'") if before[:-1].split() else ""
    if last in ABBREVIATIONS or re.fullmatch(r"[a-z]|([a-z]\.)+[a-z]", last) or before.endswith("..."):
        return False
    return not after.islower()


def _cut(sentence: str) -> List[str]:
    for pattern, by in SPLITS:
        sentence = pattern.sub(by, sentence)
    sentence = f" {sentence} "
    for pattern, closing in CLOSING:
        sentence = pattern.sub(closing or _apart, sentence)
    return sentence.split()


def _apart(match: "re.Match[str]") -> str:
    one, two = (part for part in match.groups() if part)
    return f" {one} {two} "
