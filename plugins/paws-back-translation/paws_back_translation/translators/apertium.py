"""Apertium: rule-based, one translation a sentence, without a model to download."""

import itertools
import os
import re
import signal
import subprocess
import textwrap
from typing import Dict, List, Optional, Sequence

from paws_components.plugin import Fatal, PawsError, Translation

from ..batching import distinct
from ..errors import Errors
from .languages import abbreviated, spellings
from .patterns import check_positive, check_settings

# What Debian has, each as the package apertium-PAIR.
_DEBIAN = (
    "afr-nld arg-cat bel-rus br-fr cat-ita cat-srd dan-nor en-gl eng-cat eng-spa eo-ca eo-en eo-es eo-fr es-gl es-pt "
    "es-ro eu-en eu-es fr-es fra-cat fra-frp hbs-eng hbs-mkd hbs-slv ind-zlm isl-eng isl-swe mkd-bul mkd-eng nno-nob "
    "oc-ca oc-es oci-fra pol-szl por-cat pt-gl rus-ukr spa-arg spa-ast spa-cat spa-ita srd-ita swe-dan swe-nor urd-hin"
).split()
# What means something in Apertium's stream format; a backslash in front makes it a plain character.
_SPECIAL = re.compile(r"[\[\]{}$/\\@<>]")
# These mean something too, but a backslash does not help: the last step swallows ~, a ^ that no word follows makes a
# step in between swallow the rest of the sentence, and U+FFFF is taken for the end of the input.
_SWALLOWED = "^~\uffff"
_PRIVATE = range(0xE000, 0xF900)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_FORMAT = re.compile(r"(?<!\\)((?:\\\\)*)\[[^\]]*\]")


