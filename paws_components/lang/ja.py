"""Japanese. The tokenizer gives lemmas; particles are tokens of their own and stay where they are."""

from typing import TYPE_CHECKING

from . import Rules

if TYPE_CHECKING:
    from spacy.tokens import Token


def agrees(one: "Token", other: "Token") -> bool:
    """Whether two words may stand for each other: of one kind, and inflected alike ("書い|た", but "読ん|だ").

    one, other (Token): The words.
    RETURNS (bool): Whether they may.
    """
    if one.pos_ != other.pos_:
        return False
    if one.pos_ == "PROPN":
        return True
    return one.tag_ == other.tag_ and one.morph.get("Inflection", []) == other.morph.get("Inflection", [])


RULES = Rules(
    conjunctions=frozenset(
        "と や 及び および 並びに ならびに 又は または 若しくは もしくは か そして かつ & ・".split()
    ),
    auxiliaries=frozenset(
        "ある いる する なる できる れる られる せる させる た だ です ます ない おる くる いく 居る".split()
    ),
    particles=frozenset(
        "い し さ れ なっ なり でき あり あっ おり 行わ 行っ よる よっ つい 対し として "
        "とも 共 なく ず また まだ もう 最も とても 非常 特に 主 後 前 以後 以前 のち "
        "後に".split()
    ),
    quantifiers=frozenset("同じ 同 他 他の 別 各 全 全て すべて 多く 多い 少ない 第 初 最初 最後 次 数 両 某".split()),
    agrees=agrees,
    # The items of a list are modifiers of each other in its treebanks.
    parsed_lists=False,
    bare_lemmas=True,
)
