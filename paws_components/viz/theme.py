"""Colours and the style sheet that every rendering carries, for light and dark."""

from typing import Dict

# Searched for: the six are at least 25 apart (CIE Lab) with any kind of colour vision, and 3 to 1 or more against the
# background. Nothing is told by colour alone: spans have numbers, lines their dashes.
LIGHT: Dict[str, str] = {
    "bg": "#ffffff",
    "fg": "#1b1d21",
    "muted": "#5b616b",
    "rule": "#d3d7de",
    "soft": "#f3f5f8",
    "cross": "#b84300",
    "c0": "#3f2bc4",
    "c1": "#d96a00",
    "c2": "#039a78",
    "c3": "#b850b4",
    "c4": "#60240f",
    "c5": "#382346",
}
DARK: Dict[str, str] = {
    "bg": "#15171c",
    "fg": "#e9ebef",
    "muted": "#a9b0bb",
    "rule": "#3a404a",
    "soft": "#20242b",
    "cross": "#ff9d5c",
    "c0": "#8290ff",
    "c1": "#ef6a2a",
    "c2": "#2fe3a0",
    "c3": "#c774a6",
    "c4": "#ffdf3a",
    "c5": "#d4f0ff",
}
N_COLOURS = 6
THEMES = ("auto", "light", "dark")
# The widths at which a drawing gives way to its narrow twin: one rule each, so that the style sheet stays fixed.
STEPS = tuple(range(300, 1201, 50))

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif'

FIGURE_CSS = """
.paws-figure { margin: 0 0 1rem; padding: .75rem; background: var(--paws-bg); color: var(--paws-fg);
  font: 14px/1.5 FONT; border: 1px solid var(--paws-rule); border-radius: 8px;
  container-type: inline-size; overflow-wrap: anywhere; }
.paws-figure figcaption { margin: .5rem 0 0; color: var(--paws-muted); font-size: 13px; }
.paws-figure figcaption b { color: var(--paws-fg); }
.paws-figure p { margin: 0 0 .25rem; max-width: 75em; }
.paws-figure u { text-decoration-color: var(--paws-c0); text-decoration-thickness: 2px; text-underline-offset: 3px; }
.paws-scroll { overflow-x: auto; }
.paws-figure svg { display: block; max-width: 100%; height: auto; font: 14px FONT; fill: var(--paws-fg); }
.paws-wide svg { max-width: none; }
.paws-narrow { display: none; }
.paws-muted { fill: var(--paws-muted); color: var(--paws-muted); }
.paws-small { font-size: 12px; fill: var(--paws-muted); }
.paws-line { stroke: var(--paws-muted); stroke-width: 1.2; fill: none; }
.paws-crossed { stroke: var(--paws-cross); stroke-width: 1.6; fill: none; }
.paws-crossing { fill: var(--paws-bg); stroke: var(--paws-cross); stroke-width: 1.6; }
.paws-track { stroke: var(--paws-rule); stroke-width: 1; }
.paws-shift { stroke: var(--paws-c0); stroke-width: 4; stroke-opacity: .35; }
.paws-diamond { fill: none; stroke: var(--paws-c1); stroke-width: 1.8; }
.paws-arc { fill: none; stroke-width: 2.2; }
.paws-box { fill-opacity: .16; stroke-width: 1.5; }
.paws-badge { font-size: 11px; font-weight: 700; fill: var(--paws-fg); }
.paws-changed { text-decoration: underline dotted; }
.paws-own { font-style: italic; fill: var(--paws-muted); }
"""


def _variables(colours: Dict[str, str]) -> str:
    return " ".join(f"--paws-{name}: {value};" for name, value in colours.items())


def figure_css(theme: str, scope: str) -> str:
    """The style sheet of the renderings.

    theme (str): "light", "dark", or "auto" for whichever the reader's system asks for.
    scope (str): The selector under which the colours are defined.
    RETURNS (str): CSS that touches nothing but our own classes.
    """
    colours = DARK if theme == "dark" else LIGHT
    rules = [f"{scope} {{ {_variables(colours)} color-scheme: {'light dark' if theme == 'auto' else theme}; }}"]
    if theme == "auto":
        rules.append(f"@media (prefers-color-scheme: dark) {{ {scope} {{ {_variables(DARK)} }} }}")
    rules.append(FIGURE_CSS.strip().replace("FONT", FONT))
    for i in range(N_COLOURS):
        rules.append(f".paws-c{i} {{ stroke: var(--paws-c{i}); }} .paws-f{i} {{ fill: var(--paws-c{i}); }}")
    for step in STEPS:
        at = f".paws-w{step}"
        rules.append(
            f"@container (max-width: {step - 1}px) {{ {at} .paws-wide {{ display: none; }} "
            f"{at} .paws-narrow {{ display: block; }} }}"
        )
    return "\n".join(rules)
