import json
import os
import signal
import subprocess
import sys
from dataclasses import InitVar, dataclass
from pathlib import Path
from typing import Optional

import pytest
from click.testing import CliRunner
from tiny_t5 import SENTENCES

from paws_apt.attempts import read_rows
from paws_apt.building import build_attempts, distinct, first_sentences, once
from paws_apt.splitting import split_by_source
from paws_components.cli import cli
from paws_components.curation.splitting import sentence_keys
from paws_components.engine import work
from paws_components.engine.frame import Stopped
from paws_components.errors import PawsError
from paws_components.readers import Row, Text, read_pairs
from paws_components.records import PairRecord

TEXTS = ["a", "bb", "bad", "c", "", "dd", "a", "e", "ff", "g"]


@dataclass
class Attempting:
    """A job that attempts each text twice, fails over "bad", and can be told that Ctrl-C comes at a text."""

    seed: int = 0
    stopped_at: InitVar[Optional[str]] = None
    chunk = 3

    def __post_init__(self, stopped_at):
        self.stopped_at, self.seen = stopped_at, []

    def check(self):
        pass

    def start(self):
        return self

    def __call__(self, texts):
        self.seen += texts
        if self.stopped_at in texts:
            raise KeyboardInterrupt
        if "bad" in texts:
            raise ValueError("no")
        evidence = [{"mi": True, "passed": len(text) > 1, "similarity": 0.1, "round": 1} for text in texts]
        return [[PairRecord(t, f"{t} {i}", evidence=dict(e)) for i in "xy"] for t, e in zip(texts, evidence)]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf8")
    return path


@pytest.fixture
def build(source, tmp_path):
    """Build in a folder of a name."""

    def call(name, job=None, **options):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        options = {"corpus": str(folder / "pairs.tsv"), "quiet": True, **options}
        return build_attempts(job or Attempting(), [str(source)], str(folder / "out.jsonl"), **options)

    return call


def files(folder: Path):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def test_a_run_goes_on_where_it_broke_off_and_ends_in_the_same_bytes(build, source, tmp_path):
    built = build("whole")
    assert str(built) == (
        "10 rows in = 7 with attempts + 0 without + 2 empty or repeated + 1 errors; 14 attempts, 6 passed"
    )
    assert (built.begun, built.pairs) == (0, 14)
    with pytest.raises(Stopped, match="3 sentences are done and kept"):
        build("broken", Attempting(stopped_at="dd"))
    assert files(tmp_path / "broken") == {}
    again = Attempting()
    built = build("broken", again)
    assert again.seen[0] == "c" and built.begun == 3 and built.tally.rows == 8
    assert files(tmp_path / "broken") == files(tmp_path / "whole")
    # A finished run is not worked on again: whatever is missing is written anew.
    (tmp_path / "broken" / "pairs.tsv").unlink()
    idle = Attempting()
    built = build("broken", idle)
    assert idle.seen == [] and built.begun == built.tally.rows == 8 and built.again == 2
    assert files(tmp_path / "broken") == files(tmp_path / "whole")
    records = list(read_pairs(tmp_path / "whole" / "out.jsonl"))
    assert all(record.label == 1 and record.label_source == "silver" for record in records) and len(records) == 14
    (error,) = map(json.loads, (tmp_path / "whole" / "out.jsonl.errors.jsonl").read_text().splitlines())
    assert error == {"path": str(source), "line": 3, "error": "ValueError: no", "text": "bad"}


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_broken_off_at_every_write(build, tmp_path, monkeypatch, where):
    """At each call, once; what an earlier run wrote is there until all is done."""
    monkeypatch.setattr(work, "SHARD_SECONDS", 0)
    build("whole")
    wanted = files(tmp_path / "whole")
    original = getattr(os, where)
    left = 0

    class Killed(BaseException):
        """As good as a kill, within a process: nothing can be written after it."""

    def killing(*args):
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return original(*args)

    for calls in range(100):
        folder = tmp_path / str(calls)
        folder.mkdir()
        (folder / "out.jsonl").write_text("old", encoding="utf8")
        left = calls
        with monkeypatch.context() as patch:
            patch.setattr(os, where, killing)
            try:
                build(str(calls))
                break
            except Killed:
                assert files(folder)["out.jsonl"] in (b"old", wanted["out.jsonl"])
        build(str(calls))
        assert files(folder) == wanted, calls
    assert 6 < calls < 99


