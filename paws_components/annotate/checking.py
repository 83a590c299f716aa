"""What the Check button of the writing task says: mutual implication, similarity, and the reward of equation 1."""

import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..errors import Errors, PawsError
from ..plugins import host

# The judge that needs no model.
BY_WORDS = "by_words"
# What somebody else's judge calls the metric of the task: `paws-apt` registers it.
REWARD = "apt_reward"


class Check(NamedTuple):
    """What was found out about a paraphrase.

    mi (bool): Whether each sentence entails the other.
    similarity (float): How alike they look.
    reward (float): Equation 1.
    forward (float), backward (float): The probabilities that the first entails the second, and the other way about.
    """

    mi: bool
    similarity: float
    reward: float
    forward: float
    backward: float


class ByWords:
    """Guesses mutual implication from words alone, for trying the page where no NLI model is at hand.

    A sentence is taken to entail another if at least half of the other's content words begin like words of its own, and
    both have the same numbers and as many negations. It is rough: nothing that it says is worth publishing.
    """

    def __init__(self) -> None:
        from ..lang import stop_words

        self.stop_words = frozenset(stop_words("en"))

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[Any]:
        return [self._ask(one, two) for one, two in pairs]

    def _ask(self, one: str, two: str) -> "Guess":
        first, second = (self._stems(text) for text in (one, two))
        forward, backward = (len(first & second) / max(1, len(side)) for side in (second, first))
        kept = [word for word in first | second if word.isdigit() or word in ("not", "never", "no")]
        same = all((word in first) == (word in second) for word in kept)
        return Guess(forward, backward, same and min(forward, backward) >= 0.5)

    def _stems(self, text: str) -> set:
        words = [word.strip(".,;:!?\"'()").replace("’", "'") for word in text.lower().replace("n't", " not").split()]
        kept = ("not", "never", "no")
        return {word[:5] for word in words if word and (word in kept or word not in self.stop_words)}


class Guess(NamedTuple):
    forward: float
    backward: float
    verdict: bool


class Overlap:
    """How alike two sentences look: the cosine of their bags of words, stretched from -1 to 1, BLEURT's scale."""

    def __init__(self) -> None:
        # The server starts without spaCy, which this imports.
        from ..metrics.measure import TextMetric

        self.cosine = TextMetric("bow_cosine")

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[float]:
        return [2 * value - 1 for value in self.cosine(pairs)]


class Checker:
    """Checks paraphrases, one at a time: a model has one pass in hand.

    settings (Mapping[str, Any]): `similarity`, `similarity_settings`, `threshold` and `nli`, as of the metric
        `apt_reward`; the similarity "by_words" needs no model.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        names = ("similarity", "similarity_settings", "threshold", "nli")
        given: Dict[str, Any] = {name: settings[name] for name in names if settings.get(name) not in (None, {})}
        self.rough = given.get("similarity") == BY_WORDS
        if self.rough:
            given = {"similarity": "bow_cosine", "threshold": given.get("threshold", 0.5)}
        if REWARD not in host().registered["metrics"]:
            raise PawsError(Errors.P813)
        self._judge = host().make("metrics", REWARD, given).judge
        if self.rough:
            self._judge.implication, self._judge.similarity = ByWords(), Overlap()
        self._turn = threading.Lock()

    def __call__(self, sentence: str, paraphrase: str) -> Check:
        """Check a paraphrase of a sentence."""
        with self._turn:
            (found,) = self._judge([(sentence, paraphrase)])
        return Check(found.mi, found.similarity, found.reward, found.forward, found.backward)


class Checkers:
    """A checker for each way of checking, made when the first sentence comes."""

    def __init__(self) -> None:
        self._made: Dict[str, Checker] = {}
        self._turn = threading.Lock()

    def __call__(self, settings: Mapping[str, Any]) -> Checker:
        key = repr([settings.get(name) for name in ("similarity", "similarity_settings", "threshold", "nli")])
        with self._turn:
            if key not in self._made:
                self._made[key] = Checker(settings)
            return self._made[key]


def is_rough(settings: Mapping[str, Any]) -> bool:
    """Whether a task is checked without a model."""
    return settings.get("similarity") == BY_WORDS
