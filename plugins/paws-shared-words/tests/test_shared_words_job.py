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

from paws_components.errors import PawsError
from paws_components.records import PairRecord, read_records
from paws_shared_words import checkpoint
from paws_shared_words.checkpoint import Checkpointed
from paws_shared_words.examples import sample_examples
from paws_shared_words.job import Attacker, digest, judge_all, run_attack
from paws_shared_words.positions import DEFAULT_STOP_WORDS
from paws_shared_words.report import Tally
from paws_shared_words.search import Settings

SAMPLED = sample_examples([PairRecord(*pair) for pair in PAIRS], 4, 7, seed=0)
SETTINGS = Settings(steps=2, top_k=3, beam=2)


class Killed(BaseException):
    """Nothing catches it: as good as a kill, within a process."""


@pytest.fixture
def attacker(tagger):
    return Attacker(NumberTarget(), NumberSubstitutes(), tagger, DEFAULT_STOP_WORDS, SETTINGS)


def attack_to(path, attacker, chunk=3):
    with Checkpointed(str(path), {"search": SETTINGS.to_dict()}) as file:
        if "full" not in file.progress.notes:
            file.note(full=judge_all(attacker.target, attacker.nlp, SAMPLED).to_dict())
        return [progress.done for progress in run_attack(attacker, SAMPLED, file, chunk)]


def test_every_example_has_a_line(attacker, tmp_path):
    assert attack_to(tmp_path / "out.jsonl", attacker) == [3, 6, 9, 11]
    records = list(read_records(tmp_path / "out.jsonl"))
    assert [record.evidence["pair_id"] for record in records] == [record.id for record in SAMPLED]
    assert [record.label for record in records] == [record.label for record in SAMPLED]
    progress = json.loads((tmp_path / "out.jsonl.progress.json").read_text(encoding="utf8"))
    counts = progress["counts"]
    assert counts["succeeded"] + counts["failed"] + counts["skipped"] == progress["done"] == 11
    assert counts["succeeded"] and counts["skipped"]
    assert counts["queries"] == sum(record.evidence["queries"] for record in records)
    # A file that is finished stays as it is.
    before = (tmp_path / "out.jsonl").read_bytes()
    assert attack_to(tmp_path / "out.jsonl", attacker) == [] and (tmp_path / "out.jsonl").read_bytes() == before


@pytest.mark.parametrize("where", ["os.fsync", "os.replace", "target"])
def test_broken_off_at_every_point(attacker, tmp_path, monkeypatch, where):
    """Before and after each write of either file, and at every call of the target, once."""
    attack_to(tmp_path / "whole.jsonl", attacker)
    wanted = (tmp_path / "whole.jsonl").read_bytes()
    state = json.loads((tmp_path / "whole.jsonl.progress.json").read_text(encoding="utf8"))
    left = 0

    def killing(original):
        def call(*args):
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return original(*args)

        return call

    calls = 0
    while True:
        path = tmp_path / f"{calls}.jsonl"
        left = calls
        with monkeypatch.context() as patch:
            if where == "target":
                patch.setattr(NumberTarget, "__call__", killing_method(killing, NumberTarget.__call__))
            else:
                name = where.partition(".")[2]
                patch.setattr(checkpoint.os, name, killing(getattr(os, name)))
            try:
                attack_to(path, attacker)
                finished = True
            except Killed:
                finished = False
        attack_to(path, attacker)
        assert path.read_bytes() == wanted, calls
        assert json.loads(Path(f"{path}.progress.json").read_text(encoding="utf8")) == state
        calls += 1
        if finished:
            break
    assert calls > 4


def killing_method(killing, original):
    call = killing(original)
    return lambda self, pairs: call(self, pairs)


def test_half_a_line_is_cut_off(attacker, tmp_path):
    attack_to(tmp_path / "whole.jsonl", attacker)
    path = tmp_path / "out.jsonl"
    with Checkpointed(str(path), {"search": SETTINGS.to_dict()}) as file:
        file.note(full={})
        next(run_attack(attacker, SAMPLED, file, 3))
    with path.open("ab") as appended:
        appended.write(b'{"id": "')
    assert attack_to(path, attacker) == [6, 9, 11]
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_file_is_not_gone_on_with_by_others(attacker, tmp_path):
    path = tmp_path / "out.jsonl"
    attack_to(path, attacker)
    with pytest.raises(PawsError, match="S031.*search, seed.*--overwrite"):
        Checkpointed(str(path), {"search": {}, "seed": 1})
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with pytest.raises(PawsError, match="S032"):
        Checkpointed(str(path), {"search": SETTINGS.to_dict()})
    with Checkpointed(str(path), {"search": {}}, anew=True) as file:
        assert file.progress.done == 0
    assert path.read_bytes() == b""
    other = tmp_path / "mine.jsonl"
    other.write_text("precious\n", encoding="utf8")
    with pytest.raises(PawsError, match="S030.*mine.jsonl"):
        Checkpointed(str(other), {})
    assert other.read_text(encoding="utf8") == "precious\n"
    with pytest.raises(PawsError, match="P021"):
        Checkpointed(str(tmp_path / "no" / "out.jsonl"), {})


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


def test_killed_for_real(tagger, tmp_path):
    """SIGKILL in the middle of the first chunk, then of a later one; the third start finishes."""
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path}

    def start(output, calls):
        command = [sys.executable, str(here / "killed.py"), str(calls), str(tmp_path / output)]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    whole = start("whole.jsonl", "inf")
    assert whole.returncode == 0, whole.stderr
    done = []
    # An attack on a chunk takes five calls at most, so that the second start gets beyond the first chunk.
    for calls in (2, 6):
        killed = start("out.jsonl", calls)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        done.append(json.loads((tmp_path / "out.jsonl.progress.json").read_text(encoding="utf8"))["done"])
    assert done[0] == 0 < done[1] < 11
    last = start("out.jsonl", "inf")
    assert last.returncode == 0, last.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert (tmp_path / "out.jsonl").read_text(encoding="utf8").count("\n") == 11
