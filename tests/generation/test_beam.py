"""The search against an exhaustive one, with the real embedded model."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paws_components.generation.beam import SearchSlot, beam_search
from paws_components.lm.embedded import embedded_lm
from paws_components.lm.protocol import score_sentences

LM = embedded_lm("en")
WORDS = ["good", "bad", "old", "new", "city", "river", "the", "of", "in", "Paris", "New York", "Xqzzt"]


class Unbounded:
    """The same model without its order: the search must then do without the look-ahead."""

    order = None
    begin, extend, end = LM.begin, LM.extend, LM.end


def spell(filler, slot):
    return [(" " if slot or k else "") + word for k, word in enumerate(filler)]


def sentence(fillers):
    return [word for slot, filler in enumerate(fillers) for word in spell(filler, slot)]


def exhaustive(slots):
    """Every different arrangement with its gain over the source."""
    places = {}
    for i, slot in enumerate(slots):
        if slot.group is not None:
            places.setdefault(slot.group, []).append(i)
    found = {tuple(slot.filler for slot in slots)}
    for where in places.values():
        grown = set()
        for fillers in found:
            for order in permutations(where):
                new = list(fillers)
                for i, j in zip(where, order):
                    new[i] = fillers[j]
                grown.add(tuple(new))
        found = grown
    source, *scores = score_sentences(LM, [sentence([s.filler for s in slots]), *map(sentence, found)])
    return source, {fillers: score - source for fillers, score in zip(found, scores)}


slot_lists = st.lists(
    st.builds(
        SearchSlot,
        st.sampled_from([None, "A", "A", "B", "B"]),
        st.sampled_from(WORDS).map(lambda text: tuple(text.split())),
    ),
    min_size=1,
    max_size=7,
)


@settings(max_examples=150, deadline=None)
@given(slot_lists)
def test_wide_search_is_exhaustive(slots):
    source, expected = exhaustive(slots)
    for lm in (LM, Unbounded()):
        score, found = beam_search(slots, spell, lm, width=10_000)
        if len(expected) == 1:
            assert found == []
            continue
        assert score == pytest.approx(source)
        assert len(found) == len(expected)
        for hyp in found:
            assert hyp.gain == pytest.approx(expected[hyp.fillers], abs=1e-6)
        gains = [hyp.gain for hyp in found]
        assert gains == sorted(gains, reverse=True)


@settings(max_examples=100, deadline=None)
@given(slot_lists, st.floats(0, 6))
def test_the_threshold_drops_what_is_under_it_and_nothing_else(slots, loss):
    _, expected = exhaustive(slots)
    _, found = beam_search(slots, spell, LM, width=10_000, max_loss=loss)
    if found:
        kept = {fillers for fillers, gain in expected.items() if gain > -loss + 1e-6}
        assert kept <= {hyp.fillers for hyp in found}
        assert all(hyp.gain >= -loss for hyp in found)


def test_a_narrow_beam_keeps_the_best():
    text = "The old river of the new city in Paris near the good bad Xqzzt".split()
    tags = ["X", "J", "N", "I", "X", "J", "N", "I", "P", "I", "X", "J", "J", "N"]
    slots = [SearchSlot(None if tag in "XI" else tag, (word,)) for tag, word in zip(tags, text)]
    _, everything = beam_search(slots, spell, LM, width=100_000)
    for lm, width in ((LM, 10), (LM, 100)):
        _, found = beam_search(slots, spell, lm, width=width)
        assert len(found) == min(width, len(everything))
        assert found[0].fillers == everything[0].fillers


def test_nothing_to_trade():
    assert beam_search([], spell, LM, width=10) == (0.0, [])
    slots = [SearchSlot("A", ("a",)), SearchSlot("A", ("a",)), SearchSlot("B", ("b",)), SearchSlot(None, ("c",))]
    assert beam_search(slots, spell, LM, width=10) == (0.0, [])
