"""The beam search of section 3.3, over many examples at once."""

from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from paws_components.plugin import PawsError, Target, gold_score, says_paraphrase

from .errors import Errors
from .examples import Example
from .positions import PositionPair
from .queries import Answers, ask
from .sentences import Pair
from .substitutes import Question, Substitutes

SUCCEEDED, FAILED, SKIPPED = "succeeded", "failed", "skipped"
ALREADY_WRONG, NO_POSITION = "already wrong", "no replaceable position"


@dataclass(frozen=True)
class Settings:
    """How far a search goes. The defaults are the paper's for QQP (appendix A).

    steps (int): S, how many pairs of words are replaced at most.
    top_k (int): K, how many substitutes a pair of positions has.
    beam (int): B, how many modifications are kept in each stage.
    max_queries (int): How often the target is asked about an example at most; 0 for no limit.
    again (bool): Whether positions that were replaced may be replaced once more in a later step.
    """

    steps: int = 5
    top_k: int = 25
    beam: int = 25
    max_queries: int = 0
    again: bool = False

    def __post_init__(self) -> None:
        for name, least in (("steps", 1), ("top_k", 1), ("beam", 1), ("max_queries", 0)):
            if getattr(self, name) < least:
                raise PawsError(Errors.S003.format(name=name, what=f"at least {least}", value=getattr(self, name)))

    def to_dict(self) -> Dict[str, Any]:
        return asdict(self)


PRESETS = {"qqp": Settings(), "mrpc": Settings(steps=10, top_k=50, beam=50)}


class Change(NamedTuple):
    """A step: the positions in both sentences, what they held, and the word that both got."""

    i: int
    j: int
    was_first: str
    was_second: str
    word: str


class State(NamedTuple):
    """A modification: the target's score of the gold label, and whether it fails there."""

    pair: Pair
    changes: Tuple[Change, ...]
    score: float
    fooled: bool


@dataclass(frozen=True)
class Outcome:
    """What came of an attack on an example.

    example (Example): The example.
    pair (Pair): The modification that the target scores lowest; the example itself if it was skipped.
    changes (Tuple[Change, ...]): The steps to it.
    before (float), after (float): The target's score of the gold label, for the example and the modification.
    status (str): "succeeded" if the target fails on the modification; "skipped" if it failed on the example already,
        or there was nothing to replace; else "failed".
    reason (str): Why an example was skipped.
    queries (int), cached (int): How often the target was asked, and how many queries repeated an earlier one.
    """

    example: Example
    pair: Pair
    changes: Tuple[Change, ...]
    before: float
    after: float
    status: str
    reason: str
    queries: int
    cached: int

    @property
    def right_before(self) -> bool:
        """Whether the target is right about the example."""
        return self.reason != ALREADY_WRONG

    @property
    def right_after(self) -> bool:
        """Whether the target is right about the modification."""
        return self.right_before and self.status != SUCCEEDED


