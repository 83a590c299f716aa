"""The five kinds of tasks: what a rater is shown, what may be answered, and what a task's settings are."""

import unicodedata
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from ..errors import Errors, PawsError
from ..records import normalise
from ..settings import validate

# A sentence that is written, in characters. Longer ones are a mistake, or an attack.
LONGEST = 2000
# How long an item waits for an answer, in minutes, before somebody else gets it.
LEASE = 30.0
Answer = Dict[str, Any]


class Refused(ValueError):
    """An answer that can't be taken; the message tells the rater why."""


@dataclass(frozen=True)
class CommonSettings:
    """Settings that every task has.

    raters (int): How many different raters each item goes to.
    lease (float): How many minutes an item waits for an answer before somebody else gets it.
    seed (int): Of the order, and of what is sampled.
    """

    raters: int = 1
    lease: float = LEASE
    seed: int = 0

    def __post_init__(self) -> None:
        _at_least("raters", self.raters, 1)
        _above("lease", self.lease, 0)


@dataclass(frozen=True)
class JudgeSettings(CommonSettings):
    raters: int = 5  # PAWS, section 4


@dataclass(frozen=True)
class GradeSettings(CommonSettings):
    """sample (int): How many examples that fooled the target are drawn, half of each label; 0 takes all."""

    raters: int = 3  # the paper on shared words, section 4.4
    sample: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_least("sample", self.sample, 0)


@dataclass(frozen=True)
class TranslateSettings(CommonSettings):
    """
    source (str), target (str): The codes of the two languages.
    checked (float): The share of translations that a second translator checks.
    """

    source: str = "en"
    target: str = "de"
    checked: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.checked <= 1:
            raise PawsError(Errors.P015.format(name="checked", what="from 0 to 1", value=self.checked))


@dataclass(frozen=True)
class WriteSettings(CommonSettings):
    """Figure 1 of the paper on the Adversarial Paraphrasing Task.

    dollars (float): What a submission earns at most, where the reward of equation 1 is 1.
    cap (float): What a writer earns at most; then the task is over for them.
    checks (int): How often a sentence may be checked.
    similarity (str), similarity_settings (Dict[str, Any]), threshold (Optional[float]), nli (Dict[str, Any]): The
        judge, as in the metric `apt_reward`. The similarity "by_words" is a rough one without a model.
    """

    dollars: float = 1.0
    cap: float = 20.0
    checks: int = 100
    similarity: str = "bleurt"
    similarity_settings: Dict[str, Any] = field(default_factory=dict)
    threshold: Optional[float] = None
    nli: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_least("dollars", self.dollars, 0)
        _at_least("cap", self.cap, 0)
        _at_least("checks", self.checks, 1)

    @property
    def judge(self) -> Dict[str, Any]:
        """What tells how a sentence was checked."""
        names = ("similarity", "similarity_settings", "threshold", "nli")
        return {name: getattr(self, name) for name in names}


class Kind(NamedTuple):
    """A kind of task.

    title (str), instructions (str): What raters are told, unless the task says otherwise.
    settings (type): Its settings.
    read (Callable): From a form and the item's stage to an answer; raises `Refused`.
    sides (bool): Whether two sentences are shown, in an order that is drawn for each rater.
    """

    title: str
    instructions: str
    settings: Callable[..., CommonSettings]
    read: Callable[[Mapping[str, str], str], Answer]
    sides: bool = False


def clean_text(text: str) -> str:
    """A text that a rater wrote, on one line, or `Refused`."""
    if any(unicodedata.category(char) in ("Cc", "Cs") and not char.isspace() for char in text):
        raise Refused("The text holds control characters. Type it again.")
    text = normalise(text)
    if len(text) > LONGEST:
        raise Refused(f"The text is longer than {LONGEST:,} characters. Make it shorter.")
    return text


