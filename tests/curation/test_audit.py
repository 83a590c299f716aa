import gzip

import pytest

from paws_components.curation.audit import CHECKS, CHECKS_ACROSS, audit, count_levels, find_splits
from paws_components.errors import PawsError

HEAD = "id\tsentence1\tsentence2\tlabel\n"
GOOD = HEAD + "1\tAnn saw Bob\tBob saw Ann\t0\n2\tIt is late now\tIt is now late\t1\n"
TWITTER = "a b c\td e f\t(6,6)\tu\ng h i\tj k l\t(0,6)\tu\nm n\to p\t(1,6)\tu\n"
QQP = '\tid\tsentence1\tsentence2\tis_duplicate\n0\tx1\t"a ""b"""\tc\t1.0\n'
APT = "token\ttime\tduration\tdataset\tindex\tsentence\tcandidate\tBLEURT\tMI\tdollar\n"
MANY = "".join(f"{i}\tone {i} two\ttwo {i} one\t{i % 2}\n" for i in range(12))
SWITCHED = "".join(f"{i}\tone {i} two\ttwo {i} one\t{1 - i % 2}\n" for i in range(12))
GERMAN = "Der Hund lief mit der Katze in das Haus und war dort auch am Abend noch bei dem Mann, der ihn sah."

# For each check: the files, the split it is found in, how often, and how grave that is.
CASES = {
    "byte_order_mark": ({"a": "\ufeff" + GOOD}, "a", 1, "warning"),
    "line_endings": ({"a": GOOD.replace("\n", "\r\n")}, "a", 3, "info"),
    "encoding": ({"a": GOOD.encode() + b"3\t\xff\xfe x\ty\t0\n"}, "a", 1, "error"),
    # A quotation mark that nothing closes, and more text than a csv reader takes for a field.
    "broken_off": ({"a": QQP + f'1\tx2\t"{"d e " * 40_000}\n'}, "a", 1, "error"),
    "stray_lines": ({"a": TWITTER + "\nnext\n"}, "a", 2, "error"),
    "column_count": ({"a": GOOD + "3\ta\ttab\tb\t0\n"}, "a", 1, "error"),
    "quoting_loss": ({"a": GOOD + '3\t"x\ty\t0\n4\tz\tw"\t1\n'}, "a", 1, "warning"),
    "quoting_change": ({"a": GOOD + '3\t"x" y\tz\t0\n'}, "a", 1, "warning"),
    "csv_quoted": ({"a": GOOD + '3\t"x ""y"""\tz\t0\n'}, "a", 1, "info"),
    "empty_sentences": ({"a": GOOD + "3\t \tx\t0\n4\ty\t\t1\n"}, "a", 2, "error"),
    "placeholders": ({"a": GOOD + "3\tNS\tx y\t0\n4\tNS\tNS\t0\n"}, "a", 2, "error"),
    "bytes_literals": ({"a": GOOD + "3\tb'x y'\tb\"it's\"\t0\n"}, "a", 1, "error"),
    "ptb_tokens": ({"a": HEAD + "1\tx , y\ty , x\t0\n2\tit 's\tz w\t1\n3\tu\tv\t1\n"}, "a", 2, "warning"),
    "lopsided_pairs": ({"a": GOOD + f"3\tns\t{'word ' * 9}\t0\n"}, "a", 1, "info"),
    "identical_pairs": ({"a": GOOD + "3\tx y\tx  y\t1\n4\tX y\tx y\t1\n"}, "a", 1, "warning"),
    "identical_not_paraphrase": ({"a": GOOD + "3\tx y\tx y\t0\n"}, "a", 1, "error"),
    "duplicate_pairs": ({"a": GOOD + "3\tBob saw Ann\tAnn saw Bob\t0\n"}, "a", 1, "warning"),
    "contradictory_pairs": ({"a": GOOD + "3\tBob saw Ann\tAnn saw Bob\t1\n"}, "a", 2, "error"),
    "labels_missing": ({"a": GOOD + "3\tx\ty\t\n"}, "a", 1, "error"),
    "labels_unknown": ({"a": GOOD + "3\tx\ty\tmaybe\n"}, "a", 1, "error"),
    "labels_undecided": ({"a": TWITTER + "x\ty\t(3,6)\tu\n"}, "a", 1, "warning"),
    "label_encoding": ({"a": GOOD + "3\tx\ty\t1.0\n"}, "a", 1, "warning"),
    "imbalance": ({"a": HEAD + "".join(f"{i}\tx {i}\ty {i}\t1\n" for i in range(5))}, "a", 5, "warning"),
    "same_bow": ({"a": GOOD + "3\tx y\tz\t0\n"}, "a", 2, "info"),
    "inconsistent_names": (
        {"a": HEAD + f"1\tUm Slovak zu besiegen. {GERMAN}\tUm jedoch Slowake zu werden. {GERMAN}\t0\n"},
        "a",
        1,
        "warning",
    ),
    "duplicate_ids": ({"a": GOOD + "2\tx y\tz\t0\n"}, "a", 1, "warning"),
    "source_ids": (
        {"a": APT + "".join(f"T\t1\t2\tmsrp\t{i}\tx\ty {i}\t0.1\t1\t0.05\n" for i in range(2))},
        "a",
        1,
        "warning",
    ),
    "unrewarded": (
        {"a": APT + "T\t1\t2\tmsrp\t1\tx\ty\t0.7\t1\t0.0\nT\t1\t2\tmsrp\t1\tx\tz\t0.7\t0\t0\n"},
        "a",
        1,
        "info",
    ),
    "shared_pairs": (
        {"train": GOOD + "3\tx\ty\t1\n", "dev": HEAD + "9\tbob saw Ann .\tAnn saw Bob .\t0\n"},
        "dev",
        1,
        "error",
    ),
    "fixed_sides": ({"a": HEAD + "".join(f"{i}\tAnn saw Bob\tv{i}\t0\n" for i in range(8))}, "a", 8, "info"),
    "shared_sentences": (
        {"train": GOOD + "3\tx\ty\t1\n", "dev": HEAD + "9\tann saw bob\tu\t0\n8\tANN saw Bob\tv\t0\n"},
        "dev",
        1,
        "warning",
    ),
    "shared_rows": (
        {"train": GOOD + "3\tx\ty\t1\n", "dev": HEAD + "9\tAnn saw Bob .\tu\t0\n8\tAnn saw Bob !\tv\t0\n"},
        "dev",
        2,
        "warning",
    ),
    "contradictory_across": (
        {"train": GOOD + "3\tx\ty\t1\n", "dev": HEAD + "9\tBob saw Ann\tAnn saw Bob\t1\n"},
        "dev",
        1,
        "error",
    ),
    "inverted_labels": ({"train": HEAD + MANY + "99\tx\ty\t1\n", "dev": HEAD + SWITCHED}, "dev", 12, "error"),
    "label_reference": ({"en/x": GOOD, "de/x": HEAD + "1\tAnna\tNS\t0\n2\tNS\tSpät\t0\n"}, "de/x", 1, "error"),
    "mixed_line_endings": ({"a": GOOD.replace("\n", "\r\n"), "b": GOOD}, "a", 1, "info"),
}
# Their messages have no use for a number.
WITHOUT_COUNT = ("byte_order_mark", "broken_off", "imbalance", "mixed_line_endings")


