"""What a table of metrics keeps of the rows that it measures."""

import csv

import pytest

from paws_components.metrics.job import MetricsJob, MetricsTable
from paws_components.readers import open_pairs, read_pairs

JOB = MetricsJob(["bow_cosine"])


def measure(source, output, **settings):
    limit = settings.pop("limit", None)
    return MetricsTable(str(source), str(output), JOB, **settings)(limit=limit, quiet=True)


def test_labels_that_are_not_ours_are_kept(tmp_path):
    source = tmp_path / "pairs.tsv"
    source.write_text("premise\thypothesis\tgold\tx\na b\tb a\tneutral\t1\nc\td\t1.0\t2\ne\tf\tmaybe\t3\ng\th\t\t4\n")
    measure(source, tmp_path / "out.jsonl", columns=["premise", "hypothesis", "gold"])
    found = list(read_pairs(tmp_path / "out.jsonl"))
    assert [(record.label, record.nli) for record in found] == [
        (None, "neutral"),
        (1, None),
        (None, None),
        (None, None),
    ]
    assert [record.evidence for record in found] == [
        {"x": "1", "bow_cosine": 1.0},
        {"x": "2", "bow_cosine": 0.0},
        {"x": "3", "label": "maybe", "bow_cosine": 0.0},
        {"x": "4", "bow_cosine": 0.0},
    ]


@pytest.mark.parametrize("ending", [".tsv", ".csv"])
def test_a_score_replaces_the_column_of_its_name(tmp_path, ending):
    source, out = tmp_path / "pairs.tsv", tmp_path / f"out{ending}"
    source.write_text("sentence1\tbow_cosine\tsentence2\na b\t0.9\tb a\n")
    measure(source, out)
    (row,) = open_pairs(out)
    assert row.columns == {"sentence1": "a b", "sentence2": "b a", "bow_cosine": "1.0"}
    assert list(row.columns)[-1] == "bow_cosine"


def test_corpora_are_read_as_everywhere_else(tmp_path, data_dir):
    """The new sentences of MRPC-R1, the votes of Twitter, the decimals of QQP, and no rows without text."""
    source = data_dir / "mrpc" / "mrpc_train_corrected.csv"
    done = measure(source, tmp_path / "r1.csv")
    with (
        source.open(encoding="utf8", newline="") as lines,
        (tmp_path / "r1.csv").open(encoding="utf8", newline="") as new,
    ):
        given, found = list(csv.DictReader(lines)), list(csv.DictReader(new))
    changed = [i for i, row in enumerate(given) if row["remarks"] == "corrected" and row["og_s2"] != row["new_s2"]]
    new_sentences = [(given[i]["new_s1"], given[i]["new_s2"]) for i in changed]
    (tmp_path / "only.tsv").write_text("s1\ts2\n" + "".join(f"{a}\t{b}\n" for a, b in new_sentences), encoding="utf8")
    measure(tmp_path / "only.tsv", tmp_path / "only.jsonl", columns=["s1", "s2"])
    expected = [record.evidence["bow_cosine"] for record in read_pairs(tmp_path / "only.jsonl")]
    assert changed and [float(found[i]["bow_cosine"]) for i in changed] == pytest.approx(expected)
    assert done.tally.rows == done.tally.found == len(given)

    measure(data_dir / "twitter_url" / "Twitter_URL_Corpus_test.txt", tmp_path / "t.jsonl", limit=1000)
    assert {record.label for record in read_pairs(tmp_path / "t.jsonl")} == {0, 1, None}
    measure(data_dir / "qqp" / "quora-dev.tsv", tmp_path / "q.jsonl", limit=1000)
    assert {record.label for record in read_pairs(tmp_path / "q.jsonl")} == {0, 1}
    with pytest.warns(UserWarning, match="W026.*'de'"):
        done = measure(data_dir / "pawsx" / "de" / "dev_2k.tsv", tmp_path / "de.jsonl")
    assert (done.tally.rows, done.tally.found, done.tally.errors) == (2000, 1932, 0)
