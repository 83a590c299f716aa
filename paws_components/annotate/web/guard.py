"""What stands before every page: limits on what is sent, where it is sent from, and the headers of every answer."""

import asyncio
import re
import time
from collections import OrderedDict
from typing import Any, Awaitable, Callable, Dict, List, MutableMapping, NamedTuple, Optional, Tuple
from urllib.parse import parse_qsl, urlsplit

from ...errors import Errors, PawsError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
# The longest form, in bytes: two long texts in a script of four bytes a character, percent-encoded.
LARGEST = 64 * 1024
FIELDS = 20
# How long a form may take to arrive, in seconds.
ARRIVAL = 20.0
FORM = "application/x-www-form-urlencoded"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
# How many wrong keys an address may try in a minute.
GUESSES = 20

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # "no-referrer" would make browsers send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-robots-tag": "noindex",
}


class Address(NamedTuple):
    """Where the pages are, as browsers see it.

    origin (str): Scheme, name and port of the public address; "" where people come to this machine itself.
    hosts (Tuple[str, ...]): Names that requests may be for.
    secure (bool): Whether it is https: then cookies go over nothing else.
    """

    origin: str
    hosts: Tuple[str, ...]
    secure: bool


def make_address(host: str, public_url: Optional[str]) -> Address:
    """The address of the pages. One that can be reached from outside must be told.

    host (str): What the server listens on.
    public_url (Optional[str]): Where browsers find it.
    RETURNS (Address): The address.
    """
    if public_url is None:
        if host not in LOOPBACK:
            raise PawsError(Errors.P814.format(host=host))
        return Address("", LOOPBACK, False)
    parts = urlsplit(public_url)
    plain = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
    try:
        parts.port  # noqa: B018 - raises
    except ValueError:
        plain = None
    if not plain or parts.query or parts.fragment or parts.username:
        raise PawsError(Errors.P815.format(value=public_url))
    origin = f"{parts.scheme}://{parts.netloc.lower()}"
    return Address(origin, (parts.netloc.lower(),), parts.scheme == "https")


class Refusal(Exception):
    """A request that goes no further: its status, and what is told."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Guard:
    """Reads forms within limits and refuses what other sites send, before anything else sees a request.

    app (Callable): What comes after.
    address (Address): Where the pages are.
    refuse (Callable): Makes the page of a refusal.
    """

    def __init__(self, app: Any, address: Address, refuse: Callable[[int, str], Any]) -> None:
        self.app = app
        self.address = address
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # there are no web sockets

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._headers(scope, message["headers"])
            await send(message)

        headers = {name.decode("latin1").lower(): value.decode("latin1") for name, value in scope["headers"]}
        try:
            self._check_host(headers)
            scope["form"] = {}
            if scope["method"] == "POST":
                self._check_origin(headers)
                scope["form"] = await _read_form(headers, receive)
            elif scope["method"] not in ("GET", "HEAD"):
                raise Refusal(405, "This is not done here.")
        except Refusal as refusal:
            await self.refuse(refusal.status, refusal.reason)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    def _headers(self, scope: Scope, given: List[Tuple[bytes, bytes]]) -> List[Tuple[bytes, bytes]]:
        there = {name.lower() for name, _ in given}
        wanted = dict(HEADERS)
        if not scope["path"].startswith("/static/"):
            wanted["cache-control"] = "no-store"
        if self.address.secure:
            wanted["strict-transport-security"] = "max-age=31536000"
        added = [(name.encode(), value.encode()) for name, value in wanted.items() if name.encode() not in there]
        return [*given, *added]

    def _check_host(self, headers: Dict[str, str]) -> None:
        """A name that is not ours may be one that somebody points here (DNS rebinding)."""
        host = headers.get("host", "").lower()
        name = host if self.address.origin else re.sub(r":\d+$", "", host)
        if name not in self.address.hosts:
            raise Refusal(421, "There is no such site here.")

    def _check_origin(self, headers: Dict[str, str]) -> None:
        """A form must come from a page of ours. All browsers of today say where a form comes from."""
        own = self.address.origin or f"http://{headers.get('host', '').lower()}"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise Refusal(403, "The form came from another site.")
        if headers.get("origin", "").lower() != own:
            raise Refusal(403, "The form came from another site.")


async def _read_form(headers: Dict[str, str], receive: Receive) -> Dict[str, str]:
    if headers.get("content-type", "").split(";")[0].strip().lower() != FORM:
        raise Refusal(415, "Only forms can be sent here.")
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit():
        raise Refusal(400, "The form can't be read.")
    if len(length) > 12 or int(length) > LARGEST:
        raise Refusal(413, "The form is too large.")
    try:
        body = await asyncio.wait_for(_read_body(receive), ARRIVAL)
    except asyncio.TimeoutError:
        raise Refusal(408, "The form did not arrive.") from None
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=FIELDS,
        )
    except ValueError:  # UnicodeDecodeError is one
        raise Refusal(400, "The form can't be read.") from None
    form = dict(pairs)
    if len(form) != len(pairs):
        raise Refusal(400, "The form has a field twice.")
    return form


async def _read_body(receive: Receive) -> bytes:
    parts: List[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "The form did not arrive.")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST:
            raise Refusal(413, "The form is too large.")
        if not message.get("more_body"):
            return b"".join(parts)


class Guesses:
    """Counts wrong keys by address. 32 random bytes are not guessed; this keeps those who try from costing much."""

    def __init__(self, limit: int = GUESSES, kept: int = 10_000) -> None:
        self.limit = limit
        self.kept = kept
        self._wrong: "OrderedDict[str, Tuple[float, int]]" = OrderedDict()

    def too_many(self, who: str) -> bool:
        since, count = self._wrong.get(who, (0.0, 0))
        return count >= self.limit and time.monotonic() - since < 60

    def add(self, who: str) -> None:
        since, count = self._wrong.pop(who, (0.0, 0))
        if time.monotonic() - since >= 60:
            since, count = time.monotonic(), 0
        self._wrong[who] = (since, count + 1)
        while len(self._wrong) > self.kept:
            self._wrong.popitem(last=False)