def test_a_run_is_not_gone_on_with_by_others(build, source, tmp_path):
    build("run")
    before = files(tmp_path / "run")
    with pytest.raises(PawsError, match=r"P030[^$]*settings.seed: 0 then, 1 now[^$]*--fresh"):
        build("run", Attempting(seed=1))
    with pytest.raises(PawsError, match="settings.limit: null then, 2 now"):
        build("run", limit=2)
    source.write_text(source.read_text().replace("bb", "xx"), encoding="utf8")
    with pytest.raises(PawsError, match="P032.*The input has changed"):
        build("run")
    assert files(tmp_path / "run") == before
    fresh = Attempting()
    assert build("run", fresh, fresh=True).begun == 0 and "xx" in fresh.seen
    assert files(tmp_path / "run") != before


def test_a_limit_counts_different_sentences(build):
    job = Attempting()
    built = build("run", job, limit=5)
    assert str(built).startswith("6 rows in = 4 with attempts + 0 without + 1 empty or repeated + 1 errors")
    assert {"dd"} <= set(job.seen) and "e" not in job.seen


def test_no_input_is_written_over(source, tmp_path):
    sentences = tmp_path / "in.jsonl"
    sentences.write_text('{"text": "a"}\n', encoding="utf8")
    link = tmp_path / "link.jsonl"
    link.symlink_to(sentences)
    for output, corpus in ((sentences, None), (link, None), (tmp_path / "out.jsonl", link)):
        with pytest.raises(PawsError, match="P150"):
            build_attempts(Attempting(), [str(sentences)], str(output), corpus=corpus and str(corpus))
    with pytest.raises(PawsError, match="P034"):
        build_attempts(Attempting(), [str(source)], str(tmp_path / "x.jsonl"), corpus=str(tmp_path / "x.jsonl"))
    with pytest.raises(PawsError, match="P011"):
        build_attempts(Attempting(), [str(source)], str(tmp_path / "x.tsv"))
    assert sentences.read_text() == '{"text": "a"}\n' and link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "in.txt", "link.jsonl"]


def test_sources():
    skipped = []
    texts = [*(Text("in.txt", i, text) for i, text in enumerate(["a", "", "b", "a"], 1)), Text("x", 1, "", "broken")]
    found = distinct(texts, lambda: skipped.append(1))
    assert [(text.text, text.reason) for text in found] == [("a", None), ("b", None), ("", "broken")]
    assert len(skipped) == 2
    rows = [Row(1, "b'one'", "two"), Row(2, "three", "NS"), Row(3, "", "", problem="encoding", readable=False)]
    one, two, three = first_sentences(rows)
    assert one[:4] == ("", 1, "one", None) and (two.text, two.reason) == ("", None) and "UTF-8" in three.reason


def test_a_corpus_has_each_pair_once_and_no_copies():
    texts = ["the dog", "A dog", "a dog", "", "the dog", "dogs"]
    records = [PairRecord("a dog", text, generator="apt_t5") for text in texts]
    assert [record.sentence2 for record in filter(once(), records)] == ["the dog", "dogs"]


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
    # Some of the attempts are empty.
    train, test = (list(read_rows([tmp_path / f"{name}.jsonl"])) for name in ("train", "test"))
    assert len(train) + len(test) == 5007 and 1200 < len(test) <= 1252
    assert not {row.to_record().source_id for row in train} & {row.to_record().source_id for row in test}
    with pytest.raises(PawsError, match="A022.*--share"):
        CliRunner().invoke(cli, [*args, "--test", "x.jsonl", "--share", "1"], catch_exceptions=False)


