import json
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Dict, Iterator, Optional, Tuple

from spacy.language import Language
from spacy.training import Example

from ..errors import Errors, PawsError
from ..models import load_with
from ..pairs import BINARY_CATS, NOT_PARAPHRASE, pair_spans
from ..plugins import host
from ..readers import read_pairs
from ..records import normalise
from .labelled import Pair
from .mixing import check_share
from .readers import make_example

GENERATOR = "word_swap"


def make_swap_augmenter(
    level: float,
    model: Optional[str] = None,
    path: Optional[str] = None,
    settings: Dict[str, Any] = {},  # noqa: B006 - never changed
    seed: int = 0,
) -> "SwapAugmenter":
    """Create an augmenter that adds word swaps as negatives: `paws.swap_augmenter.v1`. The settings are those of
    `SwapAugmenter`.
    """
    return SwapAugmenter(level, model=model, path=path, settings=settings, seed=seed)


class SwapAugmenter:
    """Besides a pair, now and then yields one of its sentences with its best word swap, which is not a paraphrase.

    level (float): The share of Examples that another one is made from.
    model (Optional[str]): The spaCy pipeline that tags the sentences, loaded when it is first needed; None for the
        default of the language.
    path (Optional[str]): A file of pairs that `paws generate` made of the sentences, to take the swaps from.
    settings (Dict[str, Any]): Settings of the generator "word_swap".
    seed (int): The seed of what is chosen.
    """

    def __init__(
        self,
        level: float,
        *,
        model: Optional[str] = None,
        path: Optional[str] = None,
        settings: Optional[Dict[str, Any]] = None,
        seed: int = 0,
    ) -> None:
        check_share("level", level)
        if path is not None and (model is not None or settings):
            raise PawsError(Errors.P211.format(one="path", other="model" if model is not None else "settings"))
        self.level = level
        self.model = model
        self.path = path
        self.settings = json.dumps(dict(settings or {}), sort_keys=True)
        self.random = Random(f"paws:{seed}:augment")

    def __call__(self, nlp: Language, example: Example) -> Iterator[Example]:
        """Augment one Example.

        nlp (Language): The pipeline that is trained; its tokenizer is used.
        example (Example): The Example.
        YIELDS (Example): The Example itself, and perhaps another.
        """
        yield example
        if self.random.random() >= self.level:
            return
        cats = example.reference.cats
        if not cats or not set(cats) <= set(BINARY_CATS):
            raise PawsError(Errors.P309.format(name=NOT_PARAPHRASE, known=", ".join(cats) or "none"))
        sentences = [span.text for span in pair_spans(example.reference)]
        if self.random.random() < 0.5:
            sentences.reverse()
        for sentence, other in (sentences, sentences[::-1]):
            swap = self.find(sentence, nlp.lang or "")
            # The other sentence may be that swap: then the pair is there already, with a label that somebody gave it.
            if swap and swap.casefold() != other.casefold():
                yield make_example(nlp, Pair(sentence, swap, NOT_PARAPHRASE, "silver", 0))
                return

    def find(self, sentence: str, lang: str) -> Optional[str]:
        """The best swap of a sentence, if it has one."""
        if self.path is not None:
            return swaps_of(self.path).get(sentence)
        return _finder(self.model, lang, self.settings)(sentence) if sentence else None


class SwapFinder:
    """Finds swaps one by one and remembers them: an augmenter gets one Example at a time, and the same ones again."""

    def __init__(self, model: Optional[str], lang: str, settings: Dict[str, Any]) -> None:
        self.nlp = load_with(host().find("generators", GENERATOR).needs, model, lang=lang)
        self.generator = host().make("generators", GENERATOR, settings, self.nlp)
        self.known: Dict[str, Optional[str]] = {}

    def __call__(self, sentence: str) -> Optional[str]:
        if sentence not in self.known:
            # The words of all sentences would stay in the vocabulary otherwise.
            with self.nlp.memory_zone():
                found = self.generator([self.nlp(sentence)])[0]
            self.known[sentence] = normalise(found[0]["text"]) if found else None
        return self.known[sentence]


# `spacy train` makes every corpus twice and reads it four times before the first step: all of them share one finder.
@lru_cache(maxsize=4)
def _finder(model: Optional[str], lang: str, settings: str) -> SwapFinder:
    return SwapFinder(model, lang, json.loads(settings))


def swaps_of(path: str) -> Dict[str, str]:
    """The swaps that a file of pairs holds: for each first sentence the first second one that is not a paraphrase.

    path (str): JSONL, PAWS TSV or Parquet, as `paws generate` writes them: the best swap of a sentence comes first.
    RETURNS (Dict[str, str]): The swaps by sentence.
    """
    try:
        stat = Path(path).stat()
    except OSError as error:
        raise PawsError(Errors.P020.format(path=path, reason=error)) from error
    return _swaps_of(path, (stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=4)
def _swaps_of(path: str, _: Tuple[int, int]) -> Dict[str, str]:
    swaps: Dict[str, str] = {}
    count = 0
    for count, record in enumerate(read_pairs(path), 1):
        first, second = normalise(record.sentence1), normalise(record.sentence2)
        if record.label != 1 and first and second and first.casefold() != second.casefold():
            swaps.setdefault(first, second)
    if not swaps:
        raise PawsError(Errors.P310.format(path=path, reason=f"it has {count} pairs, and none is a negative one"))
    return swaps
