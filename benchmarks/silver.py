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
from itertools import islice
from pathlib import Path
from typing import Dict, Iterator, List, Set

import spacy
from data import SHARED

from paws_components import evaluate
from paws_components.curation.splitting import sentence_keys
from paws_components.curation.text import sentence_key
from paws_components.readers import open_texts, read_pairs
from paws_components.records import PairRecord
from paws_components.training.matrix import plan_runs, read_mix
from paws_components.training.runs import train_once
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


def pick_sentences(path: Path, seen: Set[str]) -> Iterator[str]:
    """Whole sentences of 8 to 40 tokens, each once, and none that is in a labelled pair."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    for doc in nlp.pipe(line.text for line in open_texts([str(path)]) if line.text):
        for sentence in doc.sents:
            text, key = sentence.text, sentence_key(sentence.text)
            closed = all(text.count(pair[0]) == text.count(pair[1]) for pair in ("()", "[]", "“”"))
            whole = text[0].isupper() and text.endswith(".") and closed and text.count('"') % 2 == 0
            if whole and 8 <= len(sentence) <= 40 and key not in seen:
                seen.add(key)
                yield text


def make_swaps(args: argparse.Namespace) -> None:
    """As many swaps of each way, from the same sentences."""
    paws = [sys.executable, "-m", "paws_components"]
    sentences = args.folder / "sentences.txt"
    labelled = (args.folder / "corpus").glob("*.jsonl")
    seen = {key for path in sorted(labelled) for key in sentence_keys(read_pairs(path))}
    chosen = list(islice(pick_sentences(SHARED / "wiki/wiki.txt.xz", seen), args.sentences))
    sentences.write_text("\n".join(chosen) + "\n", encoding="utf8")
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
        run(sys.executable, "scripts/silver.py", folder / "swaps.jsonl", folder / "back.jsonl", "--published", "none",
            "--labelled", args.folder / "corpus", "-o", folder / "pairs", "--share", 0.442)  # fmt: skip
        # A swap without a back translation is a negative pair all the same.
        all_pairs = [*read_pairs(folder / "pairs/silver_train.jsonl"), *read_pairs(folder / "pairs/swap_train.jsonl")]
        pairs[way] = {label: [pair for pair in all_pairs if pair.label == label] for label in (0, 1)}
    sizes = {label: min(len(found[label]) for found in pairs.values()) for label in (0, 1)}
    sizes[0] = min(sizes[0], 2 * sizes[1])
    for way, found in pairs.items():
        chosen = [pair for label in (0, 1) for pair in random.Random(0).sample(found[label], sizes[label])]
        random.Random(0).shuffle(chosen)
        write(args.folder / way / "silver" / "silver_train.jsonl", chosen)
    print(f"{sizes[0]} + {sizes[1]} pairs of each way", flush=True)


def train(args: argparse.Namespace) -> Dict[str, List[float]]:
    """The AUC-PR of each way, by seed."""
    corpus, found = args.folder / "corpus", {way: [] for way in WAYS}
    path = PROJECTS / "paws_wiki" / "configs" / f"{args.model}.cfg"
    for seed in range(args.seeds):
        for way in WAYS:
            mix = read_mix("silver", [args.folder / way / "silver"], corpus / "paws_wiki_dev.jsonl")
            changes = {"training.max_epochs": args.epochs}
            name = f"{args.model}-{way}-{seed}"
            place = args.folder / "models" / name
            train_once(plan_runs([path], [mix], [seed], name=name, overrides=changes)[name], place, -1)
            results = evaluate(str(place / "model-best"), {"test": corpus / "paws_wiki_test.jsonl"})
            found[way].append(float(results.measures[0]["auc_pr"].value))
            print(f"{way}, seed {seed}: AUC-PR {found[way][-1]:.3f}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for all that is made")
    parser.add_argument("--sentences", type=int, default=12000)
    parser.add_argument("--model", default="bilstm", help="as in projects/paws_wiki/configs")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--n-process", type=int, default=2)
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    if not (args.folder / "corpus").is_dir():
        run(sys.executable, "../paws_qqp/scripts/prepare.py", SHARED / "qqp/quora-dev.tsv",
            SHARED / "paws_qqp", "-o", args.folder / "quora", "--train", 18000,
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
