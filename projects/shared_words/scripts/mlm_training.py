"""Masked language modelling on a BERT that was trained for something else: the head of words, the loss, the steps."""

import json
import math
from random import Random
from typing import Any, Dict, Iterator, List, Sequence

import torch
from mlm_text import Line
from transformers import AutoTokenizer, BertForMaskedLM, DataCollatorForLanguageModeling

from paws_components.ml.hub import Encoder, find_source

IGNORED = -100  # the collator's label of what is not masked


def load_model(name: str) -> Encoder:
    """A BERT with a head for masked words. The words of the head are those of its embeddings; what a checkpoint without
    one has not got is new."""
    source = find_source(name)
    model = BertForMaskedLM.from_pretrained(source, use_safetensors=True, trust_remote_code=False)
    return Encoder(model.float(), AutoTokenizer.from_pretrained(source, trust_remote_code=False))


def encode(lines: Sequence[Line], tokenizer: Any, longest: int) -> List[Dict[str, List[int]]]:
    return [dict(tokenizer(line.first, line.second, truncation="longest_first", max_length=longest)) for line in lines]


def start_from_counts(model: Any, inputs: Sequence[Dict[str, List[int]]]) -> None:
    """Let the head know how often each word comes, before it learns where."""
    counts = torch.ones(model.config.vocab_size)
    for one in inputs:
        counts.index_add_(0, torch.tensor(one["input_ids"]), torch.ones(len(one["input_ids"])))
    with torch.no_grad():
        model.cls.predictions.bias.copy_((counts / counts.sum()).log())


def batches(inputs: Sequence[Dict[str, List[int]]], tokens: int, chance: Random) -> Iterator[List[Dict[str, Any]]]:
    """Batches of about so many tokens of inputs of like length, in a random order."""
    # Inputs of the same length come in another company in each epoch.
    order = sorted(range(len(inputs)), key=lambda i: (len(inputs[i]["input_ids"]), chance.random()))
    found: List[List[Dict[str, Any]]] = []
    batch: List[Dict[str, Any]] = []
    for i in order:
        if batch and (len(batch) + 1) * len(inputs[i]["input_ids"]) > tokens:
            found.append(batch)
            batch = []
        batch.append(inputs[i])
    found.append(batch)
    chance.shuffle(found)
    yield from found


def masked_loss(model: Any, batch: Dict[str, torch.Tensor]) -> tuple:
    """The summed cross-entropy of the masked words, how many are right, how many there are.

    The head is asked about these alone: over all words of a batch it costs more than the rest of a small model.
    """
    labels = batch.pop("labels")
    masked = labels != IGNORED
    logits = model.cls(model.bert(**batch).last_hidden_state[masked])
    gold = labels[masked]
    loss = torch.nn.functional.cross_entropy(logits, gold, reduction="sum")
    return loss, int((logits.argmax(-1) == gold).sum()), len(gold)


def measure(model: Any, tokenizer: Any, inputs: Sequence[Dict[str, List[int]]], share: float = 0.15) -> Dict[str, Any]:
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


def train(
    encoder: Encoder,
    inputs: Sequence[Dict[str, List[int]]],
    *,
    steps: int,
    tokens: int,
    share: float,
    rate: float,
    head_rate: float,
    seed: int,
) -> Iterator[Dict[str, Any]]:
    """Train for so many steps; the rate rises for a tenth of them, then falls to nothing. Yields a report now and then.

    The embeddings stay as they are, and with them the words of the head, which are tied to them: they know more words
    than a short training shows.
    """
    model, tokenizer = encoder
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=share)
    model.get_input_embeddings().weight.requires_grad_(False)
    head = [one for one in model.cls.parameters() if one.requires_grad]
    known = {id(one) for one in head}
    body = [one for one in model.parameters() if one.requires_grad and id(one) not in known]
    groups = [{"params": body, "lr": rate}, {"params": head, "lr": head_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    warmup = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, (steps - step) / max(1, steps - warmup))
    )
    chance = Random(seed)
    torch.manual_seed(seed)
    model.train()
    total, right, count = 0.0, 0, 0
    step = 0
    while step < steps:
        for batch in batches(inputs, tokens, chance):
            loss, good, masked = masked_loss(model, collate(batch))
            if masked:
                (loss / masked).backward()
                torch.nn.utils.clip_grad_norm_(body + head, 1.0)
                optimizer.step()
                optimizer.zero_grad()
            schedule.step()
            step += 1
            total, right, count = total + loss.item(), right + good, count + masked
            if step % max(1, steps // 10) == 0:
                yield {"step": step, **figures(total, right, count)}
                total, right, count = 0.0, 0, 0
            if step == steps:
                break
    if not math.isfinite(total):
        raise SystemExit("the loss is not a number any more: take a lower --rate")


def report(figures: Dict[str, Any]) -> None:
    print(json.dumps(figures), flush=True)
