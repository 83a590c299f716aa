import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from paws_components.building.push import told
from paws_components.cli import cli
from paws_components.curation.card import write_data_set
from paws_components.errors import PawsError
from paws_components.records import PairRecord

from ..building.hub import serving
from ..building.test_card import ABOUT, COUNTS

TOKEN = "hf_verysecret0123456789"


@pytest.fixture
def folder(tmp_path):
    parts = {"default": {"train": [PairRecord("a", "b", label=1)], "test": [PairRecord("c", "d", label=0)]}}
    write_data_set(parts, tmp_path / "set", ABOUT, COUNTS, ["tsv", "parquet"])
    (tmp_path / "set" / ".secret").write_text("mine", encoding="utf8")
    return tmp_path / "set"


def push(hub, *args):
    """In a process of its own: the hub's library reads its variables when it is imported, and tests are offline."""
    env = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}
    env["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    command = [sys.executable, "-m", "paws_components", "push", *map(str, args)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert TOKEN not in done.stdout + done.stderr and "verysecret" not in done.stdout + done.stderr
    return done


def test_a_data_set_goes_to_the_hub_in_one_commit(folder):
    pytest.importorskip("huggingface_hub")
    with serving() as hub:
        done = push(hub, folder, "me/trains", "--yes", "--private", "-m", "A first version")
    assert done.returncode == 0, done.stderr
    assert f"went to the data set me/trains: {hub.url}/datasets/me/trains/commit/main" in done.stderr
    assert hub.repos["me/trains"]["private"] is True and hub.repos["me/trains"]["type"] == "dataset"
    names = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.*") if path.is_file()}
    assert set(hub.files) == set(names) - {".secret"}
    assert all(data == names[name].read_bytes() for name, data in hub.files.items())
    assert sum("/commit/" in call for call in hub.calls) == 1 and hub.tokens == {f"Bearer {TOKEN}"}


def test_a_refusal_tells_no_token(folder):
    pytest.importorskip("huggingface_hub")
    with serving(refuse=401) as hub:
        done = push(hub, folder, "me/trains", "--no-dry-run")
    assert done.returncode == 1 and "P742" in done.stderr and "(token)" in done.stderr and hub.files == {}
    assert told(ValueError("Bearer abc\n and mine"), "mine") == "(token) and (token)"


def test_nothing_is_sent_unless_it_is_asked_for(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # not even the library is needed
    result = CliRunner().invoke(cli, ["push", str(folder), "me/trains"])
    assert result.exit_code == 0 and "nothing was sent. Do it with --yes" in result.stderr
    assert "README.md" in result.stdout and ".secret" not in result.stdout
    result = CliRunner().invoke(cli, ["push", str(folder), "me/trains", "--yes"])
    assert isinstance(result.exception, PawsError) and "P025" in str(result.exception)
    assert "pip install 'paws-components[hub]'" in str(result.exception)


@pytest.mark.parametrize(
    "change, repo, told",
    [
        (None, "trains", "P015.*USER/NAME"),
        (None, "../etc/x", "P015"),
        ("", "me/trains", "P741.*no README.md"),
        ("# Trains\n", "me/trains", "P741.*does not begin with YAML"),
        ("---\nconfigs: [\n---\n", "me/trains", "P741.*the YAML"),
        ("---\nconfigs:\n- data_files:\n  - path: gone.parquet\n---\n", "me/trains", "P741.*gone.parquet"),
    ],
)
def test_what_is_no_data_set(folder, change, repo, told):
    if change == "":
        (folder / "README.md").unlink()
    elif change is not None:
        (folder / "README.md").write_text(change, encoding="utf8")
    result = CliRunner().invoke(cli, ["push", str(folder), repo, "--yes"])
    with pytest.raises(PawsError, match=told):
        raise result.exception
