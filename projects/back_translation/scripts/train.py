"""Train small Marian models on CPU, one for each direction.

Each folder that is written, say build/models/en-de, holds what one of OPUS-MT holds: config.json,
generation_config.json, model.safetensors, source.spm, target.spm, vocab.json and the tokenizer's settings. It is
written at the end, with the weights of the epoch whose loss on the validation part was lowest. The learning rate rises
for --warmup steps and falls to nothing at the end of the last epoch.

Several directions are trained side by side, each in a process of its own. Every epoch prints a JSON line: the loss in
training (with label smoothing and dropout), the loss on the validation part (without), and the seconds so far. A run
that was stopped goes on with --resume, and ends as if it had not been stopped.

    python scripts/train.py data en-de de-en --vocabulary build/vocabulary -o build/models
"""

import argparse
import multiprocessing
from pathlib import Path


def run(direction: str, args: argparse.Namespace) -> None:
    # Imported here: the process that only starts the others, and --help, can do without torch.
    from training import train

    train(direction, args)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("data", type=Path, help="a folder with train.LANGUAGE and val.LANGUAGE, a sentence per line")
    add("directions", nargs="+", help="what to train: en-de is from train.en to train.de")
    add("-o", "--output", type=Path, required=True, help="the models go to a folder of the direction's name in here")
    add("--vocabulary", type=Path, required=True, help="the folder that vocabulary.py wrote")
    add("--checkpoints", type=Path, default=Path("build/checkpoints"), help="what --resume needs  [build/checkpoints]")
    add("--resume", action="store_true", help="go on after the last whole epoch, if there is one")
    add("--epochs", type=int, default=9, help="passes over the data; the learning rate is planned by it  [9]")
    add("--stop-after", type=int, metavar="EPOCH", help="stop here; --resume goes on  [the last]")
    add("--batch-tokens", type=int, default=1200, help="a batch's tokens on its longer side, with padding  [1200]")
    add("--max-length", type=int, default=100, help="leave out pairs that have more pieces on a side  [100]")
    add("--lr", type=float, default=1.2e-3, help="the highest learning rate  [0.0012]")
    add("--warmup", type=int, default=500, help="steps until it is reached  [500]")
    add("--label-smoothing", type=float, default=0.1, help="[0.1]")
    add("--dropout", type=float, default=0.1, help="[0.1]")
    add("--width", type=int, default=256, help="of embeddings and layers  [256]")
    add("--ffn", type=int, default=512, help="width of the feed-forward layers  [512]")
    add("--encoder-layers", type=int, default=3, help="[3]")
    add("--decoder-layers", type=int, default=2, help="[2]")
    add("--heads", type=int, default=4, help="attention heads of a layer  [4]")
    add("--seed", type=int, default=0, help="[0]")
    add("--threads", type=int, default=1, help="torch's threads for a direction; they change the last digits  [1]")
    args = parser.parse_args()
    if len(args.directions) == 1:
        return run(args.directions[0], args)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=run, args=(direction, args)) for direction in args.directions]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise SystemExit("Not every direction could be trained: the reason is above. Go on with --resume.")


if __name__ == "__main__":
    main()
