"""`paws evaluate` on each test set, with the models that it is for: all human attempts are for those that were trained
on none of them, MSRP for the Twitter pairs alone. Writes OUTPUT/SET.json, and every answer to OUTPUT/SET.jsonl."""

import argparse
from pathlib import Path

from names import TESTS, asked_about, check_sets

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.training.runs import evaluation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", help="what was trained on")
    parser.add_argument("--trained", type=Path, default=Path("build/models"), help="what train.py wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare.py wrote")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/results"), help="the folder for the results")
    args, others = parser.parse_known_args()

    check_sets(args.sets)
    args.output.mkdir(parents=True, exist_ok=True)
    for test in TESTS:
        models = [name for name in args.sets if test in asked_about(name)]
        if not models or not (args.corpus / f"{test}.jsonl").is_file():
            continue
        try:
            command = evaluation(models, args.trained, args.corpus, [test])
        except PawsError as error:
            raise SystemExit(str(error)) from error
        command += ["-o", str(args.output / f"{test}.json"), "--examples", str(args.output / f"{test}.jsonl")]
        cli.main(["evaluate", *command, "--one-order", *others], standalone_mode=False)


if __name__ == "__main__":
    main()