class Apertium:
    """The translator `apertium`: the command of that name, as Debian installs it.

    It knows one translation of a sentence; several pivots stand in for several translations.
    """

    def __init__(
        self,
        *,
        command: str = "apertium",
        directory: Optional[str] = None,
        codes: Optional[Dict[str, str]] = None,
        mark_unknown: bool = False,
        batch_size: int = 1000,
        timeout: float = 600.0,
    ) -> None:
        """
        command (str): The command or its path.
        directory (Optional[str]): Where its modes are, if not where it looks by itself.
        codes (Optional[Dict[str, str]]): Your language codes to Apertium's; en stands for eng and so on anyway.
        mark_unknown (bool): Keep the * that Apertium puts before a word it does not know.
        batch_size (int): How many sentences go through one process; starting it takes a quarter of a second.
        timeout (float): How many seconds that may take.
        """
        check_settings(batch_size=batch_size)
        check_positive(timeout=timeout)
        self.command = os.path.expanduser(command)
        self.directory = os.path.expanduser(directory) if directory else None
        self.codes = dict(codes or {})
        self.mark_unknown = mark_unknown
        self.batch_size = batch_size
        self.timeout = timeout
        self._modes: Optional[List[str]] = None

    def translate(self, texts: Sequence[str], source: str, target: str, k: int) -> List[List[Translation]]:
        """One translation of each text, whatever k is.

        texts (Sequence[str]): Sentences. An empty one has no translation.
        source (str): Their language.
        target (str): The language to translate to.
        k (int): How many translations are wanted; Apertium has but one.
        RETURNS (List[List[Translation]]): For each text its translation, without a score.
        """
        wanted = distinct(texts)
        if not wanted:
            return [[] for _ in texts]
        mode = self._mode(source, target)
        found: Dict[str, str] = {}
        for start in range(0, len(wanted), self.batch_size):
            batch = wanted[start : start + self.batch_size]
            found.update(zip(batch, self._run(batch, mode)))
        return [[Translation(found[text], None)] if found.get(text) else [] for text in texts]

    def _run(self, texts: List[str], mode: str) -> List[str]:
        """All sentences through one process. A null after each makes Apertium forget it: without it words wander from
        one line to the next where a rule fits."""
        for text in texts:
            if text.encode("utf8", errors="ignore").decode("utf8") != text:
                raise PawsError(Errors.B035.format(text=_short(text)))
        plain = StandIns(texts)
        # Format between square brackets passes through untouched. With a number in it, it tells a whole sentence from
        # what a dying process wrote: the programs behind it in the pipe go on as if nothing were missing.
        ends = [f"[][\n{number}]" for number in range(len(texts))]
        data = "".join(f"{plain.escape(text)}{end}\0" for text, end in zip(texts, ends)).encode("utf8")
        arguments = ["-z", "-f", "none", *([] if self.mark_unknown else ["-u"]), mode]
        process = self._start(arguments, f"apertium-{mode}")
        try:
            output, complaints = process.communicate(data, timeout=self.timeout)
        except subprocess.TimeoutExpired as error:
            raise PawsError(Errors.B034.format(timeout=self.timeout, count=len(texts))) from error
        finally:
            _end(process)
        lines = output.decode("utf8", errors="replace").split("\0")
        for number, text in enumerate(texts):
            if number >= len(lines) or not lines[number].endswith(ends[number]):
                reason = _reason(process.returncode, complaints or output)
                place = f"sentence {number + 1} of {len(texts)}"
                raise PawsError(Errors.B033.format(place=place, reason=reason, text=_short(text)))
        return [plain.unescape(line.removesuffix(end)) for line, end in zip(lines, ends)]

    def _start(self, arguments: List[str], package: str) -> "subprocess.Popen[bytes]":
        command = [self.command, *(["-d", self.directory] if self.directory else []), *arguments]
        pipe = subprocess.PIPE
        try:
            # A session of its own, so that all programs of its pipe can be ended together.
            return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise Fatal(Errors.B031.format(command=self.command, reason=reason, package=package)) from error

    def _mode(self, source: str, target: str) -> str:
        """The name of the mode for a direction: eng-spa for en and es, but en-gl for en and gl."""
        sides = [[self.codes[code]] if code in self.codes else spellings(code) for code in (source, target)]
        # Three letters first: a newer pair stands beside an older one.
        tried = [
            f"{left}-{right}" for left, right in itertools.product(*(sorted(side, key=len)[::-1] for side in sides))
        ]
        package = next((f"apertium-{pair}" for pair in _DEBIAN if _is_pair(pair, source, target)), None)
        if self._modes is None:
            process = self._start(["-l"], package or "apertium")
            try:
                output, _ = process.communicate(timeout=self.timeout)
            except subprocess.TimeoutExpired as error:
                raise Fatal(Errors.B034.format(timeout=self.timeout, count=0)) from error
            finally:
                _end(process)
            # With no mode at all it prints the pattern it looked for.
            self._modes = [mode for mode in output.decode("utf8", errors="replace").split() if mode != "*"]
        for mode in tried:
            if mode in self._modes:
                return mode
        if package:
            advice = f"Install it: `apt-get install {package}`."
        else:
            pairs = ", ".join(pair for pair in _DEBIAN if set(spellings(source)) & set(pair.split("-")))
            advice = f"Debian has no such pair; with {source} it has: {pairs or 'none'}."
        raise Fatal(
            Errors.B032.format(
                source=source, target=target, tried=", ".join(tried), modes=abbreviated(self._modes), advice=advice
            )
        )


class StandIns:
    """To Apertium's stream format and back: a sentence on one line, in which nothing means anything."""

    def __init__(self, texts: Sequence[str]) -> None:
        used = set().union(*texts)
        free = (chr(code) for code in _PRIVATE if chr(code) not in used)
        self.there = {ord(character): stand_in for character, stand_in in zip(_SWALLOWED, free)}
        self.back = {ord(stand_in): chr(code) for code, stand_in in self.there.items()}

    def escape(self, text: str) -> str:
        line = " ".join(_CONTROL.sub(" ", text).split())
        return _SPECIAL.sub(r"\\\g<0>", line).translate(self.there)

    def unescape(self, line: str) -> str:
        line = _ESCAPED.sub(r"\1", _FORMAT.sub(r"\1", line))
        return " ".join(line.translate(self.back).split())


def _is_pair(pair: str, source: str, target: str) -> bool:
    left, right = pair.split("-")
    first, second = spellings(source), spellings(target)
    return (left in first and right in second) or (left in second and right in first)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End what is left of a process and its pipe."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()
    process.wait()


def _reason(code: int, said: bytes) -> str:
    lines = said.decode("utf8", errors="replace").replace("\0", " ").strip().splitlines()
    ended = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{ended}; it said: {_short(lines[-1])}" if lines else ended


def _short(text: str) -> str:
    return textwrap.shorten(text, 80, placeholder=" …") or text[:80]