class Search:
    """The search for a modification of one example. Whoever runs it has the queries of each stage answered."""

    def __init__(self, example: Example, settings: Settings, blank: str) -> None:
        self.example = example
        self.settings = settings
        self.blank = blank
        self.answers = Answers()
        self.original: Optional[State] = None
        self.best: Optional[State] = None
        self.beam: List[State] = []
        self.reason = ""
        # Modifications that are being asked about, each with the state it comes from.
        self.waiting: Dict[Pair, Tuple[State, PositionPair, str]] = {}
        self.chosen: List[Tuple[State, PositionPair]] = []

    @property
    def open(self) -> bool:
        return bool(self.beam)

    @property
    def left(self) -> int:
        """How often the target may still be asked."""
        most = self.settings.max_queries
        return max(0, most - self.answers.asked) if most else 10**9

    def begin(self) -> None:
        """With the answer to the example itself: whether there is anything to search for."""
        self.original = self._state(self.example.pair, ())
        if self.original.fooled:
            self.reason = ALREADY_WRONG
        elif not self.example.positions:
            self.reason = NO_POSITION
        else:
            self.beam = [self.original]

    def blanked(self) -> List[Pair]:
        """The first stage: every pair of replaceable positions of every state blanked. A step without positions, or
        without queries to spend, is not taken."""
        self.waiting = {}
        if not self.settings.again:
            # With more words replaced, nothing is asked that was asked before.
            self.answers.forget()
        for state in self.beam:
            for positions in self._free(state):
                self._wait(state, positions, self.blank)
        # A budget that the first stage would use up finds nothing: the second gets half of what is left at least.
        wanted = self.answers.drawn(self.waiting, self.left // 2)
        if not wanted:
            self.beam = []
        return wanted

    def choose_positions(self, asked: Sequence[Pair]) -> List[Question]:
        """With the answers: the best of these, as questions about what to put there."""
        self.chosen = [self.waiting[pair][:2] for pair in self._lowest(asked)]
        return [Question(state.pair[0], i, state.pair[1], j) for state, (i, j) in self.chosen]

    def substituted(self, words: Sequence[Sequence[str]]) -> List[Pair]:
        """The second stage: every substitute in every pair of positions that was chosen."""
        self.waiting = {}
        # Where the budget ends, every pair of positions has been asked about with its likeliest words.
        for ranked in zip_longest(*words):
            for (state, positions), word in zip(self.chosen, ranked):
                if word is not None:
                    self._wait(state, positions, word)
        return self.answers.first(self.waiting, self.left)

    def choose_words(self, asked: Sequence[Pair]) -> None:
        """With the answers: the new beam. The search ends when the target fails on the best of it."""
        self.beam = [self._modified(pair) for pair in self._lowest(asked)]
        if self.beam and (self.best is None or self.beam[0].score < self.best.score):
            self.best = self.beam[0]
        if self.best is not None and self.best.fooled:
            self.beam = []

    def outcome(self) -> Outcome:
        assert self.original is not None
        state = self.best or self.original
        reason = self.reason
        if not reason and self.best is None:
            # The language model had no word to offer, or the budget none to ask about.
            reason = NO_POSITION
        status = SKIPPED if reason else SUCCEEDED if state.fooled else FAILED
        scores = self.original.score, state.score
        counts = self.answers.asked, self.answers.cached
        return Outcome(self.example, state.pair, state.changes, *scores, status, reason, *counts)

    def _free(self, state: State) -> List[PositionPair]:
        if not state.changes:
            return list(self.example.positions)
        firsts = {change.i for change in state.changes}
        seconds = {change.j for change in state.changes}
        (first, _), (second, _) = state.pair
        return [
            (i, j)
            for i, j in self.example.positions
            if (i not in firsts and j not in seconds)
            or (self.settings.again and (not self.example.label or first[i].casefold() == second[j].casefold()))
        ]

    def _lowest(self, asked: Sequence[Pair]) -> List[Pair]:
        """The B queries with the lowest score of the gold label; equals stay in their order."""
        return sorted(asked, key=self._score)[: self.settings.beam]

    def _wait(self, state: State, positions: PositionPair, word: str) -> None:
        """Have a modification asked about. What another order of steps leads to as well is asked about once."""
        (i, j), (first, second) = positions, state.pair
        pair = first.with_word(i, word), second.with_word(j, word)
        if pair in self.waiting:
            self.answers.cached += 1
        else:
            self.waiting[pair] = state, positions, word

    def _modified(self, pair: Pair) -> State:
        state, (i, j), word = self.waiting[pair]
        first, second = state.pair
        return self._state(pair, (*state.changes, Change(i, j, first.words[i], second.words[j], word)))

    def _state(self, pair: Pair, changes: Tuple[Change, ...]) -> State:
        fooled = says_paraphrase(self.answers[pair]) != bool(self.example.label)
        return State(pair, changes, self._score(pair), fooled)

    def _score(self, pair: Pair) -> float:
        return gold_score(self.answers[pair], self.example.label)


def attack(
    examples: Sequence[Example],
    target: Target,
    substitutes: Substitutes,
    settings: Settings = Settings(),
) -> List[Outcome]:
    """Attack examples. Their queries go to the target together, while each has a beam of its own.

    examples (Sequence[Example]): The examples.
    target (Target): The classifier that is to fail.
    substitutes (Substitutes): Proposes words.
    settings (Settings): How far the search goes.
    RETURNS (List[Outcome]): An outcome for each example. The same arguments give the same outcomes.
    """
    forget = getattr(substitutes, "forget", None)
    if forget is not None:
        forget()
    searches = [Search(example, settings, target.blank) for example in examples]
    ask(target, [(search.answers, [search.example.pair]) for search in searches])
    for search in searches:
        search.begin()
    for _ in range(settings.steps):
        blanked = [(search, search.blanked()) for search in searches if search.open]
        blanked = [(search, asked) for search, asked in blanked if asked]
        if not blanked:
            break
        ask(target, [(search.answers, asked) for search, asked in blanked])
        questions = [search.choose_positions(asked) for search, asked in blanked]
        words = iter(substitutes([each for found in questions for each in found], settings.top_k))
        modified = [
            (search, search.substituted([next(words) for _ in found])) for (search, _), found in zip(blanked, questions)
        ]
        ask(target, [(search.answers, asked) for search, asked in modified])
        for search, asked in modified:
            search.choose_words(asked)
    return [search.outcome() for search in searches]
