"""Input that nobody wishes for, disks that are full, files that come and go: nothing is lost, what is wrong is told."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest
from click.testing import CliRunner

from paws_components import storage
from paws_components.cli import cli, main
from paws_components.engine import work
from paws_components.readers import files, open_pairs, open_texts
from tests.s3 import ObjectStore

GOOD = "Mary lives in Boston and works in Chicago."
EMOJI = "The 👩‍👩‍👧‍👦 in 🇫🇷 saw the ☃️ of é."
HEBREW = "דוד גר בחיפה ועובד ב\u200fירושלים."
LONG = "word " * 10_000
# Each kind of line: what stands there, and whether it is an error.
LINES = {
    "empty": (b"", False),
    "blank": (b" \t \xc2\xa0 ", False),
    "one word": (b"Rain", False),
    "one letter": (b"a", False),
    "10,000 words": (LONG.encode(), False),
    "tabs": (b"A cat\tsaw\t\ta dog.\t", False),
    "carriage returns": (b"A cat saw a dog.\r", False),
    "a mark in the middle": ("\ufeffA cat saw a dog.".encode(), False),
    "zero bytes": (b"A cat\x00saw a dog.", False),
    "line separators": ("A cat\u2028saw\x0b\x0c\x85a dog.".encode(), False),
    "invalid UTF-8": (b"A caf\xe9 in \xff\xfe Paris.", True),
    "half a character": ("A café".encode()[:-1], True),
    "a surrogate in UTF-8": (b"A \xed\xa0\x80 cat.", True),
    "emoji": (EMOJI.encode(), False),
    "right to left": (HEBREW.encode(), False),
    "combining marks": (("Z" + "\u0301" * 500).encode(), False),
    "quotation marks": (b'"A cat ""saw a dog.', False),
    "braces": (b'{"text": ', False),
    "more than a pipeline takes": (b"word " * 210_000, True),
    "more than is read": (b"x" * 4_500_000, True),
}
PAIR = "A cat saw a dog.", "A dog saw a cat."


@pytest.fixture
def paws(monkeypatch, capfd):
    """The command, in this process: its exit code and what it told."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["paws", *map(str, arguments), "--quiet"])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        told = capfd.readouterr()
        return code, told.err + told.out

    return run


@pytest.fixture
def pairs(tmp_path):
    """Pairs that take some chunks."""
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS, encoding="utf8")
    return path


def pair_line(number):
    return f"{number}\tThe cat number {number} saw a dog.\tA dog saw the cat number {number}.\t0\n"


COUNT = 600
PAIRS = "".join(["id\tsentence1\tsentence2\tlabel\n", *map(pair_line, range(COUNT))])


def metrics(source, output):
    return "metrics", source, "-o", output, "--metrics", "bow_cosine"


def counts(told):
    """Rows in, those that came to something, to nothing, and to an error. They add up."""
    found = re.search(r"([\d,]+) (?:rows|lines) in = ([\d,]+) \S+(?: pairs)? \+ ([\d,]+) .*? \+ ([\d,]+) errors", told)
    rows, *parts = (int(number.replace(",", "")) for number in found.groups())
    assert rows == sum(parts)
    return (rows, *parts)


