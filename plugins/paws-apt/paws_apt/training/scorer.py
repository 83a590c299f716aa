"""An encoder that learns the similarities that were recorded for attempts: it stands in for a BLEURT checkpoint."""

import tempfile
from random import Random
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Tuple

import numpy

from paws_components.plugin import PawsError, TextMetric, batches_of_like_length, load_pretrained, set_apart

from ..attempts import Attempt
from ..errors import Errors
from ..reward import THRESHOLD
from ..seq2seq import require


class Scored(NamedTuple):
    """A pair of sentences and how similar they were said to be."""

    sentence1: str
    sentence2: str
    similarity: float


class Agreement(NamedTuple):
    """How what a scorer says agrees with what was recorded.

    tested_on (int): How many pairs.
    error (float): The mean of how far the two are apart.
    correlation (float): Pearson's; 0 where either does not vary.
    same_side (float): The share of pairs for which both are up to the threshold of the task, or both above.
    """

    tested_on: int
    error: float
    correlation: float
    same_side: float

    def __str__(self) -> str:
        return (
            f"on {self.tested_on:,} attempts at other sentences: mean error {self.error:.3f}, correlation "
            f"{self.correlation:.3f}, on the same side of the threshold {self.same_side:.1%}"
        )


def choose_scored(
    attempts: Iterable[Attempt], *, rows: int = 0, test: int = 500, words: int = 0, seed: int = 0
) -> Tuple[List[Scored], List[Scored]]:
    """The attempts to learn from and those to test on, which share no sentence. Those without a similarity are left
    out.

    attempts (Iterable[Attempt]): The attempts.
    rows (int): How many to learn from at most, drawn at random; 0 for all.
    test (int): How many to test on at most.
    words (int): The most words of a sentence; 0 for any number.
    seed (int): Of both draws.
    RETURNS (Tuple[List[Scored], List[Scored]]): Those to learn from and those to test on.
    """
    scored = [
        Scored(each.source, each.text, each.similarity)
        for each in attempts
        if each.similarity is not None and (not words or max(len(each.source.split()), len(each.text.split())) <= words)
    ]
    held, train = set_apart(scored, test, seed)
    Random(seed).shuffle(train)
    if not held or not train:
        raise PawsError(Errors.A031.format(count=len(scored)))
    return train[: rows or None], held


def teach_scorer(
    pairs: Sequence[Scored],
    output: str,
    *,
    encoder: str,
    batch_size: int = 32,
    learning_rate: float = 3e-4,
    max_length: int = 96,
    seed: int = 0,
    cpu: bool = True,
) -> None:
    """Teach an encoder the similarities of pairs: one pass, with the squared error as the loss.

    pairs (Sequence[Scored]): The pairs.
    output (str): The folder for the model: the metric `bleurt` takes it as its `model`.
    encoder (str): The encoder to begin with: a folder, an installed package that carries one, or a name on the hub.
    batch_size (int): How many pairs a step takes, of like length.
    learning_rate (float): The highest; it falls to 0 in a straight line.
    max_length (int): The most tokens of a pair; what is longer is cut.
    seed (int): Of the new head, of dropout and of the order.
    cpu (bool): Work on the CPU although there is a GPU.
    """
    require("torch", "transformers", "accelerate")
    from transformers import DataCollatorWithPadding, PrinterCallback, Trainer, TrainingArguments, set_seed
    from transformers.utils import logging

    set_seed(seed)  # of the new head
    kind = ("AutoModelForSequenceClassification", encoder, "encoder")
    verbosity = logging.get_verbosity()
    # It would warn that the new head has to be trained.
    logging.set_verbosity_error()
    try:
        model, tokenizer = load_pretrained(*kind, settings={"num_labels": 1})
    finally:
        logging.set_verbosity(verbosity)
    collate = DataCollatorWithPadding(tokenizer)
    encoded = [_encode(tokenizer, pair, max_length) for pair in pairs]
    # An item is a whole batch, of pairs of like length: little is padded.
    sizes = batches_of_like_length([len(one["input_ids"]) for one in encoded], batch_size)
    batches: Any = [[encoded[i] for i in batch] for batch in sizes]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            per_device_train_batch_size=1,
            learning_rate=learning_rate,
            weight_decay=0.01,
            save_strategy="no",
            logging_strategy="no",
            seed=seed,
            use_cpu=cpu,
            disable_tqdm=True,
            report_to=[],
            remove_unused_columns=False,
        )
        trainer = Trainer(model, arguments, data_collator=lambda items: collate(items[0]), train_dataset=batches)
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    model.save_pretrained(output)
    tokenizer.save_pretrained(output)


def _encode(tokenizer: Any, pair: Scored, max_length: int) -> Dict[str, Any]:
    coded = tokenizer(pair.sentence1, pair.sentence2, truncation=True, max_length=max_length)
    # One output is for transformers a number to come near to, by the squared error.
    return {**coded, "labels": pair.similarity}


def measure_agreement(model: str, pairs: Sequence[Scored]) -> Agreement:
    """Compare what a scorer says with what was recorded.

    model (str): The folder of the scorer, or any BLEURT checkpoint.
    pairs (Sequence[Scored]): Pairs that it has not seen.
    RETURNS (Agreement): How the two agree.
    """
    said = numpy.array(TextMetric("bleurt", {"model": model})([(pair.sentence1, pair.sentence2) for pair in pairs]))
    recorded = numpy.array([pair.similarity for pair in pairs])
    same = (said <= THRESHOLD) == (recorded <= THRESHOLD)
    varied = len(pairs) > 1 and said.std() > 0 and recorded.std() > 0
    correlation = float(numpy.corrcoef(said, recorded)[0, 1]) if varied else 0.0
    return Agreement(len(pairs), float(numpy.abs(said - recorded).mean()), correlation, float(same.mean()))
