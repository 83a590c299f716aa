import errno
import os
import re
import socket
import subprocess
import sys
import threading
import time

import pytest

from paws_components import storage
from paws_components.errors import PawsError
from paws_components.storage import (
    LocalFolder,
    RemoteFolder,
    check_url,
    folder_at,
    is_url,
    open_url,
    put_file,
    put_path,
    remove_url,
    url_kind,
    url_size,
    url_suffix,
)

from .s3 import ObjectStore

URLS = "s3://bucket/run", "memory://paws/run", "file://{}/run"
DATA = bytes(range(256)) * 20_000


@pytest.fixture(scope="module")
def store():
    store = ObjectStore("bucket")
    before = {name: os.environ.get(name) for name in store.environment}
    os.environ.update(store.environment)
    yield store
    store.close()
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture
def s3(store, monkeypatch):
    """The store, empty and well, and asked again for less than a second."""
    monkeypatch.setenv("PAWS_STORE_SECONDS", "0.8")
    monkeypatch.setattr(storage, "FIRST_PAUSE", 0.05)
    store.objects.clear()
    store.fail(0)
    yield store
    store.fail(0)


def test_what_is_a_url():
    assert all(
        map(is_url, ["s3://b/x", "hf://datasets/a/b/c.jsonl", "S3://b", "file:///x", "memory://x", "abfs://c@a/x"])
    )
    assert not any(map(is_url, ["-", "", "C:\\x", "c://x", "a:b", "wikipedia:paragraphs", "x/s3://y", "pairs.jsonl"]))
    assert [url_suffix(name) for name in ("s3://b/x.tsv.GZ", "s3://b.c/x", "a/b.bz2")] == [".GZ", "", ".bz2"]


@pytest.mark.parametrize("where", ["{}/run", *URLS])
def test_a_folder(s3, tmp_path, where):
    folder = folder_at(where.format(tmp_path)) if "file" not in where else RemoteFolder(where.format(tmp_path))
    assert str(folder) == where.format(tmp_path)
    assert folder.names() == [] and not folder.exists("a")
    folder.remove("a")
    (tmp_path / "run").mkdir()
    for i in range(12):
        folder.write(f"{i:03}.jsonl", b"x" * i)
    folder.write("a", b"old")
    folder.write("a", DATA)
    assert folder.names() == [*(f"{i:03}.jsonl" for i in range(12)), "a"]
    assert folder.exists("a") and not folder.exists("b") and not folder.exists("")
    assert folder.read("a") == DATA and folder.read("000.jsonl") == b""
    assert folder.tail("a", 1000) == DATA[-1000:] and folder.tail("003.jsonl", 9) == b"xxx"
    assert folder.tail("000.jsonl", 5) == b""
    with folder.open("a") as file:
        assert file.read(300) == DATA[:300] and file.seek(-5, os.SEEK_END) == len(DATA) - 5
        assert file.read() == DATA[-5:] and file.seekable() and file.readable()
    folder.remove("003.jsonl")
    assert "003.jsonl" not in folder.names() and len(folder.names()) == 12
    for ask in (folder.read, folder.open, lambda name: folder.tail(name, 5)):
        with pytest.raises(FileNotFoundError):
            ask("003.jsonl")
    folder.remove_all()
    folder.remove_all()
    assert folder.names() == []


@pytest.mark.parametrize("where", URLS)
def test_folders_in_it(s3, tmp_path, where):
    url = where.format(tmp_path)
    folder = RemoteFolder(url)
    folder.write("a", b"1")
    RemoteFolder(url + "/in").write("b", b"2")
    RemoteFolder(url + "2").write("c", b"3")
    assert folder.names() == ["a", "in"] and not folder.exists("in")
    folder.remove_all()
    assert RemoteFolder(url + "/in").names() == [] and RemoteFolder(url + "2").names() == ["c"]
    RemoteFolder(url + "2").remove_all()


