"""A real web server on loopback that misbehaves on request, and cards that point at it."""

import hashlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import srsly

from paws_components.corpora import cards, download

CARD = {
    "title": "A corpus",
    "about": "For tests.",
    "home": "http://localhost/",
    "found": "Here.",
    "licence": "none",
    "cite": "Nobody",
    "layout": "paws_wiki",
}


class Server:
    """Files by their paths, and faults for the next answers: a fault is used up by one answer."""

    def __init__(self):
        self.files, self.faults, self.asked, self.tags, self.ranges = {}, [], [], True, True
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # whoever asked was killed
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"

    def answer(self, request):
        self.asked.append((request.path, request.headers.get("Range")))
        kind, value = self.faults.pop(0) if self.faults else ("fine", None)
        if kind == "status":
            request.send_response(value)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        data = self.files.get(request.path.split("?")[0])
        if data is None:
            request.send_response(404)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        tag = f'"{hashlib.md5(data).hexdigest()}"' if self.tags else None
        start = int(request.headers["Range"].removeprefix("bytes=").rstrip("-")) if request.headers.get("Range") else 0
        fits = request.headers.get("If-Range") in (None, tag)
        if start and self.ranges and fits and start >= len(data):
            request.send_response(416)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        partial = bool(start and self.ranges and fits)
        start = start if partial else 0
        request.send_response(206 if partial else 200)
        if partial:
            request.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        if tag:
            request.send_header("ETag", tag)
        request.send_header("Content-Length", str(len(data) - start))
        request.end_headers()
        rest = data[start:]
        if kind == "break":
            request.wfile.write(rest[:value])
            request.wfile.flush()
            request.connection.close()
            request.close_connection = True
        elif kind == "silent":
            request.wfile.write(rest[: len(rest) // 2])
            request.wfile.flush()
            time.sleep(value)
        elif kind == "drip":
            # So slow that there is time to kill whoever asks.
            for i in range(0, len(rest), 4096):
                request.wfile.write(rest[i : i + 4096])
                request.wfile.flush()
                time.sleep(value)
        else:
            request.wfile.write(rest)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(download, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("PAWS_MIRROR", raising=False)
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder."""
    folder = tmp_path / "data"
    monkeypatch.setenv("PAWS_DATA", str(folder))
    return folder


@pytest.fixture
def own_cards(tmp_path, monkeypatch):
    """A function that writes a card."""
    folder = tmp_path / "cards"
    folder.mkdir()

    def write(name, **content):
        srsly.write_yaml(folder / f"{name}.yaml", {**CARD, **content})
        monkeypatch.setenv("PAWS_CORPORA", str(folder))
        cards._all_cards.cache_clear()  # they are read once

    yield write
    cards._all_cards.cache_clear()


def sums(data):
    return {"size": len(data), "md5": hashlib.md5(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest()}
