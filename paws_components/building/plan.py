"""What `build.yml` says: texts, generators, who labels, splits."""

import re
import shutil
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import srsly
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from ..corpora import sample_text
from ..curation.card import check_formats
from ..curation.splitting import check_sizes
from ..curation.votes import AGREEING, RATERS, check_bar
from ..errors import Errors, PawsError
from ..generation.job import GenerateJob
from ..records import PathLike

PLAN = "build.yml"
SILVER, PEOPLE = "silver", "people"
SAMPLE = re.compile(r"sample_(\w+)")


class Strict(BaseModel):
    """What has no other keys than these."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())


class Generation(Strict):
    """How pairs are made, or the file that has them already.

    generator (str), settings (Dict[str, Any]): As in `paws generate`.
    model (Optional[str]): The spaCy pipeline; None for the default of the language.
    file (Optional[str]): Pairs that were made before; nothing is generated then.
    """

    generator: str = "word_swap"
    settings: Dict[str, Any] = Field(default_factory=dict)
    model: Optional[str] = None
    file: Optional[str] = None


class Labels(Strict):
    """Who labels.

    by (str): "silver" (swaps 0, back translations 1), "people", "mi", or a classifier as `paws evaluate` takes it.
    settings (Dict[str, Any]): Of a model.
    correct (bool): Whether people also accept, fix or reject the sentences of swaps.
    raters (int), agreeing (int): How many people judge a pair, and how many must agree for it to stay.
    wait (bool): Whether to wait until all pairs have their votes; else those with too few are set apart.
    """

    by: str = SILVER
    settings: Dict[str, Any] = Field(default_factory=dict)
    correct: bool = True
    raters: int = RATERS
    agreeing: int = AGREEING
    wait: bool = True


class Plan(Strict):
    """A data set to be built.

    name (str): What it is called; the name of its folder if it is not said.
    texts (List[str]): Where its sentences come from: files, data sets, or the names of corpora.
    field (str), sentences (bool), limit (Optional[int]): How they are read, as in `paws generate`.
    lang (str): Their language.
    source (str), license (str): What the text is and what may be done with it, for the card.
    seed (int): Of all that is drawn.
    n_process (int): How many processes generate.
    swaps (Generation), back (Optional[Generation]): Word swapping and back translation; without the latter the swaps
        alone are the set.
    labels (Labels): Who labels; a name alone will do.
    splits (Dict[str, Union[int, float]]): How large the splits besides train are: numbers, or shares below 1.
    paraphrases (float): The share of paraphrases that is wanted, at the least: other pairs are drawn; 0 keeps all.
    apart_from (List[str]): Corpora that no sentence may be shared with, such as test sets.
    kinds (bool): Whether to count the kinds of change, which asks a spaCy pipeline about back translations.
    formats (List[str]): What is written: jsonl, tsv, csv, parquet.
    """

    name: str = ""
    texts: List[str] = Field(default_factory=list)
    field: str = "text"
    sentences: bool = False
    limit: Optional[int] = None
    lang: str = "en"
    source: str = ""
    license: str = ""
    seed: int = 0
    n_process: int = 1
    swaps: Generation = Field(default_factory=Generation)
    back: Optional[Generation] = None
    labels: Labels = Field(default_factory=Labels)
    splits: Dict[str, Union[int, float]] = Field(default_factory=dict)
    paraphrases: float = Field(default=0.0, ge=0, lt=1)
    apart_from: List[str] = Field(default_factory=list)
    kinds: bool = True
    formats: List[str] = Field(default_factory=lambda: ["jsonl", "tsv", "parquet"], min_length=1)

    @field_validator("labels", mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"by": value} if isinstance(value, str) else value

    @field_validator("texts", "apart_from", "formats", mode="before")
    @classmethod
    def _one_alone(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_a_beginning(self) -> "Plan":
        if not self.texts and not self.swaps.file:
            raise ValueError("name the `texts`, or a `file` of `swaps`")
        return self

    _root: Path = PrivateAttr(default=Path())

    def found(self, name: str) -> str:
        """A source as others see it: a file that is seen from the project's folder, a sample text, or what it is."""
        if (self._root / name).exists():
            return str(self._root / name)
        sample = SAMPLE.fullmatch(name)
        return str(sample_text(sample[1])) if sample else name

    @property
    def people(self) -> bool:
        """Whether people are asked."""
        return self.labels.by == PEOPLE


