"""The cache of answers: what is served is what was written, whoever writes, dies, damages or changes what."""

import inspect
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import types
from functools import partial

import numpy
import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.engine import segments
from paws_components.engine.cache import (
    MARK,
    KeptAnswers,
    Memory,
    cache_info,
    check_cache,
    clear_cache,
    current_cache,
    limit_cache,
    pack,
    unpack,
    use_cache,
)
from paws_components.engine.segments import ANSWERS, INDEX, RECORD, Segments
from paws_components.errors import PawsError

# What a writer of its own process does: answers that can be worked out again from their questions, as fast as it can.
WRITER = """
import math
import sys
from paws_components.engine.cache import KeptAnswers, use_cache
%s
folder, start, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
use_cache(folder)
model = KeptAnswers("m", lambda: {"weights": "w"})
for number in range(start, start + count):
    key = model.key([number])
    if model.get(key) is None:
        model.put(key, said(number))
    if number == start:
        print("begun", flush=True)
"""


def said(number):
    """The answer to a question, of a length that differs from one to the next."""
    return [math.sin(number * 1.1) / 3, *([number / 7] * (number % 50))]


SAID = inspect.getsource(said)


def gives(answer):
    """A model that gives this answer."""
    return lambda: answer


def never():
    raise AssertionError("the model was asked")


@pytest.fixture(autouse=True)
def no_cache():
    """Whatever a test does, the next one begins without."""
    yield
    use_cache(None)


@pytest.fixture
def folder(tmp_path):
    use_cache(str(tmp_path / "answers"))
    return tmp_path / "answers"


def model(weights="w"):
    return KeptAnswers("a model", lambda: {"weights": weights})


def anew(folder):
    """As another process finds the folder."""
    use_cache(None)
    use_cache(str(folder))


