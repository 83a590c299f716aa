"""Exchanges of two spans: scored around the places that change, they score what whole sentences do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paws_components.generation.beam import SearchSlot, beam_search
from paws_components.generation.exchange import find_exchanges
from paws_components.lm.embedded import embedded_lm
from paws_components.lm.protocol import score_sentences

LM = embedded_lm("en")
WORDS = ["good", "bad", "old", "new", "city", "river", "the", "of", "in", "Paris", "New York", "Xqzzt", ""]


class Unbounded:
    """The same model without its order, as causal transformers have none: whole sentences are scored."""

    order = None
    begin, extend, end = LM.begin, LM.extend, LM.end


def spell(filler, slot):
    """As at the start of a sentence: the first word has a capital there and elsewhere not."""
    words = [(" " if slot or k else "") + word for k, word in enumerate(filler)]
    return [words[0].capitalize(), *words[1:]] if words and slot == 0 else words


def whole(fillers):
    return [word for slot, filler in enumerate(fillers) for word in spell(filler, slot)]


def anything(i, j):
    return True


slot_lists = st.lists(
    st.builds(
        SearchSlot,
        st.sampled_from([None, "A", "A", "B"]),
        st.sampled_from(WORDS).map(lambda text: tuple(text.split())),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("lm", [LM, Unbounded()], ids=["3-gram", "no order"])
@settings(max_examples=150, deadline=None)
@given(slot_lists)
def test_gains_are_those_of_whole_sentences(lm, slots):
    score, found = find_exchanges(slots, spell, lm, anything)
    pairs = [
        (i, j)
        for j, right in enumerate(slots)
        for i, left in enumerate(slots[:j])
        if left.group is not None and left.group == right.group and left.filler != right.filler
    ]
    assert sorted((one.first, one.second) for one in found) == sorted(pairs)
    if not found:
        assert score == 0.0
        return
    source, *scores = score_sentences(LM, [whole(slot.filler for slot in slots), *(whole(f.fillers) for f in found)])
    assert score == pytest.approx(source, abs=1e-6)
    assert [one.gain for one in found] == pytest.approx([value - source for value in scores], abs=1e-6)
    for one in found:
        moved = [i for i, (slot, filler) in enumerate(zip(slots, one.fillers)) if slot.filler != filler]
        assert moved == [one.first, one.second]


def test_what_is_not_allowed_is_not_scored():
    slots = [SearchSlot("A", (word,)) for word in ("Paris", "Rome", "Oslo")]
    asked = []

    def allowed(i, j):
        asked.append((i, j))
        return (i, j) == (0, 2)

    _, found = find_exchanges(slots, spell, LM, allowed)
    assert asked == [(0, 1), (0, 2), (1, 2)]
    assert [one.fillers for one in found] == [(("Oslo",), ("Rome",), ("Paris",))]
    assert find_exchanges(slots, spell, LM, lambda i, j: False) == (0.0, [])


@settings(max_examples=60, deadline=None)
@given(slot_lists.filter(lambda slots: len(slots) <= 6))
def test_the_wide_beam_finds_the_same_exchanges(slots):
    def moves(fillers):
        return sum(slot.filler != filler for slot, filler in zip(slots, fillers))

    _, wide = beam_search(slots, spell, LM, width=10_000)
    expected = {hyp.fillers: hyp.gain for hyp in wide if moves(hyp.fillers) == 2}
    _, found = find_exchanges(slots, spell, LM, anything)
    # Equal fillers make equal sentences of different exchanges.
    gains = {one.fillers: one.gain for one in found}
    assert gains.keys() == expected.keys()
    for fillers, gain in gains.items():
        assert gain == pytest.approx(expected[fillers], abs=1e-6)


def test_real_sentences_agree_with_the_beam(make_nlp):
    """What the swapper finds by exchanges is what its beam search finds, if two spans move."""
    texts = [
        "The old lighthouse stands behind the new harbour wall.",
        "Jerry looks over Tom's shoulder and gets punched.",
        "The early trains are usually empty, but the late trains are always full.",
        "The French embassy in Ottawa thanked the Canadian embassy in Paris.",
    ]
    config = {"precise": False, "n_best": 10_000, "beam_width": 10_000, "threshold": None}
    nlp = make_nlp("paws_swapper", exclude=["parser", "lemmatizer"], paws_swapper=config)
    only_two = {**config, "constraints": ["two_spans"], "extension": "exchanges"}
    nlp.add_pipe("paws_swapper", name="exchanges", config=only_two)
    for doc in nlp.pipe(texts):
        beam = {swap["text"]: swap["gap"] for swap in doc._.paws_swaps if len(swap["moved"]) == 2}
        pairs = {swap["text"]: swap["gap"] for swap in doc._.exchanges}
        assert pairs == pytest.approx(beam, abs=1e-5) and pairs
