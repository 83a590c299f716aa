"""Substitution words (section 3.2): what a masked language model expects in both positions of a pair."""

from collections import OrderedDict
from functools import partial
from typing import Any, Callable, Collection, Dict, List, Literal, NamedTuple, Optional, Protocol, Sequence, Tuple

import numpy
from spacy.language import Language

from paws_components.plugin import Fatal

from .errors import Errors
from .masked import Masked, MaskedModel
from .positions import DEFAULT_STOP_WORDS
from .sentences import Sentence
from .vocabulary import by_form, whole_words

Context = Literal["sentence", "pair"]
# How many questions are worked on at once: bounds the memory that the distributions take.
SLICE = 512


def one_token(nlp: Language) -> Callable[[str], bool]:
    """Whether a pipeline's tokenizer leaves a word whole: "cannot" would be two tokens when the text is read again."""
    return partial(_is_one, nlp)


def _is_one(nlp: Language, word: str) -> bool:
    return len(nlp.tokenizer(word)) == 1


class Question(NamedTuple):
    """Two sentences, and the position in each that is to get the same word."""

    first: Sentence
    i: int
    second: Sentence
    j: int


class Substitutes(Protocol):
    """Proposes words that two positions can share. It may have a method `forget`, called before each attack."""

    def __call__(self, questions: Sequence[Question], top_k: int) -> List[List[str]]:
        """For each question at most `top_k` words, the best first, none of them what both positions hold already."""


class MaskedSubstitutes:
    """The words that a masked language model finds likeliest in both positions: the product of two distributions.

    Left out are pieces of words, punctuation, stop words, words that the two sentences have elsewhere, and the word
    that both positions hold already.

    model (Union[str, MaskedModel]): The model, or where it is loaded from.
    context (str): What a distribution is conditioned on. "sentence" is the paper's equation: each position sees its own
        sentence. With "pair" the model reads both sentences together, both positions masked.
    stop_words (Collection[str]): Words, in lower case, that are never substitutes.
    keep (Optional[Callable]): Says of a word whether it can be one; None for all.
    batch_size (Optional[int]): How many inputs one forward pass takes; None for what suits the device.
    cache_size (int): How many distributions are kept for questions to come.
    """

    def __init__(
        self,
        model: Any,
        *,
        context: Context = "sentence",
        stop_words: Collection[str] = DEFAULT_STOP_WORDS,
        keep: Optional[Callable[[str], bool]] = None,
        batch_size: Optional[int] = None,
        cache_size: int = 1024,
    ) -> None:
        self.model = model if isinstance(model, MaskedModel) else MaskedModel(model, batch_size)
        self.context = context
        self.cache_size = cache_size
        words = whole_words(self.model.tokenizer, stop_words, keep)
        self.numbers = numpy.array(list(words), dtype="i8")
        self.words = list(words.values())
        self.places = by_form(self.words)
        self._logs: "OrderedDict[Tuple[Masked, ...], numpy.ndarray]" = OrderedDict()
        self._lists: Dict[Tuple[Question, int], List[str]] = {}

    def forget(self) -> None:
        """Drop what is kept, so that answers do not depend on what was asked before."""
        self._logs.clear()
        self._lists.clear()

    def __call__(self, questions: Sequence[Question], top_k: int) -> List[List[str]]:
        """The words of each question, the likeliest first."""
        if len(self.words) < top_k:
            raise Fatal(Errors.S012.format(name=self.model.name, count=len(self.words), wanted=top_k))
        new = [each for each in dict.fromkeys(questions) if (each, top_k) not in self._lists]
        for start in range(0, len(new), SLICE):
            part = new[start : start + SLICE]
            self._compute([key for question in part for key in self._keys(question)])
            for question in part:
                logs = sum(self._logs[key] for key in self._keys(question))
                self._lists[question, top_k] = self._best(question, logs, top_k)
            while len(self._logs) > self.cache_size:
                self._logs.popitem(last=False)
        return [self._lists[question, top_k] for question in questions]

    def _keys(self, question: Question) -> List[Tuple[Masked, ...]]:
        """The inputs of the model whose log-probabilities add up to those of a question."""
        first, second = Masked(question.first, question.i), Masked(question.second, question.j)
        return [(first, second)] if self.context == "pair" else [(first,), (second,)]

    def _compute(self, keys: Sequence[Tuple[Masked, ...]]) -> None:
        new = [key for key in dict.fromkeys(keys) if key not in self._logs]
        if new:
            self._logs.update(zip(new, self.model(new, self.numbers)))

    def _best(self, question: Question, logs: Any, top_k: int) -> List[str]:
        first, second = question.first.words, question.second.words
        forms = {word.casefold() for place, word in enumerate(first) if place != question.i}
        forms.update(word.casefold() for place, word in enumerate(second) if place != question.j)
        if first[question.i].casefold() == second[question.j].casefold():
            forms.add(first[question.i].casefold())
        barred = [place for form in forms for place in self.places.get(form, ())]
        logs[barred] = -numpy.inf
        best = numpy.argpartition(logs, len(logs) - top_k)[-top_k:]
        # Equals go by their number in the vocabulary.
        ranked = sorted(best.tolist(), key=lambda place: (-logs[place], place))
        return [self.words[place] for place in ranked if logs[place] > -numpy.inf]
