import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paws_components.curation.audit import audit
from paws_components.curation.repair import CHANGES, DROPS, repair
from paws_components.errors import PawsError
from paws_components.readers import open_pairs
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

HEAD = "id\tsentence1\tsentence2\tlabel\n"
GOOD = "1\tAnn saw Bob\tBob saw Ann\t0\n2\tIt is late now\tIt is now late\t1\n"
# For each repair: the rows that need it, whether the corpus is for training, and how many rows it concerns.
CASES = {
    "bytes_literal": ("3\tb'x \\xc3\\xa9'\tb'y'\t0\n", False, 1),
    "white_space": ("3\tx  y\tz \t0\n", False, 1),
    "label_encoding": ("3\tx\ty\t0.0\n", False, 1),
    "identical_label": ("3\tx y\tx y\t0\n", True, 1),
    "unreadable": ("3\tx\ty\tz\t0\n", False, 1),
    "stray_line": ("\nhalf a line\n", False, 2),
    "empty_sentence": ("3\t\ty\t0\n", False, 1),
    "placeholder": ("3\tNS\ty\t0\n", False, 1),
    "label_missing": ("3\tx\ty\t\n", False, 1),
    "label_unknown": ("3\tx\ty\t7\n", False, 1),
    "contradictory_pair": ("3\tBob saw Ann\tAnn saw Bob\t1\n", False, 2),
    "duplicate_pair": ("3\tBob saw Ann\tAnn saw Bob\t0\n", False, 1),
    "identical_pair": ("3\tx y\tx y\t1\n", False, 1),
}
# These need more than a row, and have tests of their own.
APART = {"column_count", "ptb_tokens", "label_reference", "label_undecided", "shared_pair"}


def run(folder, text, ending=".jsonl", **settings):
    path = folder / "corpus.tsv"
    path.write_bytes(text.encode("utf8"))
    return repair_file(folder, path, ending, **settings)


def repair_file(folder, path, ending=".jsonl", **settings):
    output, manifest = folder / f"clean{ending}", folder / "manifest.jsonl"
    counts = repair(path, output, manifest, **settings)
    lines = [json.loads(line) for line in manifest.read_text(encoding="utf8").splitlines()]
    # Rows with an empty sentence are not pairs, but may have been asked for.
    records = [row.to_record() for row in open_pairs(output)]
    assert counts.rows == counts.kept + counts.changed + counts.dropped
    assert len(records) == counts.kept + counts.changed
    assert [line["action"] for line in lines].count("dropped") == counts.dropped
    assert [line["action"] for line in lines].count("changed") == counts.changed
    return counts, records, lines


def test_every_repair_has_a_case():
    assert {*CASES, *APART} == {*CHANGES, *DROPS}


@pytest.mark.parametrize("name", list(CASES))
def test_repairs(tmp_path, name):
    rows, train, number = CASES[name]
    counts, records, lines = run(tmp_path, HEAD + GOOD + rows, train=train)
    assert counts.reasons == {name: number}
    assert [line["reasons"] for line in lines] == [[name]] * number
    assert (name in DROPS) == bool(counts.dropped)
    assert all(line["line"] >= 2 for line in lines)


@pytest.mark.parametrize("name", [name for name in CASES if name in DROPS and name not in ("unreadable", "stray_line")])
def test_skip(tmp_path, name):
    rows, train, _ = CASES[name]
    counts, records, _ = run(tmp_path, HEAD + GOOD + rows, train=train, skip=[name, "duplicate_pair"])
    assert counts.dropped == 0 and len(records) == 3


def test_clean_corpus_comes_out_as_it_went_in(tmp_path):
    counts, records, lines = run(tmp_path, HEAD + GOOD, ".tsv")
    assert (counts.kept, counts.changed, counts.dropped, lines) == (2, 0, 0, [])
    assert (tmp_path / "clean.tsv").read_text() == HEAD + GOOD


def test_tokens_only_where_most_rows_have_them(tmp_path):
    tokens = "".join(f"{i}\tHe said `` {i} '' .\tHe did n't , {i}\t0\n" for i in range(3, 9))
    counts, records, lines = run(tmp_path, HEAD + GOOD + tokens)
    assert counts.reasons == {"ptb_tokens": 6}
    assert records[2].sentence1 == 'He said "3".' and records[2].sentence2 == "He didn't, 3"
    assert lines[0]["before"]["sentence1"] == "He said `` 3 '' ." and lines[0]["after"]["sentence1"] == 'He said "3".'
    french = "".join(f"{i}\tQui est-ce {i}\tC'est le numéro {i}\t0\n" for i in range(4, 9))
    counts, records, _ = run(tmp_path, HEAD + "3\tQui est là ?\tQui est ici\t0\n" + french)
    assert counts.changed == 0 and records[0].sentence1 == "Qui est là ?"
    counts, records, _ = run(tmp_path, HEAD + "3\tWho is there ?\tWho is here\t0\n" + french, tokens=True)
    assert records[0].sentence1 == "Who is there?"


def test_identical_pairs_stay_in_train(tmp_path):
    text = HEAD + GOOD + "3\tx y\tx y\t1\n"
    assert len(run(tmp_path, text, train=True)[1]) == 3
    assert len(run(tmp_path, text, train=False)[1]) == 2
    path = tmp_path / "my_train.tsv"
    path.write_text(text)
    assert len(repair_file(tmp_path, path)[1]) == 3  # by its name


def test_identical_pairs_relabelled_by_rule(tmp_path):
    _, records, lines = run(tmp_path, HEAD + GOOD + "3\tx y\tx y\t0\n", train=True)
    assert (records[2].label, records[2].label_source) == (1, "rule")
    assert lines[0]["before"]["label"] == "0" and lines[0]["after"]["label"] == 1


