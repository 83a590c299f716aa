import json

import pytest
from click.testing import CliRunner

from paws_apt.gains import find_gains
from paws_components import mcc_difference
from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

NAMES = {True: "paraphrase", False: "not_paraphrase"}


def record(number, names=NAMES, **yes):
    """Three attempts at each sentence, two of them paraphrases; the sentence is written in two ways."""
    source = f"Sentence {number // 3}{'.' if number % 3 else ''}"
    truth = number % 3 > 0
    answers = {name: {"label": names[said], "right": said == truth} for name, said in yes.items()}
    return PairRecord(source, f"attempt {number}", label=int(number % 3 > 0), evidence={"answers": answers})


TRUTHS = [number % 3 > 0 for number in range(90)]
BASE = [number % 2 > 0 for number in range(90)]
BETTER = [truth != (number % 10 == 0) for number, truth in enumerate(TRUTHS)]
RECORDS = [record(i, base=BASE[i], better=BETTER[i], **{"a same": BASE[i]}) for i in range(90)]


@pytest.fixture
def answers(tmp_path):
    with RecordWriter(tmp_path / "answers.jsonl") as writer:
        for each in RECORDS:
            writer.write(each)
    return tmp_path / "answers.jsonl"


def gains(*args):
    return CliRunner().invoke(cli, ["apt", "gains", *map(str, args)], catch_exceptions=False).output


def test_gains_are_those_of_the_bootstrap_over_sources():
    same, better = find_gains(RECORDS, "base", samples=500, seed=2)
    assert (same.model, same.value, same.p, same.verdict) == ("a same", 0.0, 1.0, "not significant")
    wanted = mcc_difference(TRUTHS, BASE, BETTER, [i // 3 for i in range(90)], samples=500, seed=2)
    assert (better.value, better.low, better.high, better.p) == (wanted.value, wanted.low, wanted.high, wanted.p)
    assert better.sources == 30 and better.low > 0 and better.verdict == "significant at 5 %"
    (back,) = (gain for gain in find_gains(RECORDS, "better", samples=500) if gain.model == "base")
    assert back.value == pytest.approx(-better.value) and back.high < 0


def test_models_may_call_a_paraphrase_what_they_like():
    names = {True: "duplicate", False: "LABEL_0"}
    records = [record(i, names, base=BASE[i], better=BETTER[i]) for i in range(90)]
    (found,) = find_gains(records, "base", samples=500)
    (wanted,) = (gain for gain in find_gains(RECORDS, "base", samples=500) if gain.model == "better")
    assert found == wanted and found.value > 0


def test_the_command(answers, tmp_path):
    outputs = [tmp_path / "gains.md", tmp_path / "gains.json"]
    told = gains(answers, "--over", "base", "-o", outputs[0], "-o", outputs[1], "--samples", 500)
    found = json.loads(outputs[1].read_text(encoding="utf8"))
    assert [each["model"] for each in found] == ["a same", "better"]
    line = f"better against base: MCC {found[1]['value']:+.3f}, 95 % interval"
    assert line in told and line in outputs[0].read_text(encoding="utf8") and "over 30 source sentences" in told


def test_what_is_wrong_is_said(answers, tmp_path):
    with pytest.raises(PawsError, match="A033.*no answers of 'x', it has those of a same, base, better"):
        gains(answers, "--over", "x")
    with pytest.raises(PawsError, match="A033.*no answers of 'base', it has none"):
        find_gains([PairRecord("a", "b", label=1)], "base")
    with pytest.raises(PawsError, match="A033.*pair 91 lacks"):
        find_gains([*RECORDS, record(90, base=True)], "base")
    with pytest.raises(PawsError, match="A022.*--output"):
        gains(answers, "--over", "base", "-o", tmp_path / "gains.txt")
    with pytest.raises(PawsError, match="A022.*--samples"):
        gains(answers, "--over", "base", "--samples", 0)
    alone = [record(i, base=BASE[i]) for i in range(9)]
    assert find_gains(alone, "base") == []
