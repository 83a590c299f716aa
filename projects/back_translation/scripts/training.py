"""The training loop of one direction; train.py is its command."""

import argparse
import hashlib
import json
import random
import sys
import time
from typing import List

import torch
from checkpoint import load_state, replace_folder, save_state
from corpus import Pair, batches, encode, read_part, tensors
from model import make_model, make_tokenizer
from torch.nn.functional import cross_entropy

# What may differ between a run and the one that it resumes.
FREE = {"data", "directions", "output", "vocabulary", "checkpoints", "resume", "stop_after", "threads"}


def batch_loss(model, batch: List[Pair], smoothing: float):
    """The loss of a batch, summed over its target tokens, and how many those are.

    Marian's own loss knows no label smoothing, and computes the logits of padding as well.
    """
    inputs, mask, decoder_inputs, labels = tensors(batch, model.config.pad_token_id)
    hidden = model.model(input_ids=inputs, attention_mask=mask, decoder_input_ids=decoder_inputs, use_cache=False)
    real = labels != model.config.pad_token_id
    logits = model.lm_head(hidden.last_hidden_state[real])
    return cross_entropy(logits, labels[real], label_smoothing=smoothing, reduction="sum"), int(real.sum())


def validate(model, pairs: List[Pair], tokens: int) -> float:
    """The loss a token, without smoothing and dropout."""
    model.eval()
    total, count = 0.0, 0
    with torch.inference_mode():
        for batch in batches(pairs, tokens, random.Random(0)):
            loss, n = batch_loss(model, batch, 0.0)
            total, count = total + loss.item(), count + n
    model.train()
    return total / count


def rate(step: int, warmup: int, total: int) -> float:
    """The share of the highest learning rate at a step: up in a line, and down in a line to zero."""
    return min(step / max(warmup, 1), max(total - step, 0) / max(total - warmup, 1))


def train_epoch(model, optimizer, shuffled: List[List[Pair]], state: dict, args: argparse.Namespace) -> float:
    """Take a step for each batch, and count the steps in the state. Gives the loss a token."""
    total, count = 0.0, 0
    for batch in shuffled:
        state["step"] += 1
        for group in optimizer.param_groups:
            group["lr"] = args.lr * rate(state["step"], args.warmup, state["planned"])
        loss, n = batch_loss(model, batch, args.label_smoothing)
        optimizer.zero_grad()
        (loss / n).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total, count = total + loss.item(), count + n
    return total / count


def train(direction: str, args: argparse.Namespace) -> None:
    """Train one direction, from the start or from its checkpoint.

    direction (str): The two languages: "en-de" is from English to German.
    args (argparse.Namespace): The settings, as train.py takes them.
    """
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    output, checkpoint = args.output / direction, args.checkpoints / direction
    tokenizer = make_tokenizer(args.vocabulary, direction)
    pairs, held_out = (
        encode(tokenizer, *read_part(args.data, part, direction), args.max_length) for part in ("train", "val")
    )
    model = make_model(tokenizer, args).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.9, 0.98), eps=1e-9, fused=True)
    settings = {name: value for name, value in vars(args).items() if name not in FREE}
    # The same text in the same pieces: another vocabulary would make nonsense of the weights.
    settings["pairs"] = hashlib.sha256(json.dumps(pairs).encode("ascii")).hexdigest()[:16]
    state = load_state(checkpoint, model, optimizer, settings) if args.resume else None
    if state is None:
        # The number of batches differs a little from epoch to epoch: the first shuffle's stands for all.
        planned = args.epochs * len(batches(pairs, args.batch_tokens, random.Random(args.seed)))
        state = {"settings": settings, "planned": planned, "epoch": 0, "step": 0, "seconds": 0.0, "best": None}
    else:
        report({"direction": direction, "resumed_after_epoch": state["epoch"]})
    for epoch in range(state["epoch"] + 1, (args.stop_after or args.epochs) + 1):
        began = time.perf_counter()
        # Seeded by the epoch: a resumed run draws the same batches and the same dropout.
        torch.manual_seed(args.seed + epoch)
        shuffled = batches(pairs, args.batch_tokens, random.Random(args.seed + epoch))
        loss = train_epoch(model, optimizer, shuffled, state, args)
        val_loss = validate(model, held_out, args.batch_tokens)
        better = state["best"] is None or val_loss < state["best"]
        state["epoch"], state["best"] = epoch, val_loss if better else state["best"]
        state["seconds"] += time.perf_counter() - began
        if better:
            with replace_folder(output) as folder:
                model.save_pretrained(folder)
                tokenizer.save_pretrained(folder)
        save_state(checkpoint, model, optimizer, state)
        line = {"direction": direction, "epoch": epoch, "step": state["step"], "loss": round(loss, 4)}
        line.update(val_loss=round(val_loss, 4), saved=better, seconds=round(state["seconds"]))
        report(line)


def report(line: dict) -> None:
    """Print a JSON object in one piece: two directions may be trained side by side, and share the output."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
