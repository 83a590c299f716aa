"""transformers' Trainer for one direction. Importing this imports torch and transformers."""

import random
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch.nn.functional import cross_entropy
from transformers import Trainer, TrainerCallback

from .parallel import Pair, batches


def batch_loss(model: Any, batch: Dict[str, Any], smoothing: float) -> Tuple[Any, int]:
    """The loss of a batch, summed over its target tokens, and how many those are.

    Marian's own loss knows no label smoothing, and computes the logits of padding as well.
    """
    labels = batch["labels"]
    hidden = model.model(**{name: value for name, value in batch.items() if name != "labels"}, use_cache=False)
    real = labels != model.config.pad_token_id
    logits = model.lm_head(hidden.last_hidden_state[real])
    return cross_entropy(logits, labels[real], label_smoothing=smoothing, reduction="sum"), int(real.sum())


class Batches(TrainerCallback):
    """A data set of whole batches, which are others in each epoch.

    pairs (List[Pair]): The pairs.
    tokens (int): The size of a batch.
    seed (int): Of the batches.
    """

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

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.draw(round(state.epoch or 0))


class StopAfter(TrainerCallback):
    """Stops at the end of an epoch, if it is given one."""

    def __init__(self, epoch: Optional[int]) -> None:
        self.epoch = epoch

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        control.should_training_stop |= self.epoch is not None and round(state.epoch) >= self.epoch


class DirectionTrainer(Trainer):
    """Measures the loss per token on the held-out pairs, and tells of it, at the end of each epoch.

    direction (str): What is trained, for what is told.
    held_out (Batches): The pairs to measure on.
    smoothing (float): The label smoothing.
    tell (Callable): Given a dict for each epoch.
    **settings: What Trainer takes.
    """

    control: Any

    def __init__(
        self, *, direction: str, held_out: Batches, smoothing: float, tell: Callable[[Dict], Any], **settings: Any
    ) -> None:
        super().__init__(**settings)
        # The loss is the mean over a batch's tokens already.
        self.model_accepts_loss_kwargs = False
        self.direction, self.held_out, self.smoothing, self.tell = direction, held_out, smoothing, tell
        self.began = time.perf_counter()

    def compute_loss(
        self,
        model: Any,
        inputs: Dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Optional[Any] = None,
    ) -> Any:
        loss, count = batch_loss(model, inputs, self.smoothing)
        return loss / count

    def evaluate(self, *_: Any, **__: Any) -> Dict[str, float]:
        """The loss per token, without smoothing and dropout."""
        model: Any = self.model
        collate: Any = self.data_collator
        model.eval()
        total, count = 0.0, 0
        with torch.inference_mode():
            for batch in self.held_out.drawn:
                loss, n = batch_loss(model, collate([batch]), 0.0)
                total, count = total + loss.item(), count + n
        best, found = self.state.best_metric, {"eval_loss": total / count}
        line = {"direction": self.direction, "epoch": round(self.state.epoch or 0), "step": self.state.global_step}
        line.update(loss=round(self.state.log_history[-1]["loss"], 4), val_loss=round(total / count, 4))
        seconds = round(time.perf_counter() - self.began)
        self.tell({**line, "best": best is None or total / count < best, "seconds": seconds})
        self.log(found)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found
