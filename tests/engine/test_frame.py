import base64
import json
import os
import re
import signal
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paws_components.engine import work
from paws_components.engine.frame import Run, Stopped
from paws_components.errors import Fatal, PawsError
from paws_components.generation.job import GenerateJob
from paws_components.readers import Text
from paws_components.writers import write_text

CHUNK = 4


@dataclass
class Reverse:
    """A job that turns words round, refuses some, and stops at one."""

    refuse: str = "refuse"
    stop: str = ""
    chunk: int = CHUNK

    def start(self):
        return self.work

    def work(self, texts):
        if self.stop in texts:
            raise Fatal("[X001] The model is gone.")
        if self.refuse in texts:
            raise RuntimeError("I refuse")
        return [PawsError("too odd") if text == "odd" else text[::-1] for text in texts]


def texts(words):
    return [Text("f", number, word) for number, word in enumerate(words, 1)]


def run_of(output, job=None, inputs=(), **options):
    def finish(values, place):
        found = [value for value in values if value is not None]
        write_text(place, "".join(value + "\n" for value in found))
        return len(found)

    given = {"value": lambda item, outcome: outcome, "finish": finish, **options}
    return Run("test", job or Reverse(), inputs, str(output), {"a": 1}, unit="words", **given)


@pytest.fixture(autouse=True)
def every_chunk_a_shard(monkeypatch):
    monkeypatch.setattr(work, "SHARD_SECONDS", 0.0)