def test_a_split_leaves_what_it_reads(tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("id\tsentence1\tsentence2\tlabel\n1\ta\tb\t1\n2\tc\td\t0\n", encoding="utf8")
    before = pairs.read_bytes()
    (tmp_path / "link.tsv").symlink_to(pairs)
    for train, test, error in (("pairs", "x", "P150"), ("x", "link", "P150"), ("x", "x", "P034")):
        args = ["apt", "split", str(pairs), "--train", str(tmp_path / f"{train}.tsv")]
        with pytest.raises(PawsError, match=error):
            CliRunner().invoke(cli, [*args, "--test", str(tmp_path / f"{test}.tsv")], catch_exceptions=False)
    assert pairs.read_bytes() == before and not (tmp_path / "x.tsv").exists()


def settings(model, **others):
    """The options that make attempts cheap."""
    cheap = {"model": model, "similarity": "bow_cosine", "threshold": 0.9, "max_length": 12, "rounds": 1, "samples": 4}
    return [f"--set={key}={json.dumps(value)}" for key, value in {**cheap, **others}.items()]


def test_the_command(tiny, shared_words, tmp_path):
    source, out, corpus = tmp_path / "in.tsv", tmp_path / "attempts.jsonl", tmp_path / "pairs.jsonl"
    rows = "".join(f"{i}\t{text}\tsomething else\t1\n" for i, text in enumerate([*SENTENCES[:2], SENTENCES[0]]))
    source.write_text("id\tsentence1\tsentence2\tlabel\n" + rows, encoding="utf8")
    args = ["apt", "build", str(source), "--of-pairs", "--quiet", *settings(tiny)]
    result = CliRunner().invoke(cli, [*args, "-o", str(out)], catch_exceptions=False)
    told = "3 rows in = 2 with attempts + 0 without + 1 empty or repeated + 0 errors; 8 attempts"
    assert told in result.output, result.output
    records = list(read_pairs(out))
    # An attempt may be empty, and is no pair then.
    assert len(out.read_text(encoding="utf8").splitlines()) == 8 >= len(records) > 4
    assert all(record.label == int(record.evidence["mi"]) for record in records)
    # The corpus can still be asked for when all is done.
    again = CliRunner().invoke(cli, [*args, "-o", str(out), "--pairs", str(corpus)], catch_exceptions=False)
    assert "Nothing was left to do" in again.output and told in again.output
    assert {record.id for record in read_pairs(corpus)} <= {record.id for record in records}
    piped = CliRunner().invoke(cli, [*args, "-o", "-"], catch_exceptions=False)
    assert piped.stdout_bytes == out.read_bytes()


def test_killed_at_random_moments(tiny, tmp_path):
    """SIGKILL, again and again: an old output stays until the new one is there, and that has the same bytes."""
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *filter(None, sys.path)])}
    source, whole, out = (tmp_path / name for name in ("in.txt", "whole.jsonl", "out.jsonl"))
    source.write_text("\n".join(" ".join(text.split()[i:]) for i in range(3) for text in SENTENCES), encoding="utf8")
    out.write_text("old", encoding="utf8")
    command = [sys.executable, str(here / "killed.py"), str(whole), str(out), "apt", "build", str(source)]
    done = subprocess.run([*command, *settings(tiny)], env=environment, capture_output=True, text=True)
    *killed, last = map(int, done.stdout.split())
    assert killed and set(killed) == {-signal.SIGKILL} and last == 0, done.stderr
    assert done.stderr.count("15 with attempts") == 2
    for ending in ("", ".tsv"):
        assert Path(f"{out}{ending}").read_bytes() == Path(f"{whole}{ending}").read_bytes()
