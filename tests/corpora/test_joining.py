"""PAWS-QQP's index joined to QQP's text; the words against PAWS-QQP's own."""

import csv
import re

import pytest
from click.testing import CliRunner

import paws_components as paws
from paws_components.cli import cli
from paws_components.corpora import get_card
from paws_components.corpora.cards import Sum
from paws_components.corpora.joining import (
    build_sentence,
    join_rows,
    join_split,
    parse_places,
    read_questions,
    wanted_questions,
)
from paws_components.corpora.treebank import sentences, treebank_words
from paws_components.errors import PawsError

QUESTIONS = [
    ("0", "1", "2", 'What is a "dog", really?', "Is it so?", "0"),
    ("1", "3", "4", "How do I go from Paris to Rome?", "How do I go from Rome to Paris?", "0"),
    ("2", "3", "5", "Another text of the same question?", "It can't be helped. What's next?", "1"),
]
INDEX = [
    ("id", "qid1", "sentence1", "qid2", "sentence2", "label"),
    ("1", "3", "0/1/2/3/4/5/6/7/8", "3", "0/1/2/3/4/7/6/5/8", "0"),
    ("2", "1", "0/1/2/3/4/5/6/7/8", "5", "0/1/2/3/4/5/6/7/8/9", "1"),
    ("3", "3", "0/(1, 4):(5, 2)/8", "4", "0/1", "0"),
    ("4", "99", "0", "4", "0", "0"),
    ("5", "3", "0/77", "4", "0", "0"),
]


@pytest.fixture
def folder(data):
    (data / "paws_qqp" / "index").mkdir(parents=True)
    (data / "qqp").mkdir()
    with (data / "qqp" / "quora_duplicate_questions.tsv").open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([("id", "qid1", "qid2", "question1", "question2", "is_duplicate"), *QUESTIONS])
    lines = "".join("\t".join(row) + "\n" for row in INDEX)
    (data / "paws_qqp" / "index" / "train.tsv").write_text(lines, encoding="utf8")
    (data / "paws_qqp" / "index" / "dev_and_test.tsv").write_text(lines, encoding="utf8")
    return data


def test_join(folder):
    """What comes out for each row of the index, by hand."""
    done = paws.fetch("paws_qqp:train")
    assert (folder / "paws_qqp" / "train.tsv").read_bytes().decode("utf8").split("\r\n") == [
        "id\tsentence1\tsentence2\tlabel",
        "1\tHow do I go from Paris to Rome ?\tHow do I go from Rome to Paris ?\t0",
        "2\tWhat is a `` dog '' , really ?\tIt ca n't be helped . What 's next ?\t1",
        "3\tHow dogn't ?\tHow do\t0",
        "",
    ]
    assert [row.label for row in paws.open_pairs("paws_qqp:train")] == [0, 1, 0]
    assert done == {"train": folder / "paws_qqp" / "train.tsv"}


def test_the_command_says_what_came_of_it(folder, tmp_path):
    text = folder / "qqp" / "quora_duplicate_questions.tsv"
    text.rename(tmp_path / "elsewhere.tsv")
    result = CliRunner().invoke(cli, ["corpora", "join", "paws_qqp:train", "--text", str(tmp_path / "elsewhere.tsv")])
    assert (
        result.exit_code == 0 and "3 pairs joined" in result.output and "2 rows of the index left out" in result.output
    )
    assert "differ from the known copy" in result.output
    result = CliRunner().invoke(cli, ["corpora", "join", "paws_qqp:train"])
    assert "P517" in str(result.exception) and "`paws corpora fetch qqp:all`" in str(result.exception)
    result = CliRunner().invoke(cli, ["corpora", "join", "paws_wiki"])
    assert "P516" in str(result.exception)


@pytest.mark.parametrize("line_break", ["\r\n", "\n"])
def test_the_known_copy_is_known_again(folder, line_break):
    """Whichever of the two ways the copy ends its lines, the join writes that very file."""
    card = get_card("paws_qqp")
    split = card.split("train")
    made = join_split(card, split, folder).path.read_bytes().replace(b"\r\n", line_break.encode())
    from dataclasses import replace
    from hashlib import sha256

    copy = Sum(len(made), "", sha256(made).hexdigest(), "a copy")
    joined = join_split(card, replace(split, files=(replace(split.files[0], copy=copy),)), folder)
    assert joined.same and joined.path.read_bytes() == made and (joined.rows, joined.failed) == (3, 2)


@pytest.mark.parametrize("line", ["1\t2\t3", "1\tx\t0\t4\t0\t1", "1\t3\t(1, \t4\t0\t1", "1\t3\t(a, b)\t4\t0\t1"])
def test_an_index_that_is_none(folder, line):
    (folder / "paws_qqp" / "index" / "train.tsv").write_text(line + "\n", encoding="utf8")
    with pytest.raises(PawsError, match="P518"):
        paws.fetch("paws_qqp:train")


def test_a_text_that_is_none(folder):
    (folder / "qqp" / "quora_duplicate_questions.tsv").write_text("a\tb\n", encoding="utf8")
    with pytest.raises(PawsError, match="P142.*qid1"):
        paws.fetch("paws_qqp:train")


