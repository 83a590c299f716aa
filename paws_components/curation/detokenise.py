"""Plain text from the tokens of the Penn Treebank."""

import re
from typing import Dict, List, Tuple

BRACKETS: Dict[str, str] = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
LEFT = frozenset((",", ".", ";", ":", "?", "!", "...", "..", "…", ")", "]", "}", "”", "’", "'", "°"))
CLOSING = frozenset((",", ".", ";", ":", "?", "!", ")", "]", "}"))
RIGHT = frozenset(("(", "[", "{", "“", "‘", "$", "£", "€"))
CLITICS = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|m|d))", re.IGNORECASE)
# Words that the treebank cuts in two. "can not" is left: it may have been two words.
HALVES = {("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me"), ("lem", "me"), ("'t", "is"), ("'t", "was")}
CURRENCIES = frozenset(("US", "HK", "NZ", "AU"))
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
SHORT_NUMBER = re.compile(r"\d{1,3}")
ABBREVIATION = re.compile(r"(?:\w\.)+|.*\w\.")
QUOTES = ("``", "''", '"')


def detokenise(text: str) -> str:
    """Write the tokens of a sentence as plain text.

    Treebank quotes and brackets become ordinary ones, clitics and punctuation rejoin their words. What can't be told
    from the tokens alone stays as it is: "can not", single hyphens, slashes.

    text (str): Tokens with a space between them. Plain text comes out as it went in, white space aside.
    RETURNS (str): The sentence.
    """
    tokens = [BRACKETS.get(token, token) for token in _separate(text).split()]
    joined, sides = _mark_quotes(tokens)
    pieces: List[str] = []
    glue = True
    for i, token in enumerate(joined):
        before = joined[i - 1] if i else ""
        after = joined[i + 1] if i + 1 < len(joined) else ""
        if token == "." and not after and ABBREVIATION.fullmatch(before) and before not in LEFT:
            continue  # "... in the U.S. .": one full stop is both
        if pieces and not glue and not _joins_left(token, before, after, sides[i]):
            pieces.append(" ")
        if token == "--" and NUMBER.fullmatch(before) and NUMBER.fullmatch(after):
            token = "–"
        pieces.append(token)
        glue = _joins_right(token, before, after, sides[i])
    return "".join(pieces)


def _separate(text: str) -> str:
    """Treebank quotes that are written together with a word, and single ones that are cut in two, told apart."""
    text = re.sub(r"(?<!\S)` `(?!\S)", "``", text)
    text = re.sub(r"(?<!\S)' '(?!\S)", "''", text)
    # "the` go ' button": the opening quote stuck to the wrong word.
    text = re.sub(r"(\w)` (?=\w)", r"\1 '", text)
    text = re.sub(r"(?<![\S])`(?=[^\s`])", "'", text)
    text = re.sub(r"(?<=\w) \+ \+(?!\S)", "++", text)
    # Quotes inside a word keep their place: "``the" and "building,''" only change their form.
    return re.sub(r"(?<=\S)(?:``|'')|(?:``|'')(?=\S)", '"', text)


def _mark_quotes(tokens: List[str]) -> Tuple[List[str], List[str]]:
    """Double quotes as ordinary ones, and for each token "open", "close" or "".

    The form of the marks does not help: in PAWS a closing quote is often written ``. So they take turns, but for a pair
    around the whole sentence, whose inner quotes take turns among themselves.
    """
    places = [i for i, token in enumerate(tokens) if token in QUOTES]
    sides = [""] * len(tokens)
    inner = places
    if len(places) > 2 and len(places) % 2 == 0 and places[0] == 0 and places[-1] == len(tokens) - 1:
        if tokens[0] == "``" and tokens[-1] != "``" and tokens[places[1]] == "``":
            sides[0], sides[-1] = "open", "close"
            inner = places[1:-1]
    is_open = False
    for i in inner:
        following = tokens[i + 1] if i + 1 < len(tokens) else "."
        # A mark before punctuation opens nothing: its partner is lost.
        is_open = not is_open and not (i and following in CLOSING)
        sides[i] = "open" if is_open else "close"
    return ['"' if side else token for token, side in zip(tokens, sides)], sides


def _joins_left(token: str, before: str, after: str, side: str) -> bool:
    """Whether a token is written together with the one before it."""
    if side:
        return side == "close"
    if token in LEFT:
        return True
    if CLITICS.fullmatch(token):
        return after not in ("'", "’")  # 'm ' is a quoted letter
    if token == "%":
        return NUMBER.fullmatch(before) is not None
    if token == "$":
        return before in CURRENCIES
    if token == "--":
        return NUMBER.fullmatch(before) is not None and NUMBER.fullmatch(after) is not None
    return (before.lower(), token.lower()) in HALVES


def _joins_right(token: str, before: str, after: str, side: str) -> bool:
    """Whether a token is written together with the one after it."""
    if side:
        return side == "open"
    if token in RIGHT or (token == "'" and not before):
        return True
    if token == "#":
        return NUMBER.fullmatch(after) is not None
    if token == ":":
        return bool(SHORT_NUMBER.fullmatch(before) and SHORT_NUMBER.fullmatch(after))
    return token == "–" and NUMBER.fullmatch(before) is not None and NUMBER.fullmatch(after) is not None
