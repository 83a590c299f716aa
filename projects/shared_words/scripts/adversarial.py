"""Adversarial training (section 4.3): each target is trained on, from its best checkpoint, with attacked pairs.

`paws.AdversarialCorpus.v1` reads the pairs that it was trained on, and attacks a share of each buffer with the weights
of the moment. What was trained already with the same config on the same files is not trained again. Prints a JSON
object each.
"""

import argparse
from pathlib import Path
from typing import Any, Callable, Dict, Iterable

from configs import make_config
from names import ADVERSARIAL, NORMAL, SETS, TITLES, check_names, checkpoint, run_name
from thinc.api import Config

from paws_components.training.run_options import add_run_options, train_all
from paws_components.training.runs import go_on_from, was_trained

# The paper's.
SHARE = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="bimpm, diin, transformer")
    parser.add_argument("--sets", nargs="+", required=True, help="qqp, mrpc")
    parser.add_argument("--trained", type=Path, default=Path("build/models"), help="what train.py wrote")
    parser.add_argument("--corpus", type=Path, default=Path("build/corpus"), help="what prepare wrote")
    parser.add_argument("--mlm", default="build/mlm", help="the masked language model")
    parser.add_argument(
        "--steps-of", nargs="*", default=[], metavar="NAME=N", help="batches of a data set, or of a run: diin-qqp=1000"
    )
    parser.add_argument(
        "--rates", nargs="*", default=[], metavar="NAME=RATE", help="learning rates of a model, or of a run"
    )
    parser.add_argument(
        "--shares", nargs="*", default=[], metavar="NAME=SHARE", help=f"of pairs to attack, 0 for none; else {SHARE}"
    )
    parser.add_argument("--buffer", type=int, default=256, help="pairs that are read at a time")
    parser.add_argument("--renew", type=int, default=1, help="an attack for every so many buffers")
    parser.add_argument("--attack-steps", type=int, default=5, help="the paper's S")
    parser.add_argument("--top-k", type=int, default=10, help="its K")
    parser.add_argument("--max-queries", type=int, default=200, help="an example; 0 for any number")
    parser.add_argument("--context", default="sentence", help="what the language model sees: sentence or pair")
    add_run_options(parser)
    args = parser.parse_args()

    check_names(args.models, args.sets)
    runs = [run_name(model, name) for name in SETS for model in TITLES]
    steps = read_numbers(args.steps_of, [*SETS, *runs], int)
    rates = read_numbers(args.rates, [*TITLES, *runs], float)
    shares = read_numbers(args.shares, [*TITLES, *runs], float, zero=True)
    reader = {"@readers": "paws.AdversarialCorpus.v1", "mlm": args.mlm, "share": SHARE, "buffer": args.buffer}
    reader.update(renew=args.renew, steps=args.attack_steps, top_k=args.top_k, max_queries=args.max_queries)
    reader.update(context=args.context, seed=args.seed)
    for name in args.sets:
        for model in args.models:
            run = run_name(model, name)
            normal = args.trained / run
            if not was_trained(normal):
                raise SystemExit(f"not trained yet: {run}. Run train first")
            config = make_config(model, name, args.corpus, args.seed, None)
            wrap(config, {**reader, "share": number_of(shares, run, model, SHARE)})
            go_on_from(config, normal / checkpoint(NORMAL))
            # `--max-steps` is for trials: the fewer count.
            wanted = number_of(steps, run, name, 300)
            limit = min(wanted, args.max_steps or wanted)
            fit(config, limit, number_of(rates, run, model, None))
            options = argparse.Namespace(**{**vars(args), "max_steps": limit})
            train_all({run_name(model, name, ADVERSARIAL): config}, options)


def read_numbers(values: Iterable[str], known: Iterable[str], kind: Callable, zero: bool = False) -> Dict[str, Any]:
    """Numbers by names, from entries such as "qqp=500"."""
    found = {}
    for value in values:
        name, _, number = value.partition("=")
        try:
            found[name] = kind(number)
        except ValueError:
            found[name] = -1
        if name not in known or found[name] < 0 or not (found[name] or zero):
            raise SystemExit(f"'{value}' is not an entry: write NAME=NUMBER, with a name of {', '.join(known)}")
    return found


def number_of(numbers: Dict[str, Any], run: str, group: str, default: Any) -> Any:
    """The number of a run, or else that of its model or data set."""
    return numbers.get(run, numbers.get(group, default))


def wrap(config: Config, reader: Dict[str, Any]) -> None:
    """Put the reader that attacks around that of the config, and let spaCy ask it while it trains."""
    config["corpora"]["train"] = {**reader, "corpus": config["corpora"]["train"]}
    config["training"]["max_epochs"] = -1
    # No batch waits for others that are attacked later.
    config["training"]["batcher"]["buffer"] = reader["buffer"]


def fit(config: Config, steps: int, rate: Any) -> None:
    """Let the rate fall to its end with the last step, and have the pairs to choose by looked at five times."""
    training = config["training"]
    training["eval_frequency"] = max(1, steps // 5)
    schedule = training["optimizer"]["learn_rate"]
    if isinstance(schedule, dict):
        schedule.update(total_steps=steps, warmup_steps=steps // 10)
        if rate:
            schedule["initial_rate"] = rate
    elif rate:
        training["optimizer"]["learn_rate"] = rate


if __name__ == "__main__":
    main()
