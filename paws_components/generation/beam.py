"""Constrained beam search (PAWS, section 3.1, Figure 2c): fill the slots from left to right with fillers of the same
tag, drawn without replacement, and keep the hypotheses that a language model likes best.

Two things make it fast and near-optimal. Every complete hypothesis uses each filler as often as the source does, so
subtracting from each filler its own score in the source changes no ranking of sentences, makes hypotheses that have
used different words comparable, and counts the source itself as 0. And the score of an n-gram model depends on few
words, so that the states reachable at each slot are few: a backward pass over them bounds what any hypothesis can
still gain, and those that cannot come within the threshold of the source are dropped at once.
"""

from dataclasses import dataclass
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..lm.protocol import LanguageModel, State, Word

# Beyond this many states at one slot (long contexts, many fillers) the search does without the look-ahead.
MAX_LAYER = 4096


class SearchSlot(NamedTuple):
    """One slot of the source: the group it trades within (None if it stays), and its filler's key."""

    group: Optional[str]
    filler: Tuple[str, ...]


class Hypothesis:
    """A finished sentence: how much better than the source it scores, and the filler that stands in each slot."""

    __slots__ = ("gain", "_search", "_path")

    def __init__(self, gain: float, search: "_Search", path: Optional[tuple]) -> None:
        self.gain = gain
        self._search = search
        self._path = path

    @property
    def fillers(self) -> Tuple[Tuple[str, ...], ...]:
        """Spelled out only on demand: of a hundred hypotheses most are never looked at."""
        return self._search.unwind(self._path)


# One option from one state: the most that can be gained from here on by taking it (without look-ahead: its own gain),
# its gain, the option, and the state after it. A plain tuple, since there are very many.
_Arc = Tuple[float, float, int, State]


@dataclass
class _Step:
    """A slot with a choice, and the slots without one that follow it."""

    slot: int
    options: List[int]
    source: int
    tail: List[Word]
    tail_score: float = 0.0


# How a filler is spelled in a slot (capital at the start of a sentence, the space before it).
Spell = Callable[[Tuple[str, ...], int], Sequence[Word]]


def beam_search(
    slots: Sequence[SearchSlot],
    spell: Spell,
    lm: LanguageModel,
    *,
    width: int,
    max_loss: Optional[float] = None,
) -> Tuple[float, List[Hypothesis]]:
    """Find the best rearrangements of the fillers.

    slots (Sequence[SearchSlot]): The source, slot by slot.
    spell (Callable): Gives the words of a filler in a slot.
    lm (LanguageModel): Scores the words.
    width (int): How many hypotheses stay after each slot.
    max_loss (Optional[float]): Drop what scores worse than the source by more than this.
    RETURNS (Tuple[float, List[Hypothesis]]): The source's log-likelihood, and the hypotheses (the source among them if
        it survived), best first. With nothing to trade the list is empty and the score is 0.
    """
    search = _Search(slots, spell, lm)
    if not search.steps:
        return 0.0, []
    search.score_source()
    layers = search.look_ahead() if lm.order is not None else None
    return search.source_score, search.run(width, layers, None if max_loss is None else -max_loss)


