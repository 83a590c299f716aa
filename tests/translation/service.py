"""A stand-in for LibreTranslate on this machine: it answers as that does, and fails in every way that a service can."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = {"good": "gut", "dog": "Hund", "the": "der", "rain": "Regen", "cat": "Katze", "saw": "sah"}


def glossed(text):
    """A translation word by word."""
    return " ".join(WORDS.get(word.lower(), word) for word in text.split())


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        service = self.server.service
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service.requests.append((time.monotonic(), self.path, body))
        if service.script:
            step = service.script.pop(0)
            if callable(step):
                return step(self)
            code, answer, headers = (*step, {})[:3]
        else:
            code, answer, headers = *service.answer(body), {}
        self.reply(code, answer, headers)

    def reply(self, code, answer, headers=()):
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(code)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


class Service:
    """The service.

    script: what it does with the next requests: (code, answer), with headers, or a function of the handler.
    key: the key it wants, if it wants one.
    """

    def __init__(self):
        self.requests, self.answered, self.script, self.key, self.char_limit = [], [], [], None, 10_000
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.service = self
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def answer(self, body):
        texts = body["q"]
        if self.key and body.get("api_key") != self.key:
            return 403, {"error": "Invalid API key"}
        if sum(map(len, texts)) > self.char_limit:
            return 400, {"error": "Invalid request: request exceeds text limit"}
        if body["source"] not in ("en", "de") or body["target"] not in ("en", "de"):
            return 400, {"error": f"{body['target']} is not supported"}
        if any("untranslatable" in text for text in texts):
            return 500, {"error": "Cannot translate text: it is untranslatable"}
        found = {"translatedText": [glossed(text) if "silence" not in text else "" for text in texts]}
        self.answered += texts
        if body.get("alternatives"):
            found["alternatives"] = [[f"{glossed(text)} {i}" for i in range(body["alternatives"])] for text in texts]
        return 200, found

    def close(self):
        self.server.shutdown()
        self.server.server_close()
