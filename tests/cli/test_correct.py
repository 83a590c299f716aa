import json
import re

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.cli.correct import correct as command
from paws_components.cli.correct import read_units
from paws_components.curation.correct import CorrectSettings
from paws_components.errors import PawsError
from paws_components.lang.en import RULES
from paws_components.readers import read_pairs

MRPC = (
    "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
    "1\t1\t2\tAmerican has laid off 6,500 of its flight attendants since Dec. 31.\t"
    "Since October 2001, American has laid off 6,149 flight attendants.\r\n"
    "0\t3\t4\tHe came on Tuesday.\tShe came on Friday.\r\n"
    "1\t5\t6\tHe said yes on Tuesday.\tOn Tuesday yes was what he said.\r\n"
    "1\t7\t8\tThe stock rose $2.11, or about 11 percent, to $21.51.\tShares jumped $1.63 or 8 percent to $21.03.\r\n"
)


@pytest.fixture
def mrpc(tmp_path):
    path = tmp_path / "msr_paraphrase_train.txt"
    path.write_bytes(MRPC.encode("utf8"))
    return path


def run(*args, **kwargs):
    return CliRunner().invoke(cli, ["correct", *map(str, args)], **kwargs)


@pytest.mark.parametrize("ending", ["jsonl", "tsv", "parquet"])
def test_correct_writes_pairs_and_a_table(mrpc, tmp_path, ending):
    output = tmp_path / f"out.{ending}"
    result = run(mrpc, "-o", output, "--quiet")
    assert result.exit_code == 0, result.output
    records = list(read_pairs(output))
    assert [record.label for record in records] == [1, 1, 0, 1, 0]
    assert records[0].sentence2 == "Since Dec. 31, American has laid off 6,500 flight attendants."
    rows = dict(re.findall(r"^(\w+) +(\d+ +\d+)$", result.output, re.MULTILINE))
    counts = {kind: [int(number) for number in numbers.split()] for kind, numbers in rows.items()}
    assert counts == {"corrected": [1, 2], "relabelled": [1, 1], "consistent": [1, 1], "passed": [1, 1], "all": [4, 5]}
    assert re.search(r"DATE +October 2001 +Dec\. 31 +1", result.output)
    assert "Inconsistent: 2 of 3 pairs called paraphrases (66.7%)" in result.output
    assert "keeps the label of 0." in result.output
    if ending != "tsv":
        remarks = [record.evidence["correct"]["remark"] for record in records]
        assert remarks == ["corrected", "corrected", "passed", "consistent", "relabelled"]
        assert [record.label_source for record in records] == ["rule", "rule", "human", "human", "rule"]


def test_inconsistent_pairs_that_the_guard_keeps_are_counted(mrpc, tmp_path):
    output = tmp_path / "out.jsonl"
    result = run(mrpc, "-o", output, "--quiet", "--ld-guard", "1")
    assert result.exit_code == 0, result.output
    assert re.search(r"^relabelled +0 +0$", result.output, re.MULTILINE)
    assert "Inconsistent: 2 of 3 pairs called paraphrases (66.7%)" in result.output
    assert "keeps the label of 1." in result.output


def test_no_paraphrases_no_share(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n1\tHe came.\tShe came.\t0\n", encoding="utf8")
    result = run(path, "-o", tmp_path / "out.jsonl", "--quiet")
    assert result.exit_code == 0 and "Inconsistent" not in result.output


def test_the_output_can_go_in_again(mrpc, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert run(mrpc, "-o", first, "--quiet").exit_code == 0
    result = run(first, "-o", second, "--quiet")
    assert result.exit_code == 0, result.output
    assert [r.label for r in read_pairs(second)] == [r.label for r in read_pairs(first)]
    assert not re.search(r"^(corrected|relabelled) +[1-9]", result.output, re.MULTILINE)


def test_settings_reach_the_rules(mrpc, tmp_path):
    output = tmp_path / "out.jsonl"
    assert run(mrpc, "-o", output, "--quiet", "--types", "DATE", "--limit", "1").exit_code == 0
    (record,) = read_pairs(output)
    assert record.evidence["correct"]["remark"] == "relabelled"
    groups = tmp_path / "groups.txt"
    groups.write_text("Dec. 31 = October 2001\n6,500 = 6,149\n", encoding="utf8")
    options = ["--equivalents", groups, "--no-builtin-equivalents", "--limit", "1", "--quiet"]
    assert run(mrpc, "-o", output, *options).exit_code == 0
    (record,) = read_pairs(output)
    assert record.evidence["correct"]["remark"] == "consistent"
    assert run(mrpc, "-o", output, "--ways", "second", "--limit", "1", "--quiet").exit_code == 0
    (record,) = read_pairs(output)
    assert record.sentence1.endswith("since October 2001.")


def test_defaults_are_those_of_the_settings():
    defaults = {option.name: option.default for option in command.params}
    settings = CorrectSettings()
    assert [defaults["types"]] == list(settings.types)
    assert [defaults["compare"]] == list(settings.compare)
    assert tuple(defaults["article"]) == tuple(settings.articles) == RULES.articles
    for name in ("ways", "ld_guard", "ld_variant"):
        assert defaults[name] == getattr(settings, name)


def test_help_shows_the_settings():
    text = " ".join(run("--help").output.split())
    for unit, spellings in RULES.units.items():
        assert f"{unit}={','.join(spellings)}" in text
    for shown in ("[default: quantities]", "[default: 0.1]", "United States", "--ld-variant", "[default: both]"):
        assert shown in text


def test_read_units():
    assert read_units([]) == RULES.units
    assert read_units(["euro=€, EUR"])["euro"] == ("€", "EUR")
    for bad in ("euro", "euro=", "=€"):
        with pytest.raises(PawsError, match="P126"):
            read_units([bad])


def test_bad_input_leaves_the_output_alone(mrpc, tmp_path):
    output = tmp_path / "out.jsonl"
    output.write_text("precious\n", encoding="utf8")
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps({"sentence1": "A."}) + "\n", encoding="utf8")
    for args, code in [
        ((tmp_path / "none.jsonl", "-o", output), "P020"),
        ((broken, "-o", output), "P144"),
        ((mrpc, "-o", output, "--types", "MONY"), "P123"),
        ((mrpc, "-o", output, "--ld-guard", "7"), "P015"),
        ((mrpc, "-o", output, "--types", ","), "P015"),
        ((mrpc, "-o", output, "--unit", "euro"), "P126"),
        ((mrpc, "-o", output, "--model", "xx_no_such_model"), "P013"),
        ((mrpc, "-o", tmp_path / "out.doc"), "P011"),
        ((output, "-o", output), "P150"),
    ]:
        result = run(*args, "--quiet")
        assert isinstance(result.exception, PawsError) and code in str(result.exception), (args, result.output)
        assert output.read_text(encoding="utf8") == "precious\n"


def test_a_broken_line_later_on_is_named(mrpc, tmp_path):
    mrpc.write_bytes(MRPC.encode("utf8") + b"1\t9\t10\tonly one\r\n")
    result = run(mrpc, "-o", tmp_path / "out.jsonl", "--quiet")
    assert result.exit_code == 0
    assert "5 pairs in = 4 accounted for above + 0 left out + 1 errors" in result.output
    (error,) = map(json.loads, (tmp_path / "out.jsonl.errors.jsonl").read_text(encoding="utf8").splitlines())
    assert error["line"] == 6 and "4 columns" in error["error"]