@pytest.mark.parametrize(
    "text, words",
    [
        ("", []),
        ("Hello.", ["Hello", "."]),
        ("I can't, he's 3,000 km off: 10:30!", "I ca n't , he 's 3,000 km off : 10:30 !".split()),
        ("Dr. Who (the one) is here. Is he?", "Dr. Who ( the one ) is here . Is he ?".split()),
        ('He said "go -- now"...', "He said `` go -- now '' ...".split()),
        ("You cannot. Gonna wanna go?", "You can not . Gon na wan na go ?".split()),
        ("It costs $5 & 10%; #1 @ home", "It costs $ 5 & 10 % ; # 1 @ home".split()),
    ],
)
def test_words(text, words):
    assert treebank_words(text) == words


def test_sentences():
    assert sentences("One. Two? Three! e.g. this etc. and U.S. Army. end") == [
        "One.",
        "Two?",
        "Three!",
        "e.g. this etc. and U.S. Army. end",
    ]


def squeezed(text):
    return re.sub(r"""\s+|``|''|\"""", "", text)


def test_words_are_those_of_paws_qqp(data_dir):
    """Questions of QQP that PAWS-QQP has too, but for their spaces: cut into words they are as PAWS-QQP has them.

    Not all can be: PAWS-QQP's sentences are sometimes put together otherwise (`C + +`, `etc . with`).
    """
    known = {}
    for name in ("paws_qqp:train", "paws_qqp:dev_and_test"):
        for row in paws.open_pairs(name):
            for text in (row.sentence1, row.sentence2):
                known.setdefault(squeezed(text), set()).add(text)
    found = right = 0
    for text in {text for row in paws.open_pairs("qqp:dev") for text in (row.sentence1, row.sentence2)}:
        if squeezed(text) in known:
            found += 1
            right += " ".join(treebank_words(text)) in known[squeezed(text)]
    assert found > 700 and right / found > 0.93
    texts = [text for texts in known.values() for text in texts]
    same = sum(" ".join(treebank_words(text)) == text for text in texts)
    assert same / len(texts) > 0.998


def test_an_index_of_the_real_pairs_joins_to_them(data_dir, tmp_path):
    """An index made of real pairs, whose first sentence is a question of QQP, gives them back word for word."""
    rows = [row for row in paws.open_pairs("paws_qqp:train")][:300]
    index, questions = ["\t".join(INDEX[0])], ["id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"]
    kept = []
    for i, row in enumerate(rows):
        words = treebank_words(row.sentence1)
        second = row.sentence2.split(" ")
        if " ".join(words) != row.sentence1 or set(second) - set(words):
            continue
        kept.append((row.id, row.sentence1, row.sentence2, row.written))
        places = "/".join(str(words.index(word)) for word in second)
        first = "/".join(map(str, range(len(words))))
        index.append("\t".join((row.id, str(i), first, str(i), places, row.written)))
        quoted = row.sentence1.replace('"', '""')
        questions.append(f'{i}\t{i}\t{i}\t"{quoted}"\tx\t0')
    (tmp_path / "index.tsv").write_text("\n".join(index) + "\n", encoding="utf8")
    (tmp_path / "text.tsv").write_text("\n".join(questions) + "\n", encoding="utf8")
    words = read_questions(tmp_path / "text.tsv", wanted_questions(tmp_path / "index.tsv"))
    assert list(join_rows(tmp_path / "index.tsv", words)) == kept and len(kept) > 50


def test_fresh_joins_again(folder):
    """It said that the corpus can't be fetched, where it was there already."""
    place = paws.fetch("paws_qqp:train")["train"]
    joined = place.read_bytes()
    place.write_bytes(b"old")
    assert paws.fetch("paws_qqp:train", fresh=True) == {"train": place} and place.read_bytes() == joined


@pytest.mark.parametrize(
    "text, told",
    [
        (None, "No such file"),
        ("qid1\tqid2\tquestion1\tquestion2\n3\t4\th\xe9\tx\n".encode("latin-1"), "can't decode"),
        (b'qid1\tqid2\tquestion1\tquestion2\n3\t4\t"' + b"x" * 2_000_000, "field limit"),
        (b"qid1\tqid2\tquestion1\tquestion2\n777\t778\ta\tb\n", "none of the questions"),
    ],
    ids=["absent", "encoding", "unclosed", "another"],
)
def test_a_text_that_is_none_leaves_what_was_joined(folder, tmp_path, text, told):
    place = paws.fetch("paws_qqp:train")["train"]
    joined = place.read_bytes()
    if text is not None:
        (tmp_path / "text.tsv").write_bytes(text)
    with pytest.raises(PawsError, match=f"P020.*text.tsv.*{told}"):
        join_split(get_card("paws_qqp"), get_card("paws_qqp").split("train"), folder, tmp_path / "text.tsv")
    assert place.read_bytes() == joined
    assert not list(place.parent.glob(".*"))


def test_an_index_that_is_not_text_is_told(folder):
    with (folder / "paws_qqp" / "index" / "train.tsv").open("ab") as index:
        index.write(b"\xff\xfe\n")
    with pytest.raises(PawsError, match="P020.*train.tsv.*can't decode"):
        paws.fetch("paws_qqp:train")


def test_a_word_that_is_not_there():
    assert build_sentence(parse_places("0/1", 1), {1: ["a"]}) == ""
    assert build_sentence(parse_places("0", 2), {1: ["a"]}) == ""
    assert build_sentence(parse_places("0/(2, 0)", 1), {1: ["a"], 2: ["b"]}) == "a b"
