"""Translating pairs, texts and parallel corpora through the engine."""

import json
import signal
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest
from service import glossed

from paws_components.errors import Fatal, PawsError
from paws_components.plugins import Host, Registration, host
from paws_components.readers import read_pairs
from paws_components.records import PairRecord, stable_id
from paws_components.translation.job import PairMaker, TranslateJob, TranslationRun, translate_pairs, translate_texts
from paws_components.translation.sentences import Known, ask_for
from paws_components.writers import RecordWriter


class Glossary:
    """Translates word by word. What it was asked for is kept; some sentences it can't translate, and it says so."""

    asked: list = []
    calls: list = []
    stop_at = None

    def __init__(self, *, mark: str = "", rate: float = 1.0):
        self.mark = mark

    def translate(self, texts, source, target, k):
        assert (source, target, k) == ("en", "de", 1)
        self.calls.append(list(texts))
        if self.stop_at is not None and len(self.calls) > self.stop_at:
            raise KeyboardInterrupt
        if any("bad" in text for text in texts):
            raise RuntimeError("a bad one")
        if any("fatal" in text for text in texts):
            raise Fatal("[X001] The service is gone.")
        self.asked.extend(texts)
        return [[] if "silence" in text else [(glossed(text) + self.mark, 0.5)] for text in texts]


def wrong_count():
    return type("Wrong", (), {"translate": lambda self, texts, *_: []})()


def wrong_shape():
    return type("Wrong", (), {"translate": lambda self, texts, *_: ["text" for _ in texts]})()


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    things = host().registered["translators"]
    monkeypatch.setitem(things, "glossary", Registration("glossary", Glossary, "tests", chunk=3, manner=("rate",)))
    for maker in (wrong_count, wrong_shape):
        monkeypatch.setitem(things, maker.__name__, Registration(maker.__name__, maker, "tests"))
    Glossary.asked, Glossary.calls, Glossary.stop_at = [], [], None


def job(**settings):
    return TranslateJob("en", "de", "glossary", settings)


def write(path, *rows, header="id\tsentence1\tsentence2\tlabel"):
    Path(path).write_text("\n".join([header, *("\t".join(row) for row in rows)]) + "\n", encoding="utf8")
    return str(path)


ROWS = [
    ("1", "the dog saw the cat", "the cat saw the dog", "0"),
    ("2", "good rain", "the dog saw the cat", "1"),
    ("3", "NS", "good rain", "0"),
    ("4", "a bad dog", "good rain indeed", "1"),
    ("5", "good rain indeed", "the cat", "1"),
    ("6", "silence", "good rain", "1"),
    ("7", "a bad dog", "good rain", "0"),
    ("8", "only one"),
    ("9", "the good dog", "the good dog", "1"),
    ("10", "Dog", "dog", "1"),
]


def test_pairs(tmp_path):
    source, out = write(tmp_path / "in.tsv", *ROWS), tmp_path / "out.jsonl"
    done = translate_pairs(job(), [source], str(out), quiet=True)
    records = list(read_pairs(out))
    assert [record.id for record in records] == ["1", "2", "5", "9", "10"]
    tally = done.tally
    assert (tally.rows, tally.found, tally.nothing, tally.errors) == (10, 5, 2, 3) and done.count == 5
    first = records[0]
    assert (first.sentence1, first.sentence2) == ("der Hund sah der Katze", "der Katze sah der Hund")
    assert (first.label, first.label_source, first.generator) == (0, "human", None)
    # The same source as that of the English pair: a split keeps all languages of it together.
    assert first.source_id == stable_id("the dog saw the cat")
    assert first.evidence["lang"] == "de" and first.evidence["translator"] == {"name": "glossary"}
    assert first.evidence["translated"] == {"lang": "en", "sentence1": ROWS[0][1], "sentence2": ROWS[0][2]}
    # Each distinct sentence once, over all of the run; the good sentence of an error is not lost for others.
    assert len(Glossary.asked) == len(set(Glossary.asked)) == done.distinct - len(["a bad dog"])
    errors = [json.loads(line) for line in Path(f"{out}.errors.jsonl").read_text(encoding="utf8").splitlines()]
    assert [(error["line"], error["error"]) for error in errors[:2]] == [(5, "RuntimeError: a bad one")] + [
        (8, "RuntimeError: a bad one")
    ]
    assert "P212" in errors[2]["error"] and errors[0]["text"].startswith("4\ta bad dog")
    assert (done.alike, done.unchanged) == (1, 0) and not list(tmp_path.glob("*.run"))


