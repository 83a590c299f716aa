"""The four metrics on pairs of PAWS-X, worked out by hand: Chinese by characters, Japanese and Korean by words.

The pairs are read by their ids. Positions count from 0; L is the length of a sentence less 1, so that a word at place p
stands at p / L (equation 2 of *Towards Better Characterization of Paraphrases*).
"""

from math import sqrt

import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import get_lang_class
from spacy.vocab import create_vocab

from paws_components import PairRecord, measure_records
from paws_components.metrics.measure import Measurer, load_for
from paws_components.metrics.sides import Side

METRICS = ["bow_cosine", "inversion_rate", "wpd", "ld"]
RULES = {"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
BY_HAND = {
    ("zh", 6441): (
        # Places 0, 1 (one name) and 4, 5 (the other) trade, the rest stays: 13 characters.
        1.0,
        # In the order of the first: 4 5 2 3 0 1 6 ...; 4 + 4 + 2 + 2 of 78 pairs cross.
        12 / 78,
        # Four characters move by 4 / 12; the one that stands in three places does not. 11 different ones.
        4 * 4 / 12 / 11,
        0.0,
    ),
    ("zh", 6161): (
        # One character twice in both, nine others once in both: 2 * 2 + 9; in each 4 + 11 ones.
        13 / 15,
        0.0,
        # Four characters stand 1 / 12 further on; 10 are common, two of them punctuation.
        4 / 12 / 10,
        # Eight common ones of twelve that are no punctuation.
        1 - 8 / 12,
    ),
    ("zh", 1732): (
        # A foreign name by its letters: E and e are one, twice. The second lacks one character.
        15 / sqrt(16 * 15),
        0.0,
        # L is 13 and 12: what has place i in both moves by i / 156. The two e: (2 + 9) / 2; after the gap 1, then 0.
        (0 + 1 + 5.5 + 3 + 4 + 5 + 6 + 7 + 8 + 10 + 1 + 0) / 156 / 12,
        1 - 11 / 12,
    ),
    ("zh", 4566): (
        # Two characters twice in the first and once in the second, two once in both: 2 + 2 + 1 + 1.
        6 / sqrt(14 * 12),
        0.0,
        # L is 9 and 11. Of the two, the worse way counts: (0 + 5/9) / 2, and (6/99 + 61/99) / 2; then 23/99 and 0.
        (5 / 18 + 67 / 198 + 23 / 99 + 0) / 4,
        1 - 3 / 14,
    ),
    ("zh", 1354): (
        5 / sqrt(11 * 9),
        # In the order of the first: 3 4 7 8 5; 7 and 8 cross with 5.
        2 / 10,
        # L is 10 and 8.
        (abs(0 - 3 / 8) + abs(6 / 10 - 4 / 8) + abs(7 / 10 - 7 / 8) + abs(8 / 10 - 8 / 8) + abs(9 / 10 - 5 / 8)) / 5,
        1 - 4 / 14,
    ),
    ("ja", 1985): (
        # The names at 0 and 5 of 11 words trade: 5 1 2 3 4 0; five cross with the first, four more with the last.
        1.0,
        9 / 55,
        # Two words stand twice: 9 different ones.
        2 * 5 / 10 / 9,
        0.0,
    ),
    ("ja", 7147): (1.0, 5 / 55, 2 * 3 / 10 / 11, 0.0),  # 0 and 3 of 11 trade: 3 1 2 0
    ("ja", 6441): (1.0, 5 / 55, 2 * 3 / 10 / 10, 0.0),  # likewise, one word stands twice
    ("ja", 6836): (
        # The second lacks a comma: two words twice in both.
        15 / sqrt(16 * 15),
        0.0,
        # L is 11 and 10; all over 110. Of the words that stand twice: (1 + 4) / 2 and (6 + 3) / 2.
        (0 + 2.5 + 2 + 7 + 4.5 + 5 + 2 + 1 + 0) / 110 / 9,
        0.0,
    ),
    ("ja", 677): (
        # A name stands twice in the first, the full stop twice in the second: 2 + 2 + 8.
        12 / 14,
        0.0,
        # L is 11. From the first to the second (0 + 2) / 2, from the second to the first (0 + 3) / 2.
        (1 + 1.5) / 11 / 10,
        1 - 9 / 10,
    ),
    ("ko", 2872): (1.0, 3 / 15, 2 * 2 / 5 / 6, 0.0),  # 1 and 3 of 6 trade: 0 3 2 1 4 5
    ("ko", 698): (6 / 7, 0.0, 0.0, 1 - 5 / 7),  # one particle differs, and with it the word
    ("ko", 2086): (
        # Two words of the first are one in the second.
        5 / sqrt(7 * 6),
        0.0,
        # L is 6 and 5.
        (0 + abs(1 / 6 - 1 / 5) + abs(4 / 6 - 3 / 5) + abs(5 / 6 - 4 / 5) + 0) / 5,
        1 - 4 / 7,
    ),
    ("ko", 1642): (3 / sqrt(7 * 6), 0.0, (abs(3 / 6 - 2 / 5) + abs(4 / 6 - 3 / 5) + 0) / 3, 1 - 2 / 9),
    ("ko", 1732): (1 / 4, 0.0, 0.0, 1.0),  # but for the full stop no word is common
}
# How sudachi cuts the sentences, so that nobody needs it here: the lengths of the words.
CUT = {
    1985: ([9, 1, 1, 5, 1, 7, 1, 1, 2, 2, 1], [7, 1, 1, 5, 1, 9, 1, 1, 2, 2, 1]),
    7147: ([4, 1, 1, 5, 1, 2, 2, 1, 1, 1, 1], [5, 1, 1, 4, 1, 2, 2, 1, 1, 1, 1]),
    6441: ([5, 5, 1, 2, 5, 1, 3, 1, 2, 2, 1], [2, 5, 1, 5, 5, 1, 3, 1, 2, 2, 1]),
    6836: ([3, 1, 1, 1, 5, 1, 3, 1, 1, 2, 2, 1], [3, 1, 1, 5, 1, 3, 1, 1, 2, 2, 1]),
    677: ([7, 1, 7, 1, 2, 1, 1, 2, 1, 2, 2, 1], [7, 1, 8, 1, 2, 1, 1, 2, 1, 2, 2, 1]),
}


def pair(data_dir, lang, wanted):
    path = data_dir / "pawsx" / lang / "dev_2k.tsv"
    if not path.is_file():
        pytest.skip("PAWS-X is not there")
    for line in path.read_text(encoding="utf8").splitlines()[1:]:
        number, one, two, _ = line.split("\t")
        if int(number) == wanted:
            return one, two
    raise AssertionError(f"no pair {wanted}")


def cut(vocab, text, lengths):
    """A Doc of words of these lengths; white space between them is skipped."""
    words, spaces, at = [], [], 0
    for length in lengths:
        words.append(text[at : at + length])
        at += length
        spaces.append(text[at : at + 1].isspace())
        at += spaces[-1]
    assert at == len(text)
    return Doc(vocab, words=words, spaces=spaces)


@pytest.mark.parametrize("lang, number", [key for key in BY_HAND if key[0] != "ja"])
def test_by_hand(data_dir, lang, number):
    nlp = load_for(METRICS, lang="zh") if lang == "zh" else spacy.blank("ko", config=RULES)
    (found,) = measure_records([PairRecord(*pair(data_dir, lang, number))], METRICS, nlp=nlp)
    assert list(found.values()) == pytest.approx(BY_HAND[lang, number])


@pytest.mark.parametrize("number", CUT)
def test_by_hand_on_words_of_japanese(data_dir, number):
    # A vocabulary of the language, without the tokenizer that needs sudachi.
    vocab = create_vocab("ja", get_lang_class("ja").Defaults)
    sides = [cut(vocab, text.strip(), lengths) for text, lengths in zip(pair(data_dir, "ja", number), CUT[number])]
    one, two = (Side(doc, 0, len(doc)) for doc in sides)
    (found,) = Measurer(METRICS)([(one, two)])
    assert list(found.values()) == pytest.approx(BY_HAND["ja", number])


def test_the_japanese_tokenizer_cuts_so(data_dir):
    pytest.importorskip("sudachipy")
    nlp = load_for(METRICS, lang="ja")
    for number, lengths in CUT.items():
        for text, expected in zip(pair(data_dir, "ja", number), lengths):
            assert [len(token) for token in nlp.make_doc(text) if not token.is_space] == expected
        (found,) = measure_records([PairRecord(*pair(data_dir, "ja", number))], METRICS, nlp=nlp)
        assert list(found.values()) == pytest.approx(BY_HAND["ja", number])
