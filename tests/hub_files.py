"""A stand-in of the hub on 127.0.0.1, as far as listing and reading the files of one data set, `me/words`, goes."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0" * 40


class HubFiles(ThreadingHTTPServer):
    """Serves `files`, bytes by path."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked = files, []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, data, code=200, **headers):
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def about(self, path):
        return {"type": "file", "path": path, "size": len(self.server.files[path]), "oid": COMMIT}

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append((self.command, self.path))
        files, mine = self.server.files, "/api/datasets/me/words"
        if path in (mine, f"{mine}/revision/main"):
            self.answer({"id": "me/words", "sha": COMMIT, "siblings": []})
        elif path.startswith(f"{mine}/tree/"):
            self.answer([self.about(name) for name in files])
        elif path.startswith(f"{mine}/paths-info/"):
            self.answer([self.about(name) for name in files if name.encode() in body])
        elif path.startswith("/datasets/me/words/resolve/main/") and path.rpartition("/")[2] in files:
            data = files[path.rpartition("/")[2]]
            first, _, last = self.headers.get("Range", f"bytes=0-{len(data)}").removeprefix("bytes=").partition("-")
            self.answer(data[int(first) : int(last) + 1], 206 if "Range" in self.headers else 200)
        else:
            self.answer({"error": "not found"}, 404, X_Error_Code="RepoNotFound")

    do_GET = do_HEAD = do_POST = serve
