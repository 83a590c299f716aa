"""What a language model must be able to do, and what can be done with any that does."""

from typing import Hashable, List, Optional, Protocol, Sequence, Tuple, runtime_checkable

# A word as it stands in the text, with what precedes it: " house", "'s", or "\nThe" for the first word of a further
# sentence. N-gram models look at the word alone; sub-word models need the space.
Word = str
State = Hashable


@runtime_checkable
class LanguageModel(Protocol):
    """Begin a sentence, extend many states by many words at once, end. Scores are natural logarithms."""

    @property
    def order(self) -> Optional[int]:
        """How many words a score depends on, itself included; None where that is all of the sentence."""

    def begin(self) -> State:
        """The state before the first word of a sentence."""

    def extend(self, states: Sequence[State], words: Sequence[Sequence[Word]]) -> Tuple[List[float], List[State]]:
        """Continue each state with its words: the log-probability of those words, and the state after them."""

    def end(self, states: Sequence[State]) -> List[float]:
        """The log-probability that the sentence ends at each state."""


def score_sentences(lm: LanguageModel, sentences: Sequence[Sequence[Word]]) -> List[float]:
    """The log-likelihood of each sentence, ends included."""
    start = lm.begin()
    scores, states = lm.extend([start] * len(sentences), sentences)
    return [score + end for score, end in zip(scores, lm.end(states))]
