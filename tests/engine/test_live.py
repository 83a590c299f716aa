"""What a run tells of itself: where the time went, a log, a table."""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from paws_components.engine import live, work
from paws_components.engine.frame import Run
from paws_components.engine.progress import Progress
from paws_components.engine.timing import collected, timed
from paws_components.errors import PawsError
from paws_components.readers import Text
from paws_components.writers import write_text


@pytest.fixture(autouse=True)
def every_chunk_a_shard(monkeypatch):
    monkeypatch.setattr(work, "SHARD_SECONDS", 0.0)
    monkeypatch.setattr(live, "EVERY", 0.0)


@dataclass
class Staged:
    """A job with two stages, one within the other, that loads something first. Where there is a folder, nobody goes on
    before so many workers have begun: else one may be so quick that the other has nothing to do, and tells of nothing.
    """

    chunk: int = 4
    folder: str = ""
    workers: int = 1

    def start(self):
        time.sleep(0.03)
        return self.work

    def work(self, texts):
        if "stop" in texts:
            raise KeyboardInterrupt
        if self.folder:
            Path(self.folder, str(os.getpid())).touch()
            until = time.monotonic() + 60
            while len(os.listdir(self.folder)) < self.workers and time.monotonic() < until:
                time.sleep(0.005)
        with timed("search"):
            time.sleep(0.01)
            with timed("judge"):
                time.sleep(0.02)
        return [None if text == "none" else PawsError("odd") if text == "odd" else text for text in texts]


def run_of(output, job, words, **options):
    def finish(values, place):
        found = [value for value in values if value is not None]
        write_text(place, "".join(value + "\n" for value in found))
        return len(found)

    run = Run("test", job, [], str(output), {}, value=lambda item, outcome: outcome, finish=finish, unit="words")
    items = [Text("f", number, word) for number, word in enumerate(words, 1)]
    return run(items, total=len(items), **{"quiet": True, **options})


