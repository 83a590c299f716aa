"""A project sees the corpora of the data folder."""

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.corpora import linking
from paws_components.corpora.linking import link_corpora
from paws_components.errors import PawsError


@pytest.fixture
def data(tmp_path):
    for name in ("qqp", "mrpc", ".parts"):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "train.tsv").write_text(name, encoding="utf8")
    return tmp_path / "data"


def run(monkeypatch, data=None):
    monkeypatch.setenv("PAWS_DATA", str(data or "nowhere"))
    return CliRunner().invoke(cli, ["corpora", "link"], catch_exceptions=False, standalone_mode=False).output


def test_corpora_are_linked_and_what_is_there_stays(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assets" / "mrpc").mkdir(parents=True)
    told = run(monkeypatch, data)
    assert "links to 1 corpora" in told and "Of its own it has mrpc" in told
    assert (tmp_path / "assets" / "qqp" / "train.tsv").read_text(encoding="utf8") == "qqp"
    assert not list((tmp_path / "assets" / "mrpc").iterdir()) and not (tmp_path / "assets" / ".parts").exists()
    assert run(monkeypatch, data) == told
    assert "There is no data folder nowhere" in run(monkeypatch)


def test_another_data_folder_takes_the_place_of_the_first(data, tmp_path):
    link_corpora(tmp_path / "assets", data)
    data.rename(tmp_path / "moved")
    assert link_corpora(tmp_path / "assets", tmp_path / "moved") == {"mrpc": True, "qqp": True}
    assert (tmp_path / "assets" / "qqp" / "train.tsv").is_file()
    # The data folder may be the project's own.
    assert link_corpora(tmp_path / "moved", tmp_path / "moved") == {}
    with pytest.raises(PawsError, match="P020.*data folder"):
        link_corpora(tmp_path / "assets", tmp_path / "none")


def test_where_links_are_not_allowed_files_are_copied(data, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("not allowed")

    monkeypatch.setattr(linking.Path, "symlink_to", refuse)
    assert link_corpora(tmp_path / "assets", data) == {"mrpc": True, "qqp": True}
    assert not (tmp_path / "assets" / "qqp").is_symlink()
    assert link_corpora(tmp_path / "assets", data) == {"mrpc": True, "qqp": True}
