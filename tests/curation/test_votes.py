import json
from random import Random

import pytest

from paws_components.curation.agreement import alpha, kappa
from paws_components.curation.votes import (
    Vote,
    decide,
    fleiss_kappa,
    human_agreement,
    krippendorff_alpha,
    majority,
    measure_agreement,
    rater_agreement,
    read_votes,
    write_votes,
)
from paws_components.errors import PawsError
from paws_components.records import PairRecord

# Fleiss (1971), as it is printed everywhere: ten subjects, fourteen raters, five categories; kappa is 0.210.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def votes_of(*items, is_model=False):
    """Votes by item: item0 gets the first answers, by raters a, b, c, …"""
    return [
        Vote(f"item{i}", "abcdefg"[k], answer, is_model)
        for i, answers in enumerate(items)
        for k, answer in enumerate(answers)
    ]


def pairs_of(count):
    return [PairRecord(f"one {i}", f"two {i}", id=f"item{i}") for i in range(count)]


def test_the_majority():
    assert majority([1, 0, 1, 1, 0]) == 1 and majority([3, 3, 2]) == 3
    assert majority([1, 0]) is None and majority([]) is None


def test_agreement_by_hand():
    # Fifteen labels; with their majorities are 5 + 4 + 3 = 12 of them.
    votes = votes_of([1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [0, 1, 1, 0, 1])
    assert human_agreement(votes) == pytest.approx(12 / 15)
    raters = rater_agreement(votes)
    assert {name: (one.agreeing, one.answers) for name, one in raters.items()} == {
        "a": (2, 3),
        "b": (3, 3),
        "c": (3, 3),
        "d": (2, 3),
        "e": (2, 3),
    }
    # By hand: of ten pairs of raters agree 10, 6 and 4; nine of fifteen labels are 1.
    observed, expected = (10 + 6 + 4) / 30, (9 / 15) ** 2 + (6 / 15) ** 2
    assert fleiss_kappa(votes) == pytest.approx((observed - expected) / (1 - expected))
    # Krippendorff counts the chance of two different labels without putting the first back.
    unlike = 2 * 9 * 6 / (15 * 14)
    assert krippendorff_alpha(votes) == pytest.approx(1 - (1 - observed) / unlike)


def test_the_kappa_that_was_published():
    items = [[value for value, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    assert kappa(items) == pytest.approx(0.210, abs=0.0005)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_the_referee_says_the_same(level, seed):
    """The `krippendorff` package, on answers of which some are missing; and, through it, kappa on whole ones."""
    referee = pytest.importorskip("krippendorff")
    random = Random(seed)
    leaning = [random.choice((1, 1, 2, 3)) for _ in range(40)]
    answers = [[one if random.random() < 0.7 else random.choice((1, 2, 3)) for _ in range(5)] for one in leaning]
    whole = [list(column) for column in zip(*answers)]
    found = referee.alpha(reliability_data=whole, level_of_measurement=level)
    assert alpha(answers, level) == pytest.approx(found)
    if level == "nominal":
        labels = 40 * 5
        assert kappa(answers) == pytest.approx(1 - (1 - found) * labels / (labels - 1))
    held = [[one if random.random() < 0.8 else None for one in row] for row in answers]
    gaps = [[float("nan") if one is None else one for one in column] for column in zip(*held)]
    found = referee.alpha(reliability_data=gaps, level_of_measurement=level)
    assert alpha([[one for one in row if one is not None] for row in held], level) == pytest.approx(found)


def test_what_tells_nothing_is_none():
    assert kappa([]) is None and alpha([]) is None and human_agreement([]) is None
    assert kappa([[1], [0]]) is None and alpha([[1], [0]]) is None
    assert kappa([[1, 1], [1, 1]]) is None and alpha([[1, 1], [1, 1]]) is None
    assert kappa([[1, 1], [0, 0]]) == 1.0 == alpha([[1, 1], [0, 0]])
    with pytest.raises(PawsError, match="P015"):
        alpha([[1, 1]], "ratio")


def test_models_are_never_counted_as_people():
    people = votes_of([1, 1, 1, 1, 0], [0, 0, 0, 0, 0])
    models = [Vote("item0", "mi", 0, True), Vote("item1", "mi", 0, True)]
    alone, both = measure_agreement(people), measure_agreement([*people, *models])
    assert (alone.share, alone.kappa, alone.alpha, alone.votes) == (both.share, both.kappa, both.alpha, both.votes)
    assert alone.raters == both.raters and "mi" not in both.raters
    assert both.models["mi"] == (2, 1, True) and both.models["mi"].share == 0.5
    assert both.to_dict()["models"] == {"mi": {"answers": 2, "agreeing": 1}}
    # Nor do they make up for people who are missing, or break a tie.
    four = [vote for vote in people if vote.rater != "e"]
    assert [one.evidence["votes"]["why"] for one in decide(pairs_of(2), [*four, *models]).rest] == ["too_few_votes"] * 2
    done = decide(pairs_of(1), [*votes_of([1, 0]), models[0]], raters=2, agreeing=2)
    assert done.rest[0].label is None and done.rest[0].evidence["votes"]["models"] == {"mi": 0}


def test_four_of_five_must_agree():
    votes = votes_of([1] * 5, [0, 0, 0, 0, 1], [1, 1, 1, 0, 0], [1, 1])
    done = decide(pairs_of(5), votes)
    assert [(one.id, one.label, one.label_source) for one in done.kept] == [
        ("item0", 1, "human"),
        ("item1", 0, "human"),
    ]
    assert done.kept[1].evidence["votes"] == {"yes": 1, "no": 4}
    assert [(one.id, one.label, one.evidence["votes"]["why"]) for one in done.rest] == [
        ("item2", 1, "low_agreement"),
        ("item3", None, "too_few_votes"),
        ("item4", None, "too_few_votes"),
    ]
    assert [one.id for one in done.waiting] == ["item3", "item4"] and len(done.judged) == 3
    # Before the filter 5 + 4 + 3 of 15, after it 9 of 10.
    assert done.before.share == pytest.approx(12 / 15) and done.after.share == pytest.approx(9 / 10)
    # Of more votes the same share: six of seven are enough, five are not.
    seven = decide(pairs_of(2), votes_of([1] * 6 + [0], [1] * 5 + [0, 0]))
    assert [one.id for one in seven.kept] == ["item0"] and [one.id for one in seven.rest] == ["item1"]
    assert decide(pairs_of(1), votes_of([1] * 5, [1] * 5)).unknown == 5


@pytest.mark.parametrize("bar", [(5, 2), (5, 6), (0, 0), (4, 2)])
def test_a_bar_that_means_nothing(bar):
    with pytest.raises(PawsError, match="P703"):
        decide([], [], *bar)
    with pytest.raises(PawsError, match="P704.*'a'.*item0.*3"):
        decide(pairs_of(1), votes_of([3]))


@pytest.mark.parametrize("name", ["votes.jsonl", "votes.tsv", "votes.csv", "votes.csv.gz"])
def test_votes_on_disk(tmp_path, name):
    votes = [*votes_of([1, 0], [1]), Vote("item0", "a model, big", 1, True)]
    assert write_votes(votes, tmp_path / "plain.jsonl") == 4
    if name.endswith(".jsonl"):
        lines = (tmp_path / "plain.jsonl").read_text(encoding="utf8").splitlines()
        assert json.loads(lines[0]) == {"item_id": "item0", "rater": "a", "answer": 1, "is_model": False}
    assert write_votes(votes, tmp_path / name) == 4 and read_votes(tmp_path / name) == votes


@pytest.mark.parametrize(
    "line, told",
    [
        ('{"item_id": "x", "rater": "a"}', "answer None"),
        ('{"item_id": "x", "rater": "a", "answer": 1.5}', "answer 1.5"),
        ('{"item_id": "x", "rater": "a", "answer": true}', "answer True"),
        ('{"item_id": "", "rater": "a", "answer": 1}', "no item_id"),
        ('{"item_id": "x", "answer": 1}', "no rater"),
        ('{"item_id": "x", "rater": "a", "answer": 1, "is_model": "maybe"}', "is_model"),
        ('["x"]', "not a JSON object"),
        ("{", "Expecting"),
    ],
)
def test_lines_that_are_no_votes(tmp_path, line, told):
    path = tmp_path / "votes.jsonl"
    path.write_text('{"item_id": "x", "rater": "b", "answer": 1, "seconds": 3.2}\n\n' + line + "\n", encoding="utf8")
    with pytest.raises(PawsError, match=f"P701.*Line 3 .*{told}"):
        read_votes(path)


def test_a_rater_answers_an_item_once(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("rater,item_id,answer,note\nann,x,1,\nben,x,0,sure\nann,x,0,\n", encoding="utf8")
    with pytest.raises(PawsError, match="P702.*'ann'.*'x' twice, in lines 2 and 4"):
        read_votes(path)
    with pytest.raises(PawsError, match="P011"):
        read_votes(tmp_path / "votes.parquet")
    with pytest.raises(PawsError, match="P020"):
        read_votes(tmp_path / "none.csv")