def test_what_others_write_is_seen(s3):
    """No list that a driver keeps is trusted."""
    folder = RemoteFolder("s3://bucket/run")
    folder.write("a", b"1")
    assert folder.names() == ["a"]
    s3.objects["bucket", "run/b"] = b"2"
    assert folder.names() == ["a", "b"] and folder.exists("b")
    del s3.objects["bucket", "run/a"]
    assert folder.names() == ["b"] and not folder.exists("a")


def test_a_local_write_that_fails_leaves_what_was_there(tmp_path):
    folder = LocalFolder(tmp_path)
    folder.write("a", b"old")
    with pytest.raises(TypeError):
        folder.write("a", "no bytes")
    assert folder.read("a") == b"old" and folder.names() == ["a"]


@pytest.mark.parametrize("where", URLS)
def test_files(s3, tmp_path, where):
    url = where.format(tmp_path) + "/x.bin"
    local = tmp_path / "local"
    local.write_bytes(DATA)
    check_url(url)
    assert url_kind(url) is None
    put_file(local, url)
    assert url_size(url) == len(DATA) and url_kind(url) == "file" and open_url(url).read() == DATA
    assert url_kind(url.rpartition("/")[0]) == "directory" and url_size(url.rpartition("/")[0]) is None
    local.write_bytes(b"other")
    put_file(local, url)
    assert open_url(url).read() == b"other"
    remove_url(url)
    with pytest.raises(FileNotFoundError):
        url_size(url)


@pytest.mark.parametrize("where", URLS)
def test_a_folder_takes_the_place_of_another(s3, tmp_path, where):
    url = where.format(tmp_path / "x") + "/"
    for names in (["shard-0.jsonl", "shard-1.jsonl", "shard-2.jsonl"], ["shard-0.jsonl"]):
        local = tmp_path / str(len(names))
        local.mkdir()
        for name in names:
            (local / name).write_text(str(names))
        put_path(local, url)
        if len(names) == 3:
            RemoteFolder(url).write("README.md", b"somebody's own")
    assert RemoteFolder(url).names() == ["README.md", "shard-0.jsonl"]
    assert RemoteFolder(url).read("shard-0.jsonl") == b"['shard-0.jsonl']"
    RemoteFolder(url).remove_all()


def test_a_large_file_goes_in_parts_or_not_at_all(s3, tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "PUT_BLOCK", 5 << 20)
    local = tmp_path / "local"
    local.write_bytes(os.urandom(11 << 20))
    put_file(local, "s3://bucket/big")
    assert s3.objects["bucket", "big"] == local.read_bytes()
    assert sum("partNumber" in path for _, path in s3.requests) == 3
    s3.fault = lambda method, path: 503 if "partNumber=2" in path else None
    with pytest.raises(OSError, match="again and again"):
        put_file(local, "s3://bucket/big2")
    assert s3.keys() == ["big"] and s3.uploads == {}


@pytest.mark.parametrize("code", [503, 500, "cut"])
def test_what_passes_costs_nothing(s3, tmp_path, code):
    folder = RemoteFolder("s3://bucket/run")
    s3.fail(2, code if code != "cut" else 503)
    folder.write("a", DATA)
    s3.fail(2, code, "GET")
    assert folder.read("a") == DATA
    with folder.open("a") as file:
        assert file.read(10) == DATA[:10]
        s3.fail(2, code, "GET")
        assert file.read() == DATA[10:]
    s3.fail(2, 503, "GET", "list-type")
    assert folder.names() == ["a"]
    s3.fail(2, 503, "HEAD")
    assert folder.exists("a")


def test_what_does_not_pass_is_told_within_seconds(s3):
    folder = RemoteFolder("s3://bucket/run")
    folder.write("a", DATA)
    file = folder.open("a")
    asks = [lambda: folder.write("b", b"1"), lambda: folder.read("a"), file.read, folder.names]
    for ask in asks:
        s3.fail(10**6)
        started = time.monotonic()
        with pytest.raises(
            OSError, match=r"again and again \(\d tries in \d seconds\), at last with: .*(rate|Unavail)"
        ):
            ask()
        assert time.monotonic() - started < 3
    assert s3.keys() == ["run/a"]


