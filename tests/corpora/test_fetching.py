"""Fetching from a server that breaks off, is busy or slow, changes its file, sends a wrong one, or knows no ranges."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import zipfile

import pytest
from click.testing import CliRunner

import paws_components as paws
from paws_components.cli import cli
from paws_components.corpora import download, get_card
from paws_components.corpora.fetching import fetch_split
from paws_components.corpora.folder import alone
from paws_components.errors import PawsError

from .conftest import sums

HEADER = b"id\tsentence1\tsentence2\tlabel\n"
BODY = HEADER + b"".join(b"%d\tthe cat saw dog %d\tdog %d saw the cat\t%d\n" % (i, i, i, i % 2) for i in range(20_000))


@pytest.fixture
def corpus(server, data, own_cards):
    """A corpus of one file that the server has."""
    server.files["/all.tsv"] = BODY
    split = {"path": "one/all.tsv", "rows": 20_000, "source": "all", "sum": sums(BODY)}
    own_cards("one", sources={"all": {"url": f"{server.url}/all.tsv"}}, splits={"all": split})
    return data / "one" / "all.tsv"


def test_fetch_and_read(server, corpus):
    assert paws.fetch("one") == {"all": corpus}
    assert corpus.read_bytes() == BODY
    assert sum(1 for _ in paws.open_pairs("one:all")) == 20_000
    # A second time it is there, and nobody is asked.
    assert paws.fetch("one:all") == {"all": corpus} and len(server.asked) == 1
    assert not any(corpus.parents[1].joinpath(".parts").iterdir())
    lock = json.loads((corpus.parents[1] / "corpora.lock.json").read_text())
    assert lock["one/all.tsv"]["sha256"] == sums(BODY)["sha256"] and lock["one/all.tsv"]["md5"] == sums(BODY)["md5"]


def test_goes_on_after_breaks(server, corpus):
    server.faults = [("break", 100_000), ("break", 200_000), ("status", 503)]
    paws.fetch("one")
    assert corpus.read_bytes() == BODY
    starts = [int(asked.removeprefix("bytes=").rstrip("-")) for _, asked in server.asked[1:]]
    assert server.asked[0][1] is None and starts == sorted(starts) and starts[0] > 0 and starts[1] > starts[0]


@pytest.mark.parametrize("tags", [True, False])
def test_a_server_without_ranges(server, corpus, tags):
    server.ranges, server.tags, server.faults = False, tags, [("break", 100_000)]
    paws.fetch("one")
    assert corpus.read_bytes() == BODY


@pytest.mark.parametrize("new", [BODY[:1000], BODY + b"1\ta\tb\t0\n", BODY.replace(b"cat", b"cow")])
@pytest.mark.parametrize("tags", [True, False])
def test_the_file_changes_in_between(server, corpus, own_cards, new, tags):
    """What comes is one file or the other, never the beginning of one and the end of the other."""
    server.tags = tags
    split = {"path": "one/all.tsv", "source": "all"} | ({"sum": sums(new)} if not tags else {})
    own_cards("one", sources={"all": {"url": f"{server.url}/all.tsv"}}, splits={"all": split})
    server.faults = [("break", 100_000), *[("status", 500)] * 5]
    server.files["/all.tsv"] = BODY
    with pytest.raises(PawsError, match="P508"):
        paws.fetch("one")
    server.files["/all.tsv"] = new
    paws.fetch("one")
    assert corpus.read_bytes() == new


def test_not_there(server, corpus):
    del server.files["/all.tsv"]
    with pytest.raises(PawsError, match=r"P506.*/all.tsv: the server says 404"):
        paws.fetch("one")
    assert len(server.asked) == 1 and not corpus.exists()


@pytest.mark.parametrize("status", [401, 403, 410, 451])
def test_refused(server, corpus, status):
    server.faults = [("status", status)]
    with pytest.raises(PawsError, match=f"P506.*{status}"):
        paws.fetch("one")
    assert len(server.asked) == 1


def test_busy_for_ever(server, corpus):
    server.faults = [("status", 503)] * 9
    with pytest.raises(PawsError, match="P508.*503"):
        paws.fetch("one")
    assert len(server.asked) == 5 and not corpus.exists()


def test_no_server(server, corpus):
    server.http.shutdown()
    server.http.server_close()
    with pytest.raises(PawsError, match="P508"):
        paws.fetch("one")


def test_silence_is_a_break(server, corpus):
    server.faults = [("silent", 3)]
    begun = time.monotonic()
    paws.fetch("one", timeout=0.3)
    assert corpus.read_bytes() == BODY and time.monotonic() - begun < 2.5
    assert server.asked[1][1] is not None


def test_slow_is_not_a_break(server, corpus):
    server.faults = [("drip", 0.002)]
    paws.fetch("one", timeout=0.5)
    assert corpus.read_bytes() == BODY and len(server.asked) == 1


def test_a_wrong_sum_is_refused_and_named(server, corpus):
    wrong = BODY.replace(b"cat", b"cow")
    server.files["/all.tsv"] = wrong
    with pytest.raises(PawsError) as error:
        paws.fetch("one")
    assert "P513" in str(error.value) and sums(BODY)["sha256"] in str(error.value)
    assert sums(wrong)["sha256"] in str(error.value)
    assert not corpus.exists() and not any((corpus.parents[1] / ".parts").iterdir())
    # Nothing of it stays in the way of the right one.
    server.files["/all.tsv"] = BODY
    paws.fetch("one")
    assert corpus.read_bytes() == BODY


def test_a_wrong_beginning_is_thrown_away(server, corpus):
    """What is there of an earlier try is wrong, and the server has no tags to tell by: it starts over by itself."""
    server.tags = False
    server.faults = [("break", 100_000), *[("status", 500)] * 5]
    with pytest.raises(PawsError, match="P508"):
        paws.fetch("one")
    part = corpus.parents[1] / ".parts" / "all.tsv.part"
    part.write_bytes(b"x" * part.stat().st_size)
    paws.fetch("one")
    assert corpus.read_bytes() == BODY


def test_what_is_there_is_compared(server, corpus):
    corpus.parent.mkdir(parents=True)
    corpus.write_bytes(b"mine")
    with pytest.raises(PawsError, match="P512.*--fresh"):
        paws.fetch("one")
    assert corpus.read_bytes() == b"mine" and not server.asked
    paws.fetch("one", fresh=True)
    assert corpus.read_bytes() == BODY


def test_the_first_fetch_writes_the_sum(server, corpus, own_cards, data):
    plain = {"path": "one/all.tsv", "source": "all"}
    own_cards("one", sources={"all": {"url": f"{server.url}/all.tsv"}}, splits={"all": plain})
    paws.fetch("one")
    other = BODY.replace(b"cat", b"cow")
    server.files["/all.tsv"] = other
    with pytest.raises(PawsError, match="P513.*--sha256"):
        paws.fetch("one", fresh=True)
    assert corpus.read_bytes() == BODY
    paws.fetch("one", fresh=True, sha256=sums(other)["sha256"].upper())
    assert corpus.read_bytes() == other
    (data / "corpora.lock.json").write_text("{")
    with pytest.raises(PawsError, match="P515"):
        paws.fetch("one")


def archive(kind, members):
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as packed:
            for name, content in members.items():
                packed.writestr(name, content)
    else:
        with tarfile.open(fileobj=out, mode="w:gz") as tarred:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tarred.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture(params=["zip", "tar"])
def packed(request, server, data, own_cards):
    """A corpus of two files in an archive that has others too, some of them with evil names."""
    members = {
        "../../evil.tsv": b"evil",
        "/evil.tsv": b"evil",
        "__MACOSX/top/._dev.tsv": b"mac",
        "top/dev.tsv": BODY,
        "top/train.tsv": HEADER,
        "top/more.txt": b"more",
    }
    server.files["/all.archive"] = archive(request.param, members)
    splits = {
        name: {"path": f"two/{name}.tsv", "source": "all", "member": f"top/{name}.tsv"} for name in ("train", "dev")
    }
    splits["dev"]["sum"] = sums(BODY)
    sources = {"all": {"url": f"{server.url}/all.archive?download=1", "unpack": request.param}}
    own_cards("two", sources=sources, splits=splits)
    return request.param, splits, sources


def test_archives(server, packed, data, tmp_path):
    assert paws.fetch("two:dev") == {"dev": data / "two" / "dev.tsv"}
    # The other file of the card came along, and nothing else.
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    made = ["cards/two.yaml", "data/corpora.lock.json", "data/.corpora.lock.json.guard"]
    assert found == sorted([*made, "data/two/dev.tsv", "data/two/train.tsv"])
    assert (data / "two" / "dev.tsv").read_bytes() == BODY and (data / "two" / "train.tsv").read_bytes() == HEADER
    paws.fetch("two")
    assert len(server.asked) == 1
    url = f"{server.url}/all.archive?download=1"
    assert json.loads((data / "corpora.lock.json").read_text())[url]["size"] == len(server.files["/all.archive"])


def test_an_archive_that_breaks_off(server, packed, data):
    server.faults = [("break", 500)]
    paws.fetch("two:dev")
    assert (data / "two" / "dev.tsv").read_bytes() == BODY and len(server.asked) == 2


def test_damaged_archives(server, packed, data, own_cards):
    kind, splits, sources = packed
    whole = server.files["/all.archive"]
    server.files["/all.archive"] = whole[: len(whole) // 2]
    with pytest.raises(PawsError, match="P509|P510"):
        paws.fetch("two:dev")
    server.files["/all.archive"] = archive(kind, {"top/train.tsv": HEADER})
    with pytest.raises(PawsError, match="P510.*top/dev.tsv"):
        paws.fetch("two:dev")
    server.files["/all.archive"] = archive(kind, {"top/train.tsv": HEADER, "top/dev.tsv": b"wrong"})
    with pytest.raises(PawsError, match="P513"):
        paws.fetch("two:dev")
    assert not (data / "two" / "dev.tsv").exists()
    server.files["/all.archive"] = whole
    paws.fetch("two:dev")
    assert (data / "two" / "dev.tsv").read_bytes() == BODY


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
def test_a_damaged_byte_in_an_archive_is_noticed(server, data, own_cards, packing):
    """Of gz and xz it came into the corpus and the lock file; of bz2 it was called a full disk, and stayed."""
    content = os.urandom(2_000_000)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{packing}") as tarred:
        info = tarfile.TarInfo("dev.tsv")
        info.size = len(content)
        tarred.addfile(info, io.BytesIO(content))
    whole = out.getvalue()
    half = len(whole) // 2
    server.files["/a"] = whole[:half] + bytes(byte ^ 255 for byte in whole[half : half + 32]) + whole[half + 32 :]
    splits = {"dev": {"path": "d/dev.tsv", "source": "all", "member": "dev.tsv"}}
    own_cards("d", sources={"all": {"url": f"{server.url}/a", "unpack": "tar"}}, splits=splits)
    with pytest.raises(PawsError, match="P509"):
        paws.fetch("d")
    assert not (data / "d").exists() and not (data / "corpora.lock.json").exists()
    server.files["/a"] = whole
    assert paws.fetch("d")["dev"].read_bytes() == content


def test_one_member_in_two_places(server, data, own_cards):
    server.files["/a"] = archive("zip", {"m.tsv": BODY})
    splits = {name: {"path": f"m/{name}.tsv", "source": "all", "member": "m.tsv"} for name in ("dev", "test")}
    own_cards("m", sources={"all": {"url": f"{server.url}/a", "unpack": "zip"}}, splits=splits)
    assert [path.read_bytes() for path in paws.fetch("m").values()] == [BODY, BODY]


def test_one_sum_is_not_that_of_two_files(server, data, own_cards):
    server.files |= {"/a.en": b"one\n", "/a.de": b"eins\n"}
    sources = {name: {"url": f"{server.url}/a.{name}"} for name in ("en", "de")}
    split = {"path": "t/a.en", "source": "en", "also": [{"path": "t/a.de", "source": "de"}]}
    own_cards("t", sources=sources, splits={"all": split})
    with pytest.raises(PawsError, match="P015.*--sha256.*one file"):
        paws.fetch("t:all", sha256=sums(b"one\n")["sha256"])
    assert not server.asked and len(paws.fetch("t:all")) == 1


def test_links_are_not_taken_out(server, data, own_cards, tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tarred:
        link = tarfile.TarInfo("dev.tsv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tarred.addfile(link)
    server.files["/a"] = out.getvalue()
    splits = {"dev": {"path": "l/dev.tsv", "source": "all", "member": "dev.tsv"}}
    own_cards("l", sources={"all": {"url": f"{server.url}/a", "unpack": "tar"}}, splits=splits)
    with pytest.raises(PawsError, match="P510"):
        paws.fetch("l")


def test_a_full_disk(server, tmp_path, own_cards, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        server.files["/all.tsv"] = BODY
        split = {"path": "one/all.tsv", "source": "all"}
        own_cards("one", sources={"all": {"url": f"{server.url}/all.tsv"}}, splits={"all": split})
        with pytest.raises(PawsError, match="P507.*more than is free"):
            paws.fetch("one", disk)
        # A server that does not say how much there is: it is noticed when it is full, and what came is kept.
        monkeypatch.setattr("paws_components.corpora.download._total", lambda *_: None)
        with pytest.raises(PawsError, match="P507.*No space left"):
            paws.fetch("one", disk)
        assert (disk / ".parts" / "all.tsv.part").stat().st_size > 100_000
        assert not (disk / "one" / "all.tsv").exists()
        monkeypatch.undo()
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        monkeypatch.setenv("PAWS_CORPORA", str(tmp_path / "cards"))
        paws.fetch("one", disk)
        assert (disk / "one" / "all.tsv").read_bytes() == BODY
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_no_place_to_write(corpus, data):
    data.parent.joinpath("data").write_text("a file where the folder should be")
    with pytest.raises(PawsError, match="P507"):
        paws.fetch("one")


def run(*arguments, **env):
    command = [sys.executable, "-m", "paws_components", "corpora", *arguments]
    return subprocess.Popen(
        command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_killed_in_the_middle_and_run_again(server, corpus, data):
    server.faults = [("drip", 0.05)]
    first = run("fetch", "one")
    part = data / ".parts" / "all.tsv.part"
    for _ in range(600):
        if part.exists() and part.stat().st_size > 50_000:
            break
        time.sleep(0.05)
    # While one fetches, another one keeps out of its way.
    second = run("fetch", "one")
    said = second.communicate(timeout=60)[1]
    assert second.returncode == 1 and "P031" in said
    os.kill(first.pid, signal.SIGKILL)
    assert first.wait(timeout=10) == -signal.SIGKILL
    have = part.stat().st_size
    assert 0 < have < len(BODY) and not corpus.exists()
    server.asked.clear()
    again = run("fetch", "one")
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert corpus.read_bytes() == BODY and server.asked == [("/all.tsv", f"bytes={have}-")]
    assert sums(BODY)["sha256"] in out and not any((data / ".parts").iterdir())


def test_nobody_takes_a_file_that_is_not_in_its_place_yet(server, corpus, own_cards, data, monkeypatch):
    """Two files of one name are the same file while they are fetched."""
    server.files |= {"/one/all.tsv": BODY, "/two/all.tsv": HEADER}
    for name in ("one", "two"):
        split = {"path": f"{name}/all.tsv", "source": "all"}
        own_cards(name, sources={"all": {"url": f"{server.url}/{name}/all.tsv"}}, splits={"all": split})
    said = []

    def sum_file(path):
        monkeypatch.undo()
        monkeypatch.setenv("PAWS_DATA", str(data))
        monkeypatch.setenv("PAWS_CORPORA", str(data.parent / "cards"))
        other = run("fetch", "two")
        said.append(other.communicate(timeout=60)[1])
        return download.sum_file(path)

    monkeypatch.setattr("paws_components.corpora.fetching.sum_file", sum_file)
    assert paws.fetch("one")["all"].read_bytes() == BODY
    assert "P031" in said[0]
    assert paws.fetch("two")["all"].read_bytes() == HEADER and not any((data / ".parts").iterdir())


def test_a_disk_without_locks(server, corpus, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    paws.fetch("one")
    assert corpus.read_bytes() == BODY and "one/all.tsv" in (corpus.parents[1] / "corpora.lock.json").read_text()


def test_a_guard_that_was_removed_guards_nothing(tmp_path, monkeypatch):
    """Who waited for it takes the next one, as everybody after him."""
    import fcntl

    real, guard = fcntl.flock, tmp_path / "guard"

    def flock(file, how):
        real(file, how)
        monkeypatch.undo()
        guard.unlink()

    monkeypatch.setattr("fcntl.flock", flock)
    with alone(guard), pytest.raises(PawsError, match="P031"), alone(guard):
        pass


def test_a_wrong_sum_ends_with_1(server, corpus):
    server.files["/all.tsv"] = b"wrong"
    refused = run("fetch", "one")
    _, err = refused.communicate(timeout=60)
    assert refused.returncode == 1 and sums(BODY)["sha256"] in err and sums(b"wrong")["sha256"] in err
    assert "Traceback" not in err and not corpus.exists()


def test_a_mirror_has_the_paths_of_the_data_folder(server, corpus, monkeypatch, tmp_path):
    server.files = {"/here/one/all.tsv": BODY}
    assert paws.fetch("one", tmp_path / "a", mirror=f"{server.url}/here/")["all"].read_bytes() == BODY
    monkeypatch.setenv("PAWS_MIRROR", str(tmp_path / "a"))
    asked = len(server.asked)
    assert paws.fetch("one", tmp_path / "b")["all"].read_bytes() == BODY and len(server.asked) == asked
    monkeypatch.setenv("PAWS_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(PawsError, match="P506.*no such file"):
        paws.fetch("one", tmp_path / "c")


def test_a_copy_is_good_enough_for_a_mirror_alone(server, data, own_cards):
    """The sum of a copy says nothing about the published file, and everything about the copy."""
    server.files = {"/published.tsv": BODY, "/m/one/all.tsv": HEADER}
    split = {"path": "one/all.tsv", "source": "all", "copy": {**sums(HEADER), "of": "a copy"}}
    own_cards("one", sources={"all": {"url": f"{server.url}/published.tsv"}}, splits={"all": split})
    paws.fetch("one", mirror=f"{server.url}/m")
    assert (data / "one" / "all.tsv").read_bytes() == HEADER
    (data / "corpora.lock.json").unlink()
    paws.fetch("one", fresh=True)
    assert (data / "one" / "all.tsv").read_bytes() == BODY


def test_keys_of_addresses_are_told_nowhere(server, data, own_cards):
    sources = {"all": {"url": f"{server.url}/all.tsv?token=hush1"}, "zip": {"url": f"{server.url}/a.zip?sig=hush1"}}
    sources["zip"]["unpack"] = "zip"
    splits = {"dev": {"path": "k/dev.tsv", "source": "all"}, "test": {"path": "k/t.tsv", "source": "zip"}}
    splits["test"]["member"] = "t.tsv"
    own_cards("k", sources=sources, splits=splits)
    server.files |= {"/all.tsv": BODY, "/a.zip": archive("zip", {"t.tsv": HEADER})}
    server.faults = [("break", 100_000), *[("status", 500)] * 5]
    with pytest.raises(PawsError, match=r"P508.*token=\*\*\*") as error:
        paws.fetch("k")
    assert "hush" not in str(error.value)
    assert not any(b"hush" in path.read_bytes() for path in data.rglob("*") if path.is_file())
    # With another key it goes on all the same.
    sources["all"]["url"] = f"{server.url}/all.tsv?token=hush2"
    own_cards("k", sources=sources, splits=splits)
    server.asked.clear()
    paws.fetch("k")
    assert server.asked[0][0].endswith("hush2") and server.asked[0][1] is not None
    assert (data / "k" / "dev.tsv").read_bytes() == BODY and (data / "k" / "t.tsv").read_bytes() == HEADER
    lock = (data / "corpora.lock.json").read_text()
    assert "hush" not in lock and "all.tsv?token=***" in lock and "a.zip?sig=***" in lock


def test_by_hand(data):
    result = CliRunner().invoke(cli, ["corpora", "fetch", "mrpc"])
    assert result.exit_code == 1
    assert "P511" in str(result.exception) and "accept" in str(result.exception)
    assert "mrpc/msr_paraphrase_train.txt" in str(result.exception)


def test_what_was_put_there_by_hand_is_taken(data):
    card = get_card("mrpc")
    place = data / card.split("test").path
    place.parent.mkdir(parents=True)
    place.write_bytes(b"Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t5\t6\ta\tb\r\n")
    (found,) = fetch_split(card, card.split("test"), data)
    assert found.how == "there" and [row.label for row in paws.open_pairs("mrpc:test")] == [1]


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "/etc/passwd", "javascript:1"])
def test_addresses_are_of_the_web(data, own_cards, url):
    own_cards("odd", sources={"all": {"url": url}}, splits={"all": {"path": "x", "source": "all"}})
    with pytest.raises(PawsError, match="P506"):
        paws.fetch("odd")