def test_a_tsv_is_laid_out_as_paws_x(tmp_path):
    source, out = write(tmp_path / "in.tsv", *ROWS[:2]), tmp_path / "out.tsv"
    translate_pairs(job(), [source], str(out), quiet=True)
    assert out.read_text(encoding="utf8").splitlines()[:2] == [
        "id\tsentence1\tsentence2\tlabel",
        "1\tder Hund sah der Katze\tder Katze sah der Hund\t0",
    ]


def test_what_was_said_of_the_pair_is_kept_as_said_of_the_old_one(tmp_path):
    old = PairRecord("the dog", "the cat", 0, "rule", "word_swap", evidence={"swapped": [[0, 1]], "gap": 0.5})
    old.nli = "neutral"
    with RecordWriter(tmp_path / "in.jsonl") as writer:
        writer.write(old)
    translate_pairs(job(mark=" !"), [str(tmp_path / "in.jsonl")], str(tmp_path / "out.jsonl"), quiet=True)
    (new,) = read_pairs(tmp_path / "out.jsonl")
    assert (new.id, new.source_id, new.generator) == (old.id, old.source_id, "word_swap")
    assert (new.label, new.label_source, new.nli) == (0, "rule", "neutral")
    assert new.evidence["translated"]["evidence"] == old.evidence and "gap" not in new.evidence
    assert new.evidence["translator"] == {"name": "glossary", "mark": " !"}
    # Translated once more, it still knows both languages.
    again = PairMaker(TranslateJob("de", "en", "glossary"), ("sentence1", "sentence2"), None)
    row = type("Row", (), {"payload": new})
    assert again.value(row, ["a", "b"])["evidence"]["translated"]["evidence"]["translated"]["lang"] == "en"


def test_one_side_of_a_parallel_corpus(tmp_path):
    source = write(tmp_path / "p.tsv", ("der Hund", "the dog"), ("es regnet", "good rain"), header="de\ten")
    out = tmp_path / "out.jsonl"
    done = translate_pairs(job(), [source], str(out), side=2, label=1, columns=["de", "en"], quiet=True)
    first, second = read_pairs(out)
    assert (first.sentence1, first.sentence2) == ("der Hund", "der Hund") and second.sentence2 == "gut Regen"
    assert (first.label, first.label_source, first.generator) == (1, "rule", "translation")
    assert second.evidence["translated"]["side"] == "sentence2" and second.source_id == stable_id("es regnet")
    # The two were never the same sentence.
    assert done.alike == 1 and done.sentences == 2


def test_line_aligned_files(tmp_path):
    (tmp_path / "val.en").write_text("der Hund\n\nRegen\n", encoding="utf8")
    (tmp_path / "val.de").write_text("the dog\nthe cat\nrain\n", encoding="utf8")
    out = tmp_path / "out.jsonl"
    done = translate_pairs(job(), [str(tmp_path / "val.en")], str(out), side=2, layout="multi30k", quiet=True)
    assert [record.sentence2 for record in read_pairs(out)] == ["der Hund", "Regen"]
    assert (done.tally.rows, done.tally.nothing, done.tally.notes["empty"]) == (3, 1, 1)


@pytest.mark.parametrize("name", ["o.txt", "o.jsonl", "o.tsv", "o.csv", "o.parquet", "o.txt.gz"])
def test_texts(tmp_path, name):
    if name == "o.parquet":
        pytest.importorskip("pyarrow")
    source = tmp_path / "in.txt"
    source.write_text("the dog\n\nsilence\na bad one\nthe dog\nrain   again\n", encoding="utf8")
    done = translate_texts(job(), [str(source)], str(tmp_path / name), quiet=True)
    tally = done.tally
    assert (tally.rows, tally.found, tally.nothing, tally.errors) == (6, 3, 2, 1)
    assert Glossary.asked.count("the dog") == 1 and done.distinct == 4
    from paws_components.readers import open_texts

    found = [text.text for text in open_texts([tmp_path / name])]
    assert found == ["der Hund", "der Hund", "Regen again"]
    if name == "o.jsonl":
        last = json.loads((tmp_path / name).read_text(encoding="utf8").splitlines()[-1])
        assert last == {"text": "Regen again", "source": "rain again", "lang": "de", "line": 6}


def numbered(path, count=40):
    """Rows of which many share their sentences, near and far."""
    texts = [f"dog {i % 13}" if i % 2 else f"cat {i % 7} bad" if i % 14 == 0 else f"rain {i}" for i in range(count)]
    return write(path, *[(str(i), texts[i], texts[i * 5 % count], str(i % 2)) for i in range(count)])


