import gzip
import json
from pathlib import Path

import pytest

from paws_components.errors import PawsError
from paws_components.readers import LAYOUTS, get_layout, open_pairs
from paws_components.readers.guess import guess_layout
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

# A small file of every layout, as it is published: what it holds, and the first row that comes out.
FILES = {
    "paws_wiki": ("id\tsentence1\tsentence2\tlabel\r\n7\ta b\tb a\t0\r\n", ("a b", "b a", 0, "7")),
    "paws_qqp": ("id\tsentence1\tsentence2\tlabel\n7\ta b\tb a\t1\n", ("a b", "b a", 1, "7")),
    "pawsx": ("id\tsentence1\tsentence2\tlabel\n7\ta b\tb a\t1\n", ("a b", "b a", 1, "7")),
    "paws_unlabeled": ("id\tsentence1\tsentence2\tnoisy_label\n7\ta b\tb a\t1\n", ("a b", "b a", 1, "7")),
    "pawsx_xtreme": ('"a ""b"""\tb a\t1\r\nc d\td c\t0\r\n', ('a "b"', "b a", 1, "")),
    "mrpc": (
        '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t5\t6\t"a\tb\r\n',
        ('"a', "b", 1, ""),
    ),
    "mrpc_r1": (
        'og_s1,og_s2,new_s1,new_s2,og_label,new_label,remarks\n"a, b",c,"A, b",C,1,0,none\n',
        ("A, b", "C", 0, ""),
    ),
    "mrpc_r1_original": (
        'og_s1,og_s2,new_s1,new_s2,og_label,new_label,remarks\n"a, b",c,"A, b",C,1,0,none\n',
        ("a, b", "c", 1, ""),
    ),
    "qqp": ('\tid\tsentence1\tsentence2\tis_duplicate\n0\tx1\t"a ""b"""\tb\t1.0\n', ('a "b"', "b", 1, "x1")),
    "qqp_original": (
        'id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n0\t1\t2\t"a ""b"""\tb\t1\n',
        ('a "b"', "b", 1, "0"),
    ),
    "twitter_url": ("a \tb \t(4,6)\thttps://example.org\nc\td\t(3,6)\tu\n", ("a ", "b ", 1, "")),
    "apt": ("text_a\ttext_b\tlabels\na\tb\t1\n", ("a", "b", 1, "")),
    "apt_attempts": (
        "token\ttime\tduration\tdataset\tindex\tsentence\tcandidate\tBLEURT\tMI\tdollar\n"
        "T\t1\t2\tmsrp\t9\ta\tb\t0.1\t1\t0.05\n",
        ("a", "b", 1, ""),
    ),
    "apt_t5": ("sentence\tparaphrase\tmi\na\tb\t1\n", ("a", "b", 1, "")),
    "apt_t5_scored": ("a\tb\t-0.25\t0\nc\td\t0.5\t1\n", ("a", "b", 0, "")),
    "anli": ("round\tpremise\thypothesis\tlabel\nr1\ta\tb\tNeutral\n", ("a", "b", "neutral", "")),
    "mnli": ("premise\thypothesis\tlabel\na\tb\tcontradiction\n", ("a", "b", "contradiction", "")),
    "snli": ("premise\thypothesis\tlabel\na\tb\t2\nc\td\t1\n", ("a", "b", "contradiction", "")),
    "anli_1.0": ('{"uid": "u", "context": "a", "hypothesis": "b", "label": "c"}\n', ("a", "b", "contradiction", "u")),
    "nli_1.0": (
        'gold_label\tsentence1_parse\tsentence1\tsentence2\tpairID\nneutral\t(x)\ta "quote\tb\tp1\n',
        ('a "quote', "b", "neutral", "p1"),
    ),
    "sick_zenodo": (
        "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\n1\ta\tb\tENTAILMENT\t4.5\n",
        ("a", "b", "entailment", "1"),
    ),
    "sick": (
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\ta\tb\t4.5\tENTAILMENT",
        ("a", "b", "entailment", "1"),
    ),
    "wpd_ld_examples": ("place\twpd\tld\tsentence1\tsentence2\n5.3\t.02\t\ta\tb\n", ("a", "b", None, "")),
    "en_de_extra": ("en\tde\na\tb\n", ("a", "b", None, "")),
    "multi30k": ("a\n", ("a", "b", None, "")),
}
# These are written in exactly the columns of another layout, which is what a guess gives.
SAME_COLUMNS = {"paws_qqp": "paws_wiki", "pawsx": "paws_wiki", "mrpc_r1_original": "mrpc_r1"}


