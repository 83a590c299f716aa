"""What a file of this machine gives, one at a URL gives too."""

import bz2
import gzip
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import spacy
from click.testing import CliRunner
from spacy.tokens import DocBin

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.readers import open_pairs, open_texts, read_pairs
from paws_components.records import PairRecord
from paws_components.storage import RemoteFolder, put_path
from paws_components.writers import FolderWriter, RecordWriter, TableWriter, check_outputs, replacing, write_text
from tests.hub_files import HubFiles
from tests.s3 import ObjectStore

RECORDS = [
    PairRecord("A cat saw a dog.", "A dog saw a cat.", 0),
    PairRecord("Né, 雨.", "雨, né.", 1, evidence={"x": 1}),
]
TABLE = "id\tsentence1\tsentence2\tlabel\n1\tA b.\tB a.\t0\n2\t\u201ca\u201d\tb\t1\n"
TEXTS = "A cat.\n\nA dog.\tToo.\n"


@pytest.fixture(scope="module")
def s3():
    store = ObjectStore("bucket")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in store.environment.items():
            patch.setenv(name, value)
        yield store
    store.close()


@pytest.fixture(params=["s3://bucket/in", "memory://in", "file://{}/in"])
def place(request, s3, tmp_path):
    url = request.param.format(tmp_path)
    yield url
    RemoteFolder(url).remove_all()


def put(place, name, data):
    RemoteFolder(place).write(name, data)
    return f"{place}/{name}"


@pytest.mark.parametrize("ending", ["jsonl", "tsv", "csv", "parquet", "jsonl.gz", "tsv.xz", "csv.bz2"])
def test_records_come_back(place, tmp_path, ending):
    url, local = f"{place}/out.{ending}", tmp_path / f"out.{ending}"
    for path in (url, local):
        with RecordWriter(path) as writer:
            for record in RECORDS:
                writer.write(record)
    assert RemoteFolder(place).read(f"out.{ending}") == local.read_bytes()
    assert [record.to_dict() for record in read_pairs(url)] == [record.to_dict() for record in read_pairs(local)]
    opened = open_pairs(url)
    assert opened.source == url and opened.path is None and opened.meter.total == local.stat().st_size
    assert [row.path for row in opened] == [url, url]


