"""`paws.CharacterTokenizer.v1`."""

import pickle

import pytest
import spacy
from spacy.tokens import DocBin

from paws_components.errors import PawsError
from paws_components.pairs import make_pair, pair_spans, swap_words

CASES = {
    "Four Rivers 委员会与1953年，": ["Four", "Rivers", "委", "员", "会", "与", "1953", "年", "，"],
    "フォー・リバーの ABC3": ["フ", "ォ", "ー", "・", "リ", "バ", "ー", "の", "ABC3"],
    "Derek은 뱀파이어.": ["Derek", "은", "뱀", "파", "이", "어", "."],
    "l'été d’Oslo": ["l", "'", "été", "d", "’", "Oslo"],
    "  a \n": ["  ", "a", "\n"],
    "": [],
}


def blank(lang="zh", **settings):
    return spacy.blank(lang, config={"nlp": {"tokenizer": {"@tokenizers": "paws.CharacterTokenizer.v1", **settings}}})


@pytest.mark.parametrize("lang", ["zh", "ja", "ko"])
@pytest.mark.parametrize("text", list(CASES))
def test_characters_are_tokens_and_words_stay_whole(lang, text):
    doc = blank(lang)(text)
    assert [token.text for token in doc] == CASES[text] and doc.text == text


def test_scripts_can_be_chosen():
    words = [token.text for token in blank("ko", scripts=["han"])("뱀파이어 漢字")]
    assert words == ["뱀파이어", "漢", "字"]
    assert [token.text for token in blank("ko", scripts=[])("뱀파이어 漢字")] == ["뱀파이어", "漢字"]
    with pytest.raises(PawsError, match="han, kana, hangul"):
        blank("ko", scripts=["thai"])


def test_a_pair_is_two_sentences():
    nlp = blank()
    doc = make_pair(nlp, "德里克 必须", "必须 Derek")
    assert [span.text for span in pair_spans(doc)] == ["德里克 必须", "必须 Derek"]
    assert swap_words(doc).text == "必须 Derek\t德里克 必须"


def test_it_is_saved_copied_and_sent(tmp_path):
    nlp = blank(scripts=["han"])
    nlp.to_disk(tmp_path / "nlp")
    texts = ["吸血鬼 Derek", "뱀파"]
    wanted = [[token.text for token in doc] for doc in nlp.pipe(texts)]
    for other in (spacy.load(tmp_path / "nlp"), pickle.loads(pickle.dumps(nlp))):
        assert [[token.text for token in doc] for doc in other.pipe(texts)] == wanted
    docs = DocBin(docs=nlp.pipe(texts)).get_docs(nlp.vocab)
    assert [[token.text for token in doc] for doc in docs] == wanted
