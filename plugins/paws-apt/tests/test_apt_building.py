import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from paws_apt.building import Progress, build_attempts, distinct, first_sentences, pairs_of
from paws_apt.splitting import split_by_source
from paws_components.cli import cli
from paws_components.curation.splitting import sentence_keys
from paws_components.engine.sources import Line
from paws_components.errors import PawsError
from paws_components.records import PairRecord, read_records


class Attempting:
    """A job that attempts each text twice, fails over "bad", and can be told to die at a text."""

    chunk = 3

    def __init__(self, dies_at=None):
        self.dies_at = dies_at
        self.seen = []

    def start(self):
        return self

    def __call__(self, texts):
        self.seen += texts
        if self.dies_at in texts:
            raise KeyboardInterrupt
        if "bad" in texts:
            raise ValueError("no")
        evidence = [{"mi": True, "passed": len(text) > 1, "similarity": 0.1, "round": 1} for text in texts]
        return [[PairRecord(t, f"{t} {i}", evidence=dict(e)) for i in "xy"] for t, e in zip(texts, evidence)]


TEXTS = ["a", "bb", "bad", "c", "dd", "e", "ff", "g"]


def lines(texts=TEXTS):
    return [Line("in.txt", i, text) for i, text in enumerate(texts, 1)]


def build(path, job, texts=TEXTS, settings=None):
    return list(build_attempts(job, settings or {"seed": 0}, lines(texts), str(path)))


def files(folder: Path):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_run_goes_on_where_it_broke_off_and_ends_in_the_same_bytes(tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "broken").mkdir()
    *_, last = build(tmp_path / "whole" / "out.jsonl", Attempting())
    assert str(last) == "8 sentences = 7 with attempts + 1 errors; 14 attempts, 6 passed"
    path = tmp_path / "broken" / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        build(path, Attempting(dies_at="dd"))
    # What a killed process wrote without noting it.
    with path.open("ab") as file:
        file.write(b'{"half a rec')
    again = Attempting()
    *_, last = build(path, again)
    assert again.seen[0] == "c" and last.lines == 8
    assert files(tmp_path / "broken") == files(tmp_path / "whole")
    assert build(path, again) == [] and files(tmp_path / "broken") == files(tmp_path / "whole")
    records = list(read_records(path))
    assert all(record.label == 1 and record.label_source == "silver" for record in records) and len(records) == 14
    (error,) = map(json.loads, (tmp_path / "whole" / "out.jsonl.errors.jsonl").read_text().splitlines())
    assert error == {"path": "in.txt", "line": 3, "error": "ValueError: no", "text": "bad"}


def test_more_sentences_can_follow_but_not_others(tmp_path):
    path = tmp_path / "out.jsonl"
    build(path, Attempting(), ["a", "bb", "c"])
    *_, last = build(path, Attempting(), ["a", "bb", "c", "dd"])
    assert isinstance(last, Progress) and last.lines == 4 and len(list(read_records(path))) == 8
    assert not (tmp_path / "out.jsonl.errors.jsonl").exists()
    with pytest.raises(PawsError, match="A020.*other sentences"):
        build(path, Attempting(), ["a", "x", "c", "dd"])
    with pytest.raises(PawsError, match="A020.*other settings"):
        build(path, Attempting(), settings={"seed": 1})
    path.write_bytes(b"")
    with pytest.raises(PawsError, match="A021"):
        build(path, Attempting())


def test_sources():
    found = distinct([*lines(["a", "", "b", "a"]), Line("x", 1, "", "broken")])
    assert [(line.text, line.error) for line in found] == [("a", None), ("b", None), ("", "broken")]
    assert [line.text for line in first_sentences(lines(["one\ttwo", "three"]))] == ["one", "three"]


def test_a_corpus_has_each_pair_once_and_no_copies():
    texts = ["the dog", "A dog", "a dog", "", "the dog", "dogs"]
    records = [PairRecord("a dog", text, generator="apt_t5") for text in texts]
    assert [record.sentence2 for record in pairs_of(records)] == ["the dog", "dogs"]


def test_no_sentence_crosses_the_split(tmp_path):
    pairs = [PairRecord(f"source {i // 3}", f"attempt {i}", label=i % 2) for i in range(300)]
    pairs[5].sentence2 = pairs[100].sentence2
    train, test = split_by_source(pairs, 0.25, seed=4)
    assert not sentence_keys(train) & sentence_keys(test) and len(test) == 75 and len(train) == 225
    assert train + test != pairs and sorted(train + test, key=pairs.index) == pairs
    assert [pairs.index(pair) for pair in test] == sorted(pairs.index(pair) for pair in test)
    assert split_by_source(pairs, 0.25, seed=4) == (train, test) != split_by_source(pairs, 0.25, seed=5)


def test_ap_h_is_split_by_the_command(data_dir, tmp_path):
    args = ["apt", "split", str(data_dir / "apt" / "final_checks.tsv"), "--train", str(tmp_path / "train.jsonl")]
    result = CliRunner().invoke(cli, [*args, "--test", str(tmp_path / "test.jsonl")], catch_exceptions=False)
    assert result.exit_code == 0
    train, test = (list(read_records(tmp_path / f"{name}.jsonl")) for name in ("train", "test"))
    assert len(train) + len(test) == 5007 and 1200 < len(test) <= 1252
    assert not {pair.source_id for pair in train} & {pair.source_id for pair in test}
    with pytest.raises(PawsError, match="A022.*--share"):
        CliRunner().invoke(cli, [*args, "--test", "x.jsonl", "--share", "1"], catch_exceptions=False)


def test_the_command(tiny, shared_words, tmp_path):
    from tiny_t5 import SENTENCES

    source, out, corpus = tmp_path / "in.tsv", tmp_path / "attempts.jsonl", tmp_path / "pairs.jsonl"
    rows = "".join(f"{i}\t{text}\tsomething else\t1\n" for i, text in enumerate([*SENTENCES[:2], SENTENCES[0]]))
    source.write_text("id\tsentence1\tsentence2\tlabel\n" + rows, encoding="utf8")
    settings = {
        "model": tiny,
        "similarity": "bow_cosine",
        "threshold": 0.9,
        "max_length": 12,
        "rounds": 1,
        "samples": 4,
    }
    args = ["apt", "build", str(source), "--of-pairs", "-o", str(out), "--pairs", str(corpus), "--quiet"]
    args += [f"--set={key}={json.dumps(value)}" for key, value in settings.items()]
    result = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert "2 sentences = 2 with attempts + 0 errors; 8 attempts" in result.output, result.output
    assert "1 lines were empty or repeat a sentence" in result.output
    records = list(read_records(out))
    assert len(records) == 8 and all(record.label == int(record.evidence["mi"]) for record in records)
    assert {record.id for record in read_records(corpus)} <= {record.id for record in records}
    assert "Nothing was left to do" in CliRunner().invoke(cli, args, catch_exceptions=False).output
    with pytest.raises(PawsError, match="A022.*--output"):
        CliRunner().invoke(cli, [*args, "-o", "x.tsv"], catch_exceptions=False)
