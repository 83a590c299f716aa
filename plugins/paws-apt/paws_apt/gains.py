"""What other training pairs gain a detector, and whether that is chance: models compared on the same attempts."""

from typing import Any, Dict, List, NamedTuple, Sequence

from paws_components.plugin import PairRecord, PawsError, mcc_difference, sentence_key

from .errors import Errors


class Gain(NamedTuple):
    """What one model gains over another, in MCC.

    model (str), over (str): Their names.
    value (float): The gain.
    low (float), high (float): Its 95 % interval.
    p (float): How likely a difference this far from 0 is by chance.
    sources (int): How many source sentences were drawn from.
    verdict (str): What that means, in words.
    """

    model: str
    over: str
    value: float
    low: float
    high: float
    p: float
    sources: int
    verdict: str

    def __str__(self) -> str:
        return (
            f"{self.model} against {self.over}: MCC {self.value:+.3f}, 95 % interval {self.low:+.3f} to "
            f"{self.high:+.3f}, p = {self.p:.4f}: {self.verdict} (paired bootstrap over {self.sources:,} source "
            "sentences)."
        )


def find_gains(
    records: Sequence[PairRecord], over: str, *, samples: int = 5000, seed: int = 0, path: str = "-"
) -> List[Gain]:
    """Compare each model with one of them. Attempts at one sentence are alike, so whole source sentences are drawn.

    records (Sequence[PairRecord]): Labelled pairs with the answers of the models, as `paws evaluate --examples` writes
        them.
    over (str): The name of the model that the others are compared with.
    samples (int): How many resamples the bootstrap has.
    seed (int): Of the bootstrap.
    path (str): What errors call the records.
    RETURNS (List[Gain]): The gain of each other model, by their names.
    """
    answers = [record.evidence.get("answers") or {} for record in records]
    names = sorted(set().union(*answers))
    if over not in names:
        known = f"it has those of {', '.join(names)}" if names else "it has none"
        raise PawsError(Errors.A033.format(path=path, reason=f"there are no answers of {over!r}, {known}"))
    for number, (record, answer) in enumerate(zip(records, answers), 1):
        if record.label is None or set(answer) != set(names):
            raise PawsError(Errors.A033.format(path=path, reason=f"pair {number} lacks a label or a model's answer"))
    truths = [record.label == 1 for record in records]
    sources = [sentence_key(record.sentence1) for record in records]
    yes: Dict[str, List[bool]] = {
        name: [_says_yes(answer[name], truth) for answer, truth in zip(answers, truths)] for name in names
    }
    found = []
    for name in names:
        if name != over:
            gain = mcc_difference(truths, yes[over], yes[name], sources, samples=samples, seed=seed)
            found.append(Gain(name, over, gain.value, gain.low, gain.high, gain.p, gain.groups, gain.words))
    return found


def _says_yes(answer: Dict[str, Any], truth: bool) -> bool:
    # A model may call a paraphrase what it likes: whether it is right says what it means.
    return bool(answer["right"]) == truth if "right" in answer else bool(answer["label"] == "paraphrase")