def write(folder, files):
    paths = {}
    for name, text in files.items():
        path = folder / f"{name}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf8"))
        paths[name] = path
    return paths


def test_every_check_has_a_case():
    assert set(CASES) == {*CHECKS, *CHECKS_ACROSS}


def test_every_check_says_what_it_is_for():
    assert all(check.__doc__ for check in (*CHECKS.values(), *CHECKS_ACROSS.values()))


@pytest.mark.parametrize("name", list(CASES))
def test_check_finds(tmp_path, name):
    files, split, count, level = CASES[name]
    (found,) = audit(write(tmp_path, files), checks=[name])
    assert (found.check, found.split, found.count, found.level) == (name, split, count, level)
    assert f"{count:,}" in found.message or name in WITHOUT_COUNT


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("imbalance", "same_bow")])
def test_check_leaves_a_good_corpus_alone(tmp_path, name):
    other = HEAD + "3\tCats like milk\tMilk is liked by cats\t1\n4\tDogs bark\tBarking cats meow\t0\n"
    assert audit(write(tmp_path, {"train": GOOD, "dev": other}), checks=[name]) == []


def test_a_packed_file_that_was_cut_short(tmp_path):
    path = tmp_path / "a.tsv.gz"
    packed = gzip.compress((HEAD + MANY * 50).encode())
    path.write_bytes(packed[:-12])
    found = {finding.check: finding for finding in audit({"a": path})}
    assert (found["broken_off"].level, found["broken_off"].count) == ("error", 1)
    # What came before it is looked at all the same.
    assert found["duplicate_pairs"].count > 100
    path.write_bytes(packed)
    assert audit({"a": path}, checks=["broken_off"]) == []


def test_levels_of_a_good_corpus(tmp_path):
    assert count_levels(audit(write(tmp_path, {"train": GOOD}))) == {"error": 0, "warning": 0, "info": 2}


def test_findings_are_plain_data(tmp_path):
    (found,) = audit(write(tmp_path, CASES["placeholders"][0]), checks=["placeholders"])
    data = found.to_dict()
    assert data["details"] == {"labels": {"0": 2}}
    assert data["examples"][0] == "line 4: NS | x y [0]"


def test_identical_pairs_are_welcome_in_train(tmp_path):
    files = {"train": GOOD + "3\tx y\tx y\t1\n"}
    (found,) = audit(write(tmp_path, files), checks=["identical_pairs"])
    assert found.level == "info" and found.details["labels"] == {"1": 1}


