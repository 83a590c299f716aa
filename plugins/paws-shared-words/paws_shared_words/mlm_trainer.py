"""Masked language modelling on a BERT that was trained for something else: the head of words, the loss, the steps.

It imports torch: `mlm_training` imports it when a training begins.
"""

import math
import tempfile
import time
from random import Random
from typing import Any, Dict, List, Sequence, Tuple

import torch
from transformers import DataCollatorForLanguageModeling, PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from paws_components.plugin import Fatal, Pretrained

from .errors import Errors
from .mlm_text import Line
from .mlm_training import MaskedPlan, Tell

Input = Dict[str, List[int]]

IGNORED = -100  # the collator's label of what is not masked


def encode(lines: Sequence[Line], tokenizer: Any, longest: int) -> List[Input]:
    """The tokens of each line."""
    return [dict(tokenizer(line.first, line.second, truncation="longest_first", max_length=longest)) for line in lines]


def start_from_counts(model: Any, inputs: Sequence[Input]) -> None:
    """Let a new head know how often each word comes, before it learns where. One that knows something is left alone."""
    bias = model.cls.predictions.bias
    if bias.any():
        return
    counts = torch.ones(model.config.vocab_size)
    for one in inputs:
        counts.index_add_(0, torch.tensor(one["input_ids"]), torch.ones(len(one["input_ids"])))
    with torch.no_grad():
        bias.copy_((counts / counts.sum()).log())


def batches(inputs: Sequence[Input], tokens: int, chance: Random) -> List[List[Input]]:
    """Batches of about so many tokens of inputs of like length, in a random order."""
    # Inputs of the same length come in another company in each epoch.
    order = sorted(range(len(inputs)), key=lambda i: (len(inputs[i]["input_ids"]), chance.random()))
    found: List[List[Input]] = [[]]
    for i in order:
        if found[-1] and (len(found[-1]) + 1) * len(inputs[i]["input_ids"]) > tokens:
            found.append([])
        found[-1].append(inputs[i])
    chance.shuffle(found)
    return found


def masked_loss(model: Any, batch: Dict[str, torch.Tensor]) -> Tuple[torch.Tensor, int, int]:
    """The summed cross-entropy of the masked words, how many are right, how many there are.

    The head is asked about these alone: over all words of a batch it costs more than the rest of a small model.
    """
    labels = batch.pop("labels")
    masked = labels != IGNORED
    logits = model.cls(model.bert(**batch).last_hidden_state[masked])
    gold = labels[masked]
    loss = torch.nn.functional.cross_entropy(logits, gold, reduction="sum")
    return loss, int((logits.argmax(-1) == gold).sum()), len(gold)


def measure(model: Any, tokenizer: Any, inputs: Sequence[Input], share: float = 0.15) -> Dict[str, Any]:
    """Loss and share of right words on inputs that are masked the same way each time. Random states are left alone."""
    total, right, count = 0.0, 0, 0
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=share)
    training = model.training
    model.eval()
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(0)
        for batch in batches(inputs, 4096, Random(0)):
            loss, good, masked = masked_loss(model, collate(batch))
            total, right, count = total + float(loss), right + good, count + masked
    model.train(training)
    return {**figures(total, right, count), "masked": count}


def figures(total: float, right: int, count: int) -> Dict[str, float]:
    return {"loss": round(total / max(count, 1), 3), "accuracy": round(right / max(count, 1), 4)}


class Batches(TrainerCallback):
    """A data set of whole batches, which are others in each epoch, and as many."""

    def __init__(self, inputs: Sequence[Input], tokens: int, seed: int) -> None:
        self.inputs, self.tokens, self.seed = inputs, tokens, seed
        self.drawn = batches(inputs, tokens, Random(seed))

    def __len__(self) -> int:
        return len(self.drawn)

    def __getitem__(self, i: int) -> List[Input]:
        return self.drawn[i]

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        # Lengths decide what goes together, and chance only among equals: their number is the same each time.
        self.drawn = batches(self.inputs, self.tokens, Random(f"{self.seed}:{round(state.epoch or 0)}"))


class MaskedTrainer(Trainer):
    """transformers' Trainer, which asks the head about masked words alone, and reports loss and accuracy over these."""

    def __init__(self, *args: Any, tell: Tell, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.tell = tell
        self.model_accepts_loss_kwargs = False
        self.began = time.perf_counter()
        self.sums = (0.0, 0, 0)

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        loss, right, count = masked_loss(model, inputs)
        self.sums = (self.sums[0] + loss.item(), self.sums[1] + right, self.sums[2] + count)
        return loss / max(count, 1)

    def log(self, logs: Dict[str, float], *args: Any, **settings: Any) -> None:
        if "loss" in logs:
            if not math.isfinite(self.sums[0]):
                raise Fatal(Errors.S015.format(step=self.state.global_step))
            seconds = round(time.perf_counter() - self.began)
            self.tell({"step": self.state.global_step, **figures(*self.sums), "seconds": seconds})
            self.sums = (0.0, 0, 0)
        super().log(logs, *args, **settings)


def train(loaded: Pretrained, inputs: Sequence[Input], plan: MaskedPlan, tell: Tell) -> None:
    """Train; the rates rise for a tenth of the steps, then fall to nothing. Tells ten times how it goes.

    The embeddings stay as they are unless the plan says else, and with them the words of the head, which are tied to
    them: they know more words than a short training shows.
    """
    model, tokenizer = loaded
    embeddings = model.get_input_embeddings().weight
    embeddings.requires_grad_(plan.embeddings)
    head = [one for one in model.cls.parameters() if one.requires_grad and one is not embeddings]
    known = {id(one) for one in head}
    body = [one for one in model.parameters() if one.requires_grad and id(one) not in known]
    groups = [{"params": body, "lr": plan.rate}, {"params": head, "lr": plan.head_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=plan.share)
    data: Any = Batches(inputs, plan.tokens, plan.seed)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            max_steps=plan.steps,
            per_device_train_batch_size=1,  # an item is a whole batch
            warmup_steps=max(1, plan.steps // 10),
            logging_steps=max(1, plan.steps // 10),
            save_strategy="no",
            seed=plan.seed,
            use_cpu=True,
            disable_tqdm=True,
            report_to=[],
            remove_unused_columns=False,
        )
        trainer = MaskedTrainer(
            model,
            arguments,
            tell=tell,
            data_collator=lambda rows: collate(rows[0]),
            train_dataset=data,
            callbacks=[data],
            optimizers=(optimizer, None),
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