def file_name(name):
    ending = {"mrpc_r1": "csv", "mrpc_r1_original": "csv", "multi30k": "en", "anli_1.0": "jsonl"}.get(name, "tsv")
    return f"corpus.{ending}"


def write(folder, name):
    text = FILES[name][0]
    path = folder / file_name(name)
    path.write_bytes(text.encode("utf8"))
    if name == "multi30k":
        (folder / "corpus.de").write_text("b\n")
    return path


def first(path, layout=None):
    return next(iter(open_pairs(path, layout)))


def test_every_layout_has_a_file():
    assert set(FILES) == set(LAYOUTS)


@pytest.mark.parametrize("name", list(FILES))
def test_reads_by_name(tmp_path, name):
    row = first(write(tmp_path, name), name)
    assert (row.sentence1, row.sentence2, row.label, row.id) == FILES[name][1]
    assert row.problem is None and row.readable


@pytest.mark.parametrize("name", list(FILES))
def test_guesses(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)  # so that the path says nothing
    path = write(Path("."), name)
    assert guess_layout(path).name == SAME_COLUMNS.get(name, name)
    if name != "mrpc_r1_original":
        row = first(path)
        assert (row.sentence1, row.sentence2, row.label, row.id) == FILES[name][1]


def test_guess_prefers_the_name_in_the_path(tmp_path):
    folder = tmp_path / "pawsx"
    folder.mkdir()
    assert guess_layout(write(folder, "pawsx")).name == "pawsx"