@pytest.mark.parametrize(
    "fault, url, kind, told",
    [
        (403, "s3://bucket/a", PermissionError, "Forbidden"),
        (None, "s3://bucket/none", FileNotFoundError, "no such file"),
        (None, "s3://none/a", FileNotFoundError, "no such file|bucket does not exist"),
    ],
)
def test_what_asking_again_does_not_help_fails_at_once(s3, fault, url, kind, told):
    s3.objects["bucket", "a"] = DATA
    s3.fault = lambda method, path: fault
    s3.requests.clear()
    with pytest.raises(kind, match=told):
        open_url(url)
    assert len(s3.requests) <= 4
    with pytest.raises(kind):
        RemoteFolder("s3://none" if "none" in url else "s3://bucket").read("b")


def test_a_place_is_checked_before_anything_is_written(s3):
    check_url("s3://bucket/not/there/yet.jsonl")
    with pytest.raises(FileNotFoundError, match="no 'none' in this store"):
        check_url("s3://none/x.jsonl")
    with pytest.raises(PermissionError, match="read from only"):
        check_url("https://example.org/x.jsonl")
    assert {method for method, _ in s3.requests if method not in ("HEAD", "GET")} <= {"PUT", "POST", "DELETE"}
    assert s3.keys() == []


def test_who_may_use_a_part_of_a_bucket_may_write_there(s3):
    s3.fault = lambda method, path: 403 if path == "/bucket" else None
    check_url("s3://bucket/part/x.jsonl")
    s3.fault = lambda method, path: 403
    with pytest.raises(PermissionError, match="Forbidden"):
        check_url("s3://bucket/part/x.jsonl")


def test_a_file_that_is_replaced_while_it_is_read_is_noticed(s3):
    s3.objects["bucket", "a"] = DATA
    file = open_url("s3://bucket/a")
    file.read(10)
    s3.objects["bucket", "a"] = DATA[::-1]
    with pytest.raises(OSError, match="replaced by another"):
        file.read()


def test_a_store_that_says_nothing_does_not_hold_a_write_for_ever(s3, monkeypatch):
    monkeypatch.setattr(storage, "STUCK_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        threading.Thread(target=lambda: [silent.accept() for _ in range(3)], daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        code = "from paws_components import storage\nstorage.STUCK_SECONDS = 1.0\n"
        code += "storage.RemoteFolder('s3://bucket/x').write('a', b'1')"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert "the store failed again and again" in run.stderr


def test_what_is_missing_is_named():
    with pytest.raises(PawsError, match="Protocol not known: nowhere"):
        open_url("nowhere://x/y")
    code = "import sys; sys.modules[{!r}] = None\nfrom paws_components.storage import open_url\nopen_url('{}://a/b')"
    for package, protocol, told in [
        ("fsspec", "s3", "needs fsspec.*pip install 'paws-components.remote.' s3fs"),
        ("s3fs", "s3", "pip install .* s3fs"),
    ]:
        run = subprocess.run([sys.executable, "-c", code.format(package, protocol)], capture_output=True, text=True)
        assert re.search(told, run.stderr)


def test_credentials_that_are_missing_are_told_at_once(s3):
    gone = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_ACCESS", "AWS_SECRET"))}
    code = "from paws_components.storage import open_url\nopen_url('s3://bucket/a')"
    started = time.monotonic()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**gone, "HOME": "/nowhere"})
    assert "Unable to locate credentials" in run.stderr and time.monotonic() - started < 8


def test_what_passes_by_its_number():
    assert storage._passes(OSError(errno.ECONNRESET, "reset")) and not storage._passes(OSError(errno.ENOSPC, "full"))
