import json

import pytest

from paws_components.errors import PawsError
from paws_components.records import PairRecord
from paws_components.viz.sample import LABELS, label_name, read_corpus
from paws_components.writers import RecordWriter


@pytest.fixture()
def corpus(tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = [f"{i}\tsentence {i}\tsentence  {i} too\t{int(i % 4 == 0)}\n" for i in range(1, 1001)]
    path.write_text("id\tsentence1\tsentence2\tlabel\n" + "".join(rows), encoding="utf8")
    return str(path)


def test_a_small_corpus_is_kept_whole(corpus):
    read = read_corpus("c", corpus, 1000, 0)
    assert read.pairs == len(read.records) == 1000 and not read.sampled
    assert read.records[0].sentence2 == "sentence 1 too"
    assert read.label_counts() == [("paraphrase", 250), ("not paraphrase", 750)]


def test_a_large_corpus_is_sampled_with_its_seed(corpus):
    one, same, other = (read_corpus("c", corpus, 100, seed) for seed in (0, 0, 1))
    texts = [[record.sentence1 for record in read.records] for read in (one, same, other)]
    assert texts[0] == texts[1] != texts[2]
    assert one.sampled and one.pairs == 1000 and len(set(texts[0])) == 100
    assert texts[0] == sorted(texts[0], key=lambda text: int(text.split()[1])), "in the order of the file"
    assert one.label_counts() == [("paraphrase", 250), ("not paraphrase", 750)], "labels are counted in all"


def test_the_sample_is_fair(corpus):
    """Every row is as likely as any other: the mean place of many samples is the middle of the file."""
    places = [int(r.sentence1.split()[1]) for seed in range(60) for r in read_corpus("c", corpus, 50, seed).records]
    assert 480 < sum(places) / len(places) < 521  # three standard errors


def test_records_keep_their_evidence(tmp_path):
    path = tmp_path / "pairs.jsonl"
    moved = [{"source": [0, 1], "target": [2, 3]}]
    with RecordWriter(path) as writer:
        writer.write(PairRecord("a b", "b a", evidence={"moved": moved}))
    read = read_corpus("c", str(path), None, 0)
    assert read.records[0].evidence["moved"] == moved
    assert read.label_counts() == [("no label", 1)]


def test_a_broken_line_is_counted(tmp_path):
    path = tmp_path / "pairs.jsonl"
    good = json.dumps({"sentence1": "a", "sentence2": "b", "label": 1})
    path.write_text(good + "\n{broken\n" + good + "\n", encoding="utf8")
    read = read_corpus("c", str(path), None, 0)
    assert (read.pairs, read.unreadable) == (2, 1)


def test_nli_judgements_have_their_names(data_dir):
    read = read_corpus("sick", str(data_dir / "sick" / "SICK.txt"), 50, 0)
    assert {name for name, _ in read.label_counts()} == {"contradiction", "entailment", "neutral"}
    assert sum(count for _, count in read.label_counts()) == read.pairs
    assert {label_name(record) for record in read.records} <= {"contradiction", "entailment", "neutral"}


def test_real_corpora(data_dir):
    mrpc = read_corpus("MRPC", str(data_dir / "mrpc" / "msr_paraphrase_train.txt"), 10, 0)
    paws = read_corpus("PAWS", str(data_dir / "paws_wiki" / "dev.tsv"), 10, 0)
    assert (mrpc.pairs, paws.pairs) == (4076, 8000)
    assert mrpc.label_counts() == [("paraphrase", 2753), ("not paraphrase", 1323)]
    assert paws.label_counts() == [("paraphrase", 3539), ("not paraphrase", 4461)]


def test_what_cannot_be_read_is_named(tmp_path):
    empty = tmp_path / "empty.tsv"
    empty.write_text("id\tsentence1\tsentence2\tlabel\n", encoding="utf8")
    with pytest.raises(PawsError, match="P166.*empty"):
        read_corpus("c", str(empty), None, 0)
    with pytest.raises(PawsError, match="no_such_file"):
        read_corpus("c", str(tmp_path / "no_such_file.jsonl"), None, 0)


def test_every_label_has_a_name():
    assert [label_name(PairRecord("a", "b", label)) for label in (1, 0, None)] == list(LABELS.values())