def errors(output):
    path = output.with_name(output.name + ".errors.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()] if path.exists() else []


def written(path):
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


# Lines


def test_every_kind_of_line_of_text(tmp_path, paws):
    source, output = tmp_path / "in.txt", tmp_path / "out.jsonl"
    lines = [GOOD.encode(), *(line for line, _ in LINES.values()), GOOD.encode()]
    source.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines) + b"\n")
    code, told = paws("generate", source, "-o", output, "--all")
    wrong = [number for number, (_, error) in enumerate(LINES.values(), 2) if error]
    rows, found, _, failed = counts(told)
    assert (code, rows, failed) == (0, len(LINES) + 2, len(wrong)) and found >= 2
    assert [error["line"] for error in errors(output)] == wrong
    # The first line and the last are worked on as if the others were not there.
    made = [record["sentence2"] for record in written(output)]
    assert made[0] == made[-1] and {"Boston", "Chicago"} <= set(re.findall(r"\w+", made[0]))
    by_kind = dict(zip([kind for kind, (_, error) in LINES.items() if error], errors(output)))
    assert "UTF-8" in by_kind["invalid UTF-8"]["error"] and "bytes" in by_kind["invalid UTF-8"]
    assert "P039" in by_kind["more than a pipeline takes"]["error"]
    assert "4,500,000 bytes" in by_kind["more than is read"]["error"]
    assert len(by_kind["more than is read"]["text"]) < 1100


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
@pytest.mark.parametrize("kind", LINES)
def test_every_kind_of_sentence_in_a_pair(tmp_path, paws, kind, ending):
    line, wrong = LINES[kind]
    source, output = tmp_path / f"in.{ending}", tmp_path / "out.jsonl"
    good = b"\t".join([b"1", *(text.encode() for text in PAIR), b"0"])
    rows = [good, b"\t".join([b"2", line, PAIR[1].encode(), b"0"]), good]
    if ending == "tsv":
        rows.insert(0, b"id\tsentence1\tsentence2\tlabel")
    else:
        names = ("id", "sentence1", "sentence2", "label")
        texts = [
            [cell.decode("utf8", "surrogateescape") for cell in re.split(b"\t(?=[^\t]*\t0$|0$|)", row)] for row in rows
        ]
        texts = [
            ["1", *PAIR, 0],
            ["2", line.decode("utf8", "surrogatepass" if b"\xed" in line else "replace"), PAIR[1], 0],
        ]
        rows = [json.dumps(dict(zip(names, cells))).encode() for cells in (texts[0], texts[1], texts[0])]
    source.write_bytes(b"\r\n".join(rows) + b"\r\n")
    code, told = paws(*metrics(source, output))
    found = counts(told)
    assert code == 0 and found[0] == 3 and found[1] >= 2
    assert [record["sentence1"] for record in written(output)][:: found[1] - 1] == [PAIR[0]] * 2
    if kind == "more than is read" or (wrong and ending == "tsv"):
        assert found[3] == 1 and len(json.dumps(errors(output))) < 5_000_000


@pytest.mark.parametrize("name", ["in.txt", "in.jsonl", "in.tsv", "in.txt.gz"])
def test_a_line_of_50_mb_is_an_error_and_never_in_memory(tmp_path, name):
    line, size = b"word " * 10_000, 0
    with (gzip.open if name.endswith(".gz") else open)(tmp_path / name, "wb") as file:
        file.write(b"sentence1\tsentence2\tlabel\n" if "tsv" in name else b"")
        good = b"A\tB\t1\n" if "tsv" in name else b'{"text": "A"}\n'
        file.write(good)
        while size < 50_000_000:
            size += file.write(line)
        file.write(b"\n" + good)
    opened = (open_pairs if "tsv" in name else open_texts)(str(tmp_path / name))
    tracemalloc.start()
    rows = [(row.number, row.reason, len(row.raw)) for row in opened]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    first = 2 if "tsv" in name else 1
    assert [number for number, _, _ in rows] == [first, first + 1, first + 2]
    assert [reason is None for _, reason, _ in rows] == [True, False, True]
    assert "50,000,000 bytes" in rows[1][1] and rows[1][2] < 1100
    assert peak < 10_000_000


def test_a_line_that_is_too_long_in_quotes_ends_the_file(tmp_path, paws):
    """Nobody can tell which row the next line belongs to: that is told, and the exit code says so."""
    source, output = tmp_path / "in.csv", tmp_path / "out.jsonl"
    rows = ["sentence1,sentence2,label", '"A, b","B, a",1', '"' + "x" * 5_000_000 + '","B",1', '"A","B",1']
    source.write_text("\n".join(rows) + "\n")
    code, told = paws(*metrics(source, output))
    assert code == 1 and counts(told) == (2, 1, 0, 1) and "line 3" in told


# Files that are cut short, that grow, that go


