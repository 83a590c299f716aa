"""The training of one direction with transformers' Trainer; train.py is its command."""

import argparse
import hashlib
import json
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

import torch
from corpus import Pair, batches, encode, read_split, tensors
from model import make_model, make_tokenizer
from torch.nn.functional import cross_entropy
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

# What may differ between a run and the one that it resumes.
FREE = {"data", "directions", "output", "vocabulary", "checkpoints", "resume", "stop_after", "threads"}
SETTINGS = "settings.json"


def batch_loss(model, batch: Dict[str, Any], smoothing: float):
    """The loss of a batch, summed over its target tokens, and how many those are.

    Marian's own loss knows no label smoothing, and computes the logits of padding as well.
    """
    labels = batch["labels"]
    hidden = model.model(**{name: value for name, value in batch.items() if name != "labels"}, use_cache=False)
    real = labels != model.config.pad_token_id
    logits = model.lm_head(hidden.last_hidden_state[real])
    return cross_entropy(logits, labels[real], label_smoothing=smoothing, reduction="sum"), int(real.sum())


class Batches(TrainerCallback):
    """A data set of whole batches, which are others in each epoch, and as many."""

    def __init__(self, pairs: List[Pair], tokens: int, seed: int) -> None:
        self.pairs, self.tokens, self.seed = pairs, tokens, seed
        self.draw(0)

    def draw(self, epoch: int) -> None:
        # Seeded by the epoch: a resumed run draws the same batches.
        self.drawn = batches(self.pairs, self.tokens, random.Random(self.seed + epoch))

    def __len__(self) -> int:
        return len(self.drawn)

    def __getitem__(self, i: int) -> List[Pair]:
        return self.drawn[i]

    def on_epoch_begin(self, args, state, control, **_) -> None:
        self.draw(round(state.epoch or 0))


class StopAfter(TrainerCallback):
    """Stops at the end of an epoch, if it is given one."""

    def __init__(self, epoch: Optional[int]) -> None:
        self.epoch = epoch

    def on_epoch_end(self, args, state, control, **_) -> None:
        control.should_training_stop |= self.epoch is not None and round(state.epoch) >= self.epoch


class DirectionTrainer(Trainer):
    """Measures the loss a token on the validation part, and prints a line, at the end of each epoch."""

    def __init__(self, direction: str, held_out: Batches, smoothing: float, **settings: Any) -> None:
        super().__init__(**settings)
        self.model_accepts_loss_kwargs = False
        self.direction, self.held_out, self.smoothing = direction, held_out, smoothing
        self.began = time.perf_counter()

    def compute_loss(self, model, inputs, return_outputs: bool = False, **_: Any):
        loss, count = batch_loss(model, inputs, self.smoothing)
        return loss / count

    def evaluate(self, *_: Any, **__: Any) -> Dict[str, float]:
        """The loss a token, without smoothing and dropout."""
        self.model.eval()
        total, count = 0.0, 0
        with torch.inference_mode():
            for batch in self.held_out.drawn:
                loss, n = batch_loss(self.model, self.data_collator([batch]), 0.0)
                total, count = total + loss.item(), count + n
        best, found = self.state.best_metric, {"eval_loss": total / count}
        line = {"direction": self.direction, "epoch": round(self.state.epoch), "step": self.state.global_step}
        line.update(loss=round(self.state.log_history[-1]["loss"], 4), val_loss=round(total / count, 4))
        report({**line, "best": best is None or total / count < best, "seconds": self.seconds})
        self.log(found)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found

    @property
    def seconds(self) -> int:
        return round(time.perf_counter() - self.began)


def train(direction: str, args: argparse.Namespace) -> None:
    """Train one direction, from the start or from its checkpoint.

    direction (str): The two languages: "en-de" is from English to German.
    args (argparse.Namespace): The settings, as train.py takes them.
    """
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    output, checkpoints = args.output / direction, args.checkpoints / direction
    tokenizer = make_tokenizer(args.vocabulary, direction)
    pairs, held_out = (
        encode(tokenizer, *read_split(args.data, part, direction), args.max_length) for part in ("train", "val")
    )
    settings = {name: value for name, value in vars(args).items() if name not in FREE}
    # The same text in the same pieces: another vocabulary would make nonsense of the weights.
    settings["pairs"] = hashlib.sha256(json.dumps(pairs).encode("ascii")).hexdigest()[:16]
    last = begin(checkpoints, settings, args.resume)
    model, data = make_model(tokenizer, args), Batches(pairs, args.batch_tokens, args.seed)
    trainer = DirectionTrainer(
        direction,
        Batches(held_out, args.batch_tokens, 0),
        args.label_smoothing,
        model=model,
        args=arguments(checkpoints, args),
        data_collator=lambda rows: tensors(rows[0], model.config.pad_token_id),
        train_dataset=data,
        eval_dataset=held_out,
        callbacks=[data, StopAfter(args.stop_after)],
        optimizers=(torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.9, 0.98), eps=1e-9, fused=True), None),
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=last)
    # That of the best epoch so far.
    trainer.model.save_pretrained(output)
    tokenizer.save_pretrained(output)


def arguments(folder: Path, args: argparse.Namespace) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=args.epochs,
        per_device_train_batch_size=1,  # an item is a whole batch
        learning_rate=args.lr,
        warmup_steps=args.warmup,
        logging_strategy="epoch",
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,  # beside the best one
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        seed=args.seed,
        use_cpu=True,
        disable_tqdm=True,
        report_to=[],
        remove_unused_columns=False,
    )


def begin(folder: Path, settings: Dict[str, Any], resume: bool) -> Optional[str]:
    """The checkpoint to go on from. The settings of a run are written down, and a resumed one must have the same."""
    last = get_last_checkpoint(str(folder)) if resume and folder.is_dir() else None
    if last:
        begun = json.loads((folder / SETTINGS).read_text(encoding="utf8"))
        other = [f"{name} was {was}" for name, was in begun.items() if settings.get(name) != was]
        if other:
            raise SystemExit(f"{folder} is of another run ({', '.join(other)}): take its settings, or remove it.")
        epoch = json.loads(Path(last, "trainer_state.json").read_text(encoding="utf8"))["epoch"]
        report({"direction": folder.name, "resumed_after_epoch": round(epoch)})
        return last
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / SETTINGS).write_text(json.dumps(settings) + "\n", encoding="utf8")
    return None


def report(line: dict) -> None:
    """Print a JSON object in one piece: two directions may be trained side by side, and share the output."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
