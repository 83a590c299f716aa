from paws_components.curation.balancing import by_source, combined_label, has_counterpart, recombine, thin_out
from paws_components.records import PairRecord


def swap(one, other, label=0):
    return PairRecord(one, other, label=label, label_source="silver", generator="word_swap")


def back(one, other, label=1):
    return PairRecord(one, other, label=label, label_source="silver", generator="back_translation")


def labelled(pairs):
    return {(pair.sentence1, pair.sentence2): pair.label for pair in pairs}


def test_labels_of_a_chain():
    assert combined_label([1, 1]) == 1
    assert combined_label([0, 1]) == combined_label([1, 0, 1]) == 0
    assert combined_label([0, 0]) is None and combined_label([1, None]) is None


def test_a_swap_with_back_translations_of_both_sentences():
    pairs = recombine([swap("a b", "b a")], [back("a b", "a so b"), back("b a", "b so a")])
    assert labelled(pairs) == {
        ("a b", "b a"): 0,
        ("a b", "a so b"): 1,
        ("b a", "b so a"): 1,
        ("b a", "a so b"): 0,
        ("b so a", "a b"): 0,
        ("b so a", "a so b"): 0,
    }
    assert len({pair.source_id for pair in pairs}) == 1 and {pair.label_source for pair in pairs} == {"silver"}
    made = [pair for pair in pairs if pair.generator == "recombined"]
    assert [len(pair.evidence["from"]) for pair in made] == [2, 2, 3]


def test_human_labels_follow_the_rules():
    pairs = labelled(recombine([swap("a b", "b a", 1)], [back("a b", "a so b", 0), back("b a", "b so a")]))
    assert pairs["b a", "a so b"] == 0 and pairs["b so a", "a b"] == 1 and pairs["b so a", "a so b"] == 0
    # Two that are not paraphrases: nobody knows of the third.
    pairs = labelled(recombine([swap("a b", "b a", 0)], [back("a b", "a so b", 0)]))
    assert set(pairs) == {("a b", "b a"), ("a b", "a so b")}


def test_what_has_no_counterpart_stays_apart():
    swaps, translations = [swap("a b", "b a"), swap("c d", "d c")], [back("A b.", "a so b")]
    assert [has_counterpart(one, by_source(translations)) for one in swaps] == [True, False]
    assert all("c" not in pair.sentence1 for pair in recombine(swaps, translations))
    assert recombine(swaps, []) == []


def test_contradictions_and_equal_sentences_are_left_out():
    # One translation is the swap itself; another is the same for both sentences.
    pairs = recombine([swap("a b", "b a")], [back("a b", "B a ."), back("a b", "a so b"), back("b a", "a so b")])
    assert labelled(pairs) == {}
    pairs = recombine([swap("a b", "b a"), swap("a b", "b a")], [back("a b", "a so b")])
    assert len(pairs) == len(labelled(pairs)) == 3


def test_thinning_leaves_the_share_that_is_wanted():
    pairs = [PairRecord(str(i), "x", label=int(i % 4 == 0)) for i in range(40)]
    drawn = thin_out(pairs, 0.4, seed=1)
    assert sum(pair.label for pair in drawn) == 10 and len(drawn) == 25
    assert drawn == thin_out(pairs, 0.4, seed=1) != thin_out(pairs, 0.4, seed=2)
    assert [pairs.index(pair) for pair in drawn] == sorted(pairs.index(pair) for pair in drawn)
    assert thin_out(pairs, 0) == thin_out(pairs, 0.1) == pairs
