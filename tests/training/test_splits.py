import pytest

from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.training.labelled import Pair
from paws_components.training.splits import across, drop_shared, read_split, write_splits

ROWS = [
    "id\tsentence1\tsentence2\tlabel",
    "1\tA b .\tB a .\t0",
    "2\tC d .\tD c .\t1",
    "3\tE f .\tF e .\t",
    "4\tG\tH\t9",
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "paws.tsv"
    path.write_text("\n".join(ROWS) + "\n", encoding="utf8")
    return path


def test_every_row_is_counted(path):
    counts = {}
    pairs = read_split(path, "paws", counts, "paws_wiki")
    assert [(pair.sentence1, pair.label) for pair in pairs] == [("A b .", "not_paraphrase"), ("C d .", "paraphrase")]
    assert counts == {
        "paws_rows": 4,
        "paws_rows_left_out": 2,
        "paws_rows_left_out_missing": 1,
        "paws_rows_left_out_unknown": 1,
    }


def test_leaks_are_counted(path):
    counts = {}
    pairs = read_split(path, "paws", {})
    assert drop_shared(pairs, [Pair("x", "c D!", "paraphrase", "human", 1)], "leaks", counts) == pairs[:1]
    assert counts == {"leaks": 1}


def test_what_is_written_are_records(path, tmp_path):
    counts = {}
    pairs = read_split(path, "paws", {})
    given = PairRecord("c", "d", label=0, label_source="silver")
    parts = {"train": [*pairs, Pair("a", "b", "paraphrase", "unknown", 5)], "dev": [given]}
    write_splits(parts, tmp_path / "new", counts)
    assert counts == {"train": 3, "train_paraphrases": 2, "dev": 1, "dev_paraphrases": 0}
    assert list(read_pairs(tmp_path / "new" / "dev.jsonl")) == [given]
    records = list(read_pairs(tmp_path / "new" / "train.jsonl"))
    assert [(record.sentence2, record.label, record.label_source) for record in records] == [
        ("B a .", 0, "human"),
        ("D c .", 1, "human"),
        ("b", 1, None),
    ]


def test_judgements_of_nli_are_kept(tmp_path):
    path = tmp_path / "snli.tsv"
    path.write_text("premise\thypothesis\tlabel\nA b c.\tA b.\t0\nA b.\tC d.\t2\n", encoding="utf8")
    counts = {}
    pairs = read_split(path, "snli", counts)
    write_splits({"nli": pairs}, tmp_path / "new", counts)
    assert (counts["nli"], counts["nli_entailments"]) == (2, 1) and "nli_paraphrases" not in counts
    again = read_split(tmp_path / "new" / "nli.jsonl", "again", {})
    assert [pair.label for pair in again] == [pair.label for pair in pairs] == ["entailment", "contradiction"]


def test_an_empty_part_is_said_before_anything_is_written(tmp_path):
    with pytest.raises(PawsError, match=r"\[P152\].*'dev'"):
        write_splits({"train": [PairRecord("a", "b", label=1)], "dev": []}, tmp_path / "other", {})
    assert not (tmp_path / "other").exists()


def test_pairs_across_languages_are_those_with_the_same_id_and_label():
    def pairs(lang, labels):
        return [
            PairRecord(f"{lang} {i}", f"{lang} {i}'", label=label, id=str(i), evidence={"lang": lang})
            for i, label in labels.items()
        ]

    found = across(pairs("de", {1: 1, 2: 0, 3: 1}), pairs("zh", {3: 1, 1: 1, 2: 1, 4: 0}))
    assert [(one.id, one.sentence1, one.sentence2, one.evidence["lang"]) for one in found] == [
        ("1", "de 1", "zh 1'", "de-zh"),
        ("3", "de 3", "zh 3'", "de-zh"),
    ]
