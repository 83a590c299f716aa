"""`paws attack` on each target, normally or adversarially trained, with examples of the held-back part of its data set.

A run that was stopped goes on where it was; one whose target, language model or budget has changed begins anew. All
outcomes go to OUTPUT/NAME.jsonl, with a report beside them (.json and .md). Prints a JSON object each.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any, Dict, List

from names import ADVERSARIAL, NORMAL, check_names, checkpoint, run_name

from paws_components.errors import PawsError
from paws_components.training.runs import NOTE, was_trained
from paws_shared_words.commands.attack import attack

BUDGET = ("positives", "negatives", "steps", "top_k", "beam", "max_queries", "seed", "context")
TEST, DEV = "test", "dev"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="bimpm, diin, transformer")
    parser.add_argument("--sets", nargs="+", required=True, help="qqp, mrpc")
    parser.add_argument("--training", choices=[NORMAL, ADVERSARIAL], default=NORMAL)
    parser.add_argument("--part", choices=[TEST, DEV], default=TEST, help="where the examples come from")
    parser.add_argument("--mlm", default="build/mlm", help="the masked language model")
    parser.add_argument("--trained", type=Path, default=Path("build/models"), help="what `paws train` wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare wrote")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/attacks"), help="the folder for the outcomes")
    parser.add_argument("--positives", type=int, default=50, help="paraphrases that are attacked")
    parser.add_argument("--negatives", type=int, default=50, help="non-paraphrases that are attacked")
    parser.add_argument("--steps", type=int, default=5, help="the paper's S")
    parser.add_argument("--top-k", type=int, default=10, help="its K")
    parser.add_argument("--beam", type=int, default=10, help="its B")
    parser.add_argument("--max-queries", type=int, default=1500, help="an example; 0 for any number")
    parser.add_argument("--context", default="sentence", help="what the language model sees: sentence or pair")
    parser.add_argument("--seed", type=int, default=0, help="of the sampling")
    parser.add_argument("--gpu-id", type=int, default=-1)
    args = parser.parse_args()

    check_names(args.models, args.sets)
    runs = [(run_name(model, name, args.training), name) for name in args.sets for model in args.models]
    missing = [run for run, _ in runs if not was_trained(args.trained / run)]
    if missing:
        first = "train" if args.training == NORMAL else "adversarial"
        raise SystemExit(f"not trained yet: {', '.join(missing)}. Run {first} first")
    args.output.mkdir(parents=True, exist_ok=True)
    for run, name in runs:
        attack_one(run, name, args)


def attack_one(run: str, data_set: str, args: argparse.Namespace) -> None:
    """Attack one target, and print what came of it."""
    output = args.output / f"{run}.jsonl"
    made_from = {name: getattr(args, name) for name in BUDGET}
    made_from.update(part=args.part, target=digest(args.trained / run / NOTE), mlm=mlm_digest(args.mlm))
    stamp = args.output / f"{run}.made_from.json"
    same = stamp.is_file() and json.loads(stamp.read_text(encoding="utf8")) == made_from
    stamp.write_text(json.dumps(made_from) + "\n", encoding="utf8")
    command = [str(args.trained / run / checkpoint(args.training)), str(args.corpus / f"{data_set}_{args.part}.jsonl")]
    command += ["-o", str(output)]
    command += [part for ending in (".json", ".md") for part in ("--report", str(output.with_suffix(ending)))]
    command += ["--mlm", args.mlm, "--gpu-id", str(args.gpu_id), "--quiet", *([] if same else ["--overwrite"])]
    for name in BUDGET:
        command += ["--" + name.replace("_", "-"), str(getattr(args, name))]
    began = time.perf_counter()
    run_command(command)
    report = json.loads(output.with_suffix(".json").read_text(encoding="utf8"))
    figures: Dict[str, Any] = {"target": run, "seconds": round(time.perf_counter() - began)}
    for column, groups in report["accuracy"].items():
        shares = {group: one["accuracy"] for group, one in groups.items()}
        figures[column] = {group: None if share is None else round(100 * share, 1) for group, share in shares.items()}
    figures["queries_an_example"] = round(report["queries"]["an_example"], 1)
    print(json.dumps(figures), flush=True)


def run_command(arguments: List[str]) -> None:
    """`paws attack` without a new Python."""
    try:
        attack.main(arguments, standalone_mode=False)
    except SystemExit as stop:
        if stop.code:
            raise
    except PawsError as error:
        raise SystemExit(str(error)) from error


def digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


def mlm_digest(name: str) -> str:
    """The weights of a model that is in a folder, or the name of one on the hub."""
    weights = Path(name) / "model.safetensors"
    return digest(weights) if weights.is_file() else name


if __name__ == "__main__":
    main()
