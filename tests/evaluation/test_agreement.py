"""The same pairs in several languages: in how many of them is each judged right?"""

import pytest

from paws_components.errors import PawsError
from paws_components.evaluation.agreement import agreements, check_join, field_of, make_bins, split_by
from paws_components.evaluation.comparison import Comparison, results_of
from paws_components.evaluation.judging import Answers, TestSet
from paws_components.records import PairRecord

LANGS = ("de", "es", "zh")
# What is said of each pair in each language: right in 3, 2, 0 and 0 of them; the last is not in Chinese.
SAID = {"a": "111", "b": "101", "c": "000", "d": "000", "e": "11"}


def pair(key, lang, label):
    return PairRecord(f"{lang} {key} one", f"{lang} {key} two", label=label, id=key, evidence={"lang": lang})


def mixed():
    """One test set with all languages in a row, one after the other for each pair."""
    rows = [pair(key, lang, i % 2) for i, key in enumerate(SAID) for lang in LANGS[: len(SAID[key])]]
    return TestSet("test", "test.jsonl", rows, no_sentence=1)


def answer(test_set, model="bert"):
    cats = []
    for record in test_set.records:
        right = SAID[record.id][LANGS.index(record.evidence["lang"])] == "1"
        score = 0.9 if right == bool(record.label) else 0.1
        cats.append({"paraphrase": score, "not_paraphrase": 1 - score})
    return Answers(model, test_set, cats, None, "paraphrase")


def test_a_test_set_is_told_apart_by_a_field():
    sets = split_by(mixed(), "lang")
    assert [(one.name, len(one.records)) for one in sets] == [("test:de", 5), ("test:es", 5), ("test:zh", 4)]
    assert [one.no_sentence for one in sets] == [1, 0, 0]
    assert field_of(sets[0].records[0], "id") == "a" and field_of(sets[0].records[0], "generator") is None
    assert {one.name for one in split_by(mixed(), "label")} == {"test:0", "test:1"}
    with pytest.raises(PawsError, match="has no 'translator'"):
        split_by(mixed(), "translator")


def test_bins_are_the_papers():
    assert [name for name, *_ in make_bins(7)] == ["0", "1-2", "3-4", "5-6", "7"]
    assert [name for name, *_ in make_bins(2)] == ["0", "1", "2"]
    for count in range(2, 12):
        covered = [i for _, first, last in make_bins(count) for i in range(first, last + 1)]
        assert covered == list(range(count + 1))


def test_pairs_are_joined_by_their_id():
    sets = split_by(mixed(), "lang")
    (found,) = agreements([answer(one) for one in reversed(sets)], "id")
    assert found.counts == [2, 0, 1, 1] and found.bins == {"0": 2, "1-2": 1, "3": 1}
    assert found.pairs == 4 and found.incomplete == 1
    # Each pair that is wrong everywhere, as every language has it.
    assert [[one.sentence1 for one in group] for group in found.nowhere] == [
        [f"{lang} {key} one" for lang in reversed(LANGS)] for key in "cd"
    ]


def test_the_comparison_shows_and_keeps_it():
    sets = split_by(mixed(), "lang")
    comparison = Comparison([answer(one, model) for model in ("bert", "bow") for one in sets], samples=0, join="id")
    for text in (comparison.to_text(), comparison.to_markdown()):
        assert "right in … of 3 test sets" in text and "2 (50.0 %)" in text
        assert "bert: wrong everywhere" in text and "de c one" in text and "zh c one" not in text
    data = comparison.to_dict()
    (one, _) = data["agreements"]
    assert one["pairs"] == sum(one["right_in"].values()) == 4 and one["not_in_all"] == 1
    assert [group["key"] for group in one["wrong_everywhere"]] == ["c", "d"]
    assert one["wrong_everywhere"][0]["test:zh"] == ["zh c one", "zh c two"]
    measured = results_of(data)
    assert measured["bert", "join:id"]["right_in_1-2"].value == 0.25
    assert "accuracy" in measured["bert", "test:de"]
    # Nothing of it without a join.
    plain = Comparison([answer(sets[0])], samples=0)
    assert "agreements" not in plain.to_dict() and "right in …" not in plain.to_text()


def test_what_can_not_be_joined_is_said():
    one, two, _ = split_by(mixed(), "lang")
    check_join([one, two], "id")
    with pytest.raises(PawsError, match="--by"):
        check_join([one], "id")
    with pytest.raises(PawsError, match="twice"):
        check_join([mixed(), one], "id")
    with pytest.raises(PawsError, match="No 'sentence1' is in all"):
        check_join([one, two], "sentence1")
