import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from paws_apt.attempts import Attempt, read_attempts
from paws_apt.stats import PAPER, count
from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

# One source with all kinds of attempts, one that passes only by payment, one that never is MI.
ATTEMPTS = [
    Attempt("a", "1", True, 0.1, 0.14),
    Attempt("a", "2", True, 0.9, 0.0),
    Attempt("a", "3", False, 0.1, 0.0),
    Attempt("b", "4", True, 0.51, 0.01),
    Attempt("c", "5", False, 0.2, 0.0),
]
COUNTS = {
    "attempts": 5,
    "apt_attempts": 2,
    "mi_attempts": 3,
    "non_mi_attempts": 2,
    "sources": 3,
    "apt_sources": 2,
    "mi_sources": 2,
    "non_mi_sources": 2,
    "never_mi_sources": 1,
    "paid": 5,
    "apt_by_threshold": 1,
    "apt_sources_by_threshold": 1,
    "paid_as_computed": 5,
}


def stats(*args):
    result = CliRunner().invoke(cli, ["apt", "stats", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_counts():
    assert count("x", [(each, None) for each in ATTEMPTS]).counts == COUNTS
    unpaid = count("x", [(each._replace(reward=None), None) for each in ATTEMPTS]).counts
    assert unpaid["apt_attempts"] == 1 and unpaid["apt_sources"] == 1 and "paid" not in unpaid
    assert count("x", [(each._replace(reward=None), None) for each in ATTEMPTS], 0.95).counts["apt_attempts"] == 3
    assert count("x", []).counts["attempts"] == 0


def test_the_verdict_of_a_run_counts_unless_a_threshold_is_given():
    """Its similarity may have another scale than BLEURT, and its threshold another value."""
    run = [(Attempt("a", "1", True, 0.8, None, True), None), (Attempt("b", "2", True, 0.1, None, False), None)]
    assert count("x", run).counts["apt_sources"] == 1 and count("x", run, 0.9).counts["apt_sources"] == 2
    assert count("x", [(Attempt("a", "1", False, 0.8, None, False), None)]).counts["apt_attempts"] == 0


def test_without_similarity_nothing_is_guessed():
    bare = [each._replace(similarity=None, reward=None) for each in ATTEMPTS]
    counts = count("x", [(each, None) for each in bare]).counts
    assert "apt_attempts" not in counts and counts["unknown"] == 3 and counts["mi_attempts"] == 3
    assert count("x", [(each, each.mi) for each in bare]).counts["apt_attempts"] == 3
    assert count("x", [(each, False) for each in bare]).counts["apt_attempts"] == 0


@pytest.fixture
def files(tmp_path):
    """The same attempts in each of the layouts."""
    header = "token\ttime\tduration\tdataset\tindex\tsentence\tcandidate\tBLEURT\tMI\tdollar\n"
    checks = [f"t\t1\t2\tx\t3\t{a.source}\t{a.text}\t{a.similarity}\t{a.mi:d}\t{a.reward}\n" for a in ATTEMPTS]
    (tmp_path / "checks.tsv").write_text(header + "".join(checks), encoding="utf8")
    scored = [f"{a.source}\t{a.text}\t{a.similarity}\t{a.mi:d}\n" for a in ATTEMPTS]
    (tmp_path / "scored.tsv").write_text("".join(scored), encoding="utf8")
    plain = [f"{a.source}\t{a.text}\t{a.mi:d}\n" for a in ATTEMPTS]
    (tmp_path / "plain.tsv").write_text("sentence\tparaphrase\tmi\n" + "".join(plain), encoding="utf8")
    with RecordWriter(tmp_path / "ours.jsonl") as writer:
        for a in ATTEMPTS:
            evidence = {"mi": a.mi, "similarity": a.similarity, "round": 1, "reward": 0.5}
            writer.write(PairRecord(a.source, a.text, int(a.mi), "silver", "apt_t5", evidence=evidence))
    return tmp_path


def test_every_layout(files):
    assert list(read_attempts(files / "checks.tsv")) == ATTEMPTS
    for name in ("scored.tsv", "ours.jsonl"):
        assert list(read_attempts(files / name)) == [each._replace(reward=None) for each in ATTEMPTS], name
    assert list(read_attempts(files / "plain.tsv")) == [a._replace(reward=None, similarity=None) for a in ATTEMPTS]


def test_the_table_as_text_markdown_and_json(files):
    shown = stats(files / "checks.tsv", f"ours={files / 'ours.jsonl'}")
    lines = [line for line in shown.splitlines() if line.startswith("APT attempts ")]
    ours = ["2", "(40.00%)", "1", "(20.00%)"]
    assert lines[0].split()[2:] == [*ours, "2,659", "(53.11%)", "3,836", "(6.09%)", "6,454", "(8.60%)"]
    markdown = stats(files / "scored.tsv", "--format", "markdown", "--no-paper").splitlines()
    assert markdown[0] == "|  | scored |" and "| MI uniques | 2 (66.67%) |" in markdown
    data = json.loads(stats(files / "checks.tsv", "--format", "json"))
    assert {key: data["checks"][key] for key in COUNTS} == COUNTS and data["checks"]["shares"]["mi_attempts"] == 0.6
    assert data["paper: AP_H"]["attempts"] == PAPER["AP_H"]["attempts"]


def test_files_of_one_name_are_pooled_and_what_their_names_tell_is_used(files):
    args = [f"x={files / 'plain.tsv'}", f"x={files / 'scored.tsv'}", "--format=json", "--no-paper"]
    assert "apt_attempts" not in json.loads(stats(*args))["x"]
    both = json.loads(stats(*args, "--passed", "plain*"))["x"]
    assert both["attempts"] == 10 and both["sources"] == 3 and both["apt_attempts"] == 3 + 1
    assert json.loads(stats(*args, "--failed", "plain*"))["x"]["apt_attempts"] == 1


def test_a_row_without_a_verdict(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"sentence1": "a", "sentence2": "b"}\n', encoding="utf8")
    with pytest.raises(PawsError, match="A002.*Line 1 .*no MI verdict"):
        list(read_attempts(path))


def test_the_paper_s_table_2(data_dir):
    """AP_H: every column as printed; non-MI uniques are there those without any MI attempt."""
    found = json.loads(stats(data_dir / "apt" / "final_checks.tsv", "--format", "json"))
    ours, theirs = found["final_checks"], found["paper: AP_H"]
    assert {key: ours[key] for key in PAPER["AP_H"]} == PAPER["AP_H"]
    assert ours["shares"]["apt_attempts"] == theirs["shares"]["apt_attempts"] == 0.5311
    assert ours["apt_by_threshold"] == 2611 and ours["paid_as_computed"] / ours["paid"] >= 0.995


def test_t5_s_mi_attempts_on_twitter(data_dir):
    """The MI attempts of AP_T5 Tw are there in full, in two files that the authors sorted by what passed."""
    files = [f"Tw={data_dir / 'apt' / name}" for name in ("twitterppdb1-apt.tsv", "twitterppdb1-mi.tsv")]
    found = json.loads(stats(*files, "--passed=*-apt.tsv", "--failed=*-mi.tsv", "--format=json"))["Tw"]
    for key in ("apt_attempts", "mi_attempts", "apt_sources", "mi_sources"):
        assert found[key] == PAPER["AP_T5 Tw"][key], key


def test_the_command_needs_nothing_heavy():
    code = (
        "import sys; sys.modules.update(dict.fromkeys('torch transformers pyarrow pandas'.split()))\n"
        "from paws_components.cli import cli; cli(['apt', 'stats', '--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "Table 2" in done.stdout, done.stderr
