"""A real browser under the test's hands: headless Chromium, told what to do through a pipe (the devtools protocol)."""

import base64
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

from ..viz.browser import FLAGS, find_browser

# What a keyboard sends for keys that are no letters: key, code, number, text.
NAMED = {
    "Enter": ("Enter", "Enter", 13, "\r"),
    "Tab": ("Tab", "Tab", 9, ""),
    "Escape": ("Escape", "Escape", 27, ""),
    "Backspace": ("Backspace", "Backspace", 8, ""),
}
CTRL = 2


class Browser:
    """A page in headless Chromium.

    folder (Path): Where its profile goes.
    """

    def __init__(self, folder: Path) -> None:
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        command = [str(find_browser()), *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"]
        # The browser reads commands from descriptor 3 and answers on 4.
        script = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command], pass_fds=(to_read, to_write), stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session: Optional[str] = None
        self.events: List[Dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Dict[str, Any]:
        """Give a command, and wait for what it comes to."""
        self._number += 1
        message: Dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode("utf8") + b"\0")
        while True:
            got = self._receive()
            if got.get("id") == self._number:
                assert "error" not in got, f"{method}: {got['error']}"
                return got["result"]

    def _receive(self) -> Dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._in, 1 << 16)
            assert part, "the browser has gone"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        got = json.loads(line)
        if "method" in got:
            self.events.append(got)
        return got

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def go(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def wait(self, condition: str, seconds: float = 20.0) -> None:
        """Until a condition holds in the page; a page that is on its way has none."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({condition})"):
                    return
            except AssertionError:
                pass
            time.sleep(0.02)
        raise AssertionError(f"waited in vain for {condition}; the page says: {self.text()[:800]}")

    def text(self) -> str:
        return str(self.run("document.body ? document.body.innerText : ''"))

    def key(self, name: str, ctrl: bool = False) -> None:
        """Press a key and let it go."""
        if name in NAMED:
            key, code, number, text = NAMED[name]
        else:
            key, code, text = name, f"Key{name.upper()}" if name.isalpha() else "", name
            number = ord(name.upper())
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": CTRL if ctrl else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({} if ctrl or not text else {"text": text}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def write(self, text: str) -> None:
        """Type a text, as an input method does, at the place where the caret is, when it is in a field."""
        self.wait("document.hasFocus() && document.activeElement.tagName === 'TEXTAREA'")
        self.call("Input.insertText", text=text)

    def next(self, *keys: Any) -> None:
        """Press keys that lead to another page, and wait for it."""
        self.run("window.pawsOld = true")
        for one in keys:
            self.key(*one) if isinstance(one, tuple) else self.key(one)
        self.wait("!window.pawsOld && document.readyState === 'complete'")

    def show_at(self, width: int, height: int, dark: bool) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)

    def screenshot(self, path: Path) -> None:
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def problems(self) -> List[str]:
        """What the browser complained about: scripts that failed, and what the security policy blocked."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
