"""The language model's project on a little text, through `spacy project run`."""

import lzma
import shutil

import pytest

from .quora import CITIES
from .running import copy_project, run_workflow

TEXT = [f"The road from {a} to {b} is {how}." for a in CITIES for b in CITIES for how in ("long", "new", "closed")]


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="KenLM's programs are not on the PATH")
def test_it_trains_and_measures(tmp_path):
    folder = copy_project("lm_en", tmp_path)
    for name in ("wiki", "wikitext2"):
        (tmp_path / "data" / name).mkdir(parents=True)
    with lzma.open(tmp_path / "data" / "wiki" / "wiki.txt.xz", "wt", encoding="utf8") as file:
        file.write("\n".join(TEXT) + "\n")
    (tmp_path / "data" / "wikitext2" / "valid.txt").write_text("The road from Oslo is new .\n", encoding="utf8")
    done = run_workflow(folder, data=tmp_path / "data", vocab_size=100, prune="0 0 0")
    assert (folder / "build" / "en.klm").is_file() and "perplexity" in done.stdout