def lines_of(path):
    text = path.read_text(encoding="utf8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def test_stages_add_up_to_the_time_that_passed():
    begun = time.monotonic()
    with collected() as seconds:
        with timed("work"):
            for _ in range(2):
                with timed("search"), timed("judge"):
                    time.sleep(0.02)
            with collected() as others, timed("load"):
                time.sleep(0.02)
        with pytest.raises(RuntimeError), timed("work"):
            raise RuntimeError
    passed = time.monotonic() - begun
    assert set(seconds) == {"work", "search", "judge"} and set(others) == {"load"}
    assert sum(seconds.values()) == pytest.approx(passed, abs=0.05)
    assert seconds["judge"] >= 0.04 > seconds["search"] and 0.02 <= others["load"] <= seconds["work"]


@pytest.mark.parametrize("n_process", [1, 2])
def test_the_log_tells_of_all_and_its_stages_add_up(tmp_path, n_process):
    log = tmp_path / "log.jsonl"
    log.write_text('{"of": "another run"}\n')
    words = ["none", "odd", *(f"w{i}" for i in range(18))]
    begun = tmp_path / "begun"
    begun.mkdir()
    tally = run_of(tmp_path / "o.txt", Staged(4, str(begun), n_process), words, log=str(log), n_process=n_process)
    assert (tally.rows, tally.found, tally.errors) == (20, 18, 1)
    _, begin, *updates, end = lines_of(log)
    assert begin["event"] == "begin" and begin["command"] == "test" and begin["output"] == str(tmp_path / "o.txt")
    assert [line["event"] for line in updates] == ["update"] * 5
    assert [line["rows"] for line in updates] == [4, 8, 12, 16, 20]
    assert updates[1]["rate"] > 0 and updates[1]["seconds_left"] > 0
    assert (end["event"], end["state"], end["seconds_left"], end["shards"]) == ("end", "done", 0, 5)
    assert (end["rows"], end["found"], end["errors"]) == (20, 18, 1)
    workers = n_process
    assert end["workers"] == {"alive": workers, "hired": workers, "died": 0}
    stages = end["stages"]
    assert {"read", "load", "search", "judge", "work", "write", "finish"} <= set(stages)
    assert stages["judge"] >= 5 * 0.02 and stages["load"] >= 0.03 * n_process
    assert 5 * 0.01 <= stages["search"] < stages["judge"]
    if n_process == 1:
        assert sum(stages.values()) == pytest.approx(end["seconds"], abs=0.2)
    else:
        # Of all processes together: the workers', and what the process that leads the run did beside and after.
        lead = stages["read"] + stages["finish"]
        assert sum(stages.values()) - lead == pytest.approx(2 * end["seconds"], rel=0.3)


@pytest.mark.parametrize("words, state", [(["a", "stop"], "stopped"), (["odd", "odd"], "failed")])
def test_the_last_line_tells_how_it_ended(tmp_path, words, state):
    log = tmp_path / "log.jsonl"
    with pytest.raises((KeyboardInterrupt, PawsError)):
        run_of(tmp_path / "o.txt", Staged(), words, log=str(log))
    end = lines_of(log)[-1]
    assert (end["event"], end["state"]) == ("end", state) and end["reason"]


def test_the_last_line_counts_what_a_stopped_worker_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(work, "SHARD_SECONDS", 60.0)
    log, words = tmp_path / "log", [*"abcdefghijkl", "stop"]
    with pytest.raises(KeyboardInterrupt, match="12 words are done"):
        run_of(tmp_path / "o.txt", Staged(), words, log=str(log))
    assert lines_of(log)[-1]["rows"] == 12


def test_a_log_that_cannot_be_written_is_an_error_before_the_work(tmp_path):
    for log, told in ((tmp_path, "P060"), (tmp_path / "no" / "log.jsonl", "P021"), (tmp_path / "o.txt", "P034")):
        with pytest.raises(PawsError, match=told):
            run_of(tmp_path / "o.txt", Staged(), ["a"], log=str(log))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
def test_a_full_disk_under_the_log_does_not_end_the_run(tmp_path):
    with pytest.warns(UserWarning, match="W035.*/dev/full") as told:
        tally = run_of(tmp_path / "o.txt", Staged(), [f"w{i}" for i in range(8)], log="/dev/full")
    assert tally.found == 8 and len([one for one in told if "W035" in str(one.message)]) == 1


def test_lines_are_whole_where_the_disk_takes_half_of_one(tmp_path):
    """A file may be no larger than so much: what is written of the line that goes over it is taken back."""
    import resource
    import signal
    import subprocess
    import sys

    path = tmp_path / "log.jsonl"
    code = f"""
import warnings
from paws_components.engine.log import RunLog
log = RunLog({str(path)!r})
for i in range(9):
    log.write(number=i, text="x" * 30)
"""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (128, 128))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run([sys.executable, "-c", code], preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("W035") == 1, done.stderr
    assert [line["number"] for line in lines_of(path)] == [0, 1]


def test_the_table_comes_after_a_long_run_and_not_to_a_pipe_or_quietly(tmp_path, capfd, monkeypatch):
    run_of(tmp_path / "o.txt", Staged(), ["a", "b"], quiet=False)
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(live, "LONG", 0.0)
    run_of(tmp_path / "o.txt", Staged(), ["a", "b"], quiet=False)
    told = capfd.readouterr().err
    assert "0:00 in all:" in told and "loading models" in told and "judge" in told
    shares = [int(line.split()[-1].rstrip("%")) for line in told.splitlines() if line.endswith("%")]
    assert 95 <= sum(shares) <= 105
    run_of(tmp_path / "o.txt", Staged(), ["a", "b"], quiet=True)
    run_of("/dev/null", Staged(), ["a", "b"], quiet=False)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("total", [1000, None])
def test_time_left_of_a_run_that_goes_on(total):
    """900 of 1,000 rows were done before. They are read again in no time, which says nothing of the others."""
    meter = SimpleNamespace(done=0, total=None if total else 5000)
    bar = Progress("words", quiet=True, total=total, meter=meter)
    bar.begin(900)
    assert bar.left(bar.started) is None
    meter.done = 5 * 920
    bar.update(920, str)
    assert bar.left(bar.started + 10) == pytest.approx(40)
    assert bar.speed(bar.started + 10) == pytest.approx(2)
    bar.close()


def test_plain_lines_tell_of_the_stages(capsys, monkeypatch):
    from paws_components.engine import progress

    monkeypatch.setattr(progress, "EVERY", 0.0)
    bar = Progress("words", total=10)
    bar.begin(0)
    time.sleep(0.01)
    bar.update(5, lambda: "5 words", lambda: "judge 90%")
    bar.close()
    told = capsys.readouterr().err
    assert told.startswith("paws: 50% of the input, 0:00 left, 5 words, ") and told.endswith(" words/s; judge 90%\n")