def test_tables_and_texts_of_every_kind(place, tmp_path):
    doc = spacy.blank("en")("A cat.")
    files = {
        "pairs.tsv": TABLE.encode(),
        "pairs.tsv.gz": gzip.compress(TABLE.encode()),
        "wide.txt": TEXTS.encode("utf-16"),
        "in.txt.bz2": bz2.compress(TEXTS.encode()),
        "in.jsonl": b'{"text": "A cat."}\n{"text": 1}\nno object\n',
        "in.spacy": DocBin(docs=[doc]).to_bytes(),
        "lines": TEXTS.encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        url = put(place, name, data)
        here, there = (
            [(text.number, text.text, text.reason) for text in open_texts(path)] for path in (tmp_path / name, url)
        )
        assert here == there and here
        if "pairs" in name:
            opened = open_pairs(url)
            assert opened.layout == open_pairs(tmp_path / name).layout and len(list(opened)) == 2


def test_two_files_side_by_side(place):
    put(place, "test.de", b"Ein Hund.\n")
    url = put(place, "test.en", b"A dog.\n")
    (row,) = open_pairs(url)
    assert (row.sentence1, row.sentence2) == ("A dog.", "Ein Hund.")


def test_how_far_a_folder_of_shards_is_read(tmp_path):
    with FolderWriter(tmp_path / "out") as writer:
        for record in RECORDS:
            writer.write(record)
    opened = open_pairs(tmp_path / "out")
    assert opened.meter.done == 0 and len(list(opened)) == 2
    assert opened.meter.done == opened.meter.total == os.path.getsize(tmp_path / "out" / "shard-00000.jsonl")


def test_a_folder_of_shards(place, tmp_path):
    folder = tmp_path / "shards"
    with FolderWriter(folder) as writer:
        for record in RECORDS:
            writer.write(record)
    put_path(folder, place + "/out/")
    assert [record.sentence1 for record in read_pairs(place + "/out/")] == [record.sentence1 for record in RECORDS]
    with pytest.raises(PawsError, match="P033"):
        open_pairs(place)
    with pytest.raises(PawsError, match="it is a folder"):
        open_texts(place)


class Web(ThreadingHTTPServer):
    """Files by their names, whatever is asked besides; one that is called "broken" ends in the middle."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), WebHandler)
        self.files, self.url = files, f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class WebHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        name = urlsplit(self.path).path.lstrip("/")
        data, broken = self.server.files[name], name.startswith("broken")
        self.send_response(200)
        self.send_header(*(("Transfer-Encoding", "chunked") if broken else ("Content-Length", str(len(data)))))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if broken else data)
        self.close_connection = broken

    do_HEAD = do_GET


@pytest.fixture
def web():
    record = json.dumps({"sentence1": "A b.", "sentence2": "B a.", "label": 0}).encode()
    files = {"a.jsonl": record, "a.jsonl.gz": gzip.compress(record), "a.tsv": TABLE.encode()}
    files |= {"a.csv.bz2": bz2.compress(TABLE.replace("\t", ",").encode()), "broken.tsv": TABLE.encode() * 9}
    with Web(files) as server:
        yield server.url
        server.shutdown()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.tsv", "a.csv.bz2"])
def test_a_signed_url_tells_what_it_is(web, name):
    plain, signed = (list(open_pairs(f"{web}/{name}{query}")) for query in ("", "?part=1.x&sig=y.gz"))
    assert len(plain) > 0 and [row.sentence1 for row in signed] == [row.sentence1 for row in plain]
    assert all(row.readable for row in signed)


def test_a_stream_that_breaks_off_is_told(web):
    with pytest.raises(PawsError, match="P073.*broken.tsv"):
        list(open_pairs(f"{web}/broken.tsv", layout="paws_wiki"))


def test_keys_of_urls_are_told_nowhere(tmp_path):
    """Neither in what a run leaves nor in what it says."""
    RemoteFolder("memory://keys").write("in.tsv?token=hush", (TABLE + "only\n").encode())
    url = "memory://keys/in.tsv?token=hush"
    result = CliRunner().invoke(cli, ["metrics", url, "-o", str(tmp_path / "o.tsv"), "--metrics", "bow_cosine"])
    assert result.exit_code == 0 and "hush" not in result.output
    told = (tmp_path / "o.tsv.errors.jsonl").read_text()
    assert "hush" not in told and "in.tsv?token=***" in told
    with pytest.raises(PawsError, match=r"P020.*token=\*\*\*'") as error:
        list(open_pairs("memory://keys/none.tsv?token=hush"))
    assert "hush" not in str(error.value)


def test_what_is_not_there(place):
    for ask in (open_pairs, open_texts):
        with pytest.raises(PawsError, match="P020.*no such file"):
            ask(f"{place}/none.tsv")


def test_what_is_written_is_there_whole_or_not_at_all(place, tmp_path):
    url = put(place, "out.tsv", b"before")
    before = set(os.listdir("/tmp"))
    with pytest.raises(ZeroDivisionError):
        with TableWriter(url, ["a"]) as writer:
            writer.write({"a": 1 / 0})
    with pytest.raises(ZeroDivisionError):
        with replacing(url) as beside:
            beside.write_text(str(1 / 0))
    assert RemoteFolder(place).names() == ["out.tsv"] and RemoteFolder(place).read("out.tsv") == b"before"
    write_text(url, "after")
    assert RemoteFolder(place).read("out.tsv") == b"after"
    assert not [name for name in set(os.listdir("/tmp")) - before if name.startswith("paws-")]


def test_an_output_is_no_input(s3, tmp_path):
    s3.objects["bucket", "in.tsv"] = b""
    (tmp_path / "in.tsv").write_text("")
    for inputs, outputs, told in [
        (["s3://bucket/in.tsv"], ["s3://bucket/in.tsv"], "P150"),
        (["s3://bucket/in.tsv"], ["S3A://bucket/in.tsv/"], "P150"),
        ([tmp_path / "in.tsv"], [f"file://{tmp_path}/in.tsv"], "P150"),
        ([f"file://{tmp_path}/in.tsv"], [tmp_path / "in.tsv"], "P150"),
        ([], ["s3://bucket/a", "s3://bucket/a"], "P034"),
        ([], ["s3://none/a"], "P021.*no 'none' in this store"),
        ([], ["ftps://host/a"], "P072"),
    ]:
        with pytest.raises(PawsError, match=told):
            check_outputs(inputs, outputs)
    check_outputs(["s3://bucket/in.tsv", "-"], ["s3://bucket/out.tsv", "s3://bucket/out.tsv.errors.jsonl"])


def test_files_of_the_hub(tmp_path):
    """In a process of its own: the hub's library is told once where the hub is, and the tests are offline."""
    hub = HubFiles({"in.jsonl": b"".join(json.dumps({"text": f"Text {i}."}).encode() + b"\n" for i in range(3))})
    code = "from paws_components.readers import open_texts\n"
    code += "from paws_components.storage import RemoteFolder, open_url\n"
    code += "print([text.text for text in open_texts('hf://datasets/me/words/in.jsonl')])\n"
    code += "folder = RemoteFolder('hf://datasets/me/words')\n"
    code += "print(folder.names(), folder.exists('in.jsonl'), folder.exists('none'), folder.tail('in.jsonl', 5))\n"
    code += (
        "try:\n    open_url('hf://datasets/me/none/x.jsonl')\nexcept FileNotFoundError as error:\n    print(error)\n"
    )
    env = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=Path(__file__).parent
    )
    hub.close()
    assert run.stdout.splitlines() == [
        "['Text 0.', 'Text 1.', 'Text 2.']",
        """['in.jsonl'] True False b'2."}\\n'""",
        "there is no such file",
    ], run.stderr
