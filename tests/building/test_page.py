"""The shell blocks of docs/build.md, as pasted: from the sample text to a trained detector."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from paws_components.curation.audit import audit, find_splits
from paws_components.readers import read_pairs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "build.md"
# Stands in for Apertium where that is not installed: its command line, and translations that change a word.
APERTIUM = """#!{python}
import re, sys
if "-l" in sys.argv:
    print("eng-spa spa-eng")
else:
    text = sys.stdin.buffer.read().decode("utf8")
    text = re.sub(r" and (?!also)", " and also ", text.replace(" the ", " this "))
    sys.stdout.buffer.write(text.encode("utf8"))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    pytest.importorskip("torch")
    pytest.importorskip("paws_back_translation")
    folder = tmp_path_factory.mktemp("page")
    programs = folder / "bin"
    programs.mkdir()
    if shutil.which("apertium") is None:
        (programs / "apertium").write_text(APERTIUM.format(python=sys.executable), encoding="utf8")
        (programs / "apertium").chmod(stat.S_IRWXU)
    for name, module in (("paws", "-m paws_components"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf8")
        (programs / name).chmod(stat.S_IRWXU)
    script = "\n".join(re.findall(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf8"), re.DOTALL))
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", script], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done


def test_from_text_to_a_trained_detector(ran):
    folder, done = ran
    assert "write: train" in done.stderr and "pairs are in trains/dataset" in done.stderr
    assert "Pairs of word swapping (as Table 3)" in done.stdout and "Splits (as Table 5)" in done.stdout
    assert (folder / "out" / "model-best" / "meta.json").is_file()
    # The table of `paws evaluate`: a row for the model, with its accuracy on the six pairs of the test set.
    assert re.search(r"^out +test +6 +\d+\.\d \[", done.stdout, re.MULTILINE), done.stdout


def test_the_sample_makes_a_sound_data_set(ran):
    folder, _ = ran
    data = folder / "trains" / "dataset"
    findings = audit(find_splits(data / "jsonl"))
    assert [found for found in findings if found.level == "error"] == []
    assert not {found.check for found in findings} & {"shared_rows", "shared_sentences", "shared_pairs", "fixed_sides"}
    pairs = [pair for name in ("train", "dev", "test") for pair in read_pairs(data / "jsonl" / f"{name}.jsonl")]
    assert {(pair.generator, pair.label) for pair in pairs} == {
        ("word_swap", 0),
        ("back_translation", 1),
        ("recombined", 0),
    }
