"""A stand-in of the hub's HTTP interface on 127.0.0.1, as far as creating a data set and committing files to it go."""

import base64
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hub(ThreadingHTTPServer):
    """Keeps what it is sent: `files` by path, `repos` with their settings, `tokens` that came."""

    daemon_threads = True

    def __init__(self, refuse=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.blobs, self.repos, self.tokens, self.calls = {}, {}, {}, set(), []
        self.refuse = refuse

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, data, code=200):
        body = json.dumps(data).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_POST(self):
        hub, body = self.server, self.body()
        hub.calls.append(self.path)
        hub.tokens.add(self.headers.get("Authorization"))
        if hub.refuse:
            self.answer({"error": f"Invalid credentials {self.headers.get('Authorization')}"}, hub.refuse)
        elif self.path == "/api/repos/create":
            data = json.loads(body)
            name = f"{data['organization']}/{data['name']}" if data.get("organization") else data["name"]
            hub.repos[name] = data
            self.answer({"url": f"{hub.url}/datasets/{name}", "name": name})
        elif self.path == "/api/validate-yaml":
            self.answer({"errors": [], "warnings": []})
        elif "/preupload/" in self.path:
            # As the hub does by its .gitattributes: Parquet goes another way than text.
            files = [
                {"path": one["path"], "uploadMode": "lfs" if one["path"].endswith(".parquet") else "regular"}
                for one in json.loads(body)["files"]
            ]
            self.answer({"files": [{**one, "shouldIgnore": False} for one in files]})
        elif self.path.endswith("/info/lfs/objects/batch"):
            objects = json.loads(body)["objects"]
            upload = [{"href": f"{hub.url}/blob/{one['oid']}"} for one in objects]
            found = [{**one, "actions": {"upload": to}} for one, to in zip(objects, upload)]
            self.answer({"transfer": "basic", "objects": found})
        elif "/commit/" in self.path:
            self.commit(body)
        else:
            self.answer({"error": "not known here"}, 404)

    def commit(self, body):
        hub = self.server
        for line in body.splitlines():
            entry = json.loads(line)
            value = entry["value"]
            if entry["key"] == "file":
                hub.files[value["path"]] = base64.b64decode(value["content"])
            elif entry["key"] == "lfsFile":
                hub.files[value["path"]] = hub.blobs[value["oid"]]
        url = f"{hub.url}{self.path.replace('/api', '', 1)}"
        self.answer({"success": True, "commitUrl": url, "commitOid": "1" * 40, "hookOutput": ""})

    def do_PUT(self):
        body = self.body()
        self.server.blobs[hashlib.sha256(body).hexdigest()] = body
        self.answer({})

    def do_GET(self):
        self.server.calls.append(self.path)
        self.answer({"error": "not there"}, 404)


@contextmanager
def serving(**settings):
    with Hub(**settings) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        try:
            yield hub
        finally:
            hub.shutdown()
