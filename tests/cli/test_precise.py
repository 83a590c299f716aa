"""`paws generate --precise`, `--all`, `--judge`, `--naturalness`, `--yield`, `--preset`, and `paws lm calibrate`."""

import math

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.cli.options import PRESETS, swap_settings
from paws_components.corpora import sample_text
from paws_components.errors import PawsError
from paws_components.generation.calibrate import calibrate
from paws_components.generation.job import GenerateJob
from paws_components.generation.judging import Judgement
from paws_components.plugins import Registration, host
from paws_components.readers import read_pairs

SAMPLE = str(sample_text("en"))
ROWS = len([line for line in open(SAMPLE, encoding="utf8") if line.strip()])


class ByGap:
    """Finds natural what the language model finds natural."""

    def __init__(self, *, keeps: float = 0.5) -> None:
        self.keeps = keeps

    def __call__(self, questions):
        return [[Judgement(1 / (1 + math.exp(p.gap)), p.gap) for p in question.proposals] for question in questions]


@pytest.fixture(autouse=True)
def by_gap():
    judges = host().registered["judges"]
    judges["by_gap"] = Registration("by_gap", ByGap, "test")
    yield
    del judges["by_gap"]


def generate(tmp_path, *options, name="pairs.jsonl"):
    result = CliRunner().invoke(cli, ["generate", SAMPLE, "-o", str(tmp_path / name), "--quiet", *options])
    if result.exception is not None:
        raise result.exception
    return list(read_pairs(tmp_path / name)), result.stderr


def test_options_stand_for_settings():
    assert swap_settings("word_swap", {"precise": True}) == {}
    assert swap_settings("word_swap", {"precise": False, "beam": 5}) == {"precise": False, "beam_width": 5}
    assert swap_settings("word_swap", {"judge": "neural", "naturalness": 0.0}) == {
        "judge": "neural",
        "naturalness": 0.0,
    }
    # What is said besides a preset has the last word.
    paper = swap_settings("word_swap", {"preset": "paper", "threshold": 1.0})
    assert paper == {**PRESETS["paper"], "threshold": 1.0}
    with pytest.raises(PawsError, match="P210.*--all"):
        swap_settings("echo", {"precise": False})
    with pytest.raises(PawsError, match="P210.*--judge"):
        swap_settings("echo", {"precise": True, "judge": "neural"})


def test_all_is_what_the_language_model_lets_pass(tmp_path):
    pairs, _ = generate(tmp_path, "--all", "--n-best", "3")
    assert len({pair.sentence1 for pair in pairs}) > ROWS / 2
    assert any("rule" in pair.evidence for pair in pairs)
    assert all("naturalness" not in pair.evidence and pair.evidence["gap"] <= 3.0 for pair in pairs)


def test_a_judge_by_name(tmp_path):
    pairs, _ = generate(tmp_path, "--judge", "by_gap", "--naturalness", "0.6")
    assert 0 < len(pairs) < ROWS
    assert all(pair.evidence["naturalness"] >= 0.6 and "rule" not in pair.evidence for pair in pairs)
    fewer, _ = generate(tmp_path, "--judge", "by_gap", "--set", 'judge_settings={"keeps": 0.8}', name="fewer.jsonl")
    assert {pair.id for pair in fewer} < {pair.id for pair in pairs}


def test_the_bytes_are_the_same_however_it_is_run(tmp_path):
    wanted = None
    for i, options in enumerate((["--batch-size", "1"], ["--batch-size", "7"], [])):
        generate(tmp_path, "--judge", "by_gap", "--n-best", "4", *options, name=f"{i}.jsonl")
        found = (tmp_path / f"{i}.jsonl").read_bytes()
        assert wanted in (None, found)
        wanted = found


def test_the_papers_preset(tmp_path):
    pairs, _ = generate(tmp_path, "--preset", "paper")
    assert pairs and {pair.evidence["template"] for pair in pairs} == {"entities"}
    tags = {span["tag"] for pair in pairs for span in pair.evidence["moved"]}
    assert tags & {"NN", "IN", "DT"}, "every word is a slot"


@pytest.mark.parametrize(
    "options, said",
    [
        (["--judge", "nobody"], "P201.*no judge 'nobody'.*by_gap"),
        (["--naturalness", "1.5"], "P015.*`naturalness` must be from 0 to 1"),
        (["--yield", "1.5"], "P015.*`--yield` must be a share between 0 and 1"),
        (["--yield", "0"], "P015.*`--yield`"),
        (["--set", 'constraints=["one_nam"]'], "P026.*'one_nam'"),
    ],
)
def test_mistakes_are_named(tmp_path, options, said):
    with pytest.raises(PawsError, match=said):
        generate(tmp_path, *options)
    assert not (tmp_path / "pairs.jsonl").exists()


@pytest.mark.parametrize("options", [["--all"], ["--judge", "by_gap"]], ids=["threshold", "naturalness"])
def test_a_wanted_yield(tmp_path, options):
    pairs, said = generate(tmp_path, "--yield", "0.25", *options)
    wanted = round(0.25 * ROWS)
    sources = {pair.sentence1 for pair in pairs}
    assert abs(len(sources) - wanted) <= 1, "but for swaps of equal worth"
    assert f"of the first {ROWS} rows have a swap with it" in said
    # They are the best there are.
    everything, _ = generate(tmp_path, *options, "--naturalness", "0", "--threshold", "1000", name="all.jsonl")
    values = sorted((pair.evidence["gap"] for pair in everything))
    assert sorted(pair.evidence["gap"] for pair in pairs) == values[: len(pairs)]


@pytest.mark.parametrize(
    "options, setting", [(["--all"], "--threshold"), (["--judge", "by_gap"], "--naturalness")], ids=["all", "judge"]
)
def test_calibrate_prints_the_option_to_give(tmp_path, options, setting):
    command = ["lm", "calibrate", SAMPLE, "--yield", "0.2", "--quiet", *options]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0
    option, value = result.stdout.split()
    assert option == setting
    assert f"{round(0.2 * ROWS)} of {ROWS} rows" in result.stderr
    pairs, _ = generate(tmp_path, *options, option, value)
    assert abs(len(pairs) - round(0.2 * ROWS)) <= 1


def test_calibrating_takes_what_there_is(tmp_path):
    few = tmp_path / "few.txt"
    few.write_text("Can a bad person become good?\nRain.\n\nIt rained.\n", encoding="utf8")
    found = calibrate(GenerateJob(settings={"precise": False}), [str(few)], 0.9)
    assert (found.setting, found.rows, found.kept) == ("threshold", 3, 1)
    few.write_text("Rain.\n", encoding="utf8")
    assert calibrate(GenerateJob(), [str(few)], 0.5).kept == 0
    few.write_text("\n", encoding="utf8")
    with pytest.raises(PawsError, match="P019"):
        calibrate(GenerateJob(), [str(few)], 0.5)
    with pytest.raises(PawsError, match="P027.*standard input"):
        calibrate(GenerateJob(), ["-"], 0.5)
    with pytest.raises(PawsError, match="P210.*--yield.*'echo'"):
        calibrate(GenerateJob("echo"), [SAMPLE], 0.5)
