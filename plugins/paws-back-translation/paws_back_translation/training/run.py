"""A training run: from a parallel corpus to models, with checkpoints that a run that was stopped goes on from."""

import hashlib
import json
import os
import shutil
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import PathLike, PawsError, setting_differences, write_text

from ..errors import Errors, import_for
from .model import make_model, make_tokenizer
from .parallel import Pair, encode, read_split, tensors
from .plan import Plan

SETTINGS = "settings.json"
Tell = Callable[[Dict[str, Any]], Any]


def show(line: Dict[str, Any]) -> None:
    """Print a JSON object in one piece: directions that are trained side by side share the output."""
    print(json.dumps(line) + "\n", end="", flush=True)


def train_all(
    data: PathLike, directions: Sequence[str], vocabulary: PathLike, output: PathLike, plan: Plan, **options: Any
) -> None:
    """Train several directions side by side, each in a process of its own.

    directions (Sequence[str]): What to train: "en-de" and "de-en".
    The other arguments are those of `train`.
    """
    if len(directions) == 1:
        return train(data, directions[0], vocabulary, output, plan, **options)
    plan.check()
    for direction in directions:
        # What is wrong with one of them is told before any is begun.
        read_split(data, options.get("train_split", "train"), direction)
        read_split(data, options.get("dev_split", "val"), direction)
    work = partial(train, data, vocabulary=vocabulary, output=output, plan=plan, **options)
    # Not forked: torch's threads do not survive that.
    with ProcessPoolExecutor(len(directions), get_context("spawn"), initializer=_start) as pool:
        running = [pool.submit(work, direction) for direction in directions]
    try:
        for one in running:
            one.result()
    except BrokenProcessPool as error:
        raise PawsError(PawsErrors.P022.format(reason=error)) from error


def train(
    data: PathLike,
    direction: str,
    vocabulary: PathLike,
    output: PathLike,
    plan: Plan,
    *,
    train_split: str = "train",
    dev_split: str = "val",
    fresh: bool = False,
    stop_after: Optional[int] = None,
    threads: int = 1,
    tell: Tell = show,
) -> None:
    """Train a small Marian model on CPU; go on after the last whole epoch if there is one.

    The model is written to OUTPUT/DIRECTION, at the end, with the weights of the epoch whose loss on the held-out pairs
    was lowest. It is what one of OPUS-MT is. The checkpoints are in OUTPUT/DIRECTION.run. A run that was stopped ends
    as if it had not been stopped.

    data (Union[str, Path]): A folder with train.LANGUAGE and val.LANGUAGE, a sentence per line.
    direction (str): The two languages: "en-de" is from English to German.
    vocabulary (Union[str, Path]): The folder that `train_vocabulary` wrote.
    output (Union[str, Path]): The folder for the models.
    plan (Plan): How.
    train_split (str), dev_split (str): What the names of the files begin with.
    fresh (bool): Start over.
    stop_after (Optional[int]): Stop after this epoch; the next call goes on.
    threads (int): torch's threads; they change the last digits.
    tell (Callable): Given a dict for each epoch: losses in training (with label smoothing and dropout) and on
        the held-out pairs (without), and the seconds so far.
    """
    plan.check()
    for package in ("sentencepiece", "torch", "transformers", "accelerate"):
        import_for(package, "training a translation model")
    import torch
    from transformers import PrinterCallback

    from .trainer import Batches, DirectionTrainer, StopAfter

    tokenizer = make_tokenizer(vocabulary, direction)
    pairs, held_out = (
        encode(tokenizer, *read_split(data, split, direction), plan.max_length) for split in (train_split, dev_split)
    )
    checkpoints = Path(output) / f"{direction}.run"
    last = _begin(checkpoints, plan, pairs, fresh)
    if last is not None:
        tell({"direction": direction, "resumed_after_epoch": round(_epoch(last) or 0)})
    torch.manual_seed(plan.seed)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    # Adam's moments of rare pieces get so small that a CPU would take many times as long over them.
    torch.set_flush_denormal(True)
    try:
        model, drawn = make_model(tokenizer, plan), Batches(pairs, plan.batch_tokens, plan.seed)
        adam = torch.optim.Adam(model.parameters(), lr=plan.lr, betas=(0.9, 0.98), eps=1e-9, fused=True)
        pad = model.config.pad_token_id
        trainer = DirectionTrainer(
            direction=direction,
            held_out=Batches(held_out, plan.batch_tokens, 0),
            smoothing=plan.label_smoothing,
            tell=tell,
            model=model,
            args=_arguments(checkpoints, plan),
            data_collator=lambda rows: tensors(rows[0], pad),
            train_dataset=drawn,
            eval_dataset=held_out,
            callbacks=[drawn, StopAfter(stop_after)],
            optimizers=(adam, None),
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    finally:
        torch.set_num_threads(before)
        torch.set_flush_denormal(False)
    # The trainer has put the weights of the best epoch back.
    _save([trainer.model, tokenizer], Path(output) / direction)


def _arguments(folder: Path, plan: Plan) -> Any:
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=plan.epochs,
        per_device_train_batch_size=1,  # an item is a whole batch
        learning_rate=plan.lr,
        warmup_steps=plan.warmup,
        logging_strategy="epoch",
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,  # beside the best one
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        seed=plan.seed,
        use_cpu=True,
        disable_tqdm=True,
        report_to=[],
        remove_unused_columns=False,
    )