def read_plan(folder: PathLike) -> Plan:
    """The plan of a project. Its generators and their settings are looked at; whether its files are there is not.

    folder (Union[str, Path]): The project.
    RETURNS (Plan): The plan. Our error for what it can't mean.
    """
    root = Path(folder)
    path = root / PLAN
    if not path.is_file():
        raise PawsError(Errors.P721.format(path=str(path), folder=str(folder)))
    try:
        plan = Plan.model_validate(srsly.read_yaml(path) or {})
    except ValidationError as error:
        reasons = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the plan'}: {one['msg']}" for one in error.errors())
        raise PawsError(Errors.P722.format(path=str(path), reason=reasons)) from error
    except Exception as error:  # YAML has many kinds of its own
        reason = " ".join(str(error).split())
        raise PawsError(Errors.P722.format(path=str(path), reason=reason)) from error
    plan._root = root
    plan.name = plan.name or root.resolve().name
    check_bar(plan.labels.raters, plan.labels.agreeing)
    check_sizes(plan.splits)
    check_formats(plan.formats)
    for generation in (plan.swaps, plan.back):
        if generation is not None and not generation.file:
            generate_job(plan, generation).check()
    return plan


def generate_job(plan: Plan, one: Generation) -> GenerateJob:
    """The job that makes pairs as the plan has it."""
    sentences = plan.sentences and one is plan.swaps
    return GenerateJob(one.generator, one.settings, one.model, plan.lang, sentences, seed=plan.seed)


TEMPLATE = """\
# What `paws build` makes a data set of. Paths are seen from this folder; docs/build.md has every key.

texts: [sample_en]          # files (.txt, .jsonl, .parquet; .gz, .xz), data sets, or corpora that `paws corpora` lists
# sentences: true           # lines are paragraphs: cut them into sentences first
# limit: 10000
lang: en
source: the sample text of paws-components
license: mit                # of the text, as the hub writes it: mit, cc-by-sa-4.0, …
seed: 0
n_process: 1

# The settings of a generator: `paws plugins word_swap`, `paws plugins back_translation`. These let more through than
# the defaults do, since the sample text has 30 sentences: for a text of your own, begin without the numbers.
swaps:
  generator: word_swap
  settings: {naturalness: 0.3}

# Without this block the swaps alone are the set. apertium is Debian's `apertium-eng-spa`; marian and ctranslate2 are
# neural, and better: {translator: marian, pivots: [de]}
back:
  generator: back_translation
  settings: {TRANSLATOR, min_bow_cosine: 0.8, reordered_share: 0}

labels:
  by: silver                # swaps 0, back translations 1; or people, mi, or a trained classifier
  # correct: true           # people: they accept, fix or reject each swap first, without its source
  # raters: 5               # people: so many judge a pair,
  # agreeing: 4             # and so many must agree for it to stay

splits: {dev: 0.15, test: 0.15}   # numbers (8000) or shares; the rest is train
# paraphrases: 0.44         # draw non-paraphrases until this share is left
# apart_from: [test.tsv]    # drop pairs that share a sentence with these
formats: [jsonl, tsv, parquet]
"""


# What the template proposes, where Apertium is there and where not.
TRANSLATORS = {True: "translator: apertium, pivots: [es]", False: "translator: marian, pivots: [de]"}


def write_template(folder: PathLike) -> Path:
    """Begin a project: a folder with a plan that runs as it is, on the sample text. A plan that is there stays.

    folder (Union[str, Path]): The folder; it is made if it is not there.
    RETURNS (Path): The plan.
    """
    path = Path(folder) / PLAN
    if path.exists():
        raise PawsError(Errors.P723.format(path=str(path)))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        translator = TRANSLATORS[shutil.which("apertium") is not None]
        path.write_text(TEMPLATE.replace("TRANSLATOR", translator), encoding="utf8")
    except OSError as error:
        raise PawsError(Errors.P021.format(path=str(path), reason=error)) from error
    return path
