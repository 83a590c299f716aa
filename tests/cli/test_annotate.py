"""The command: a study from pairs to votes, and out to other tools."""

import json
import sqlite3

import pytest
from click.testing import CliRunner

pytest.importorskip("sqlalchemy")
pytest.importorskip("starlette")

from paws_components.cli import cli
from paws_components.errors import PawsError


def run(*arguments, fails=None):
    done = CliRunner().invoke(cli, ["annotate", *map(str, arguments)])
    if fails is None:
        assert done.exit_code == 0, (done.output, done.exception)
    else:
        assert isinstance(done.exception, PawsError) and fails in str(done.exception), (done.output, done.exception)
    return done.output


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [{"id": f"p{i}", "sentence1": f"Ann met Bob {i}.", "sentence2": f"Bob met Ann {i}."} for i in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return path


def test_a_study_from_pairs_to_votes(tmp_path, pairs):
    study = tmp_path / "study.db"
    run("serve", study, fails="P804")
    run("new", study, tmp_path / "none.jsonl", "--task", "judge", fails="P020")
    assert not study.exists()  # what never came to be leaves nothing
    told = run("new", study, pairs, "--task", "judge", "--raters-per-item", 2, "--lease", 5)
    assert "3 rows in = 3 taken; 3 items" in told and "Next:" in told
    run("new", study, pairs, "--task", "judge", fails="P808")
    run("new", study, pairs, "--task", "correct", "--set", "raters=2", "--name", "second")
    link = run("raters", "add", study, "ann", "ben", "--url", "https://x.example")
    assert link.startswith("ann\thttps://x.example/in#") and len(link.splitlines()) == 2
    run("raters", "add", study, "ann", fails="P811")
    run("raters", "revoke", study, "nobody", fails="P812")
    run("raters", "revoke", study, "ben")
    assert "revoked" in run("raters", "list", study)
    assert run("raters", "renew", study, "ben") != link
    assert "0 of 6" in run("status", study)
    run("export", study, "-o", tmp_path / "votes.jsonl", fails="P820")
    run("export", study, "--task", "judge", "--what", "pairs", "-o", tmp_path / "x.jsonl", fails="P821")
    run("export", study, "--task", "judge", "-o", study, fails="P150")
    run("rate", study, "--task", "second", "--rater", "mi", fails="P819")
    run("rate", study, "--task", "judge", "--rater", f"{__name__}:always", "--name", "always")
    assert "3 pairs" in run("export", study, "--task", "judge", "--for", "mturk", "-o", tmp_path / "pairs.csv")
    run("export", study, "--task", "second", "--for", "mturk", "-o", tmp_path / "x.csv", fails="P816")
    told = run("export", study, "--task", "judge", "-o", tmp_path / "votes.jsonl")
    assert "3 votes" in told
    votes = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text(encoding="utf8").splitlines()]
    assert {(vote["item_id"], vote["rater"], vote["answer"], vote["is_model"]) for vote in votes} == {
        (f"p{i}", "always", 1, True) for i in range(3)
    }


def always(pairs):
    """A classifier."""
    return [1.0 for _ in pairs]


def test_an_earlier_file_stays(tmp_path, pairs):
    other = tmp_path / "notes.db"
    with sqlite3.connect(other) as connection:
        connection.execute("create table notes (id integer)")
    connection.close()
    run("new", other, pairs, "--task", "judge", fails="P803")
    with sqlite3.connect(other) as connection:
        assert connection.execute("select name from sqlite_master").fetchall() == [("notes",)]


def test_out_to_another_tool_and_back(tmp_path, pairs):
    output = tmp_path / "tasks.json"
    assert "3 pairs" in run("export", pairs, "--for", "label-studio", "-o", output)
    tasks = json.loads(output.read_text(encoding="utf8"))
    for task in tasks:
        result = [{"from_name": "same", "value": {"choices": ["paraphrase"]}}]
        task["annotations"] = [{"completed_by": who, "result": result} for who in (1, 2)]
    output.write_text(json.dumps(tasks), encoding="utf8")
    told = run("import", output, "--from", "label-studio", "-o", tmp_path / "votes.tsv")
    assert "6 votes of 2 raters on 3 items, agreement 100.0 %" in told
    run("import", output, "--from", "argilla", "-o", tmp_path / "more.tsv", fails="P818")
    assert not (tmp_path / "more.tsv").exists()
