"""What the data is for: which swaps make the better detector?

Silver pairs are made from the same sentences twice, as `projects/paws_wiki` makes them: word swaps count as no
paraphrases, Apertium's back translations of both sides as paraphrases, and the pairs between them as PAWS has it. Once
the swaps are what `paws generate` keeps by default, once what it keeps with `--all`; as many swaps of each, and as many
pairs of each label. A model is trained on each with the same settings, and tested on the held-back part of PAWS-Wiki's
development pairs: AUC-PR, a run for each seed.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

from data import SHARED

from paws_components import evaluate
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

PROJECTS = Path(__file__).resolve().parents[1] / "projects"
WAYS: Dict[str, List[str]] = {"precise": [], "all": ["--all"]}


def run(*command: object) -> None:
    print("$", " ".join(map(str, command)), file=sys.stderr, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=PROJECTS / "paws_wiki", stdout=sys.stderr)


def write(path: Path, pairs: List[PairRecord]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with RecordWriter(str(path)) as writer:
        for pair in pairs:
            writer.write(pair)


def make_swaps(args: argparse.Namespace) -> None:
    """As many swaps of each way, from the same sentences."""
    paws = [sys.executable, "-m", "paws_components"]
    sentences = args.folder / "sentences.txt"
    run(sys.executable, "scripts/sentences.py", SHARED / "wiki/wiki.txt.xz", "-o", sentences, "--labelled",
        args.folder / "corpus", "--limit", args.sentences)  # fmt: skip
    found = {}
    for way, options in WAYS.items():
        made = args.folder / way / "made.jsonl"
        made.parent.mkdir(parents=True, exist_ok=True)
        run(*paws, "generate", sentences, "-o", made, "--n-process", args.n_process, "--quiet", *options)
        found[way] = list(read_pairs(made))
    count = min(map(len, found.values()))
    for way, swaps in found.items():
        write(args.folder / way / "swaps.jsonl", random.Random(0).sample(swaps, count))
    print(f"{count} swaps of each way, of {args.sentences} sentences", flush=True)


def make_pairs(args: argparse.Namespace) -> None:
    """As many pairs of each label for each way."""
    paws = [sys.executable, "-m", "paws_components"]
    pairs: Dict[str, Dict[int, List[PairRecord]]] = {}
    for way in WAYS:
        folder = args.folder / way
        run(*paws, "generate", folder / "swaps.jsonl", "-o", folder / "back.jsonl", "--pairs", "--generator",
            "back_translation", "--set", "translator=apertium", "--set", 'pivots=["es"]', "--n-process",
            args.n_process, "--quiet")  # fmt: skip
        run(sys.executable, "scripts/silver.py", folder / "swaps.jsonl", folder / "back.jsonl", "--labelled",
            args.folder / "corpus", "-o", folder / "pairs", "--share", 0.442)  # fmt: skip
        # A swap without a back translation is a negative pair all the same.
        all_pairs = [*read_pairs(folder / "pairs/silver.jsonl"), *read_pairs(folder / "pairs/swaps_alone.jsonl")]
        pairs[way] = {label: [pair for pair in all_pairs if pair.label == label] for label in (0, 1)}
    sizes = {label: min(len(found[label]) for found in pairs.values()) for label in (0, 1)}
    sizes[0] = min(sizes[0], 2 * sizes[1])
    for way, found in pairs.items():
        chosen = [pair for label in (0, 1) for pair in random.Random(0).sample(found[label], sizes[label])]
        random.Random(0).shuffle(chosen)
        write(args.folder / way / "silver" / "silver.jsonl", chosen)
    print(f"{sizes[0]} + {sizes[1]} pairs of each way", flush=True)


def train(args: argparse.Namespace) -> Dict[str, List[float]]:
    """The AUC-PR of each way, by seed."""
    sys.path.insert(0, str(PROJECTS / "paws_wiki" / "scripts"))
    from configs import make_config  # type: ignore[import-not-found]

    from paws_components.training.runs import train_once

    corpus, found = args.folder / "corpus", {way: [] for way in WAYS}
    for seed in range(args.seeds):
        for way in WAYS:
            silver = args.folder / way / "silver" / "silver.jsonl"
            config = make_config(args.model, [silver], [corpus / "paws_wiki_dev.jsonl"], seed, args.epochs)
            place = args.folder / "models" / f"{args.model}-{way}-{seed}"
            train_once(config, place, -1)
            results = evaluate(str(place / "model-best"), {"test": corpus / "paws_wiki_test.jsonl"})
            found[way].append(float(results.measures[0]["auc_pr"].value))
            print(f"{way}, seed {seed}: AUC-PR {found[way][-1]:.3f}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for all that is made")
    parser.add_argument("--sentences", type=int, default=12000)
    parser.add_argument("--model", default="bilstm", help="as in projects/paws_qqp/configs")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--n-process", type=int, default=2)
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    if not (args.folder / "corpus").is_dir():
        run(sys.executable, "../paws_qqp/scripts/prepare.py", SHARED, "-o", args.folder / "quora", "--train", 18000,
            "--qqp-dev", 1000, "--paws-dev", 500)  # fmt: skip
        run(sys.executable, "scripts/prepare.py", SHARED / "paws_wiki", "--quora", args.folder / "quora", "-o",
            args.folder / "corpus", "--dev", 500, "--test", 1500)  # fmt: skip
    if not all((args.folder / way / "silver").is_dir() for way in WAYS):
        make_swaps(args)
        make_pairs(args)
    found = train(args)
    for way, values in found.items():
        print(f"{way}: {statistics.mean(values):.3f} ({', '.join(f'{value:.3f}' for value in values)})")
    print(json.dumps({way: [round(value, 4) for value in values] for way, values in found.items()}))


if __name__ == "__main__":
    main()
