"""What a browser makes of a page: which texts meet, which reach over the edge. Used by tests that skip without one."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any, Dict, Optional

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
).split()

# Runs in the page: opens every <details>, shows every row, and measures each text with the fonts that are really there.
PROBE = """
  document.querySelectorAll("details").forEach(function (d) { d.open = true; });
  document.querySelectorAll("tbody[hidden]").forEach(function (b) { b.hidden = false; });
  var found = { width: innerWidth, scroll: document.documentElement.scrollWidth, texts: 0, drawings: 0,
                small: 0, overlaps: [], outside: [] };
  document.querySelectorAll("svg[role=img]").forEach(function (svg) {
    var frame = svg.getBoundingClientRect();
    if (!frame.width) { return; }
    found.drawings += 1;
    var boxes = Array.from(svg.querySelectorAll("text")).map(function (t) {
      var box = t.getBoundingClientRect();
      var size = parseFloat(getComputedStyle(t).fontSize) * frame.width / svg.viewBox.baseVal.width;
      if (size < 9.5) { found.small += 1; }
      return { t: t.textContent, l: box.left, r: box.right, y: box.top, b: box.bottom };
    });
    found.texts += boxes.length;
    boxes.forEach(function (a, i) {
      if (a.l < frame.left - 1 || a.r > frame.right + 1 || a.y < frame.top - 2 || a.b > frame.bottom + 2) {
        found.outside.push(a.t);
      }
      boxes.slice(i + 1).forEach(function (b) {
        // A line of text is taller than its letters: boxes may touch by a quarter of a line.
        var x = Math.min(a.r, b.r) - Math.max(a.l, b.l), y = Math.min(a.b, b.b) - Math.max(a.y, b.y);
        if (x > 1 && y > 5) { found.overlaps.push(a.t + " / " + b.t); }
      });
    });
  });
  document.querySelectorAll("td, th, p, figcaption, h1, h2, h3, label, select, summary").forEach(function (e) {
    var right = e.getBoundingClientRect().right;
    if (right > innerWidth + 1) { found.outside.push(e.tagName + ": " + e.textContent.slice(0, 40)); }
  });
  return found;
"""
SCRIPT = """<script>
addEventListener("load", function () {{
  parent.postMessage(JSON.stringify((function () {{ {script} }}())), "*");
}});
</script>
</body>"""


# A window has a least width, a frame has none: the page is looked at in a frame.
FRAME = """<!DOCTYPE html>
<html><body style="margin: 0"><iframe src="page.html" style="width: {width}px; height: 2000px; border: 0"></iframe>
<script>addEventListener("message", function (e) {{ document.body.setAttribute("data-probe", e.data); }});</script>
</body></html>"""


def find_browser() -> Optional[str]:
    return next((path for path in map(shutil.which, NAMES) if path), None)


def evaluate(html: str, script: str, folder: Path, width: int) -> Any:
    """Load a page in a frame of a width, run the body of a function in it, and give back what it returns."""
    (folder / "page.html").write_text(html.replace("</body>", SCRIPT.format(script=script)), encoding="utf8")
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(width=width), encoding="utf8")
    command = [str(find_browser()), *FLAGS, f"--user-data-dir={folder / 'profile'}", "--window-size=1400,2000"]
    command += ["--virtual-time-budget=20000", "--dump-dom", frame.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r'data-probe="([^"]*)"', done.stdout)
    assert found, f"the browser said nothing: {done.stderr[-500:]}"
    return json.loads(unescape(found[1]))


def probe(html: str, folder: Path, width: int) -> Dict[str, Any]:
    """Measure the texts of a page at a width."""
    return evaluate(html, PROBE, folder, width)
