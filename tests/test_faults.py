"""What breaking it found: files that were lost, processes that were left, rows that stopped a run."""

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.readers import open_pairs, open_texts, read_pairs

SENTENCES = ["Mary lives in Boston and works in Chicago.", "Can a bad person become good?", "Rain"]
PAIRS = "id\tsentence1\tsentence2\tlabel\n1\tA cat saw a dog.\tA dog saw a cat.\t0\n2\tIt rains.\tRain falls.\t1\n"


def command(*arguments, **kwargs):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], **kwargs)


def start(*arguments, **kwargs):
    """The command in a process of its own, and in a session of its own."""
    run = [sys.executable, "-c", "from paws_components.cli import main; main()", *map(str, arguments)]
    return subprocess.Popen(run, stderr=subprocess.PIPE, text=True, start_new_session=True, **kwargs)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("\n".join(SENTENCES) + "\n", encoding="utf8")
    return path


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS, encoding="utf8")
    return path


# Every command that reads a file and writes one; {} is where the input stands.
WRITERS = [
    ["generate", "{}"],
    ["generate", "{}", "--pairs"],
    ["metrics", "{}", "--metrics", "bow_cosine"],
    ["correct", "{}"],
    ["convert", "{}"],
    ["repair", "{}"],
    ["report", "{}"],
    ["lm", "train", "{}"],
]


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda arguments: " ".join(arguments))
@pytest.mark.parametrize("by", ["name", "link", "hard link", "detour"])
def test_no_command_writes_over_its_input(tmp_path, arguments, by):
    ending = {"convert": ".spacy", "lm": ".arpa"}.get(arguments[0], ".jsonl")
    source = tmp_path / f"in{ending}"
    if ending == ".spacy":
        (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf8")
        command("convert", tmp_path / "pairs.tsv", "-o", source, "--quiet")
    else:
        rows = [{"text": "a b", "sentence1": "a b", "sentence2": "b a", "label": 1}]
        source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    before = source.read_bytes()
    output = {"name": source, "link": tmp_path / f"l{ending}", "hard link": tmp_path / f"h{ending}"}.get(by)
    if by == "link":
        output.symlink_to(source)
    elif by == "hard link":
        os.link(source, output)
    elif by == "detour":
        (tmp_path / "folder").mkdir()
        output = tmp_path / "folder" / ".." / source.name
    result = command(*[part.format(source) for part in arguments], "-o", output)
    assert "P150" in str(result.exception)
    assert source.read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.name.endswith((".run", ".new"))]


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda arguments: " ".join(arguments))
def test_a_typing_mistake_costs_nothing(tmp_path, arguments):
    ending = {"convert": ".spacy", "lm": ".arpa", "report": ".html"}.get(arguments[0], ".jsonl")
    output = tmp_path / f"out{ending}"
    output.write_text("precious\n", encoding="utf8")
    result = command(*[part.format(tmp_path / "tpyo.tsv") for part in arguments], "-o", output)
    assert result.exit_code == 1 and result.exception is not None and not isinstance(result.exception, OSError)
    assert output.read_text(encoding="utf8") == "precious\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "in.txt", "--model", "no_such_model"],
        ["generate", "in.txt", "--lm", "no.klm"],
        ["metrics", "pairs.tsv", "--model", "no_such_model"],
        ["correct", "pairs.tsv", "--model", "no_such_model"],
        ["report", "pairs.tsv", "--model", "no_such_model"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_a_wrong_model_costs_nothing(text, pairs, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    output = Path("out.html" if arguments[0] == "report" else "out.jsonl")
    output.write_text("precious\n", encoding="utf8")
    result = command(*arguments, "-o", output)
    assert result.exit_code == 1 and ("P013" in str(result.exception) or "P003" in str(result.exception))
    assert output.read_text(encoding="utf8") == "precious\n"
    assert sorted(path.name for path in Path(".").iterdir()) == sorted(["in.txt", "pairs.tsv", output.name])


@pytest.fixture
def small_disk(tmp_path):
    """A file system with room for little."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("ending", [".jsonl", ".tsv", ".parquet"])
def test_a_full_disk_loses_nothing(small_disk, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    source = tmp_path / "in.txt"
    source.write_text("\n".join(SENTENCES * 200) + "\n", encoding="utf8")
    output = small_disk / f"out{ending}"
    output.write_text("precious\n", encoding="utf8")
    result = command("generate", source, "-o", output, "--quiet")
    assert result.exit_code == 1 and "P038" in str(result.exception) and "No space left" in str(result.exception)
    assert output.read_text(encoding="utf8") == "precious\n"
    # With room, the same command goes on.
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    assert "600 lines in = 400 with pairs + 200 without + 0 errors" in command("generate", source, "-o", output).output
    assert len(list(read_pairs(output))) == 400
    assert [path.name for path in small_disk.iterdir()] == [output.name]


def test_a_full_disk_and_a_table(small_disk, tmp_path):
    source = tmp_path / "in.tsv"
    source.write_text(PAIRS + "3\tA cat saw a dog.\tA dog saw a cat.\t0\n" * 2000, encoding="utf8")
    output = small_disk / "out.csv"
    output.write_text("precious\n", encoding="utf8")
    result = command("metrics", source, "-o", output, "--metrics", "bow_cosine", "--quiet")
    assert result.exit_code == 1 and "No space left" in str(result.exception)
    assert output.read_text(encoding="utf8") == "precious\n"


def session(leader):
    """The processes of a session that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(entry.name)
        except (OSError, ValueError, IndexError):
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_behind(tmp_path, number):
    source = tmp_path / "in.txt"
    source.write_text("\n".join(SENTENCES * 10_000) + "\n", encoding="utf8")
    process = start("generate", source, "-o", tmp_path / "o.jsonl", "--n-process", 2)
    deadline = time.time() + 120
    while time.time() < deadline and not list(tmp_path.glob("o.jsonl.run/0*.jsonl")):
        time.sleep(0.1)
    assert len(session(process.pid)) >= 3
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    if number == signal.SIGTERM:
        assert process.returncode == 128 + number and "run the same command again" in said and "Traceback" not in said
    deadline = time.time() + 60
    while session(process.pid) and time.time() < deadline:
        time.sleep(0.1)
    assert session(process.pid) == []


BAD_JSON = [
    '{"sentence1": "a b", "sentence2": "b a", "n": ' + "9" * 5000 + "}",
    "[" * 100_000,
    '{"a":' * 100_000,
    '{"sentence1": "a b", "sentence2": "b a", "evidence": "not json"}',
    '{"sentence1": "a b", "sentence2": "b a", "evidence": [1]}',
    '{"sentence1": 5, "sentence2": null}',
    '{"sentence1": "a b", "sentence2": "b a", "label": 7}',
]


@pytest.mark.parametrize("bad", BAD_JSON, ids=range(len(BAD_JSON)))
def test_one_bad_row_is_one_error(tmp_path, bad):
    source, out = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    good = '{"sentence1": "a b", "sentence2": "b a", "label": 1, "text": "Rain"}'
    source.write_text(f"{good}\n{bad}\n{good}\n", encoding="utf8")
    result = command("metrics", source, "-o", out, "--metrics", "bow_cosine", "--quiet")
    assert result.exit_code == 0, result.exception
    assert "3 rows in = " in result.output and len(list(read_pairs(out))) >= 2
    result = command("generate", source, "-o", out, "--quiet")
    assert "3 lines in = 0 with pairs + 2 without + 1 errors" in result.output
    assert command("audit", source).exit_code in (0, 1)


def test_a_literal_that_is_an_expression_is_text(tmp_path):
    source = tmp_path / "in.tsv"
    odd = "b''+" + "-" * 100_000 + "b'x'"
    source.write_text(f"sentence1\tsentence2\tlabel\n{odd}\tb\t1\nc\td\t0\n", encoding="utf8")
    assert [row.to_record().sentence1 for row in open_pairs(source)] == [odd, "c"]
    assert command("audit", source).exit_code in (0, 1)


def test_a_packed_file_that_is_cut_short(tmp_path):
    rows = "".join(f"sentence number {i}, of many\tnumber {i * 7919} of the sentences\t{i % 2}\n" for i in range(5000))
    source, out = tmp_path / "in.tsv.gz", tmp_path / "o.jsonl"
    whole = gzip.compress(b"sentence1\tsentence2\tlabel\n" + rows.encode())
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    for data in (whole[: len(whole) * 3 // 4], bytes(damaged)):
        source.write_bytes(data)
        found = list(open_pairs(source))
        # Damage in the middle shows at the end, in the checksum; the rows before it are good.
        assert len(found) > 1000 and found[-1].broke_off and all(row.readable for row in found[:1000])
        good = sum(row.reason is None for row in found)
        result = command("metrics", source, "-o", out, "--metrics", "bow_cosine", "--quiet")
        # What was read before is worked on, and the exit code says that there was more.
        assert result.exit_code == 1 and f"{len(found):,} rows in = {good:,} kept" in result.output
        assert "can't be read" in result.output and len(list(open_pairs(out))) == good
        assert "broken_off" in command("audit", source, "--json").output
    text = tmp_path / "in.txt.gz"
    text.write_bytes(gzip.compress("\n".join(SENTENCES * 2000).encode())[:-20])
    texts = list(open_texts([text]))
    assert len(texts) > 100 and texts[-1].broke_off and texts[0].text == SENTENCES[0]


def test_files_that_are_not_what_they_are_called(tmp_path):
    pytest.importorskip("pyarrow")
    for name, data in (("a.parquet", b"no parquet"), ("a.jsonl.gz", b"no gzip"), ("a.spacy", b"no docs")):
        path = tmp_path / name
        path.write_bytes(data)
        result = command("metrics", path, "-o", tmp_path / "o.jsonl", "--metrics", "bow_cosine")
        assert "P020" in str(result.exception), (name, result.exception)
        result = command("generate", path, "-o", tmp_path / "o.jsonl")
        assert "P020" in str(result.exception), (name, result.exception)


def test_parquet_that_is_not_utf8(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    raw = pyarrow.array([b"good one", b"caf\xe9", b"good two"], pyarrow.binary())
    broken = pyarrow.StringArray.from_buffers(3, raw.buffers()[1], raw.buffers()[2])
    path, out = tmp_path / "a.parquet", tmp_path / "o.jsonl"
    columns = {"sentence1": broken, "sentence2": ["b"] * 3, "label": [0, 1, 1], "text": broken}
    parquet.write_table(pyarrow.table(columns), path)
    assert [(row.number, row.problem) for row in open_pairs(path)] == [(1, None), (2, "encoding"), (3, None)]
    result = command("metrics", path, "-o", out, "--metrics", "bow_cosine")
    assert "3 rows in = 2 kept + 0 left out + 1 errors" in result.output
    assert [text.reason is None for text in open_texts([path])] == [True, False, True]


def test_a_pipe_that_cannot_seek(tmp_path):
    for name, data, arguments in (
        ("texts", "\n".join(SENTENCES), ["generate", "{}"]),
        ("pairs", PAIRS, ["metrics", "{}", "--metrics", "bow_cosine"]),
    ):
        pipe, out = tmp_path / name, tmp_path / f"{name}.jsonl"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(data,))
        writer.start()
        result = command(*[part.format(pipe) for part in arguments], "-o", out, "--quiet")
        writer.join()
        assert result.exit_code == 0, result.exception
        assert len(list(read_pairs(out))) == 2


def test_process_substitution(tmp_path, text):
    script = f"{sys.executable} -c 'from paws_components.cli import main; main()' generate <(cat {text}) -o - --quiet"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_other_encodings_with_a_mark(tmp_path, encoding):
    (tmp_path / "in.txt").write_bytes("Schöne Grüße\nzweite Zeile\n".encode(encoding))
    assert [text.text for text in open_texts([tmp_path / "in.txt"])] == ["Schöne Grüße", "zweite Zeile"]
    (tmp_path / "p.tsv").write_bytes(PAIRS.encode(encoding))
    assert [row.label for row in open_pairs(tmp_path / "p.tsv")] == [0, 1]


@pytest.mark.parametrize(
    "options",
    [
        ["--batch-size", "0"],
        ["--limit", "-1"],
        ["--limit", "0"],
        ["--skip", "-1"],
        ["--n-process", "-2"],
        ["--max-errors", "-1"],
        ["--format", "xml"],
    ],
    ids=" ".join,
)
def test_options_out_of_range_are_told(text, tmp_path, options):
    result = command("generate", text, "-o", tmp_path / "o.jsonl", *options)
    assert result.exit_code == 2 and options[0] in result.output
    assert not (tmp_path / "o.jsonl").exists()


def test_a_line_too_long_is_one_error(text, tmp_path):
    text.write_text("\n".join([*SENTENCES, "old word " * 20_000]) + "\n", encoding="utf8")
    out = tmp_path / "o.jsonl"
    result = command("generate", text, "-o", out)
    assert "4 lines in = 2 with pairs + 1 without + 1 errors" in result.output
    assert "P039" in Path(f"{out}.errors.jsonl").read_text(encoding="utf8")


def test_every_line_failing_is_a_failure(tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "o.jsonl"
    source.write_bytes(b"\xff\n\xfe\n")
    process = start("generate", source, "-o", out, "--quiet")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1 and "P037" in said and "P023" in said
    assert not out.exists() and Path(f"{out}.errors.jsonl").exists()


def test_a_missing_package_is_told_before_the_work(pairs, tmp_path, monkeypatch):
    from paws_components.metrics import compared

    compared._library.cache_clear()
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    result = command("metrics", pairs, "-o", tmp_path / "o.jsonl", "--metrics", "rouge_l")
    compared._library.cache_clear()
    assert result.exit_code == 1 and "P101" in str(result.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.tsv"]


def test_cells_that_a_spreadsheet_takes_for_formulas_are_told(tmp_path):
    source = tmp_path / "in.tsv"
    source.write_text("sentence1\tsentence2\n=1+1\t@me\n-0.5\tplain\n", encoding="utf8")
    result = command("metrics", source, "-o", tmp_path / "o.csv", "--metrics", "bow_cosine")
    assert "2 cells" in result.output and "formulas" in result.output
    assert "formulas" not in command("metrics", source, "-o", tmp_path / "o.tsv", "--metrics", "bow_cosine").output


def test_a_german_file_and_an_english_pipeline(tmp_path, data_dir):
    with pytest.warns(UserWarning, match="W026.*'de'.*'en'.*--lang de"):
        command("metrics", data_dir / "pawsx/de/dev_2k.tsv", "-o", tmp_path / "o.jsonl", "--limit", 300)


def test_paws_x_without_what_nobody_translated(data_dir):
    from paws_components.evaluation.judging import read_test_set

    found = read_test_set("de", str(data_dir / "pawsx/de/dev_2k.tsv"))
    assert len(found.records) == 1932 and found.no_sentence == 68


@pytest.mark.parametrize("format, first", [("jsonl", "{"), ("tsv", "id\t"), ("csv", "id,"), ("parquet", "PAR1")])
def test_standard_output(text, tmp_path, format, first):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    done = subprocess.run(
        [sys.executable, "-c", "from paws_components.cli import main; main()"]
        + ["generate", str(text), "-o", "-", "--format", format, "--quiet"],
        capture_output=True,
    )
    assert done.returncode == 0 and done.stdout.startswith(first.encode())
    (tmp_path / f"again.{format}").write_bytes(done.stdout)
    assert len(list(read_pairs(tmp_path / f"again.{format}"))) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([text.name, f"again.{format}"])


def test_who_has_read_enough_gets_no_traceback(tmp_path):
    source = tmp_path / "in.txt"
    source.write_text("\n".join(SENTENCES * 2000) + "\n", encoding="utf8")
    run = f"{sys.executable} -c 'from paws_components.cli import main; main()' generate {source} -o - | head -n 1"
    done = subprocess.run(["bash", "-c", run], capture_output=True, text=True, timeout=120)
    assert done.stdout.count("\n") == 1 and "Traceback" not in done.stderr


def test_a_folder_keeps_shards(text, tmp_path):
    out = tmp_path / "made"
    assert command("generate", text, "-o", f"{out}/", "--format", "tsv", "--quiet").exit_code == 0
    assert [path.name for path in out.iterdir()] == ["shard-00000.tsv"]
    assert len(list(read_pairs(out))) == 2
    # Another run replaces what a run wrote, and nothing else.
    assert command("generate", text, "-o", out, "--quiet").exit_code == 0
    assert [path.name for path in out.iterdir()] == ["shard-00000.jsonl"]
    (out / "mine.txt").write_text("precious")
    result = command("generate", text, "-o", out, "--quiet")
    assert "P040" in str(result.exception) and (out / "mine.txt").exists()
