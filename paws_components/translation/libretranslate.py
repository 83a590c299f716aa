"""A translator that asks a service over HTTP: LibreTranslate, or anything that answers as it does."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Sequence, Tuple
from urllib.parse import urlsplit

from .. import __version__
from ..errors import Errors, Fatal, PawsError
from ..generation.protocol import Translation

# What a service answers when it has too much to do, or is being restarted.
BUSY = (408, 425, 429, 502, 503, 504)
KEY_WANTED = (401, 402, 403)
# How the service says that it does not know a language.
NO_LANGUAGE = ("is not supported", "is not available as a target language")
# How much of what a service says is told on.
SHOWN = 200
MOST_BYTES = 64 * 2**20


class LibreTranslate:
    """The translator `libretranslate`: a service with LibreTranslate's interface, one's own or somebody else's.

    The key, where the service wants one, is read from the environment. It is in no setting, so it is in no config, no
    manifest and no log.
    """

    def __init__(
        self,
        *,
        url: str = "http://localhost:5000",
        key_env: str = "LIBRETRANSLATE_API_KEY",
        codes: Optional[Dict[str, str]] = None,
        batch_size: int = 25,
        max_chars: int = 5000,
        per_minute: Optional[float] = None,
        retries: int = 6,
        backoff: float = 1.0,
        max_wait: float = 120.0,
        timeout: float = 60.0,
    ) -> None:
        """
        url (str): The address of the service.
        key_env (str): The environment variable that holds the key, if the service wants one.
        codes (Optional[Dict[str, str]]): Your language codes to the service's, such as {"zh": "zh-Hans"}.
        batch_size (int): How many sentences a request has at most.
        max_chars (int): How many characters a request has at most; a longer sentence is a request of its own.
        per_minute (Optional[float]): The most requests per minute that each process makes; None for no limit.
        retries (int): How many times a request is made again when the service is busy, breaks off or is not there.
        backoff (float): How many seconds before the first of these; each wait is twice the one before, and no shorter
            than the service asks for.
        max_wait (float): The longest wait, in seconds. Where the service asks for more, the run stops.
        timeout (float): How many seconds without an answer are a break.
        """
        parts = _split(url)
        # Neither is told on: what does not belong there may be a secret.
        if parts is None or parts.username or parts.password or parts.query or parts.fragment:
            raise PawsError(Errors.P604.format(key_env=key_env))
        for name, least, value in (
            ("batch_size", 1, batch_size),
            ("max_chars", 1, max_chars),
            ("retries", 0, retries),
            ("backoff", 0, backoff),
            ("max_wait", 0, max_wait),
        ):
            if not value >= least:
                raise PawsError(Errors.P015.format(name=name, what=f"{least} or more", value=value))
        for name, number in (("timeout", timeout), ("per_minute", per_minute)):
            if number is not None and not number > 0:
                raise PawsError(Errors.P015.format(name=name, what="over 0", value=number))
        self.url = url.rstrip("/").removesuffix("/translate") + "/translate"
        self.key_env = key_env
        self.codes = dict(codes or {})
        self.batch_size = batch_size
        self.max_chars = max_chars
        self.interval = 60.0 / per_minute if per_minute else 0.0
        self.retries = retries
        self.backoff = backoff
        self.max_wait = max_wait
        self.timeout = timeout
        self._next = 0.0
        self._answered = False
        # What was paid for is kept until a call succeeds as a whole.
        self._kept: Dict[Tuple[str, str, int], Dict[str, List[Translation]]] = {}

    def translate(self, texts: Sequence[str], source: str, target: str, k: int) -> List[List[Translation]]:
        """Up to k translations of each text, best first.

        texts (Sequence[str]): Sentences. An empty one has no translations.
        source (str): Their language.
        target (str): The language to translate to.
        k (int): How many translations are wanted.
        RETURNS (List[List[Translation]]): For each text its translations, without scores.
        """
        there = (self.codes.get(source, source), self.codes.get(target, target), k)
        kept = self._kept.setdefault(there, {})
        wanted = [text for text in dict.fromkeys(texts) if text.strip() and text not in kept]
        for batch in self._batches(wanted):
            kept.update(zip(batch, self._ask(batch, *there)))
        found = [kept[text] if text.strip() else [] for text in texts]
        kept.clear()
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[List[str]]:
        batch: List[str] = []
        chars = 0
        for text in texts:
            if batch and (len(batch) == self.batch_size or chars + len(text) > self.max_chars):
                yield batch
                batch, chars = [], 0
            batch.append(text)
            chars += len(text)
        if batch:
            yield batch

    def _ask(self, texts: List[str], source: str, target: str, k: int) -> List[List[Translation]]:
        body: Dict[str, Any] = {"q": texts, "source": source, "target": target, "format": "text"}
        if k > 1:
            body["alternatives"] = k - 1
        answer = self._request(body)
        found = answer.get("translatedText")
        others = answer.get("alternatives") or [[]] * len(texts)
        if not isinstance(found, list) or len(found) != len(texts) or not all(isinstance(text, str) for text in found):
            self._not_understood(f"it has no list of {len(texts)} texts under 'translatedText'")
        if not isinstance(others, list) or len(others) != len(texts):
            self._not_understood(f"it has no {len(texts)} lists under 'alternatives'")
        translations = [[first, *(rest if isinstance(rest, list) else [rest])] for first, rest in zip(found, others)]
        return [[Translation(text) for text in dict.fromkeys(one) if text.strip()][:k] for one in translations]

    def _request(self, body: Dict[str, Any]) -> Dict[str, Any]:
        """The service's answer, after as many tries as it takes."""
        for tried in range(self.retries + 1):
            self._keep_pace()
            asked = 0.0
            try:
                answer = self._post(body)
                self._answered = True
                return answer
            except urllib.error.HTTPError as error:
                self._answered = True
                reason, asked = self._refused(error, body), _retry_after(error.headers.get("Retry-After"))
            except _NotJson as error:
                if tried == self.retries:
                    self._not_understood(str(error))
                reason = str(error)
            except (OSError, http.client.HTTPException) as error:
                reason = self._told(getattr(error, "reason", None) or error)
                # Where nothing ever answered, the address is wrong or the service is not there.
                if not self._answered and isinstance(getattr(error, "reason", error), ConnectionRefusedError):
                    raise Fatal(Errors.P605.format(url=self.url, reason=reason)) from error
            if asked > self.max_wait:
                raise Fatal(Errors.P610.format(url=self.url, asked=f"{asked:,.0f}", limit=f"{self.max_wait:g}"))
            if tried < self.retries:
                time.sleep(max(asked, min(self.backoff * 2**tried, self.max_wait)))
        raise Fatal(Errors.P607.format(url=self.url, tries=self.retries + 1, reason=reason))

    def _keep_pace(self) -> None:
        now = time.monotonic()
        time.sleep(max(0.0, self._next - now))
        self._next = max(now, self._next) + self.interval

    def _post(self, body: Dict[str, Any]) -> Dict[str, Any]:
        key = self._key
        data = json.dumps({**body, "api_key": key} if key else body).encode("utf8")
        headers = {"Content-Type": "application/json", "User-Agent": f"paws-components/{__version__}"}
        request = urllib.request.Request(self.url, data, headers)
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.timeout) as response:
            said = response.read(MOST_BYTES)
        answer = _parsed(said)
        if answer is None:
            raise _NotJson(f"{self._told(said.decode('utf8', 'replace'))!r} is not a JSON object")
        return answer

    def _refused(self, error: urllib.error.HTTPError, body: Dict[str, Any]) -> str:
        """Why a request that may be made again was refused; our error for one that may not."""
        with error:
            try:
                said = error.read(MOST_BYTES)
            except (OSError, http.client.HTTPException):
                said = b""
        answer = _parsed(said) or {}
        words = self._told(answer.get("error") or said.decode("utf8", "replace") or error.reason)
        reason = f"{error.code} {words}".strip()
        if error.code in BUSY or (error.code >= 500 and "error" not in answer):
            return reason
        if 300 <= error.code < 400:
            reason = f"it sends us to {self._told(error.headers.get('Location'))!r}; give the address that answers"
            raise Fatal(Errors.P605.format(url=self.url, reason=reason))
        if error.code in KEY_WANTED:
            told = Errors.P606 if self._key else Errors.P611
            raise Fatal(told.format(url=self.url, key_env=self.key_env, reason=reason))
        if error.code in (404, 405):
            raise Fatal(Errors.P605.format(url=self.url, reason=reason))
        if any(part in words for part in NO_LANGUAGE):
            raise Fatal(Errors.P608.format(url=self.url, reason=reason, source=body["source"], target=body["target"]))
        # It is about a sentence; whoever asked may ask for the others without it.
        text = body["q"][0]
        raise PawsError(Errors.P609.format(url=self.url, reason=reason, count=len(body["q"]), text=text[:80]))

    def _not_understood(self, what: str) -> NoReturn:
        raise Fatal(Errors.P612.format(url=self.url, what=what))

    @property
    def _key(self) -> str:
        return os.environ.get(self.key_env, "").strip()

    def _told(self, said: Any) -> str:
        """What the service said, short and without the key."""
        text = " ".join(str(said).split())
        text = text.replace(self._key, "(the key)") if self._key else text
        return text if len(text) <= SHOWN else text[:SHOWN] + "…"


class _NotJson(Exception):
    """An answer that is not the service's: a page of whatever stands before it, or half of one."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A request that is sent elsewhere would arrive there without its sentences, or with the key."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _split(url: str) -> Any:
    """The parts of an address; None if it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None


def _parsed(said: bytes) -> Optional[Dict[str, Any]]:
    try:
        answer = json.loads(said)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _retry_after(said: Optional[str]) -> float:
    """How many seconds a service asks to wait: it gives a number or a time of day."""
    if not said:
        return 0.0
    try:
        return max(0.0, float(int(said)))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(said)
    except (TypeError, ValueError):
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds())