@pytest.mark.parametrize("n_process", [1, 2])
def test_every_row_is_accounted_for(tmp_path, n_process):
    words = ["ab", "", "refuse", "odd", *(f"w{i}" for i in range(9))]
    items = [*texts(words), Text("f", 99, "", "broken line", "ra\udcffw")]
    out = tmp_path / "o.txt"
    tally = run_of(out)(items, n_process=n_process, quiet=True)
    assert (tally.rows, tally.found, tally.nothing, tally.errors) == (14, 10, 1, 3)
    assert out.read_text().split() == ["ba", *(f"{i}w" for i in range(9))]
    entries = [json.loads(line) for line in Path(tally.errors_path).read_text(encoding="utf8").splitlines()]
    assert [(entry["line"], entry["error"]) for entry in entries] == [
        (3, "RuntimeError: I refuse"),
        (4, "too odd"),
        (99, "broken line"),
    ]
    assert base64.b64decode(entries[2]["bytes"]) == b"ra\xffw" and "\ufffd" in entries[2]["text"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.txt", "o.txt.errors.jsonl"]


def test_a_run_goes_on_and_old_outputs_stay_until_the_end(tmp_path):
    out = tmp_path / "o.txt"
    out.write_text("old\n")
    words = [f"w{i}" for i in range(10)] + ["stop"]
    with pytest.raises(Fatal, match="X001"):
        run_of(out, Reverse(stop="stop"))(texts(words), quiet=True)
    assert out.read_text() == "old\n" and (tmp_path / "o.txt.run").is_dir()
    seen = []

    class Watched(Reverse):
        def work(self, texts):
            seen.extend(texts)
            return super().work(texts)

    tally = run_of(out, Watched())(texts(words), quiet=True)
    assert seen == ["w8", "w9", "stop"]
    assert tally.rows == tally.found == 11 and len(out.read_text().split()) == 11
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.txt"]


def broken_off(tmp_path):
    out = tmp_path / "o.txt"
    with pytest.raises(Fatal):
        run_of(out, Reverse(stop="stop"))(texts([f"w{i}" for i in range(8)] + ["stop"]), quiet=True)
    return out


def test_another_input_is_refused(tmp_path):
    out = broken_off(tmp_path)
    changed = texts([f"w{i}" if i != 5 else "x" for i in range(8)] + ["stop"])
    with pytest.raises(PawsError, match=r"P032.*f, 5 and after.*--fresh"):
        run_of(out)(changed, quiet=True)
    with pytest.raises(PawsError, match="P032"):
        run_of(out)(texts(["w0"]), quiet=True)
    tally = run_of(out)(changed, quiet=True, fresh=True)
    assert tally.rows == 9


def test_another_setting_is_refused(tmp_path):
    out = broken_off(tmp_path)
    other = run_of(out)
    other.settings = {"a": 2}
    with pytest.raises(PawsError, match=r"P030(.|\n)*settings.a: 1 then, 2 now"):
        other([], quiet=True)
    with pytest.raises(PawsError, match=r"P030(.|\n)*chunk: 4 then, 5 now"):
        run_of(out, Reverse(chunk=5))([], quiet=True)


def test_everything_failing_is_a_failure(tmp_path):
    out = tmp_path / "o.txt"
    out.write_text("old\n")
    with pytest.raises(PawsError, match=r"P037.*All 2 words failed.*too odd.*errors.jsonl"):
        run_of(out)(texts(["odd", "odd"]), quiet=True)
    assert out.read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.txt", "o.txt.errors.jsonl"]
    with pytest.raises(PawsError, match=r"P037.*The first error: too odd\.$"):
        run_of("-")(texts(["odd", "odd"]), quiet=True)
    # Nothing to do is none.
    assert run_of(out)([], quiet=True).rows == 0


def test_too_many_errors(tmp_path):
    out = tmp_path / "o.txt"
    words = ["a", "b", "c", "d", "odd", "e", "odd", "f", "g", "h"]
    with pytest.raises(PawsError, match="P036.*2 errors.*allows 1.*f, 7: too odd"):
        run_of(out)(texts(words), quiet=True, max_errors=1)
    assert not out.exists()
    # The same command does not pass for being given twice, also where all rows are done.
    with pytest.raises(PawsError, match="P036.*2 errors.*allows 1.*f, 7: too odd"):
        run_of(out)(texts(words), quiet=True, max_errors=1)
    # What was done is kept, and more errors may be allowed.
    assert run_of(out)(texts(words), quiet=True, max_errors=2).errors == 2


@pytest.fixture
def ctrl_c():
    """Whoever runs the tests in the background has the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_and_sigterm_keep_what_was_done(tmp_path, ctrl_c):
    before = signal.getsignal(signal.SIGTERM)
    for number in (signal.SIGINT, signal.SIGTERM):
        out = tmp_path / f"{number}.txt"

        class Slow(Reverse):
            def work(self, texts):
                if "w9" in texts:
                    os.kill(os.getpid(), number)  # noqa: B023
                    time.sleep(5)
                return super().work(texts)

        with pytest.raises(
            Stopped, match=r"Stopped\. 8 words are done and kept in .*\.run; run the same command"
        ) as stopped:
            run_of(out, Slow())(texts([f"w{i}" for i in range(20)]), quiet=True)
        assert stopped.value.code == 128 + number and not out.exists()
        assert run_of(out)(texts([f"w{i}" for i in range(20)]), quiet=True).rows == 20
    assert signal.getsignal(signal.SIGTERM) == before


def test_no_chunk_is_kept_in_part(tmp_path):
    """What is left of one would be worked on by itself, which can change the last digits of what a model computes."""

    def value(item, outcome):
        if item.number == 7:
            raise KeyboardInterrupt
        return outcome

    words = [f"w{i}" for i in range(12)]
    with pytest.raises(Stopped, match="4 words are done"):
        run_of(tmp_path / "o.txt", value=value)(texts(words), quiet=True)
    sizes = []

    class Watched(Reverse):
        def work(self, texts):
            sizes.append(len(texts))
            return super().work(texts)

    assert run_of(tmp_path / "o.txt", Watched())(texts(words), quiet=True).rows == 12
    assert sizes == [4, 4]


def test_a_run_in_another_thread(tmp_path):
    """Signals are the main thread's; a notebook's or a server's run works all the same."""
    done = []
    thread = threading.Thread(target=lambda: done.append(run_of(tmp_path / "o.txt")(texts(["ab"]), quiet=True)))
    thread.start()
    thread.join()
    assert done[0].found == 1


def test_a_source_that_breaks_off_gives_what_was_before(tmp_path):
    items = [*texts(["ab", "cd"]), Text("f", 3, "", "the rest can't be read", broke_off=True)]
    tally = run_of(tmp_path / "o.txt")(items, quiet=True)
    assert (tally.found, tally.errors) == (2, 1) and tally.broke_off == ["f: the rest can't be read"]


def test_notes_are_counted_also_for_rows_that_were_done_before(tmp_path):
    out = tmp_path / "o.txt"
    items = [Text("f", i, f"w{i}", respaced=i % 2 == 0) for i in range(8)]
    with pytest.raises(Fatal):
        run_of(out, Reverse(stop="w7"))(items, quiet=True)
    assert run_of(out)(items, quiet=True).notes == {"white_space": 4}


def test_the_folder_of_a_run_can_stay(tmp_path):
    out = tmp_path / "o.txt"
    calls = []

    class Expensive(Reverse):
        def work(self, texts):
            calls.append(len(texts))
            return super().work(texts)

    for _ in range(2):
        tally = run_of(out, Expensive(), keeps=True)(texts(["ab", "cd"]), quiet=True)
        assert tally.found == 2
    assert calls == [2]


def test_output_and_input(tmp_path):
    source = tmp_path / "in.txt"
    source.write_text("precious\n")
    link, hard = tmp_path / "link.txt", tmp_path / "hard.txt"
    link.symlink_to(source)
    os.link(source, hard)
    for output in (source, link, hard):
        with pytest.raises(PawsError, match="P150"):
            run_of(output, inputs=[str(source)])
    with pytest.raises(PawsError, match="P150"):
        run_of(source, inputs=[str(link)])
    with pytest.raises(PawsError, match="P021.*no such folder"):
        run_of(tmp_path / "no" / "o.txt")
    # The list of errors is an output too.
    errors = tmp_path / "x.txt.errors.jsonl"
    errors.write_text("precious\n")
    with pytest.raises(PawsError, match="P150"):
        run_of(tmp_path / "x.txt", inputs=[str(errors)])
    assert source.read_text() == "precious\n"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old\n")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    run_of(tmp_path / "link.txt")(texts(["ab"]), quiet=True)
    assert (tmp_path / "link.txt").is_symlink() and (tmp_path / "real.txt").read_text() == "ba\n"


def test_a_pipe_leaves_nothing_behind(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for streams in (True, False):
        tally = run_of("-", streams=streams)(texts(["ab", "odd"]), quiet=True)
        assert (tally.found, tally.errors, tally.errors_path) == (1, 1, "")
        assert capfdbinary.readouterr().out == b"ba\n"
        with pytest.raises(Fatal):
            run_of("-", Reverse(stop="stop"), streams=streams)(texts(["ab"] * 5 + ["stop"]), quiet=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error, told", [(BrokenPipeError, BrokenPipeError), (OSError("full"), PawsError)])
def test_a_pipe_that_closes_leaves_nothing_behind(tmp_path, monkeypatch, error, told):
    """As that of `head` does; the output is chosen over the whole run, so there were shards."""

    def finish(values, place):
        assert len(list(values)) == 1 and list(tmp_path.iterdir())
        raise error

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(told) as raised:
        run_of("-", finish=finish, streams=False)(texts(["ab"]), quiet=True)
    assert "the same command" not in str(raised.value) and list(tmp_path.iterdir()) == []


def test_a_full_disk_at_the_end(tmp_path):
    """The shards are there, and the output finds no room."""
    out = tmp_path / "o.txt"
    out.write_text("old\n")

    def finish(values, place):
        Path("/dev/full").write_text("".join(values))
        return 0

    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with pytest.raises(PawsError, match="P038.*No space left.*2 words are done and kept in"):
        run_of(out, finish=finish)(texts(["ab", "cd"]), quiet=True)
    assert out.read_text() == "old\n"
    assert run_of(out)(texts(["ab", "cd"]), quiet=True).found == 2


def test_progress_lines_where_there_is_no_terminal(tmp_path, monkeypatch, capsys):
    from paws_components.engine import progress

    monkeypatch.setattr(progress, "EVERY", 0.0)
    run_of(tmp_path / "o.txt")(texts(["ab"] * 12), total=12)
    said = capsys.readouterr().err.splitlines()
    assert re.match(r"paws: 33% of the input, \d+:\d\d left, 4 words, 4 with an outcome, ", said[0])
    assert "words/s" in said[0] and len(said) == 3
    run_of(tmp_path / "o.txt")(texts(["ab"] * 12), total=12, quiet=True)
    assert capsys.readouterr().err == ""


TEXTS = [
    "Mary lives in Boston and works in Chicago.",
    "",
    "Can a bad person become good?",
    "Rain",
    "😀 שלום",
    "Tom's old dog isn't as bad as Ann's new cat.",
]


def swaps(tmp_path, words, name="swaps", worker=None, **options) -> Optional[bytes]:
    """What comes of texts in a run of the real job."""
    job = GenerateJob(**{key: value for key, value in options.items() if key != "n_process"})
    out = tmp_path / f"{name}.txt"

    def finish(values, place):
        held = list(values)
        write_text(place, json.dumps(held))
        return sum(bool(value) for value in held)

    run = Run("swaps", job, (), str(out), {}, lambda _, records: [r.to_dict() for r in records], finish)
    run(texts(words), quiet=True, n_process=options.get("n_process", 1))
    return out.read_bytes()


@pytest.mark.parametrize("precise", [True, False])
def test_swaps_do_not_depend_on_batches_or_processes(tmp_path, precise):
    chosen = {"settings": {"precise": precise}}
    one = swaps(tmp_path, TEXTS * 60, **chosen)
    cities, verbs = "Mary lives in Chicago and works in Boston.", "Mary works in Boston and lives in Chicago."
    assert json.loads(one)[0][0]["sentence2"] == (cities if precise else verbs)
    for options in ({"batch_size": 1}, {"batch_size": 7}, {"batch_size": 64, "n_process": 2}):
        assert swaps(tmp_path, TEXTS * 60, **chosen, **options) == one


@pytest.fixture(scope="module")
def worker():
    return GenerateJob().start()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=80).filter(str.strip), max_size=8))
