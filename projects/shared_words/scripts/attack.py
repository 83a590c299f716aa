"""`paws attack` on each target, with examples of one part of its data set; options that are not listed are its own.

A run that was stopped goes on where it was; one whose target, language model or options have changed begins anew. All
outcomes go to OUTPUT/NAME.jsonl, with a report beside them (.json and .md). Prints a JSON object each.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any, Dict, List

from paws_components.errors import PawsError
from paws_components.training.runs import NOTE, was_trained
from paws_shared_words.commands.attack import attack


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("models", nargs="+", help="bimpm, diin, transformer")
    parser.add_argument("--sets", nargs="+", required=True, help="qqp, mrpc")
    parser.add_argument("--after", default="", help="what the names of the trainings end in: -adversarial")
    # The best checkpoint on pairs that nobody attacked says nothing of adversarial training: it may be the very first.
    parser.add_argument("--checkpoint", default="model-best", help="which of the two is attacked")
    parser.add_argument("--part", default="test", help="where the examples come from: test or dev")
    parser.add_argument("--mlm", default="build/mlm", help="the masked language model")
    parser.add_argument("--trained", type=Path, default=Path("build/models"), help="what `paws train` wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare wrote")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/attacks"), help="the folder for the outcomes")
    args, options = parser.parse_known_args()

    runs = {f"{model}-{name}{args.after}": name for name in args.sets for model in args.models}
    missing = [run for run in runs if not was_trained(args.trained / run)]
    if missing:
        raise SystemExit(f"not trained yet: {', '.join(missing)}. Run {'adversarial' if args.after else 'train'} first")
    args.output.mkdir(parents=True, exist_ok=True)
    for run, name in runs.items():
        print(json.dumps(attack_one(run, name, args, options)), flush=True)


def attack_one(run: str, data_set: str, args: argparse.Namespace, options: List[str]) -> Dict[str, Any]:
    """Attack one target. RETURNS (Dict): Its accuracies in per cent."""
    output, weights = args.output / f"{run}.jsonl", Path(args.mlm) / "model.safetensors"
    # A model on the hub is known by its name.
    mlm = digest(weights) if weights.is_file() else args.mlm
    made_from = " ".join([args.part, args.checkpoint, digest(args.trained / run / NOTE), mlm, *options])
    stamp = output.with_suffix(".made_from")
    same = stamp.is_file() and stamp.read_text(encoding="utf8") == made_from
    stamp.write_text(made_from, encoding="utf8")
    reports = [part for ending in (".json", ".md") for part in ("--report", str(output.with_suffix(ending)))]
    corpus = str(args.corpus / f"{data_set}_{args.part}.jsonl")
    command = [str(args.trained / run / args.checkpoint), corpus, "-o", str(output), *reports, "--mlm", args.mlm]
    began = time.perf_counter()
    try:
        attack.main([*command, "--quiet", *([] if same else ["--overwrite"]), *options], standalone_mode=False)
    except PawsError as error:
        raise SystemExit(str(error)) from error
    report = json.loads(output.with_suffix(".json").read_text(encoding="utf8"))
    figures: Dict[str, Any] = {"target": run, "seconds": round(time.perf_counter() - began)}
    for column, groups in report["accuracy"].items():
        shares = {group: one["accuracy"] for group, one in groups.items()}
        figures[column] = {group: None if share is None else round(100 * share, 1) for group, share in shares.items()}
    return {**figures, "queries_an_example": round(report["queries"]["an_example"], 1)}


def digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


if __name__ == "__main__":
    main()
