import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError

HEAD = "id\tsentence1\tsentence2\tlabel\n"
GOOD = HEAD + "1\tAnn saw Bob\tBob saw Ann\t0\n2\tIt is late now\tIt is now late\t1\n"
BAD = HEAD + "1\tAnna\tNS\t0\n2\tNS\tEs ist spät\t0\n"


@pytest.fixture
def files(tmp_path):
    for name, text in (("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf8")
    return tmp_path


def run(*args):
    return CliRunner().invoke(cli, ["audit", *map(str, args)])


def test_table_and_exit_codes(files):
    good = run(files / "good.tsv")
    assert good.exit_code == 0 and "0 errors, 0 warnings, 2 infos" in good.output
    bad = run(files / "good.tsv", files / "bad.tsv")
    assert bad.exit_code == 1 and "placeholders" in bad.output and "paws_wiki" in bad.output


def test_warnings_alone_exit_with_0(files):
    (files / "warn.tsv").write_text("\ufeff" + GOOD, encoding="utf8")
    result = run(files / "warn.tsv")
    assert result.exit_code == 0 and "1 warning," in result.output


def test_json(files):
    result = run("--json", f"en={files / 'good.tsv'}", f"--de={files / 'bad.tsv'}", "--reference", "en")
    data = json.loads(result.output)
    assert result.exit_code == 1
    assert list(data["splits"]) == ["en", "de"] and data["splits"]["de"]["rows"] == 2
    found = {(item["split"], item["check"]): item["count"] for item in data["findings"]}
    assert found["de", "placeholders"] == 2 and found["de", "label_reference"] == 1
    assert data["counts"]["error"] == sum(item["level"] == "error" for item in data["findings"])


def test_folder_names_and_levels(files):
    result = run(files, "--json", "--level", "error")
    data = json.loads(result.output)
    assert set(data["splits"]) == {"good", "bad"}
    assert {item["level"] for item in data["findings"]} == {"error"}


def test_same_file_name_in_two_folders(files):
    for lang in ("en", "de"):
        (files / lang).mkdir()
        (files / lang / "dev.tsv").write_text(GOOD)
    data = json.loads(run("--json", files / "en" / "dev.tsv", files / "de" / "dev.tsv").output)
    assert list(data["splits"]) == ["en/dev", "de/dev"]


def test_one_check_with_examples(files):
    result = run(files / "bad.tsv", "--check", "placeholders", "--examples")
    assert "line 2: Anna | NS [0]" in result.output and "1 error, 0 warnings, 0 infos" in result.output


@pytest.mark.parametrize(
    "args, code",
    [
        (["--jsn"], "P145"),
        (["nowhere.tsv"], "P145"),
        (["x=nowhere.tsv"], "P020"),
        (["--check", "nonsense"], "P148"),
        (["--level", "grave"], "P148"),
        (["--layout", "nonsense"], "P141"),
        (["--reference", "en"], "P147"),
    ],
)
def test_errors(files, args, code):
    result = run(files / "good.tsv", *args)
    assert isinstance(result.exception, PawsError) and code in str(result.exception)


def test_two_splits_of_one_name(files):
    result = run(f"a={files / 'good.tsv'}", f"a={files / 'bad.tsv'}")
    assert "P354" in str(result.exception)


def test_as_a_process(files):
    command = [sys.executable, "-c", "from paws_components.cli import main; main()", "audit", str(files / "bad.tsv")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr and "placeholders" in done.stdout