class _Search:
    def __init__(self, slots: Sequence[SearchSlot], spell: Spell, lm: LanguageModel) -> None:
        self.slots = slots
        self.spell = spell
        self.lm = lm
        # Equal strings of one group are one filler with a count, so no sentence comes out twice.
        index: Dict[SearchSlot, int] = {}
        self.fillers: List[Tuple[str, ...]] = []
        self.counts: List[int] = []
        groups: Dict[str, List[int]] = {}
        for slot in slots:
            if slot.group is None:
                continue
            if slot not in index:
                index[slot] = len(self.fillers)
                self.fillers.append(slot.filler)
                self.counts.append(0)
                groups.setdefault(slot.group, []).append(index[slot])
            self.counts[index[slot]] += 1
        self.head: List[Word] = []
        self.steps: List[_Step] = []
        for i, slot in enumerate(slots):
            options = groups[slot.group] if slot.group is not None else []
            if len(options) > 1:
                self.steps.append(_Step(i, options, index[slot], []))
            else:
                (self.steps[-1].tail if self.steps else self.head).extend(spell(slot.filler, i))

    def score_source(self) -> None:
        """Score the source once; each filler's mean score there is its price from then on."""
        (score,), (state,) = self.lm.extend([self.lm.begin()], [self.head])
        self.start = state
        prices = [0.0] * len(self.fillers)
        for step in self.steps:
            (word_score,), (state,) = self.lm.extend([state], [self.spell(self.fillers[step.source], step.slot)])
            (step.tail_score,), (state,) = self.lm.extend([state], [step.tail])
            prices[step.source] += word_score
            score += word_score + step.tail_score
        (self.end_score,) = self.lm.end([state])
        self.source_score = score + self.end_score
        self.prices = [price / count for price, count in zip(prices, self.counts)]

    def expand(self, step: _Step, states: Sequence[State]) -> Dict[State, List[_Arc]]:
        """Every option of the step from every state, in one question to the language model."""
        options = step.options
        words = [self.spell(self.fillers[option], step.slot) for option in options]
        asked = [state for state in states for _ in options]
        scores, after = self.lm.extend(asked, words * len(states))
        if step.tail:
            tails, after = self.lm.extend(after, [step.tail] * len(after))
            scores = [score + tail for score, tail in zip(scores, tails)]
        arcs: Dict[State, List[_Arc]] = {}
        k = 0
        for state in states:
            found = []
            for option in options:
                gain = scores[k] - self.prices[option] - step.tail_score
                found.append((gain, gain, option, after[k]))
                k += 1
            arcs[state] = found
        return arcs

    def end_gains(self, states: Sequence[State]) -> Dict[State, float]:
        return {state: end - self.end_score for state, end in zip(states, self.lm.end(states))}

    def look_ahead(self) -> Optional[List[Dict[State, List[_Arc]]]]:
        """All arcs of all steps, each with a bound on what follows: the best path if fillers could be used again."""
        layers: List[Dict[State, List[_Arc]]] = []
        states: List[State] = [self.start]
        for step in self.steps:
            if len(states) * len(step.options) > MAX_LAYER:
                return None
            arcs = self.expand(step, states)
            layers.append(arcs)
            states = list(dict.fromkeys(arc[3] for found in arcs.values() for arc in found))
        best = self.end_gains(states)
        for arcs in reversed(layers):
            earlier = {}
            for state, found in arcs.items():
                bounded = [(gain + best[after], gain, option, after) for _, gain, option, after in found]
                bounded.sort(key=_bound, reverse=True)
                arcs[state] = bounded
                earlier[state] = bounded[0][0]
            best = earlier
        return layers

    def run(
        self, width: int, layers: Optional[List[Dict[State, List[_Arc]]]], floor: Optional[float]
    ) -> List[Hypothesis]:
        # How often each filler was used is one integer: a digit of its own for every filler.
        units, digits, limits, shift = [], [], [], 0
        for count in self.counts:
            bits = count.bit_length()
            units.append(1 << shift)
            digits.append(((1 << bits) - 1) << shift)
            limits.append(count << shift)
            shift += bits
        # A hypothesis is (bound, gain, used, state, path); a path is (path before, option).
        beam: List[tuple] = [(0.0, 0.0, 0, self.start, None)]
        lowest = float("-inf") if floor is None else floor
        for i, step in enumerate(self.steps):
            arcs = layers[i] if layers else self.expand(step, list(dict.fromkeys(hyp[3] for hyp in beam)))
            # Without the look-ahead a bound is not a bound, only the gain so far.
            cut = lowest if layers else float("-inf")
            grown = []
            for _, gain, used, state, path in beam:
                for bound, step_gain, option, after in arcs[state]:
                    bound += gain
                    if bound < cut:
                        if layers:
                            break  # sorted: the rest are worse
                        continue
                    if used & digits[option] != limits[option]:
                        grown.append((bound, gain + step_gain, used + units[option], after, (path, option)))
            if len(grown) > width:
                grown.sort(key=_bound, reverse=True)
                del grown[width:]
            beam = grown
        if not layers:
            ends = self.end_gains(list(dict.fromkeys(hyp[3] for hyp in beam)))
            beam = [(gain + ends[state], gain, used, state, path) for _, gain, used, state, path in beam]
        beam = [hyp for hyp in beam if hyp[0] >= lowest]
        beam.sort(key=_bound, reverse=True)
        return [Hypothesis(hyp[0], self, hyp[4]) for hyp in beam]

    def unwind(self, path: Optional[tuple]) -> Tuple[Tuple[str, ...], ...]:
        options = []
        while path is not None:
            path, option = path
            options.append(option)
        fillers = [slot.filler for slot in self.slots]
        for step, option in zip(self.steps, reversed(options)):
            fillers[step.slot] = self.fillers[option]
        return tuple(fillers)


def _bound(scored: tuple) -> float:
    return scored[0]
