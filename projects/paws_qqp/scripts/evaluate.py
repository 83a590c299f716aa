"""`paws evaluate` on all models of some mixes that were trained: one comparison, with the errors that they share."""

import argparse
from pathlib import Path

from names import run_name

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.training.runs import evaluation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--mixes", nargs="+", required=True)
    parser.add_argument("--trained", type=Path, default=Path("build/models"), help="what train.py wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", required=True, help="where the results go (.json)")
    parser.add_argument("--examples", help="where every pair goes with all answers (.jsonl)")
    parser.add_argument("--set", action="append", dest="sets", metavar="NAME", help="a part of the corpus; repeatable")
    args, others = parser.parse_known_args()

    names = [run_name(model, mix) for model in args.models for mix in args.mixes]
    try:
        command = evaluation(names, args.trained, args.corpus, args.sets or ["qqp_test", "paws_dev_test"])
    except PawsError as error:
        raise SystemExit(str(error)) from error
    command += ["-o", args.output, *(["--examples", args.examples] if args.examples else [])]
    cli.main(["evaluate", *command, *others])


if __name__ == "__main__":
    main()
