"""Draw the swap that the README shows: docs/swap.svg, by the package's own `render`."""

import re
import sys
from pathlib import Path

from paws_components import PairRecord, load_pipeline, render
from paws_components.generation.word_swap import WordSwap
from paws_components.viz.theme import FONT, LIGHT, figure_css

SENTENCE = "Flights from New York to Florida."


def draw() -> str:
    nlp = load_pipeline()
    # Whatever judges are there, the drawing stays the same.
    swap = WordSwap(nlp, precise=False)([nlp(SENTENCE)])[0][0]
    html = render(PairRecord(SENTENCE, swap["text"], evidence=swap), jupyter=False, options={"theme": "light"}) or ""
    picture = re.search(r'<svg role="img"(.*?)>(.*?)</svg>', html, re.DOTALL)
    assert picture, "render draws in SVG"
    # Of the style sheet what a picture by itself needs: nothing surrounds it, and it has one size.
    used = set(re.findall(r"paws-[a-z0-9]+", picture[2]))
    colours = " ".join(f"--paws-{name}: {value};" for name, value in LIGHT.items())
    rules = [f"svg {{ font: 14px {FONT}; fill: var(--paws-fg); {colours} }}"]
    rules += [rule for rule in figure_css("light", "svg").splitlines() if rule[1:].split(" ")[0] in used]
    style = "\n".join(rules)
    ground = f'<rect width="100%" height="100%" rx="8" fill="{LIGHT["bg"]}" />'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img"{picture[1]}>'
    return f"{head}\n<style>{style}</style>\n{ground}\n{picture[2].strip()}\n</svg>\n"


if __name__ == "__main__":
    path = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).resolve().parents[1] / "docs" / "swap.svg"
    path.write_text(draw(), encoding="utf8")