def writer(folder, start, count):
    command = [sys.executable, "-c", WRITER % SAID, str(folder), str(start), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


VALUES = [
    [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf],
    numpy.array([[0.1, 1 / 3], [-0.0, 1e-45]], "f4"),
    numpy.array([math.pi, math.nan, 2**-1074], "f8"),
    numpy.zeros((0, 3), "f4"),
    [["Ein Haus — 家 \ud800", None, True, 2**70], {"a": [1.5]}],
]


@pytest.mark.parametrize("value", VALUES, ids=["floats", "f4", "f8", "empty", "data"])
def test_values_come_back_to_the_last_bit(folder, value):
    assert model()(["q"], gives(value)) is value
    anew(folder)
    found = model()(["q"], never)
    assert type(found) is type(value) and pack(found) == pack(value)
    if isinstance(value, numpy.ndarray):
        assert found.dtype == value.dtype and found.shape == value.shape and found.tobytes() == value.tobytes()
    else:
        assert found == value and repr(found) == repr(value)
    assert repr(unpack(pack(value))) == repr(value)


def test_without_a_cache_the_model_is_asked():
    asked = []
    for _ in range(2):
        assert model()(["q"], lambda: asked.append(1) or [0.5]) == [0.5]
    assert len(asked) == 2 and current_cache() is None


def test_only_the_very_same_is_served(folder):
    pair = ["Anna saw Ben.", "Ben saw Anna."]
    questions = [[pair], [pair[::-1]], [[pair, pair]], [*pair], [[*pair, ""]], [pair, 8], [pair, 8.5], ["".join(pair)]]
    for number, question in enumerate(questions):
        assert model()(question, gives([number])) == [number]
        assert model("others")(question, gives([-number - 1])) == [-number - 1]
    anew(folder)
    assert [model()(question, never) for question in questions] == [[i] for i in range(len(questions))]
    assert current_cache().counts == (len(questions), 0)
    assert model("new weights")(questions[0], gives([99])) == [99]
    unknown = KeptAnswers("a service", lambda: None)
    assert [unknown(["q"], gives([i]))[0] for i in range(3)] == [0, 1, 2]


def test_two_plugins_with_one_model_are_not_answered_for_each_other(folder, monkeypatch):
    """Nor two versions of one plugin: what is made of the same pass may be something else."""

    def plugin(module, version, answer):
        ask = gives(answer)
        ask.__module__ = module
        monkeypatch.setitem(sys.modules, module.partition(".")[0], types.SimpleNamespace(__version__=version))
        return model()(["q"], partial(partial(ask)))

    assert plugin("paws_one.model", "1.0", [1]) == [1]
    assert plugin("paws_other", "1.0", [2]) == [2]
    assert plugin("paws_one.model", "1.1", [3]) == [3]
    anew(folder)
    assert plugin("paws_one.model", "1.0", None) == [1] and plugin("paws_one.model", "1.1", None) == [3]


def test_an_array_that_is_served_can_be_written_to(folder):
    for _ in range(2):
        found = model()(["q"], gives(numpy.zeros(3)))
        found += 1
        assert found.tolist() == [1, 1, 1]
        anew(folder)


@pytest.mark.parametrize("dtype", [object, [("a", "i4"), ("b", "f8")]])
def test_what_bytes_do_not_tell_is_not_kept(folder, dtype):
    """The bytes of an array of objects are where these are in memory, and others may be there later."""
    value = numpy.zeros(2, dtype)
    for asked, answer in ((["q"], value), ([value], [1])):
        with pytest.raises(TypeError, match="can't be kept"):
            model()(asked, gives(answer))


def test_two_processes_write_at_once_and_read_each_other(folder):
    processes = [writer(folder, start, 3000) for start in (0, 1500)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    anew(folder)
    kept = KeptAnswers("m", lambda: {"weights": "w"})
    assert [kept.get(kept.key([number])) for number in range(4500)] == [said(number) for number in range(4500)]
    info = cache_info(str(folder))
    assert info.segments == 2 and [held.name for held in info.models] == ["m"] and 4500 <= info.answers <= 6000


def test_what_others_write_meanwhile_is_found(folder, monkeypatch):
    monkeypatch.setattr(segments, "AGAIN", 0.0)
    mine, others = Segments(folder, 2**20), Segments(folder, 2**20)
    for number in range(5):
        key = bytes([number]) * 16
        assert mine.get(key) is None
        others.put(key, 1, 1, b"answer %d" % number)
        assert mine.get(key) == b"answer %d" % number


def test_killed_while_writing(folder):
    """All that can be read afterwards is right, and the file goes on being read."""
    for _ in range(3):
        process = writer(folder, 0, 10**9)
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    anew(folder)
    kept = KeptAnswers("m", lambda: {"weights": "w"})
    found = [kept.get(kept.key([number])) for number in range(200)]
    assert found[:100] == [said(number) for number in range(100)]
    assert all(answer in (None, said(number)) for number, answer in enumerate(found))


def filled(folder, count=200):
    """A folder with answers in one segment. RETURNS: Its two files."""
    anew(folder)
    for number in range(count):
        model().put(model().key([number]), said(number))
    current_cache().segments.close()
    (answers,) = folder.glob(f"*{ANSWERS}")
    return answers, answers.with_suffix(INDEX)


@pytest.mark.parametrize("which", ["answers", "index"])
def test_a_file_cut_anywhere(folder, which):
    answers, index = filled(folder, 60)
    path = answers if which == "answers" else index
    whole = path.read_bytes()
    for cut in [*range(len(whole) - 120, len(whole), 7), len(whole) // 2, 1, 0]:
        path.write_bytes(whole[:cut])
        anew(folder)
        found = [model().get(model().key([number])) for number in range(60)]
        assert all(answer in (None, said(number)) for number, answer in enumerate(found))
        assert found[-1] is None and (cut < 1000 or found[0] == said(0))


@pytest.mark.parametrize("which", ["answers", "index"])
def test_no_flipped_bit_is_served(folder, which):
    answers, index = filled(folder, 40)
    path = answers if which == "answers" else index
    whole = path.read_bytes()
    served = 0
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        cache = Segments(folder, 2**30)
        found = [cache.get(model().key([number])) for number in range(40)]
        assert all(answer is None or unpack(answer) == said(number) for number, answer in enumerate(found))
        served += sum(answer is not None for answer in found)
    assert served > 0


def test_a_record_that_says_it_is_huge(folder):
    answers, _ = filled(folder, 3)
    data = bytearray(answers.read_bytes())
    data[:4] = b"\xff\xff\xff\xff"
    answers.write_bytes(data + b"\0" * 100_000)
    anew(folder)
    assert model().get(model().key([0])) is None and model().get(model().key([1])) == said(1)


def test_long_answers(folder):
    long = [[i / 7 for i in range(20_000)], "ä" * 100_000]
    for number, value in enumerate(long):
        model()([number], gives(value))
    anew(folder)
    assert [model()([number], never) for number in range(2)] == long


def test_it_is_bounded_and_the_oldest_goes_first(tmp_path, monkeypatch):
    limit = 200_000
    cache = Segments(tmp_path, limit)
    clock = time.time() - 10_000
    keys = [number.to_bytes(16, "little") for number in range(2000)]
    for number, key in enumerate(keys):
        cache.put(key, 1, 1, b"x" * 300)
        # As if a second went by between two answers.
        os.utime(cache._writer.answers.name, (clock + number, clock + number))
        os.utime(cache._writer.index.name, (clock + number, clock + number))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert 0.5 * limit < size <= limit + cache.full + RECORD.size + 400
    fresh = Segments(tmp_path, limit)
    there = [fresh.get(key) is not None for key in keys]
    assert there[-300:] == [True] * 300 and not any(there[:300])
    # What is used stays longer than what is newer.
    oldest = there.index(True)
    assert fresh.get(keys[oldest]) is not None
    before = {segment.name: segment.used for segment in segments.found_segments(tmp_path)}
    assert max(before.values()) > clock + 2000
    # What was removed is asked anew, also by who had it in its index.
    assert cache.get(keys[0]) is None


def test_it_is_bounded_where_many_write(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "AGAIN", 0.0)
    limit = 200_000
    writers = [Segments(tmp_path, limit) for _ in range(40)]
    for _ in range(30):
        for cache in writers:
            key = os.urandom(16)
            assert cache.get(key) is None
            cache.put(key, 1, 1, b"x" * 300)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert 0.5 * limit < size < 1.2 * limit


def test_a_cleared_folder_is_written_to_again(folder, monkeypatch):
    monkeypatch.setattr(segments, "AGAIN", 0.0)
    model()(["a"], gives([1]))
    assert clear_cache(str(folder)) > 0
    assert sorted(path.name for path in folder.iterdir()) == [MARK]
    model()(["b"], gives([2]))
    anew(folder)
    assert model()(["b"], never) == [2] and model()(["a"], gives([3])) == [3]


def test_a_forked_process_writes_files_of_its_own(folder):
    model()(["before"], gives([0]))
    child = os.fork()
    if child == 0:
        model()(["child"], gives([1]))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    model()(["parent"], gives([2]))
    anew(folder)
    assert [model()([name], never) for name in ("before", "child", "parent")] == [[0], [1], [2]]
    assert len(list(folder.glob(f"*{INDEX}"))) == 2


def test_a_full_disk_is_told_once_and_the_run_goes_on(folder):
    model()(["before"], gives([0]))
    writes = current_cache().segments._writer
    full = open("/dev/full", "wb", buffering=0)
    writes.answers.close()
    writes.answers = full
    with pytest.warns(UserWarning, match="W091.*No space left") as told:
        assert [model()([number], gives([number]))[0] for number in range(5)] == [0, 1, 2, 3, 4]
    assert len(told) == 1
    assert model()(["before"], never) == [0]


def test_a_folder_that_can_only_be_read():
    with tempfile.TemporaryDirectory() as made:
        use_cache(made)
        model()(["before"], gives([0]))
        os.chmod(made, 0o555)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                if os.geteuid() == 0:
                    os.setuid(65534)  # no permission stops root
                use_cache(None)
                use_cache(made)
                with pytest.warns(UserWarning, match="W091.*Permission denied") as told:
                    assert [model()([number], gives([number]))[0] for number in range(3)] == [0, 1, 2]
                assert len(told) == 1 and model()(["before"], never) == [0]
                code = 0
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        os.chmod(made, 0o755)
        assert status == 0


def test_a_folder_that_can_not_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="W091"):
        use_cache(str(tmp_path / "file" / "answers"))
    assert model()(["q"], gives([1])) == [1]


def test_nobody_elses_folder_is_taken(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / MARK).write_text('{"format": 99}')
    for name, code in (("mine", "P091.*thesis.tex"), ("file", "P091"), ("newer", "P092.*99")):
        for use in (use_cache, check_cache):
            with pytest.raises(PawsError, match=code):
                use(str(tmp_path / name))
    for use in (use_cache, check_cache):
        with pytest.raises(PawsError, match="P091.*'s3://bucket/answers'.*URL"):
            use("s3://bucket/answers")
    for use in (cache_info, clear_cache, lambda path: limit_cache(path, 5)):
        with pytest.raises(PawsError, match="P093"):
            use(str(tmp_path / "mine"))
    check_cache(str(tmp_path / "not there yet"))
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"


def test_memory():
    memory = Memory(2)
    assert memory.new(["a", "b", "a"]) == ["a", "b"] and (memory.asked, memory.cached) == (2, 1)
    memory.learn([("a", 1), ("b", 2), ("a", 1), ("c", 3)])
    assert "a" in memory and memory["c"] == 3 and "b" not in memory
    memory.forget()
    assert memory.new(["a"]) == ["a"] and memory.asked == 3


# The rest is asked of real models, in real runs.


def pairs_file(path, count=60):
    words = "anna ben saw met slept old house sea was seen by all night".split()
    with open(path, "w", encoding="utf8") as file:
        for number in range(count):
            one = [words[(number * 7 + i * i) % len(words)] for i in range(3 + number % 9)]
            two = [words[(number * 5 + i * 3) % len(words)] for i in range(3 + number % 7)]
            file.write(json.dumps({"sentence1": " ".join(one), "sentence2": " ".join(two)}) + "\n")
    return str(path)


def measured(tmp_path, nli, output, *options):
    settings = [f"--set={name}.model={nli}" for name in ("mi_forward", "mi_verdict")]
    args = [
        "metrics",
        str(tmp_path / "pairs.jsonl"),
        "-o",
        str(tmp_path / output),
        "--metrics",
        "mi_forward,mi_verdict",
    ]
    result = CliRunner().invoke(cli, [*args, *settings, "--quiet", *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (tmp_path / output).read_bytes()


def test_a_run_says_the_same_cold_warm_and_without(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from ..nli.models import make_transformer

    nli = make_transformer(tmp_path / "nli")
    pairs_file(tmp_path / "pairs.jsonl")
    cache = str(tmp_path / "answers")
    none = measured(tmp_path, nli, "none.tsv")
    assert len(set(line.split(b"\t")[-2] for line in none.splitlines())) > 30  # or equal bytes would mean nothing
    assert measured(tmp_path, nli, "cold.tsv", "--cache", cache) == none
    counts = current_cache().counts
    assert counts.served == 0 and counts.asked > 60
    use_cache(None)
    assert measured(tmp_path, nli, "warm.tsv", "--cache", cache) == none
    assert current_cache().counts == (counts.asked, 0)
    # A part of it is not served in other batches.
    use_cache(None)
    part = measured(tmp_path, nli, "part.tsv", "--limit", "33")
    assert measured(tmp_path, nli, "served.tsv", "--limit", "33", "--cache", cache) == part
    told = CliRunner().invoke(cli, ["cache", "info", cache])
    assert told.exit_code == 0 and "nli" in told.output and "float32" in told.output
    info = json.loads(CliRunner().invoke(cli, ["cache", "info", cache, "--json"]).output)
    assert info["answers"] >= counts.asked and info["models"][0]["about"]["versions"]["torch"]
    result = CliRunner().invoke(cli, ["cache", "limit", cache, "1KB"])
    assert result.exit_code == 0 and cache_info(cache).limit == 1000 and cache_info(cache).answers == 0
    assert CliRunner().invoke(cli, ["cache", "clear", cache]).exit_code == 0


def test_other_weights_are_not_answered_for(tmp_path):
    """In the same folder, of the same size, with the same time: as a training run that goes on leaves them."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from paws_components.nli.making import make_entailment

    from ..nli.models import PAIRS, make_transformer

    folder = make_transformer(tmp_path / "nli")
    weights = tmp_path / "nli" / "model.safetensors"
    before = os.stat(weights)
    use_cache(str(tmp_path / "answers"))
    first = make_entailment(folder)(PAIRS)
    from safetensors.torch import load_file, save_file

    tensors = load_file(weights)
    tensors["classifier.bias"] = tensors["classifier.bias"] + torch.tensor([0.5, 0.0, 0.0])
    save_file(tensors, weights, metadata={"format": "pt"})
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(weights).st_size == before.st_size
    anew(tmp_path / "answers")
    second = make_entailment(folder)(PAIRS)
    assert current_cache().counts.served == 0
    use_cache(None)
    assert second == make_entailment(folder)(PAIRS) != first
    # A copy elsewhere is the same model.
    anew(tmp_path / "answers")
    os.rename(folder, tmp_path / "moved")
    assert make_entailment(str(tmp_path / "moved"))(PAIRS) == second
    assert current_cache().counts.asked == 0


def test_a_chunk_is_asked_the_same_whatever_came_before(tmp_path):
    """Else the last digits would depend on how many processes work, and on where a run was broken off."""
    from paws_components.engine.work import Accounted
    from paws_components.nli.cached import CachedEntailment

    from ..nli.models import Counting

    class Job:
        def __init__(self):
            self.model = CachedEntailment(Counting(), 100)

        def start(self):
            return self.model

    job = Job()
    worker = Accounted(job).start()
    pairs = [("a b", "a"), ("c", "d"), ("c", "d")]
    assert worker(pairs) == worker(pairs)
    assert job.model.model.calls == [pairs[:2], pairs[:2]]