def test_nli_pairs_are_not_the_same_with_sides_swapped(tmp_path):
    text = "premise\thypothesis\tlabel\na dog runs\tit runs\tentailment\nit runs\ta dog runs\tneutral\n"
    assert audit(write(tmp_path, {"a": text}), checks=["duplicate_pairs", "contradictory_pairs"]) == []


def test_one_label_only_is_not_inverted(tmp_path):
    ones = HEAD + "".join(f"{i}\tone {i} two\ttwo {i} one\t1\n" for i in range(13))
    zeros = HEAD + "".join(f"{i}\tone {i} two\ttwo {i} one\t0\n" for i in range(12))
    paths = write(tmp_path, {"good": ones, "bad": zeros})
    assert audit(paths, checks=["inverted_labels"]) == []
    assert audit(paths, checks=["contradictory_across"])[0].count == 12


def test_bytes_literals_are_compared_by_what_they_mean(tmp_path):
    paths = write(tmp_path, {"a": GOOD + "3\tx\ty\t1\n", "b": HEAD + "1\tb'Ann saw Bob'\tb'Bob saw Ann'\t0\n"})
    assert audit(paths, checks=["shared_pairs"])[0].count == 1


def test_reference_by_name(tmp_path):
    paths = write(tmp_path, {"right": GOOD, "wrong": GOOD.replace("late\t1", "late\t0")})
    assert audit(paths, checks=["label_reference"]) == []
    (found,) = audit(paths, checks=["label_reference"], reference="right")
    assert (found.split, found.count) == ("wrong", 1)


def test_unlabelled_corpus_lacks_no_label(tmp_path):
    paths = write(tmp_path, {"a": GOOD.replace("\t0\n", "\t\n").replace("\t1\n", "\t\n")})
    assert audit(paths, checks=["labels_missing", "imbalance"]) == []


def test_empty_corpus(tmp_path):
    assert audit(write(tmp_path, {"a": HEAD, "b": HEAD})) == []


def test_long_unclosed_quote_is_no_crash(tmp_path):
    rows = "".join(f"{i}\t{'word ' * 20}{i}\tother {i}\t{i % 2}\n" for i in range(2000))
    (found,) = audit(write(tmp_path, {"a": HEAD + '0\t"open\tx y\t0\n' + rows}), checks=["quoting_loss"])
    assert found.count == 2001


def test_find_splits(tmp_path):
    write(tmp_path, {"x/dev": GOOD, "x/train": GOOD})
    (tmp_path / "README.md").write_text("Nothing\there.\n")
    assert list(find_splits(tmp_path)) == ["x/train", "x/dev"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(PawsError, match="P149"):
        find_splits(tmp_path / "empty")


def test_errors(tmp_path):
    paths = write(tmp_path, {"a": GOOD})
    with pytest.raises(PawsError, match="P148.*placeholders"):
        audit(paths, checks=["placeholder"])
    with pytest.raises(PawsError, match="P147"):
        audit(paths, reference="en")


def test_real_paws_qqp(data_dir):
    folder = data_dir / "paws_qqp"
    paths = {"train": folder / "train.tsv", "dev": folder / "dev_and_test.tsv", "quora": data_dir / "qqp/quora-dev.tsv"}
    findings = audit(paths, checks=["shared_sentences", "shared_rows", "line_endings"])
    found = {(item.check, item.split, item.details.get("other")): item.count for item in findings}
    assert found["shared_sentences", "dev", "train"] == 230
    assert found["shared_rows", "dev", "quora"] == 86
    assert found["line_endings", "train", None] == 11989
    assert ("line_endings", "dev", None) not in found


def test_real_pawsx(data_dir):
    paths = {lang: data_dir / "pawsx" / lang / "dev_2k.tsv" for lang in ("en", "de", "es", "fr", "ja", "ko", "zh")}
    findings = audit(paths, checks=["placeholders", "label_reference"])
    found = {item.split: item for item in findings if item.check == "placeholders"}
    assert {lang: item.count for lang, item in found.items()} == {
        "de": 68,
        "es": 38,
        "fr": 8,
        "ja": 20,
        "ko": 35,
        "zh": 16,
    }
    wrong = {item.split: item for item in findings if item.check == "label_reference"}
    assert all(item.count == item.details["placeholders"] for item in wrong.values()) and len(wrong) == 6


def test_real_mrpc_and_twitter(data_dir):
    paths = {
        "mrpc": data_dir / "mrpc/msr_paraphrase_train.txt",
        "url": data_dir / "twitter_url/Twitter_URL_Corpus_test.txt",
    }
    found = {(item.split, item.check): item for item in audit(paths)}
    assert found["mrpc", "quoting_loss"].details == {"cut": 4076, "quoted": 3962}
    assert found["mrpc", "byte_order_mark"].count == 1
    assert found["url", "stray_lines"].count == 250
    assert found["url", "column_count"].count == 10
    assert found["url", "labels_undecided"].count == 786
