from collections import Counter
from itertools import product

import pytest

from paws_components.curation.balancing import REASONS, balance, by_source, combined_label, has_counterpart, thin_out
from paws_components.records import PairRecord


def swap(one, other, label=0, source="silver"):
    return PairRecord(one, other, label=label, label_source=source, generator="word_swap")


def back(one, other, label=1, source="silver"):
    return PairRecord(one, other, label=label, label_source=source, generator="back_translation")


def labelled(pairs):
    return {(pair.sentence1, pair.sentence2): pair.label for pair in pairs}


def reasons(done):
    return Counter(drop.reason for drop in done.dropped)


def test_labels_of_a_chain():
    assert combined_label([1, 1]) == 1
    assert combined_label([0, 1]) == combined_label([1, 0, 1]) == 0
    assert combined_label([0, 0]) is None and combined_label([1, None]) is None


def test_a_swap_with_back_translations_of_both_sentences():
    done = balance([swap("a b", "b a")], [back("a b", "a so b"), back("b a", "b so a")])
    assert labelled(done.pairs) == {
        ("a b", "b a"): 0,
        ("a b", "a so b"): 1,
        ("b a", "b so a"): 1,
        ("b a", "a so b"): 0,
        ("b so a", "a b"): 0,
        ("b so a", "a so b"): 0,
    }
    assert len({pair.source_id for pair in done.pairs}) == 1
    assert {pair.label_source for pair in done.pairs} == {"silver"}
    made = [pair for pair in done.pairs if pair.generator == "recombined"]
    assert [len(pair.evidence["from"]) for pair in made] == [2, 2, 3] and done.recombined == 3
    assert done.dropped == [] and done.auxiliary == []


@pytest.mark.parametrize("swapped, first, second", product((0, 1), repeat=3))
def test_every_rule_of_figure_1(swapped, first, second):
    """Paraphrase if no link on the way is negative, not one if exactly one is, dropped and counted if more are."""
    done = balance(
        [swap("a b", "b a", swapped, "human")],
        [back("a b", "a so b", first, "human"), back("b a", "b so a", second, "human")],
    )
    links = {
        ("b a", "a so b"): (swapped, first),
        ("b so a", "a b"): (swapped, second),
        ("b so a", "a so b"): (swapped, first, second),
    }
    expected = {ends: 1 - labels.count(0) for ends, labels in links.items() if labels.count(0) < 2}
    found = labelled(pair for pair in done.pairs if pair.generator == "recombined")
    assert found == expected
    assert reasons(done) == Counter({"two_negatives": 3 - len(expected)} if len(expected) < 3 else {})
    # What people labelled all comes out.
    assert len([pair for pair in done.pairs if pair.generator != "recombined"]) == 3
    assert {pair.label_source for pair in done.pairs} == {"human"}


def test_all_back_translations_go_in():
    """Also those that differ in case or punctuation alone, are the sentence itself, or come of no swap."""
    pairs = [back("a b", "A b."), back("a b", "a b"), back("e f", "f e"), back("A b", "a so b", 0)]
    done = balance([swap("a b", "b a")], pairs)
    direct = [pair for pair in done.pairs if pair.generator == "back_translation"]
    assert labelled(direct) == labelled(pairs)
    # "A b" is "a b" in another spelling: it belongs to the same source.
    assert len({pair.source_id for pair in direct}) == 2
    # (b a, A b.) says what the swap says already; (b a, a so b) has two negative links.
    assert reasons(done) == {"said_already": 2, "two_negatives": 1}


def test_what_has_no_counterpart_is_the_auxiliary_set():
    swaps, translations = [swap("a b", "b a"), swap("c d", "d c")], [back("A b.", "a so b")]
    assert [has_counterpart(one, by_source(translations)) for one in swaps] == [True, False]
    done = balance(swaps, translations)
    assert done.auxiliary == [swaps[1]] and all("c" not in pair.sentence1 for pair in done.pairs)
    alone = balance(swaps, [])
    assert alone.pairs == [] and alone.auxiliary == swaps


def test_every_drop_of_a_labelled_pair_has_its_reason():
    swaps = [
        swap("a b", "b a"),
        swap("b a", "a b"),  # the same pair again
        swap("c d", "d c", 1),  # and with the other label below
        swap("e f", "e f", 0),  # nobody can mean that
        swap("g h", "h g", None),
        swap("i j", "i j", 1),  # fixed back to its source: the paper keeps it
    ]
    done = balance(swaps, [back("c d", "d c", 0), back("a b", "a so b")])
    found = reasons(done)
    assert found == {"duplicate": 1, "contradiction": 2, "identical_negative": 1, "unlabelled": 1}
    assert set(found) <= set(REASONS)
    kept = [pair for pair in (*done.pairs, *done.auxiliary) if pair.generator != "recombined"]
    assert len(swaps) + 2 == len(kept) + sum(found.values())
    assert ("i j", "i j") in labelled(done.auxiliary)
    counts = done.counts()
    assert counts["pairs"] == len(done.pairs) and counts["dropped_contradiction"] == 2


def test_people_may_see_a_comma_and_silver_can_not():
    for source, dropped in (("human", {}), ("silver", {"contradiction": 2})):
        done = balance([swap("a b", "b a", 0, source)], [back("a b", "b a!", 1, source)])
        found = {why: count for why, count in reasons(done).items() if why == "contradiction"}
        assert found == dropped, source
    # What is recombined is dropped where it is the same sentence twice and said not to be a paraphrase.
    done = balance([swap("a b", "b a", 0, "human")], [back("a b", "b a!", 1, "human")])
    assert reasons(done) == {"derived_contradiction": 1}


def test_two_ways_to_one_pair_must_agree():
    # Both swaps share their sentences with the translations: (x, y) comes as 1 on one way, and as 0 on the other.
    swaps = [swap("a b", "b a", 1), swap("c d", "d c", 0)]
    translations = [back("a b", "y"), back("b a", "x"), back("c d", "y"), back("d c", "x")]
    done = balance(swaps, translations)
    assert ("x", "y") not in labelled(done.pairs) and reasons(done)["derived_contradiction"] == 2


def test_thinning_leaves_the_share_that_is_wanted():
    pairs = [PairRecord(str(i), "x", label=int(i % 4 == 0)) for i in range(40)]
    drawn = thin_out(pairs, 0.4, seed=1)
    assert sum(pair.label for pair in drawn) == 10 and len(drawn) == 25
    assert drawn == thin_out(pairs, 0.4, seed=1) != thin_out(pairs, 0.4, seed=2)
    assert [pairs.index(pair) for pair in drawn] == sorted(pairs.index(pair) for pair in drawn)
    assert thin_out(pairs, 0) == thin_out(pairs, 0.1) == pairs
