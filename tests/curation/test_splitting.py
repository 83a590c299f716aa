import pytest

from paws_components.curation.splitting import (
    flip_sides,
    is_identical,
    sentence_keys,
    set_apart,
    split_by_source,
    without_shared,
)
from paws_components.curation.text import sentence_key
from paws_components.errors import PawsError
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


def made(count, source=lambda i: f"s{i // 3}", **fields):
    """Pairs of which each three come of one source, and each fifth is one sentence twice."""
    return [
        PairRecord(f"one {i}", f"one {i}" if i % 5 == 0 else f"two {i}", label=1, source_id=source(i), **fields)
        for i in range(count)
    ]


@pytest.mark.parametrize("sizes", [{"dev": 30, "test": 20}, {"dev": 0.1, "test": 0.2}, {"test": 8}])
def test_splits_share_no_source_and_no_sentence(sizes):
    pairs = made(300)
    # Sources that share a sentence hang together.
    pairs += [PairRecord("ONE 7!", "one 200", label=0, source_id="bridge")]
    done = split_by_source(pairs, sizes, seed=3)
    assert set(done.parts) == {"train", *sizes}
    for name, part in done.parts.items():
        for other, rest in done.parts.items():
            if name != other:
                assert not {pair.source_id for pair in part} & {pair.source_id for pair in rest}
                assert not sentence_keys(part) & sentence_keys(rest)
    for name, size in sizes.items():
        wanted = size if size >= 1 else int(size * len(pairs))
        # Groups of two or three sound pairs: never too large, and hardly too small.
        assert wanted - 2 <= len(done.parts[name]) <= wanted
        assert not any(map(is_identical, done.parts[name]))
    # Identical pairs are taken out of the others alone, and every pair is somewhere.
    assert any(map(is_identical, done.parts["train"])) and done.identical and all(map(is_identical, done.identical))
    assert sum(map(len, done.parts.values())) + len(done.identical) == len(pairs)
    assert done == split_by_source(pairs, sizes, seed=3) != split_by_source(pairs, sizes, seed=4)
    order = [pairs.index(pair) for pair in done.parts["train"]]
    assert order == sorted(order)


def test_sizes_that_can_not_be():
    with pytest.raises(PawsError, match="P706.*dev 20, test 20.*30"):
        split_by_source(made(30), {"dev": 20, "test": 20})
    for sizes in ({"dev": -1}, {"train": 5}, {"dev": 2.5}):
        with pytest.raises(PawsError, match="P015.*splits"):
            split_by_source(made(30), sizes)


def test_half_of_the_sides_are_flipped():
    pairs = made(400, generator="word_swap")
    flipped = flip_sides(pairs, seed=1)
    turned = [new for old, new in zip(pairs, flipped) if new.evidence.get("flipped")]
    assert 160 < len(turned) < 240
    for old, new in zip(pairs, flipped):
        sides = (old.sentence1, old.sentence2)
        assert (new.sentence1, new.sentence2) == (sides[::-1] if new.evidence.get("flipped") else sides)
        assert (new.id, new.source_id, new.label) == (old.id, old.source_id, old.label)
    # The chance is the pair's own: what stands around it makes no difference. Twice is as it was.
    assert flip_sides(pairs[::-1], seed=1) == flipped[::-1] and flip_sides(pairs[7:9], seed=1) == flipped[7:9]
    assert flip_sides(flipped, seed=1) == pairs
    assert flip_sides(pairs, seed=2) != flipped
    judged = made(50, nli="entailment")
    assert flip_sides(judged) == judged


def test_what_moved_is_told_of_both_sides():
    moved = [{"text": "b", "tag": "NN", "source": [0, 1], "target": [2, 3]}]
    pairs = [PairRecord("b a", "a b", id=str(i), evidence={"moved": moved}) for i in range(20)]
    for pair in flip_sides(pairs):
        (one,) = pair.evidence["moved"]
        assert pair.sentence1[slice(*one["source"])] == pair.sentence2[slice(*one["target"])] == "b"