def run(source, out, memory=10, **frame):
    """A translation with a short memory, so that sentences are forgotten and come again."""
    from paws_components.readers import open_pairs

    def written(values, place, done):
        with RecordWriter(place) as writer:
            for value in values:
                writer.write(PairRecord(**value))
        done.count = writer.count

    mine = job()
    mine.check()
    translation = TranslationRun(mine, PairMaker(mine, ("sentence1", "sentence2"), None), written, memory)
    return translation(open_pairs(source), [source], str(out), {}, "rows", quiet=True, **frame)


@pytest.mark.parametrize("memory", [1, 3, 10, 1000])
def test_broken_off_anywhere_it_ends_in_the_same_bytes(tmp_path, monkeypatch, memory):
    from paws_components.engine import work

    monkeypatch.setattr(work, "SHARD_SECONDS", 0.0)
    monkeypatch.setattr(work, "SHARD_SHARE", 0.0)
    source, out = numbered(tmp_path / "in.tsv"), tmp_path / "out.jsonl"
    whole = run(source, out, memory)
    expected = out.read_bytes(), Path(f"{out}.errors.jsonl").read_bytes()
    calls = len(Glossary.calls)
    assert whole.tally.found and whole.tally.errors and calls > 10
    for stop in (1, calls // 3, calls // 2, calls - 1):
        out.unlink()
        Glossary.calls, Glossary.stop_at = [], stop
        with pytest.raises(KeyboardInterrupt):
            run(source, out, memory)
        Glossary.stop_at = None
        done = run(source, out, memory)
        assert (out.read_bytes(), Path(f"{out}.errors.jsonl").read_bytes()) == expected
        assert done.tally == whole.tally and done.distinct == whole.distinct


def test_the_memory_changes_nothing_but_the_work(tmp_path):
    source = numbered(tmp_path / "in.tsv")
    found = {}
    for memory in (1, 5, 1000):
        Glossary.asked = []
        run(source, tmp_path / "out.jsonl", memory)
        found[memory] = ((tmp_path / "out.jsonl").read_bytes(), len(Glossary.asked))
    assert len({data for data, _ in found.values()}) == 1
    assert found[1][1] > found[5][1] > found[1000][1] == len(set(Glossary.asked))


def test_what_is_new_is_told_by_the_rows_before():
    row = type("Row", (), {"reason": None})
    sentences = iter([("a", "b"), ("b", "a"), ("c", "c"), ("a",)])
    items = list(ask_for([row] * 4, lambda _: next(sentences), memory=2))
    assert [item.new for item in items] == [["a", "b"], [], ["c"], ["a"]]
    assert [item.payload for item in items] == [["a", "b"], [], ["c"], ["a"]]
    known = Known(1)
    known.learn("a", ("A", None))
    known.learn("b", ("B", None))
    assert "a" not in known and known["b"] == ("B", None)


def test_other_settings_are_refused_and_another_pace_is_not(tmp_path):
    source, out = numbered(tmp_path / "in.tsv"), str(tmp_path / "out.jsonl")
    Glossary.stop_at = 15
    with pytest.raises(KeyboardInterrupt):
        translate_pairs(job(rate=1.0), [source], out, quiet=True)
    Glossary.stop_at = None
    for other in (job(mark="?"), TranslateJob("en", "fr", "glossary")):
        with pytest.raises(PawsError, match="P030"):
            translate_pairs(other, [source], out, quiet=True)
    with pytest.raises(PawsError, match=r"(?s)P030.*side"):
        translate_pairs(job(), [source], out, side=1, quiet=True)
    done = translate_pairs(job(rate=9.0), [source], out, quiet=True)
    assert done.tally.found and "rate" not in Path(out).read_text(encoding="utf8")


@pytest.mark.parametrize(
    "make, code",
    [
        (lambda: TranslateJob("en", "en", "glossary"), "P601"),
        (lambda: TranslateJob("en", "de", "glosary"), "P201.*'glossary'"),
        (lambda: job(marc="!"), "P203.*did you mean `mark`"),
        (lambda: TranslateJob("en", "de", "wrong_count"), "P602.*0 lists for"),
        (lambda: TranslateJob("en", "de", "wrong_shape"), "P602.*'text', which is not"),
        (lambda: TranslateJob("en", "de", "libretranslate", {"url": "x"}), "P604"),
    ],
)
def test_what_can_not_be_is_said_before_anything_is_there(tmp_path, make, code):
    source, out = write(tmp_path / "in.tsv", *ROWS), tmp_path / "out.jsonl"
    out.write_text("precious", encoding="utf8")
    with pytest.raises(PawsError, match=code):
        translate_pairs(make(), [source], str(out), quiet=True)
    assert out.read_text(encoding="utf8") == "precious" and not list(tmp_path.glob("*.run"))


def test_a_fatal_error_stops_and_the_same_command_goes_on(tmp_path):
    rows = [(str(i), f"dog {i}", f"cat {i}", "1") for i in range(12)]
    source, out = write(tmp_path / "in.tsv", *rows[:9], ("9", "fatal", "dog", "1")), str(tmp_path / "out.jsonl")
    with pytest.raises(Fatal, match="X001"):
        translate_pairs(job(), [source], out, quiet=True)
    assert Path(f"{out}.run").is_dir()


def test_a_run_in_which_all_failed(tmp_path):
    source = write(tmp_path / "in.tsv", ("1", "bad", "bad dog", "1"))
    with pytest.raises(PawsError, match="P037.*a bad one"):
        translate_pairs(job(), [source], str(tmp_path / "out.jsonl"), quiet=True)


def test_each_worker_makes_its_own_translator_where_it_works(tmp_path, monkeypatch):
    """A translator may ask, when it is made, where spaCy works: that is decided in the worker."""
    from paws_components.engine import work

    told = []
    monkeypatch.setattr(work, "use_gpu", lambda gpu: told.append("gpu"))
    made = Glossary.__init__
    monkeypatch.setattr(Glossary, "__init__", lambda self, **settings: (told.append("made"), made(self, **settings))[1])
    things = host().registered["translators"]
    monkeypatch.setitem(things, "bare", Registration("bare", lambda: Glossary(), "tests"))
    source = write(tmp_path / "in.tsv", *ROWS[:2])
    translate_pairs(TranslateJob("en", "de", "bare"), [source], str(tmp_path / "out.jsonl"), quiet=True)
    assert told == ["made", "gpu", "made"]


def test_text_in_another_language(tmp_path):
    german = "Das ist ein Satz, der nicht auf Englisch ist und der mit dem Hund in das Haus ging und dort war."
    source = write(tmp_path / "in.tsv", *[(str(i), german, german, "1") for i in range(5)])
    with pytest.warns(UserWarning, match="W029.*'de'.*from 'en'"):
        translate_pairs(job(), [source], str(tmp_path / "out.jsonl"), quiet=True)


SLOW = '''
"""Word by word, and slowly: so that there is time to be killed in."""
import time
from paws_components.plugin import Translation, hookimpl

class Slow:
    def translate(self, texts, source, target, k):
        time.sleep(0.05)
        return [[Translation(text.upper() + " " + str(len(texts)))] for text in texts]

@hookimpl
def paws_register_translators(register):
    register("slow", Slow, chunk=8)
'''


def test_killed_and_given_again(tmp_path, monkeypatch):
    """A plugin as pip leaves it. Its translations tell how many sentences came at once: that is the same too."""
    (tmp_path / "paws_slow.py").write_text(SLOW, encoding="utf8")
    about = tmp_path / "paws_slow-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: paws-slow\nVersion: 1.0\n", encoding="utf8")
    (about / "entry_points.txt").write_text("[paws_components]\nslow = paws_slow\n", encoding="utf8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    source = numbered(tmp_path / "in.tsv", 700)
    here = Host(list(distribution("paws-slow").entry_points)).registered["translators"]["slow"]
    monkeypatch.setitem(host().registered["translators"], "slow", here)
    translate_pairs(TranslateJob("en", "de", "slow"), [source], str(tmp_path / "whole.jsonl"), quiet=True)
    command = [sys.executable, "-m", "paws_components", "translate", "in.tsv", "--from", "en", "--to", "de"]
    command += ["-t", "slow", "--quiet", "-o", "killed.jsonl", "--n-process"]
    process = subprocess.Popen([*command, "2"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    deadline = time.time() + 100
    while time.time() < deadline and not list(tmp_path.glob("killed.jsonl.run/0*.jsonl")):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list(tmp_path.glob("killed.jsonl.run/0*.jsonl")) and not (tmp_path / "killed.jsonl").exists()
    told = subprocess.run([*command, "1"], cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    assert "700 rows in = 700 translated + 0 left out + 0 errors" in told
    assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
