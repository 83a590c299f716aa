"""There is no GPU here, so the order is seen: spaCy is told first, in the process that works; then a model loads."""

import json

import pytest
import spacy
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.engine.work import Accounted
from paws_components.errors import PawsError
from paws_components.models import use_gpu

TEXT = "The museum in Lisbon lent two paintings to a gallery in Madrid.\n"


class Noted:
    """A job that notes when it is started."""

    def __init__(self, done):
        self.done = done

    def start(self):
        self.done.append("started")
        return lambda payloads: payloads


@pytest.mark.parametrize("gpu_id, told", [(2, [2]), (-1, [])])
def test_the_gpu_is_taken_before_the_worker_is_made(monkeypatch, gpu_id, told):
    done = []
    monkeypatch.setattr(spacy, "require_gpu", done.append)
    Accounted(Noted(done), gpu_id).start()
    assert done == [*told, "started"]


def test_without_one_it_is_our_error():
    with pytest.raises(PawsError, match="P355.*GPU 99"):
        use_gpu(99)
    use_gpu(-1)


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize("command", ["generate", "metrics", "correct"])
def test_commands_say_so_and_leave_the_output_alone(tmp_path, command, n_process):
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    row = {"text": TEXT, "sentence1": "Anna came.", "sentence2": "Ben came.", "label": 1}
    source.write_text(json.dumps(row) + "\n", encoding="utf8")
    output.write_text("what was there\n", encoding="utf8")
    args = [command, str(source), "-o", str(output), "--quiet", "--gpu-id", "99", "--n-process", str(n_process)]
    with pytest.raises(PawsError, match="P355"):
        CliRunner().invoke(cli, args, catch_exceptions=False)
    assert output.read_text(encoding="utf8") == "what was there\n"


def test_the_gpu_is_no_setting_of_the_run(tmp_path, monkeypatch):
    """As with the number of processes: a run that broke off elsewhere goes on, and the bytes are the same."""
    source, output = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text(TEXT, encoding="utf8")
    told = []
    monkeypatch.setattr(spacy, "require_gpu", told.append)
    for args in ([], ["--gpu-id", "0"]):
        CliRunner().invoke(cli, ["generate", str(source), "-o", str(output), "--quiet", *args], catch_exceptions=False)
        written = output.read_bytes()
        assert written
    assert told == [0]
