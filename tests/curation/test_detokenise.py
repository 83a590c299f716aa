import pytest
from hypothesis import given
from hypothesis import strategies as st

from paws_components.curation.detokenise import detokenise
from paws_components.curation.text import ptb_kinds, sentence_key
from paws_components.readers import open_pairs

CASES = [
    ("", ""),
    ("Hello , world !", "Hello, world!"),
    ("I do n't know , and you ca n't either .", "I don't know, and you can't either."),
    ("It 's John 's , is n't it ?", "It's John's, isn't it?"),
    ("They 've said we 'd go ; I 'll see .", "They've said we'd go; I'll see."),
    ("The players ' union met .", "The players' union met."),
    ("He said `` Yes '' twice .", 'He said "Yes" twice.'),
    ("Who wrote `` It '' ?", 'Who wrote "It"?'),
    ("the series '' Fringe `` , the 60th episode", 'the series "Fringe", the 60th episode'),
    ("`` What does `` epic `` mean ? ''", '"What does "epic" mean?"'),
    ("`` A '' and `` B ''", '"A" and "B"'),
    ("a lost mark '' , and `` two ''", 'a lost mark", and "two"'),
    ("Pete Beale -LRB- Peter Dean -RRB- left .", "Pete Beale (Peter Dean) left."),
    ("-LSB- sic -RSB- and -LCB- x -RCB-", "[sic] and {x}"),
    ("He paid $ 5 , or US $ 7,000 .", "He paid $5, or US$7,000."),
    ("33.45 % of it", "33.45% of it"),
    ("won 6 : 4 at 9 : 55", "won 6:4 at 9:55"),
    ("Note : this", "Note: this"),
    ("in 1973 -- 74", "in 1973–74"),
    ("He left -- at last", "He left -- at last"),
    ("issue # 71", "issue #71"),
    ("gon na and wan na", "gonna and wanna"),
    ("He lives in the U.S. .", "He lives in the U.S."),
    ("learn 'hacking ' ?", "learn 'hacking'?"),
    ("numbered 'm ' and so", "numbered 'm' and so"),
    ("' Go ' was all", "'Go' was all"),
    ("In 2014 , % signs", "In 2014, % signs"),
    ("C + + is hard", "C++ is hard"),
    ("``Blackadder''", '"Blackadder"'),
    ("wait ...", "wait..."),
]


@pytest.mark.parametrize("tokens, text", CASES)
def test_cases(tokens, text):
    assert detokenise(tokens) == text


@pytest.mark.parametrize(
    "text",
    [
        "She said, \"It's the players' (only) chance: $5 or 33%.\"",
        "Rock 'n' roll in '02 -- not \"dead\".",
        "Är det 3,5 °C? Nej!",
    ],
)
def test_plain_text_stays(text):
    assert detokenise(text) == text


TOKENS = st.sampled_from(
    [
        "a",
        "I",
        "do",
        "n't",
        "'s",
        "dogs",
        "'",
        "``",
        "''",
        ",",
        ".",
        "?",
        "(",
        ")",
        "-LRB-",
        "-RRB-",
        "$",
        "5",
        "%",
        ":",
        "--",
    ]
)


@given(st.lists(TOKENS, max_size=14))
def test_no_letter_is_lost(tokens):
    brackets = {"-LRB-", "-RRB-"}
    expected = "".join(char for token in tokens if token not in brackets for char in token if char.isalnum())
    text = detokenise(" ".join(tokens))
    assert "".join(char for char in text if char.isalnum()) == expected
    assert text == " ".join(text.split())


@given(
    st.lists(st.sampled_from(["a", "do", "n't", "'s", "``", ",", ".", "-LRB-", "-RRB-", "$", "5", "%"]), max_size=14)
)
def test_twice_is_once(tokens):
    once = detokenise(" ".join(tokens))
    assert detokenise(once) == once


def test_paws_wiki_comes_out_plain(data_dir):
    texts = [t for row in open_pairs(data_dir / "paws_wiki" / "dev.tsv") for t in (row.sentence1, row.sentence2)]
    assert sum(bool(ptb_kinds(text)) for text in texts) > 0.9 * len(texts)
    plain = [detokenise(text) for text in texts]
    assert not any(ptb_kinds(text) for text in plain)
    assert all(sentence_key(one) == sentence_key(two) for one, two in zip(texts, plain))


def test_against_the_plain_originals(data_dir):
    """PAWS-QQP is tokenised, QQP is not: where a sentence is in both, we should get QQP's own spelling back."""
    plain = {}
    for row in open_pairs(data_dir / "qqp" / "quora-dev.tsv"):
        for text in (row.sentence1, row.sentence2):
            plain[sentence_key(text)] = " ".join(text.split())
    tokenised = {
        text
        for row in open_pairs(data_dir / "paws_qqp" / "train.tsv")
        for text in (row.sentence1, row.sentence2)
        if sentence_key(text) in plain
    }
    same = sum(detokenise(text) == plain[sentence_key(text)] for text in tokenised)
    assert len(tokenised) > 500
    # The rest are other words with the same letters, typing errors that a tokeniser put right, and curly quotes.
    assert same >= 0.85 * len(tokenised)
    assert sum(text == plain[sentence_key(text)] for text in tokenised) < 0.05 * len(tokenised)
