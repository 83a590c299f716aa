"""The search against one that leaves nothing out, and the rules that every modification obeys."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from referee import NEW, STOP_WORDS, TAGS, NumberSubstitutes, NumberTarget, exhaustive, make_example

from paws_components.errors import PawsError
from paws_shared_words.search import (
    ALREADY_WRONG,
    FAILED,
    NO_POSITION,
    PRESETS,
    SKIPPED,
    SUCCEEDED,
    Settings,
    attack,
)

sentences = st.lists(st.sampled_from(sorted(TAGS)), min_size=1, max_size=5)
EVERYTHING = 10**9
EXAMPLES = [
    (["the", "old", "dog", "sees", "Paris"], ["Paris", "sees", "the", "dog"], 1),
    (["the", "red", "house", "of", "dog"], ["the", "old", "river", "sold", "Paris"], 0),
    (["dog", "sold", "the", "river"], ["quickly", "the", "house"], 0),
    (["old", "dog", "dog", "river"], ["dog", "river", "red"], 1),
]


def make_examples():
    return [make_example(*each) for each in EXAMPLES]


@settings(max_examples=40, deadline=None)
@given(
    sentences, sentences, st.integers(0, 1), st.integers(0, 1000), st.integers(1, 3), st.integers(1, 3), st.booleans()
)
def test_a_wide_beam_finds_what_an_exhaustive_search_finds(first, second, label, seed, steps, top_k, weak):
    example = make_example(first, second, label)
    assume(example.positions and len(example.positions) <= 6)
    # Half of the targets never fail, so that all steps are taken.
    low, high = (0.0, 1.0) if weak else ((0.51, 1.0) if label else (0.0, 0.49))
    target, substitutes = NumberTarget(seed, low, high), NumberSubstitutes(seed)
    plan = Settings(steps=steps, top_k=top_k, beam=EVERYTHING)
    [outcome] = attack([example], target, substitutes, plan)
    assume(outcome.reason != ALREADY_WRONG)
    score, fails = exhaustive(example, target, substitutes, plan)
    assert outcome.after == score
    assert outcome.status == (SUCCEEDED if fails else FAILED)


@settings(max_examples=40, deadline=None)
@given(sentences, sentences, st.integers(0, 1), st.integers(0, 1000), st.integers(1, 4), st.booleans())
def test_modifications_obey_the_rules(first, second, label, seed, beam, again):
    example = make_example(first, second, label)
    plan = Settings(steps=4, top_k=3, beam=beam, again=again)
    target = NumberTarget(seed, *((0.4, 1.0) if label else (0.0, 0.6)))
    [outcome] = attack([example], target, NumberSubstitutes(seed), plan)
    changed = [{change.i for change in outcome.changes}, {change.j for change in outcome.changes}]
    for original, modified, places in zip(example.pair, outcome.pair, changed):
        assert modified.spaces == original.spaces
        for place, (old, new) in enumerate(zip(original.words, modified.words)):
            assert (old != new) == (place in places)
            assert new in NEW or place not in places
    assert all((change.i, change.j) in example.positions and change.word in NEW for change in outcome.changes)
    assert len(outcome.changes) <= plan.steps
    if not again:
        # Each position is replaced once, so that every new word stands in both sentences.
        assert len(changed[0]) == len(changed[1]) == len(outcome.changes)
        for change in outcome.changes:
            assert outcome.pair[0].words[change.i] == outcome.pair[1].words[change.j] == change.word
    for i, j in example.positions:
        one, two = example.first.words[i], example.second.words[j]
        assert not {one, two} & STOP_WORDS
        assert one == two if label else TAGS[one][:2] == TAGS[two][:2] in ("NN", "VB", "JJ")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_positives_keep_their_shared_words_shared(seed, again):
    example = make_example(["the", "old", "dog", "sees", "Paris"], ["Paris", "sees", "the", "old", "dog"], 1)
    plan = Settings(steps=4, top_k=3, beam=3, again=again)
    [outcome] = attack([example], NumberTarget(seed, 0.51, 1.0), NumberSubstitutes(seed), plan)
    assert outcome.status == FAILED and outcome.changes
    for i, j in example.positions:
        assert outcome.pair[0].words[i] == outcome.pair[1].words[j]


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("max_queries", [0, 25])
def test_examples_do_not_notice_each_other(again, max_queries):
    plan = Settings(steps=3, top_k=3, beam=2, again=again, max_queries=max_queries)
    # Twice the same: not even these share answers.
    examples = [*make_examples(), make_examples()[0]]
    target = NumberTarget(3)
    together = attack(examples, target, NumberSubstitutes(3), plan)
    alone = [attack([example], NumberTarget(3), NumberSubstitutes(3), plan)[0] for example in examples]
    assert together == alone
    # All examples of a stage are asked about in one call, the longest pairs first.
    assert len(target.calls) <= 1 + 2 * plan.steps
    for call in target.calls:
        lengths = [len(first.words) + len(second.words) for first, second in call]
        assert lengths == sorted(lengths, reverse=True)
    assert sum(outcome.queries for outcome in together) == len(target.asked)


def test_both_stages_ask_what_the_paper_says():
    example = make_example(*EXAMPLES[1])
    target, substitutes = NumberTarget(0, 0.0, 0.4), NumberSubstitutes(0)
    [outcome] = attack([example], target, substitutes, Settings(steps=1, top_k=3, beam=2))
    original, blanked, substituted = target.calls
    assert original == [example.pair]
    # Red and old, house or dog with river or Paris.
    assert set(example.positions) == {(1, 1), (2, 2), (2, 4), (4, 2), (4, 4)}
    wanted = [(example.first.with_word(i, "[PAD]"), example.second.with_word(j, "[PAD]")) for i, j in example.positions]
    assert sorted(blanked) == sorted(wanted)
    # The two positions that leave the target least sure of the gold label, and three words for each.
    [questions] = substitutes.calls
    scores = {pair: 1 - probability for pair, probability in zip(wanted, NumberTarget(0, 0.0, 0.4)(wanted))}
    lowest = sorted(wanted, key=lambda pair: scores[pair])[:2]
    assert [(q.i, q.j) for q in questions] == [example.positions[wanted.index(pair)] for pair in lowest]
    assert len(substituted) == 6 and outcome.queries == 1 + 5 + 6
    assert outcome.status == FAILED and len(outcome.changes) == 1


def test_repeated_queries_are_asked_once():
    # Two pairs of positions in either order lead to the same modifications.
    example = make_example(["dog", "sees"], ["dog", "sees"], 1)
    target = NumberTarget(0, 0.6, 1.0)
    [outcome] = attack([example], target, NumberSubstitutes(0, ["cat", "sea"]), Settings(steps=2, top_k=2, beam=9))
    assert outcome.cached > 0 and len(set(target.asked)) == len(target.asked) == outcome.queries
    # With `again`, later steps come back to what earlier ones asked.
    target = NumberTarget(0, 0.6, 1.0)
    plan = Settings(steps=3, top_k=2, beam=9, again=True)
    [more] = attack([example], target, NumberSubstitutes(0, ["cat", "sea"]), plan)
    assert more.cached > outcome.cached and len(set(target.asked)) == len(target.asked) == more.queries
    assert more.after <= outcome.after


@pytest.mark.parametrize("max_queries", [1, 2, 3, 7, 20, 40])
def test_a_budget_is_kept(max_queries):
    target = NumberTarget(0, 0.0, 0.4)
    plan = Settings(steps=3, top_k=3, beam=5, max_queries=max_queries)
    [outcome] = attack([make_example(*EXAMPLES[1])], target, NumberSubstitutes(0), plan)
    assert outcome.queries == len(target.asked) <= max_queries
    # With one query there is nothing but the example; with three a position and a word can be tried.
    assert bool(outcome.changes) == (max_queries >= 3)
    assert outcome.status == (FAILED if outcome.changes else SKIPPED)


def test_a_small_budget_is_not_spent_on_the_beginning_alone():
    """The first stage asks about position pairs everywhere, the second about the likeliest words of all of these."""
    words = ["dog", "river", "house", "Paris"] * 10
    example = make_example(words, words, 0)
    target, substitutes = NumberTarget(0, 0.0, 0.4), NumberSubstitutes(0)
    attack([example], target, substitutes, Settings(steps=1, top_k=3, beam=8, max_queries=1 + 40))
    _, blanked, substituted = target.calls
    places = [pair[side].words.index("[PAD]") for pair in blanked for side in (0, 1)]
    assert len(blanked) == 20 and min(places) < 10 and max(places) >= 30
    # Twenty are left for eight position pairs with three words each: all have two of them, half the third.
    [questions] = substitutes.calls
    offered = NumberSubstitutes(0)(questions, 3)
    tried = {
        (one.with_word(q.i, word), two.with_word(q.j, word)): rank
        for q, found in zip(questions, offered)
        for rank, word in enumerate(found)
        for one, two in [example.pair]
    }
    assert sorted(tried[pair] for pair in substituted) == [0] * 8 + [1] * 8 + [2] * 4


def test_what_is_skipped():
    wrong = make_example(*EXAMPLES[0])
    nothing = make_example(["the", "dog"], ["of", "river"], 1)
    outcomes = attack([wrong, nothing], NumberTarget(0, 0.0, 0.4), NumberSubstitutes(), Settings())
    assert [(each.status, each.reason) for each in outcomes] == [(SKIPPED, ALREADY_WRONG)] * 2
    assert not any(each.right_before or each.right_after for each in outcomes)
    outcomes = attack([nothing], NumberTarget(0, 0.6, 1.0), NumberSubstitutes(), Settings())
    assert [(each.status, each.reason) for each in outcomes] == [(SKIPPED, NO_POSITION)]
    assert all(each.right_before and each.right_after and each.pair == nothing.pair for each in outcomes)
    assert outcomes[0].queries == 1


def test_a_tie_is_no_paraphrase():
    """As in `paws evaluate`: above 0.5 is a paraphrase."""
    [positive] = attack([make_example(*EXAMPLES[0])], NumberTarget(0, 0.5, 0.5), NumberSubstitutes(), Settings())
    [negative] = attack([make_example(*EXAMPLES[1])], NumberTarget(0, 0.5, 0.5), NumberSubstitutes(), Settings(steps=1))
    assert positive.reason == ALREADY_WRONG
    assert negative.status == FAILED and negative.before == negative.after == 0.5


def test_the_presets_are_the_papers():
    assert PRESETS["qqp"] == Settings() == Settings(steps=5, top_k=25, beam=25)
    assert PRESETS["mrpc"] == Settings(steps=10, top_k=50, beam=50)


@pytest.mark.parametrize("name,value", [("steps", 0), ("top_k", 0), ("beam", 0), ("max_queries", -1)])
def test_settings_that_make_no_sense(name, value):
    with pytest.raises(PawsError, match=f"S003.*{name}"):
        Settings(**{name: value})