def test_no_text_is_lost(worker, words):
    outcomes = worker(words)
    assert len(outcomes) == len(words)
    for word, records in zip(words, outcomes):
        assert all(record.sentence1 == word for record in records)


def test_evidence_says_how_a_pair_came_about():
    ((record,),) = GenerateJob(seed=7).start()(TEXTS[:1])
    assert record.generator == "word_swap" and record.label is None
    assert record.evidence["seed"] == 7 and record.evidence["lm"] == "embedded/en"
    assert {"moved", "gap", "score", "source_score", "template", "model", "version"} <= set(record.evidence)


def test_paragraphs_are_cut_into_sentences():
    (records,) = GenerateJob(sentences=True).start()([" ".join(TEXTS[i] for i in (0, 2))])
    assert [record.sentence1 for record in records] == [TEXTS[0], TEXTS[2]]


def test_long_lines(worker):
    with pytest.warns(UserWarning, match="W001"):
        (records,) = worker(["old word " * 10_000])
    assert records == []
    # Longer ones never reach the tagger, which would take gigabytes for them; the others of the chunk are not lost.
    first, second = worker(["old word " * 20_000, TEXTS[0]])
    assert isinstance(first, PawsError) and "P039" in str(first) and "--sentences" in str(first)
    assert len(second) == 1