def _begin(folder: Path, plan: Plan, pairs: List[Pair], fresh: bool) -> Optional[Path]:
    """The checkpoint to go on from. What a run depends on is written down, and one that goes on must have the same."""
    # The same text in the same pieces: another vocabulary would make nonsense of the weights.
    digest = hashlib.sha256(json.dumps(pairs).encode("ascii")).hexdigest()[:16]
    wanted, state = {**asdict(plan), "pairs": digest}, folder / SETTINGS
    try:
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        last = _last_whole(folder)
        begun = json.loads(state.read_text(encoding="utf8")) if last else wanted
    except OSError as error:
        raise PawsError(PawsErrors.P021.format(path=str(folder), reason=error)) from error
    except ValueError as error:
        raise PawsError(PawsErrors.P020.format(path=str(state), reason=error)) from error
    other = list(setting_differences(begun, wanted))
    if other:
        raise PawsError(Errors.B045.format(path=folder, differences="\n".join(other)))
    write_text(state, json.dumps(wanted) + "\n")
    return last


def _last_whole(folder: Path) -> Optional[Path]:
    """The checkpoint of the last epoch. One that a run was killed over is taken away: its epoch is trained again."""
    epochs = {path: _epoch(path) for path in folder.glob("checkpoint-*")}
    for path, epoch in epochs.items():
        if epoch is None:
            shutil.rmtree(path)
    return max((path for path in epochs if epochs[path] is not None), key=lambda path: epochs[path] or 0, default=None)


def _epoch(checkpoint: Path) -> Optional[float]:
    """How many epochs a checkpoint has seen; None where it is not whole. Its state is what is written last."""
    try:
        return float(json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf8"))["epoch"])
    except (OSError, ValueError, KeyError):
        return None


def _save(saved: Sequence[Any], folder: Path) -> None:
    """Write beside first: an earlier model stays until the new one is whole."""
    beside = folder.with_name(f".{folder.name}.new")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        for one in saved:
            one.save_pretrained(beside)
        folder.mkdir(parents=True, exist_ok=True)
        for file in beside.iterdir():
            os.replace(file, folder / file.name)
        beside.rmdir()
    except OSError as error:
        raise PawsError(PawsErrors.P021.format(path=str(folder), reason=error)) from error


def _start() -> None:
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """End when the parent has gone, however it went."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
