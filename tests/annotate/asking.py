"""Asks an ASGI application what a browser would ask, or an attacker; nothing is put right on the way."""

import asyncio
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import urlencode


class Answer(NamedTuple):
    status: int
    headers: Dict[str, str]
    text: str


def ask(
    app: Any, method: str, path: str, headers: List[Tuple[str, str]], body: bytes = b"", client: str = "127.0.0.1"
) -> Answer:
    """One request. The headers are those that are given and no others."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode("latin1"), value.encode("latin1")) for name, value in headers],
        "client": (client, 1234),
        "server": ("127.0.0.1", 80),
    }
    parts = [body[i : i + 4096] for i in range(0, len(body), 4096)] or [b""]
    got: Dict[str, Any] = {"body": b""}

    async def receive() -> Dict[str, Any]:
        if not parts:
            return {"type": "http.disconnect"}
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            got["status"] = message["status"]
            got["headers"] = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            got["body"] += message.get("body", b"")

    asyncio.run(app(scope, receive, send))
    return Answer(got["status"], got["headers"], got["body"].decode("utf8"))


class Client:
    """A browser without a screen: it keeps a cookie, and says where its forms come from.

    app (Callable): The application.
    host (str): The name that it asks for.
    """

    def __init__(self, app: Any, host: str = "127.0.0.1", scheme: str = "http") -> None:
        self.app = app
        self.host = host
        self.origin = f"{scheme}://{host}"
        self.cookie = ""

    def get(self, path: str) -> Answer:
        return self._keep(ask(self.app, "GET", path, self._headers()))

    def post(self, path: str, **form: str) -> Answer:
        headers = [
            *self._headers(),
            ("origin", self.origin),
            ("content-type", "application/x-www-form-urlencoded"),
        ]
        return self._keep(ask(self.app, "POST", path, headers, urlencode(form).encode()))

    def item(self, task: str) -> str:
        """The page of the item before this rater."""
        found = self.get(f"/t/{task}")
        assert found.status == 200, found.text
        return found.text

    def answer(self, task: str, where: str = "answer", page: Optional[str] = None, **form: str) -> Answer:
        """Answer the item that lies there."""
        page = page or self.item(task)
        hidden = dict(re.findall(r'name="(form|ticket)" value="([^"]*)"', page))
        return self.post(f"/t/{task}/{where}", **{**hidden, **form})

    def _headers(self) -> List[Tuple[str, str]]:
        return [("host", self.host), *([("cookie", self.cookie)] if self.cookie else [])]

    def _keep(self, answer: Answer) -> Answer:
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].split(";")[0]
        return answer
