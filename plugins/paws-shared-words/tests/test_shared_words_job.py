"""Runs that are killed go on with the same bytes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from referee import NumberSubstitutes, NumberTarget
from tiny_models import PAIRS

from paws_components.engine import work
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_shared_words.examples import sample_examples
from paws_shared_words.job import Attacker, AttackJob, attack_pairs, digest, judge_all
from paws_shared_words.positions import DEFAULT_STOP_WORDS
from paws_shared_words.report import Tally
from paws_shared_words.search import Settings

SAMPLED = sample_examples([PairRecord(*pair) for pair in PAIRS], 4, 7, seed=0)
SETTINGS = Settings(steps=2, top_k=3, beam=2)


class Killed(BaseException):
    """Nothing catches it: as good as a kill, within a process."""


@pytest.fixture
def attack(corpus, tagger, monkeypatch):
    """Attack to a file, a shard after every chunk of three, with models that are numbers."""
    monkeypatch.setattr(work, "SHARD_SECONDS", 0)

    def call(path, target=None, settings=SETTINGS, corpus=corpus, **options):
        job = AttackJob("numbers", "none", settings, chunk=3)
        job.attacker = Attacker(target or NumberTarget(), NumberSubstitutes(), tagger, DEFAULT_STOP_WORDS, settings)
        return attack_pairs(job, str(corpus), str(path), positives=4, negatives=7, quiet=True, **options)

    return call


def test_every_example_has_a_line(attack, tmp_path):
    target = NumberTarget()
    report, tally, corpus = attack(tmp_path / "out.jsonl", target)
    records = list(read_pairs(tmp_path / "out.jsonl"))
    assert [record.evidence["original"] for record in records] == [[one.sentence1, one.sentence2] for one in SAMPLED]
    assert [record.label for record in records] == [record.label for record in SAMPLED]
    counts = report.statuses["all"]
    assert sum(counts.values()) == tally.rows == tally.found == 11 and not tally.errors
    assert counts["succeeded"] and counts["skipped"] and report.tallies["full"].total["all"] == 10
    assert report.queries["asked"] == sum(record.evidence["queries"] for record in records)
    # What is finished is not asked about again: the report comes from what is kept.
    before, calls = (tmp_path / "out.jsonl").read_bytes(), len(target.calls)
    (tmp_path / "out.jsonl").unlink()
    again = attack(tmp_path / "out.jsonl", target)
    assert len(target.calls) == calls and again.report == report
    assert (tmp_path / "out.jsonl").read_bytes() == before
    # Nor is the whole corpus, where nobody wants to know.
    assert "full" not in attack(tmp_path / "out.jsonl", target, full=False).report.tallies


@pytest.mark.parametrize("where", ["fsync", "replace", "target"])
def test_broken_off_at_every_point(attack, tmp_path, monkeypatch, where):
    """At each write, and at every call of the target, once; what was there stays until the end."""
    attack(tmp_path / "whole.jsonl")
    wanted = (tmp_path / "whole.jsonl").read_bytes()
    left = 0

    def killing(original):
        def call(*args):
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return original(*args)

        return call

    class Target(NumberTarget):
        def __call__(self, pairs):
            return killing(super().__call__)(pairs)

    for calls in range(100):
        path = tmp_path / f"{calls}.jsonl"
        path.write_text("old", encoding="utf8")
        left = calls
        with monkeypatch.context() as patch:
            if where != "target":
                patch.setattr(os, where, killing(getattr(os, where)))
            try:
                attack(path, Target() if where == "target" else None)
                break
            except Killed:
                assert path.read_bytes() in (b"old", wanted)
        attack(path)
        assert path.read_bytes() == wanted, calls
    assert 4 < calls < 99


def test_a_damaged_shard_is_done_again(attack, tmp_path):
    attack(tmp_path / "out.jsonl")
    whole = (tmp_path / "out.jsonl").read_bytes()
    second = sorted((tmp_path / "out.jsonl.run").glob("[0-9]*.jsonl"))[1]
    second.write_bytes(second.read_bytes()[:-5])
    target = NumberTarget()
    attack(tmp_path / "out.jsonl", target)
    assert target.calls and (tmp_path / "out.jsonl").read_bytes() == whole


def test_a_run_is_not_gone_on_with_by_others(attack, corpus, tmp_path):
    path = tmp_path / "out.jsonl"
    attack(path)
    whole = path.read_bytes()
    with pytest.raises(PawsError, match=r"P030[^$]*settings.beam: 2 then, 3 now[^$]*settings.seed: 0 then, 1 now"):
        attack(path, settings=Settings(steps=2, top_k=3, beam=3), seed=1)
    other = tmp_path / corpus.name
    other.write_text(corpus.read_text(encoding="utf8").replace("Peru", "Oman"), encoding="utf8")
    with pytest.raises(PawsError, match="P030[^$]*settings.corpus"):
        attack(path, corpus=other)
    (tmp_path / "out.jsonl.run" / "manifest.json").write_text("{", encoding="utf8")
    with pytest.raises(PawsError, match="P035.*--fresh"):
        attack(path)
    assert path.read_bytes() == whole
    attack(path, seed=1, fresh=True)
    assert path.read_bytes() != whole
    with pytest.raises(PawsError, match="P021"):
        attack(tmp_path / "no" / "out.jsonl")


def test_an_example_that_the_target_fails_over_is_an_error(attack, tmp_path):
    class Fragile(NumberTarget):
        def __call__(self, pairs):
            if any("Peru" in first.words for first, _ in pairs):
                raise ValueError("no")
            return super().__call__(pairs)

    _, tally, _ = attack(tmp_path / "out.jsonl", Fragile(), full=False)
    errors = [json.loads(line) for line in (tmp_path / "out.jsonl.errors.jsonl").read_text().splitlines()]
    assert tally.errors == len(errors) == sum("Peru" in record.sentence1 for record in SAMPLED) > 0
    assert all(error["error"] == "ValueError: no" and "Peru" in error["text"] for error in errors)
    assert len(list(read_pairs(tmp_path / "out.jsonl"))) == tally.found == 11 - tally.errors


def test_the_whole_corpus(tagger):
    def answer(pairs):
        return [1.0 if "dog" in first.words else 0.0 for first, _ in pairs]

    tally = judge_all(answer, tagger, [PairRecord(*pair) for pair in PAIRS])
    assert tally.right == {"positive": 1, "negative": 4, "all": 5}
    assert tally.total == {"positive": 6, "negative": 4, "all": 10}
    assert Tally.from_dict(tally.to_dict()) == tally


def test_a_digest_tells_examples_apart():
    assert digest(SAMPLED) == digest(list(SAMPLED)) != digest(SAMPLED[::-1])
    assert digest([PairRecord("a", "b", label=1)]) != digest([PairRecord("a", "b", label=0)])


def test_killed_at_random_moments(corpus, masked_lm, classifier, tagger, tmp_path):
    """SIGKILL, again and again: an old output stays until the new one is there, and that has the same bytes."""
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *filter(None, sys.path)])}
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    out.write_text("old", encoding="utf8")
    command = [sys.executable, str(here / "killed.py"), str(whole), str(out), "attack", classifier, str(corpus)]
    command += ["--mlm", masked_lm, *"--positives 5 --negatives 6 --steps 2 --top-k 4 --beam 3 --chunk 2".split()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    *killed, last = map(int, done.stdout.split("\n")[-2].split())
    assert killed and set(killed) == {-signal.SIGKILL} and last == 0, done.stderr
    assert done.stderr.count("11 examples = ") == 2
    for ending in ("", ".md"):
        assert Path(f"{out}{ending}").read_bytes() == Path(f"{whole}{ending}").read_bytes()