@pytest.mark.parametrize("command", ["generate", "metrics"])
def test_gzip_cut_short(tmp_path, paws, pairs, command):
    source, output = tmp_path / ("in.txt.gz" if command == "generate" else "in.tsv.gz"), tmp_path / "out.jsonl"
    text = "".join(f"{GOOD} {i}\n" for i in range(300)) if command == "generate" else pairs.read_text()
    whole = gzip.compress(text.encode())
    source.write_bytes(whole[: len(whole) // 2])
    run = (
        ("generate", source, "-o", output, "--all", "--limit", 400)
        if command == "generate"
        else metrics(source, output)
    )
    code, told = paws(*run)
    rows, found, _, failed = counts(told)
    assert code == 1 and failed == 1 and 10 < found == rows - 1 < COUNT
    assert "the rest of the file can't be read" in told and "in.t" in told
    assert errors(output)[0]["line"] >= rows


def test_gzip_of_which_nothing_can_be_read(tmp_path, paws):
    source, output = tmp_path / "in.txt.gz", tmp_path / "out.jsonl"
    output.write_text("before")
    source.write_bytes(gzip.compress(b"A cat.")[:12])
    code, told = paws("generate", source, "-o", output, "--all")
    assert code == 1 and "P020" in told and output.read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["in.txt.gz", "out.jsonl"]


def test_a_file_that_grows_is_read_as_it_was(tmp_path, paws, pairs):
    """Also where it grows at every moment: no line is read in half, and none twice."""
    output, stop = tmp_path / "out.jsonl", threading.Event()

    def grow():
        with open(pairs, "ab", buffering=0) as file:
            while not stop.wait(0.001):
                file.write(pair_line(7).encode())

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        with pytest.warns(UserWarning, match="W033.* has grown since"):
            code, told = paws(*metrics(pairs, output))
    finally:
        stop.set()
        thread.join()
    rows, found, _, failed = counts(told)
    assert code == 0 and failed == 0 and COUNT <= rows == found == len(written(output))
    assert all(re.fullmatch(r"The cat number \d+ saw a dog\.", record["sentence1"]) for record in written(output))


def test_a_run_does_not_go_on_with_a_file_that_has_grown(tmp_path, paws, pairs):
    output = tmp_path / "out.jsonl"
    with open(pairs, "ab") as file:
        file.write(b"one column\n")
    code, told = paws(*metrics(pairs, output), "--max-errors", 0)
    assert code == 1 and "P036" in told
    with open(pairs, "ab") as file:
        file.write(pair_line(7).encode())
    code, told = paws(*metrics(pairs, output))
    assert code == 1 and "P030" in told and not output.exists()
    assert re.search(r"pairs\.tsv, size: \d+ then, \d+ now", told)
    assert paws(*metrics(pairs, output), "--fresh")[0] == 0 and len(written(output)) == COUNT + 1


@pytest.fixture
def between(tmp_path):
    """Something is done when the first of two inputs is being read, and the second was opened and not begun."""
    first = tmp_path / "first"
    threads = []

    def do(what):
        first.unlink(missing_ok=True)
        os.mkfifo(first)

        def feed():
            with open(first, "w") as pipe:
                pipe.write(f"{GOOD}\n")
                pipe.flush()
                what()

        threads.append(threading.Thread(target=feed))
        threads[-1].start()
        return first

    yield do
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("kind", ["goes", "is cut", "grows"])
def test_an_input_that_changes_in_the_middle(tmp_path, paws, between, kind, recwarn):
    second, output = tmp_path / "second.txt", tmp_path / "out.jsonl"
    text = f"{GOOD}\n" * 20
    second.write_text(text)
    change = {
        "goes": second.unlink,
        "is cut": lambda: os.truncate(second, len(text) // 2),
        "grows": lambda: second.write_text(text + GOOD),
    }[kind]
    output.write_text("before")
    code, told = paws("generate", between(change), second, "-o", output, "--all")
    if kind == "goes":
        assert code == 1 and "P020" in told and "no such file" in told and "second.txt" in told
        assert output.read_text() == "before"
        second.write_text(text)
        code, told = paws("generate", between(lambda: None), second, "-o", output, "--all")
        assert code == 0 and counts(told) == (21, 21, 0, 0)
    elif kind == "is cut":
        assert code == 1 and counts(told) == (12, 11, 0, 1) or counts(told) == (11, 10, 0, 1)
        assert re.search(r"it ends after 4\d\d of the 8\d\d bytes", told)
    else:
        assert code == 0 and counts(told) == (21, 21, 0, 0)
        assert any("second.txt has grown" in str(warning.message) for warning in recwarn)


# Disks


def test_no_space_left(tmp_path, paws, pairs, undisturbed):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("a file system of a fixed size can't be mounted here")
    try:
        output, filler = disk / "out.jsonl", disk / "filler"
        output.write_text("before")
        filler.write_bytes(b"x" * 60_000)
        code, told = paws(*metrics(pairs, output))
        assert code == 1 and "No space left" in told and "run the same command again" in told
        assert output.read_text() == "before" and not errors(output)
        filler.unlink()
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        code, told = paws(*metrics(pairs, output))
        assert code == 0 and counts(told) == (COUNT, COUNT, 0, 0)
        assert sorted(os.listdir(disk)) == ["out.jsonl"] and output.read_bytes() == undisturbed
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# Object stores


@pytest.fixture(scope="module")
def one_store():
    store = ObjectStore("bucket")
    yield store
    store.close()


@pytest.fixture
def store(one_store, monkeypatch, pairs):
    for name, value in one_store.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PAWS_STORE_SECONDS", "0.6")
    monkeypatch.setattr(storage, "FIRST_PAUSE", 0.02)
    # Small pieces, so that many requests can fail.
    monkeypatch.setattr(storage, "BLOCK", 10_000)
    monkeypatch.setattr(work, "SHARD_SECONDS", 0.0)
    one_store.fail(0)
    one_store.objects.clear()
    one_store.objects["bucket", "pairs.tsv"] = pairs.read_bytes()
    return one_store


S3 = metrics("s3://bucket/pairs.tsv", "s3://bucket/out.jsonl")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf8")
    run = [*map(str, metrics(folder / "pairs.tsv", folder / "out.jsonl")), "--quiet"]
    assert CliRunner().invoke(cli, run).exit_code == 0
    return (folder / "out.jsonl").read_bytes()


def test_a_store_that_fails_now_and_then(paws, store, undisturbed):
    asked = iter(range(10**6))
    store.fault = lambda method, path: {0: 503, 1: 500}.get(next(asked) % 8)
    code, told = paws(*S3)
    assert code == 0, told
    assert counts(told) == (COUNT, COUNT, 0, 0)
    assert store.objects["bucket", "out.jsonl"] == undisturbed and next(asked) > 100
    assert store.keys() == ["out.jsonl", "pairs.tsv"]


@pytest.mark.parametrize("after", [0, 25, 40])
def test_a_store_that_fails_for_ever(paws, store, undisturbed, after):
    store.objects["bucket", "out.jsonl"] = b"before"
    asked = iter(range(10**6))
    store.fault = lambda method, path: 503 if next(asked) >= after else None
    started = time.monotonic()
    code, told = paws(*S3)
    assert code == 1 and "again and again" in told and "s3://bucket/" in told
    assert time.monotonic() - started < 10
    assert store.objects["bucket", "out.jsonl"] == b"before"
    store.fail(0)
    code, told = paws(*S3)
    assert code == 0 and counts(told) == (COUNT, COUNT, 0, 0)
    assert store.objects["bucket", "out.jsonl"] == undisturbed and store.keys() == ["out.jsonl", "pairs.tsv"]


@pytest.mark.parametrize("kind", ["goes", "is replaced"])
def test_an_object_that_changes_in_the_middle(paws, store, pairs, undisturbed, kind):
    data = pairs.read_bytes()

    def change(method, path):
        if method == "PUT" and path.endswith("/000000000000.jsonl"):
            store.objects.pop(("bucket", "pairs.tsv"), None)
            if kind == "is replaced":
                store.objects["bucket", "pairs.tsv"] = data.replace(b"cat", b"cow")

    store.fault = change
    code, told = paws(*S3)
    assert code == 1 and "P073" in told
    assert ("no such file" if kind == "goes" else "replaced by another") in told
    assert ("bucket", "out.jsonl") not in store.objects
    assert "out.jsonl.run/000000000000.jsonl" in store.keys()
    store.objects["bucket", "pairs.tsv"], store.fault = data, lambda method, path: None
    assert paws(*S3)[0] == 0 and store.objects["bucket", "out.jsonl"] == undisturbed


def test_what_is_wrong_is_told_before_any_model_is_loaded(paws, store, monkeypatch):
    """And within seconds: a path, a bucket, a key, a driver."""
    monkeypatch.setattr("paws_components.models.load_pipeline", None)
    generate = "generate", "s3://bucket/pairs.tsv", "-o"
    for arguments, told in [
        (("generate", "s3://bucket/none.txt", "-o", "s3://bucket/o.jsonl"), "no such file"),
        (("generate", "s3://none/in.txt", "-o", "s3://bucket/o.jsonl"), "P020"),
        ((*generate, "s3://none/o.jsonl"), "no 'none' in this store"),
        ((*generate, "s3://bucket/o.docx"), "P011"),
        ((*generate, "s3://bucket/pairs.tsv"), "P150"),
        ((*generate, "gs://bucket/o.jsonl"), "gcsfs"),
        ((*generate, "nowhere://bucket/o.jsonl"), "P072"),
        ((*generate, "https://example.org/o.jsonl"), "read from only"),
    ]:
        started = time.monotonic()
        code, found = paws(*arguments)
        assert code == 1 and told in found and time.monotonic() - started < 5, found
    assert store.keys() == ["pairs.tsv"]


def test_the_longest_line_is_longer_than_what_a_pipeline_takes():
    assert files.LONGEST_LINE > 4 * 1_000_000 - 1
