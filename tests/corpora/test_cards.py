"""Every card is whole, names layouts that exist, and agrees with the files where they are at hand."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paws_components.corpora import all_cards, data_folder, get_card, get_split
from paws_components.corpora.cards import load_card
from paws_components.corpora.download import sum_file
from paws_components.corpora.samples import CHECKOUT, corpora_files
from paws_components.errors import PawsError
from paws_components.readers import LAYOUTS, open_pairs, open_texts

ROOT = Path(__file__).resolve().parents[2]
CARDS = all_cards()
SPLITS = [f"{card.name}:{split.name}" for card in CARDS.values() for split in card.splits.values()]
PAPERS = "paws_wiki paws_qqp paws_x qqp mrpc mrpc_r1 twitter_url ap_h ap_t5 snli mnli anli sick wikipedia".split()


def test_the_papers_corpora_have_cards():
    assert set(PAPERS) <= set(CARDS)
    assert {path.stem for path in CHECKOUT.glob("*.yaml")} == set(CARDS)


@pytest.mark.parametrize("name", CARDS)
def test_a_card_says_all(name):
    card = CARDS[name]
    for text in (card.title, card.about, card.home, card.found, card.licence, card.licence_url, card.cite, card.lang):
        assert text.strip()
    assert card.faults and card.splits
    assert card.home.startswith("http") and card.licence_url.startswith("http")


@pytest.mark.parametrize("name", SPLITS)
def test_a_split_can_be_got_somehow(name):
    split = get_split(name)
    assert split.layout is None or split.layout in LAYOUTS
    assert split.fetchable or split.join or split.by_hand, "nobody says how to get it"
    assert split.rows is None or split.rows > 0
    for file in split.files:
        assert not Path(file.path).is_absolute()
        assert file.origin is None or file.origin.url.startswith("http")
        for known in (file.sum, file.copy):
            assert known is None or (len(known.md5), len(known.sha256)) == (32, 64)
        assert file.copy is None or file.copy.of, "whose copy is it?"
    if split.join:
        assert get_split(split.join.index).fetchable and get_split(split.join.text).fetchable


def test_two_files_never_share_a_path():
    seen = {}
    for name in SPLITS:
        for file in get_split(name).files:
            assert seen.setdefault(file.path, file) == file, f"{name}: {file.path}"


@pytest.mark.parametrize("name", SPLITS)
def test_sums_and_rows_are_those_of_the_files(name, data_dir):
    split = get_split(name)
    paths = [data_dir / file.path for file in split.files]
    if not all(path.is_file() for path in paths):
        pytest.skip(f"{split.path} is not in the data folder")
    for file, path in zip(split.files, paths):
        known = file.sum or file.copy
        assert known is not None, "it is there, and the card does not know its sum"
        found = sum_file(path)
        assert (found.size, found.md5, found.sha256) == (known.size, known.md5, known.sha256)
    if split.layout is None:
        assert sum(1 for _ in open_texts([name])) == split.rows
    else:
        opened = open_pairs(name)
        assert opened.layout.name == split.layout or opened.layout.reads == "records"
        stray = 0 if name != "twitter_url:test" else 250
        assert sum(1 for _ in opened) == split.rows + stray


def test_every_table_of_the_data_folder_has_a_card(data_dir):
    """Of the folders that cards speak of, every file is in one of them."""
    known = {file.path for name in SPLITS for file in get_split(name).files}
    folders = {path.split("/")[0] for path in known}
    there = {path.relative_to(data_dir).as_posix() for path in data_dir.rglob("*") if path.is_file()}
    assert {path for path in there if path.split("/")[0] in folders} - known == set()


@pytest.mark.parametrize(
    "text, message",
    [
        ("title: [", "P501"),
        ("title: x", "P501.*splits"),
        ("{title: x, about: y, home: h, found: f, licence: l, cite: c, colour: red, splits: {}}", "P501.*colour"),
        ("{title: '', about: y, home: h, found: f, licence: l, cite: c, splits: {}}", "P501.*title"),
    ],
)
def test_a_card_that_is_not_right(tmp_path, text, message):
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(PawsError, match=message):
        load_card(tmp_path / "bad.yaml")


@pytest.mark.parametrize("path", ["../up.tsv", "/abs.tsv", "a/../../b", "c:\\x"])
def test_a_path_stays_in_the_data_folder(own_cards, path):
    own_cards("bad", splits={"all": {"path": path}})
    with pytest.raises(PawsError, match="P501.*data folder"):
        get_card("bad")


def test_unknown_names():
    with pytest.raises(PawsError, match="P502.*paws_wiki"):
        get_card("paws_wikki")
    with pytest.raises(PawsError, match="P503.*unlabeled_dev"):
        get_split("paws_wiki:nope")
    with pytest.raises(PawsError, match="P504.*paws_wiki:SPLIT"):
        get_split("paws_wiki")


def test_cards_of_ones_own_win(own_cards):
    own_cards("paws_wiki", title="Mine", splits={"dev": {"path": "x.tsv"}})
    assert get_card("paws_wiki").title == "Mine" and len(all_cards()) == len(CARDS)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_data_folder(monkeypatch, tmp_path, platform):
    monkeypatch.delenv("PAWS_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    place = {"linux": ".cache", "darwin": "Library/Caches"}[platform]
    assert data_folder() == tmp_path / place / "paws-components" / "corpora"
    monkeypatch.setenv("PAWS_DATA", "~/mine")
    assert data_folder() == tmp_path / "mine" and data_folder("here") == Path("here")


@pytest.mark.parametrize("where", ["--target", "--prefix"])
def test_cards_are_installed(tmp_path, where):
    """Where the package is installed without its checkout, the cards are found all the same."""
    source = tmp_path / "source"
    for name in ("paws_components", "corpora"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    done = subprocess.run([*pip, where, tmp_path / "t", source], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip can't build here: {done.stderr[-200:]}")
    (package,) = (tmp_path / "t").rglob("paws_components/__init__.py")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from paws_components.corpora import all_cards, sample_text\n"
        "import paws_components\n"
        "assert sys.argv[1] in paws_components.__file__\n"
        "print(len(all_cards()), sample_text('en').name)"
    )
    run = [sys.executable, "-c", code, package.parents[1]]
    ran = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert ran.stdout.split() == [str(len(CARDS)), "sample_en.txt"], ran.stderr


def test_files_of_the_folder():
    assert [path.name for path in corpora_files(".txt")] == ["sample_en.txt"]
