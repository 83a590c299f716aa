"""A training run: from pairs to a model, with checkpoints that a run that was killed goes on from."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from paws_components.plugin import Errors as PawsErrors
from paws_components.plugin import PairRecord, PawsError, setting_differences, write_text

from ..errors import Errors
from ..judging import Judge, make_judge
from ..seq2seq import PROMPT, check_prompt, load
from .examples import Collate, Examples, make_examples

REWARD, CROSS_ENTROPY = LOSSES = ("reward", "cross-entropy")
SETTINGS, CURVE = "apt_train.json", "curve.json"


@dataclass
class Plan:
    """What a training run depends on; three epochs on T5-base are the paper's.

    model (str): The sequence-to-sequence model to begin with.
    loss (str): "reward" (the paper's) or "cross-entropy".
    prompt (str): What the model is given; {sentence} stands for the sentence.
    epochs (float): How often the pairs are gone through.
    max_steps (int): Stop after so many steps; -1 for as many as the epochs have.
    batch_size (int): How many pairs a batch has; the reward is summed over these.
    accumulate (int): How many batches make a step.
    learning_rate (float): The highest; it falls to 0 in a straight line.
    max_length (int): The most tokens of a sentence, and of what the model writes.
    top_k (int), top_p (float): How its own paraphrases are sampled.
    log_every (int), save_every (int): After how many steps.
    seed (int): Of the order, of dropout and of the samples.
    judge (Dict[str, Any]): The settings of the judge.
    """

    model: str = "google-t5/t5-base"
    loss: str = REWARD
    prompt: str = PROMPT
    epochs: float = 3.0
    max_steps: int = -1
    batch_size: int = 16
    accumulate: int = 1
    learning_rate: float = 3e-4
    max_length: int = 256
    top_k: int = 120
    top_p: float = 0.95
    log_every: int = 10
    save_every: int = 500
    seed: int = 0
    judge: Optional[Dict[str, Any]] = None

    def check(self) -> None:
        """Our error for what can't be."""
        check_prompt(self.prompt)
        if self.loss not in LOSSES:
            raise PawsError(Errors.A022.format(name="loss", what=f"one of {', '.join(LOSSES)}", value=self.loss))
        for name in ("epochs", "batch_size", "accumulate", "learning_rate", "max_length", "log_every", "save_every"):
            if getattr(self, name) <= 0:
                raise PawsError(Errors.A022.format(name=name, what="over 0", value=getattr(self, name)))
        if self.save_every % self.log_every:
            # Otherwise a line of the curve would stand for steps before and after a checkpoint.
            what = f"a multiple of `log_every` ({self.log_every})"
            raise PawsError(Errors.A022.format(name="save_every", what=what, value=self.save_every))


def train(
    pairs: Sequence[PairRecord],
    output: str,
    plan: Plan,
    judge: Optional[Judge] = None,
    *,
    cpu: bool = True,
    quiet: bool = False,
    tell: Optional[Callable[[str], None]] = None,
    callbacks: Sequence[Any] = (),
) -> List[Dict[str, Any]]:
    """Train a model; go on from the last checkpoint if there is one.

    pairs (Sequence[PairRecord]): The pairs, of which the positive ones are learnt from.
    output (str): The folder for the checkpoints, the curve and the model.
    plan (Plan): How.
    judge (Optional[Judge]): Judges the model's own paraphrases; None to make one as planned.
    cpu (bool): Work on the CPU although there is a GPU.
    quiet (bool): No progress bar.
    tell (Optional[Callable]): Given a line about the pairs.
    callbacks (Sequence[Any]): More of transformers' callbacks.
    RETURNS (List[Dict[str, Any]]): The curve: what was logged, in the order of the steps.
    """
    plan.check()
    folder = Path(output)
    _remember(folder, asdict(plan))
    loaded = load(plan.model)
    examples = make_examples(pairs, loaded.tokenizer, plan.prompt, plan.max_length)
    # The same names may stand for other pairs and another model by now.
    _remember(folder, {"pairs": _digest_of_pairs(examples), "weights": _digest_of_weights(loaded.model)})
    left_out = f"{examples.not_positive:,} that are not labelled 1, {examples.too_long:,} that are too long"
    if not examples.features:
        raise PawsError(Errors.A030.format(left_out=left_out))
    if tell is not None:
        tell(f"{len(examples.features):,} pairs to learn from; left out: {left_out}")
    if plan.loss == CROSS_ENTROPY:
        judge = None
    elif judge is None:
        judge = make_judge(**(plan.judge or {}))
    trainer = _trainer(loaded.model, loaded.tokenizer, examples, folder, plan, judge, cpu, quiet)
    from transformers import PrinterCallback
    from transformers.trainer_utils import get_last_checkpoint

    for callback in callbacks:
        trainer.add_callback(callback)
    if quiet:
        # It stands in for a progress bar that is turned off.
        trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=get_last_checkpoint(output))
    trainer.save_model(output)
    loaded.tokenizer.save_pretrained(output)
    # The last line is about time, and never twice the same.
    curve = [entry for entry in trainer.state.log_history if "loss" in entry]
    write_text(folder / CURVE, json.dumps(curve, indent=1))
    return curve


def _trainer(
    model: Any,
    tokenizer: Any,
    examples: Examples,
    folder: Path,
    plan: Plan,
    judge: Optional[Judge],
    cpu: bool,
    quiet: bool,
) -> Any:
    from transformers import TrainingArguments

    from .trainer import RewardTrainer

    arguments = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=plan.epochs,
        max_steps=plan.max_steps,
        per_device_train_batch_size=plan.batch_size,
        gradient_accumulation_steps=plan.accumulate,
        learning_rate=plan.learning_rate,
        logging_steps=plan.log_every,
        save_steps=plan.save_every,
        save_total_limit=2,
        seed=plan.seed,
        use_cpu=cpu,
        disable_tqdm=quiet,
        report_to=[],
        remove_unused_columns=False,
    )
    return RewardTrainer(
        judge=judge,
        examples=examples,
        tokenizer=tokenizer,
        top_k=plan.top_k,
        top_p=plan.top_p,
        max_length=plan.max_length,
        model=model,
        args=arguments,
        data_collator=Collate(tokenizer.pad_token_id),
    )


def _digest_of_pairs(examples: Examples) -> str:
    return hashlib.sha256(json.dumps([examples.sentences, examples.features]).encode("ascii")).hexdigest()[:16]


def _digest_of_weights(model: Any) -> str:
    import torch

    found = hashlib.sha256()
    for weights in model.state_dict().values():
        found.update(weights.cpu().flatten().view(torch.uint8).numpy().data)
    return found.hexdigest()[:16]


def _remember(folder: Path, wanted: Dict[str, Any]) -> None:
    """Write down what a run depends on, or compare it with what the folder was begun with."""
    state = folder / SETTINGS
    wanted = json.loads(json.dumps(wanted))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        begun = json.loads(state.read_text(encoding="utf8")) if state.exists() else {}
    except OSError as error:
        raise PawsError(PawsErrors.P021.format(path=str(folder), reason=error)) from error
    except ValueError as error:
        raise PawsError(PawsErrors.P020.format(path=str(state), reason=error)) from error
    # What nobody wrote down, as of a run that was begun with an earlier version, is taken as it is now.
    other = list(setting_differences({name: begun.get(name, wanted[name]) for name in wanted}, wanted))
    if other:
        raise PawsError(Errors.A020.format(path=folder, differences="\n".join(other)))
    write_text(state, json.dumps({**begun, **wanted}, indent=1))