def test_number_is_the_line(tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text('\tid\tsentence1\tsentence2\tis_duplicate\n0\ta\t"x\ny"\tz\t0.0\n1\tb\tu\tv\t1.0\n')
    rows = list(open_pairs(path, "qqp"))
    assert [row.number for row in rows] == [2, 4]
    assert rows[0].sentence1 == "x\ny"


def test_stray_lines_and_columns(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a\tb\t(6,6)\tu\n\na\tb\t(0,6)\t\tu\na\tb\na\tx\tb\t(1,6)\tu\n")
    rows = list(open_pairs(path, "twitter_url"))
    assert [(row.problem, row.readable) for row in rows] == [
        (None, True),
        ("stray_line", False),
        ("column_count", True),  # one column too many, after the label
        ("column_count", False),
        ("column_count", False),  # one too many before it: nobody can say where the sentences are
    ]
    assert rows[2].label == 0 and rows[4].sentence1 == ""


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_bytes(b"id\tsentence1\tsentence2\tlabel\n1\tcaf\xe9\tb\t0\n2\tc\td\t1\n")
    rows = list(open_pairs(path))
    assert [(row.problem, row.readable) for row in rows] == [("encoding", False), (None, True)]


def test_a_quotation_mark_is_text_unless_a_csv_writer_wrote_it(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text('id\tsentence1\tsentence2\tlabel\n1\t"a ""b"""\tc\t0\n')
    assert first(path).sentence1 == 'a "b"'
    path.write_text('id\tsentence1\tsentence2\tlabel\n1\t"a ""b"""\tc\t0\n2\t"d\te\t1\n3\tf"\tg\t1\n')
    rows = list(open_pairs(path))
    assert [row.sentence1 for row in rows] == ['"a ""b"""', '"d', 'f"']


@pytest.mark.parametrize("ending", [".jsonl", ".parquet", ".jsonl.gz"])
def test_records(tmp_path, ending):
    if "parquet" in ending:
        pytest.importorskip("pyarrow")
    record = PairRecord("a b", "b a", 1, "silver", "word_swap", evidence={"gap": 0.5})
    with RecordWriter(tmp_path / f"x{ending}") as writer:
        writer.write(record)
    (row,) = open_pairs(tmp_path / f"x{ending}")
    assert (row.label, row.written) == (1, "1")
    assert row.to_record() == record


def test_column_names_of_no_known_corpus(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('pair_id,question1,question2,is_duplicate\n3,"a, b",c,yes\n')
    assert guess_layout(path).name == "generic"
    row = first(path)
    assert (row.sentence1, row.sentence2, row.label, row.id) == ("a, b", "c", 1, "3")


def test_jsonl_line_that_is_no_pair(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"sentence1": "a", "sentence2": "b"}) + '\n{"sentence1": "c"}\nnot json\n')
    assert [row.problem for row in open_pairs(path)] == [None, "column_count", "column_count"]


def test_compressed(tmp_path):
    path = tmp_path / "p.tsv.gz"
    path.write_bytes(gzip.compress(FILES["paws_wiki"][0].encode()))
    assert first(path).label == 0


def test_aligned_files_of_different_length(tmp_path):
    (tmp_path / "v.en").write_text("a\nb\n")
    (tmp_path / "v.de").write_text("A\n")
    assert [row.readable for row in open_pairs(tmp_path / "v.en")] == [True, False]


def test_to_record_keeps_an_nli_judgement_out_of_the_label(tmp_path):
    record = first(write(tmp_path, "snli")).to_record()
    assert record.label is None and record.nli == "contradiction" and record.evidence == {}


def test_says_who_labelled(tmp_path):
    assert first(write(tmp_path, "paws_wiki")).to_record().label_source == "human"
    assert first(write(tmp_path, "apt")).to_record().label_source == "silver"


@pytest.mark.parametrize(
    "text, layout, code",
    [
        ("just some text\nand more\n", None, "P144"),
        ("", None, "P144"),
        ("id\tsentence1\n1\ta\n", "paws_wiki", "P142"),
        ("a\n", "multi30k", "P143"),
        ("a\n", "nonsense", "P141"),
    ],
)
def test_errors(tmp_path, text, layout, code):
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(PawsError, match=code):
        list(open_pairs(path, layout))


def test_missing_file(tmp_path):
    with pytest.raises(PawsError, match="P020"):
        list(open_pairs(tmp_path / "none.tsv"))
    with pytest.raises(PawsError, match="P020"):
        list(open_pairs(tmp_path / "none.tsv", "paws_wiki"))


def test_get_layout_names_the_known_ones():
    with pytest.raises(PawsError, match="twitter_url"):
        get_layout("twitter")


# The rows that the data folder's README counts, each file by the layout it must be taken for.
REAL = [
    ("paws_wiki/dev.tsv", "paws_wiki", 8000),
    ("paws_qqp/train.tsv", "paws_qqp", 11988),
    ("pawsx/zh/dev_2k.tsv", "pawsx", 2000),
    ("pawsx/xtreme/dev-de.tsv", "pawsx_xtreme", 2000),
    ("mrpc/msr_paraphrase_train.txt", "mrpc", 4076),
    ("mrpc/mrpc_train_corrected.csv", "mrpc_r1", 4409),
    ("mrpc/mrpc_train_scores.csv", "mrpc_r1", 4409),
    ("qqp/quora-dev.tsv", "qqp", 20214),
    ("apt/final_checks.tsv", "apt_attempts", 5007),
    ("apt/train.tsv", "apt", 3746),
    ("apt/msrp1-mi0.tsv", "apt_t5_scored", 11533),
    ("apt/msrp1-apt.tsv", "apt_t5", 3839),
    ("snli/validation.tsv", "snli", 9842),
    ("mnli_ni/mnli_train_subset.tsv", "mnli", 17460),
    ("anli_ni/anli_r1_r2_r3.tsv", "anli", 3176),
    ("sick/SICK.txt", "sick", 9927),
    ("multi30k/val.en", "multi30k", 1014),
    ("en_de_extra/ecdc.en-de.tsv", "en_de_extra", 2450),
    ("wpd_ld_examples/printed.tsv", "wpd_ld_examples", 16),
]


@pytest.mark.parametrize("name, layout, rows", REAL)
def test_real_files(data_dir, name, layout, rows):
    assert guess_layout(data_dir / name).name == layout
    read = list(open_pairs(data_dir / name))
    assert len(read) == rows
    assert all(row.readable for row in read)


def test_real_twitter(data_dir):
    rows = list(open_pairs(data_dir / "twitter_url" / "Twitter_URL_Corpus_test.txt"))
    assert sum(row.readable for row in rows) == 10120
    assert sum(row.label is not None for row in rows) == 9334
