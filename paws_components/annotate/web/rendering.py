"""Templates and the few files that pages load. All of them are in memory from the start."""

import hashlib
from pathlib import Path
from typing import Any, Dict, Tuple

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from ...viz.templates import REPORT_CSS
from ...viz.theme import FONT, figure_css

HERE = Path(__file__).parent


def _style() -> str:
    """The style sheet: the report's colours and tables, and what the pages add."""
    own = (HERE / "static" / "annotate.css").read_text(encoding="utf8")
    return "\n".join([figure_css("auto", ".paws-page"), (REPORT_CSS + own).replace("FONT", FONT)])


STATIC: Dict[str, Tuple[str, str]] = {
    "annotate.css": ("text/css; charset=utf-8", _style()),
    "keys.js": ("text/javascript; charset=utf-8", (HERE / "static" / "keys.js").read_text(encoding="utf8")),
    "in.js": ("text/javascript; charset=utf-8", (HERE / "static" / "in.js").read_text(encoding="utf8")),
    "icon.svg": ("image/svg+xml", (HERE / "static" / "icon.svg").read_text(encoding="utf8")),
}
# A new version of a file has a new address, so that browsers may keep the old one for ever.
VERSIONS = {name: hashlib.sha256(text.encode("utf8")).hexdigest()[:12] for name, (_, text) in STATIC.items()}


def _static(name: str) -> str:
    return f"/static/{name}?{VERSIONS[name]}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _share(value: Any) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _number(value: Any, digits: int = 2) -> str:
    # A hyphen is not a minus sign.
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


_environment = Environment(
    loader=PackageLoader("paws_components.annotate.web", "templates"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.globals["static"] = _static
_environment.filters.update(percent=_percent, share=_share, number=_number)


def render(template: str, **values: Any) -> str:
    """A page from its template. Every value is escaped."""
    return _environment.get_template(template).render(**values)