def test_reference(tmp_path):
    (tmp_path / "en.tsv").write_text(HEAD + GOOD)
    counts, records, _ = run(tmp_path, HEAD + GOOD.replace("late\t1", "late\t0"), reference=tmp_path / "en.tsv")
    assert counts.reasons == {"label_reference": 1} and [record.label for record in records] == [0, 1]


def test_against(tmp_path):
    (tmp_path / "test.tsv").write_text(HEAD + "8\tBob saw Ann .\tann saw Bob .\t0\n")
    counts, records, _ = run(tmp_path, HEAD + GOOD, against=[tmp_path / "test.tsv"])
    assert counts.reasons == {"shared_pair": 1} and records[0].id == "2"


def test_votes(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a b\tc d\t(6,6)\tu\n\ne f\tg h\t(3,6)\tu\ni j\tk l\t(2,6)\t\tu\n")
    counts, records, _ = repair_file(tmp_path, path)
    assert [record.label for record in records] == [1, 0]
    assert counts.reasons == {"label_encoding": 2, "column_count": 1, "stray_line": 1, "label_undecided": 1}


def test_ids_stay(tmp_path):
    assert [record.id for record in run(tmp_path, HEAD + GOOD)[1]] == ["1", "2"]


def test_records_keep_their_fields(tmp_path):
    record = PairRecord("a  b", "b a", 1, "silver", "word_swap", evidence={"gap": 0.5})
    with RecordWriter(tmp_path / "in.jsonl") as writer:
        writer.write(record)
    _, (out,), _ = repair_file(tmp_path, tmp_path / "in.jsonl")
    assert out.sentence1 == "a b"
    assert (out.id, out.generator, out.evidence, out.label_source) == (record.id, "word_swap", {"gap": 0.5}, "silver")


def test_nli(tmp_path):
    path = tmp_path / "nli.tsv"
    path.write_text("premise\thypothesis\tlabel\na dog runs\tit runs\tentailment\nit runs\ta dog runs\tneutral\n")
    _, records, _ = repair_file(tmp_path, path)
    assert [record.nli for record in records] == ["entailment", "neutral"]
    with pytest.raises(PawsError, match="P151"):
        repair(path, tmp_path / "x.tsv", tmp_path / "m.jsonl")


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    assert len(run(tmp_path, HEAD + GOOD, ".parquet")[1]) == 2


def test_errors(tmp_path):
    path = tmp_path / "c.tsv"
    path.write_text(HEAD + GOOD)
    with pytest.raises(PawsError, match="P150"):
        repair(path, path, tmp_path / "m.jsonl")
    with pytest.raises(PawsError, match="P150"):
        repair(path, tmp_path / "o.tsv", path)
    with pytest.raises(PawsError, match="P148"):
        repair(path, tmp_path / "o.tsv", tmp_path / "m.jsonl", skip=["stray_line"])
    with pytest.raises(PawsError, match="P011"):
        repair(path, tmp_path / "o.doc", tmp_path / "m.jsonl")
    with pytest.raises(PawsError, match="P020"):
        repair(path, tmp_path / "o.tsv", tmp_path / "m.jsonl", reference=tmp_path / "none.tsv")
    assert not (tmp_path / "o.tsv").exists()
    assert path.read_text() == HEAD + GOOD


FIELD = st.sampled_from(["a b", "b a", "a  b", "NS", "", "b'a b'", "x , y", '"a', "é"])
ROW = st.tuples(st.sampled_from(["1", "2", ""]), FIELD, FIELD, st.sampled_from(["0", "1", "1.0", "", "9", "0\t1"]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(ROW.map("\t".join), st.just(""), st.just("stray")), max_size=12), st.booleans())
def test_every_row_is_accounted_for(tmp_path, rows, train):
    text = HEAD + "".join(row + "\n" for row in rows)
    # The layout is named: it is the repair that is tested, not the guess from such rows.
    counts, _, lines = run(tmp_path, text, layout="paws_wiki", train=train)
    assert counts.rows == len(rows)
    assert len({line["line"] for line in lines}) == len(lines)


@pytest.mark.parametrize(
    "name, rows", [("paws_wiki/dev.tsv", 8000), ("pawsx/ko/dev_2k.tsv", 2000), ("qqp/quora-dev.tsv", 20214)]
)
def test_real_corpora_are_clean_afterwards(tmp_path, data_dir, name, rows):
    counts, _, _ = repair_file(tmp_path, data_dir / name)
    assert counts.rows == rows
    levels = {item.level for item in audit({"clean": tmp_path / "clean.jsonl"})}
    assert "error" not in levels


def test_real_bytes_literals(tmp_path, data_dir):
    folder = data_dir / "paws_qqp"
    first = repair_file(tmp_path, folder / "dev_and_test.tsv")[1]
    second = repair_file(tmp_path, folder / "dev_and_test.bytes_repr_quirk.tsv")[1]
    assert first == second and len(first) > 600


def test_real_twitter_as_published(tmp_path, data_dir):
    path = data_dir / "twitter_url" / "Twitter_URL_Corpus_test.txt"
    counts, records, _ = repair_file(tmp_path, path, skip=["duplicate_pair", "contradictory_pair"])
    assert (counts.rows, len(records)) == (10370, 9334)


def test_real_train_keeps_its_identical_pairs(tmp_path, data_dir):
    _, records, _ = repair_file(tmp_path, data_dir / "paws_qqp" / "train.tsv")
    assert sum(record.sentence1 == record.sentence2 for record in records) > 1200
