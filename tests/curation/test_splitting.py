import pytest

from paws_components.curation.splitting import sentence_keys, set_apart, without_shared
from paws_components.curation.text import sentence_key
from paws_components.records import PairRecord


def make_pairs(*texts):
    return [PairRecord(*text.split(" / ")) for text in texts]


def chain(count, name):
    """Pairs of which each shares a sentence with the next."""
    return make_pairs(*(f"{name} {i} . / {name} {i + 1} ." for i in range(count)))


def test_spelling_makes_no_difference():
    assert sentence_key("`` It 's 5 % , '' he said .") == sentence_key("“It's 5%,” He said.") == "its5hesaid"
    assert sentence_key("Straße") == sentence_key("STRASSE")
    assert sentence_key("?") == "?" != sentence_key("!")
    assert sentence_keys(make_pairs("A b. / c", "AB / d")) == {"ab", "c", "d"}


def test_pairs_that_share_a_sentence_are_left_out():
    pairs = make_pairs("a / b", "c / d", "e / f", "g / h")
    assert without_shared(pairs, make_pairs("x / A .", "D! / y")) == [pairs[2], pairs[3]]
    assert without_shared(pairs, []) == pairs
    assert without_shared([], pairs) == []


@pytest.mark.parametrize("size", [0, 1, 7, 20, 31])
def test_the_parts_share_no_sentence_and_lose_no_pair(size):
    pairs = [pair for i in range(10) for pair in chain(1 + i % 5, f"group {'abcdefghij'[i]}")]
    apart, rest = set_apart(pairs, size, seed=3)
    assert len(apart) <= size and len(apart) + len(rest) == len(pairs)
    # Groups of one are there to fill what larger ones leave.
    assert len(apart) >= min(size, len(pairs)) - 1
    assert not sentence_keys(apart) & sentence_keys(rest)
    assert {pair.id for pair in apart + rest} == {pair.id for pair in pairs}
    assert rest == [pair for pair in pairs if pair in rest]


def test_what_hangs_together_only_in_the_end_stays_together():
    # The last pair joins two groups that were apart until then.
    pairs = make_pairs("a / b", "c / d", "e / f", "B / C")
    for seed in range(8):
        apart, rest = set_apart(pairs, 3, seed)
        assert sorted(map(len, (apart, rest))) == [1, 3]


def test_the_draw_depends_on_the_seed_alone():
    pairs = make_pairs(*(f"one {i} / two {i}" for i in "abcdefghijklmnop"))
    draws = [set_apart(pairs, 8, seed)[0] for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert all(len(draw) == 8 for draw in draws)