def _corrected(form: Mapping[str, str], what: str) -> Answer:
    action = form.get("action", "")
    if action not in ("accept", "fix", "reject"):
        raise Refused("Accept, fix or reject it.")
    if action != "fix":
        return {"action": action, "text": ""}
    text = clean_text(form.get("text", ""))
    if not text:
        raise Refused(f"The fixed {what} is empty. Write it, or reject the {what}.")
    if text == normalise(form.get("shown", "")):
        raise Refused(f"The {what} was not changed. Change it, or accept it.")
    return {"action": action, "text": text}


def read_correct(form: Mapping[str, str], stage: str) -> Answer:
    return _corrected(form, "sentence")


def _label(form: Mapping[str, str]) -> int:
    if form.get("label") not in ("0", "1"):
        raise Refused("Say whether the two mean the same.")
    return int(form["label"])


def read_judge(form: Mapping[str, str], stage: str) -> Answer:
    return {"label": _label(form)}


def read_grade(form: Mapping[str, str], stage: str) -> Answer:
    grades: List[int] = []
    for name, told in (("grammar1", "first"), ("grammar2", "second")):
        if form.get(name) not in ("1", "2", "3"):
            raise Refused(f"Rate the grammar of the {told} sentence from 1 to 3.")
        grades.append(int(form[name]))
    return {"label": _label(form), "grammar": grades}


def read_translate(form: Mapping[str, str], stage: str) -> Answer:
    if stage == "check":
        return _corrected(form, "translation")
    if form.get("action") == "impossible":
        return {"action": "impossible", "text": ""}
    text = clean_text(form.get("text", ""))
    if not text:
        raise Refused("The translation is empty. Write it, or say that the sentence can't be translated.")
    return {"action": "translated", "text": text}


def read_write(form: Mapping[str, str], stage: str) -> Answer:
    text = clean_text(form.get("text", ""))
    if not text:
        raise Refused("The paraphrase is empty. Write it first.")
    if text == normalise(form.get("shown", "")):
        raise Refused("That is the sentence itself. Say the same in other words.")
    return {"text": text}


KINDS: Dict[str, Kind] = {
    "correct": Kind(
        "Correct a sentence",
        "A program made this sentence. Accept it if it is good English and makes sense. Fix small faults, such as "
        "“a apple”. Reject it if it makes no sense.",
        CommonSettings,
        read_correct,
    ),
    "judge": Kind(
        "Judge a pair",
        "Do the two sentences mean the same? Small changes of wording do not matter; who does what to whom, where and "
        "when does.",
        JudgeSettings,
        read_judge,
        sides=True,
    ),
    "grade": Kind(
        "Rate the grammar of a pair",
        "How grammatical is each sentence: 1 hardly, 2 with faults, 3 well formed? Then say whether the two mean the "
        "same.",
        GradeSettings,
        read_grade,
        sides=True,
    ),
    "translate": Kind(
        "Translate a sentence",
        "Translate the sentence so that it says exactly what the original says, names too where your language has "
        "them.",
        TranslateSettings,
        read_translate,
    ),
    "write": Kind(
        "Write a paraphrase",
        "Say the same in words as different as you can find. Check shows what you would earn: nothing unless the "
        "meaning is the same, and the more the less the two look alike. Revise as often as you like, then submit.",
        WriteSettings,
        read_write,
    ),
}


def find_kind(name: str) -> Kind:
    """A kind of task by its name."""
    if name not in KINDS:
        raise PawsError(Errors.P806.format(name=name, known=", ".join(KINDS)))
    return KINDS[name]


def make_settings(kind: str, given: Mapping[str, Any]) -> Any:
    """The settings of a task, checked; those that are not given have their defaults."""
    maker = find_kind(kind).settings
    return maker(**validate(f"task {kind!r}", maker, dict(given)))


def _at_least(name: str, value: float, least: float) -> None:
    if not least <= value < float("inf"):
        raise PawsError(Errors.P015.format(name=name, what=f"at least {least}", value=value))


def _above(name: str, value: float, least: float) -> None:
    if not least < value < float("inf"):
        raise PawsError(Errors.P015.format(name=name, what=f"more than {least}", value=value))
