"""Two spans trade places: every such exchange of a template, scored around the places that change."""

from typing import Callable, Dict, List, Sequence, Tuple

from ..lm.protocol import LanguageModel, State, Word, score_sentences
from .beam import SearchSlot, Spell


class Exchange:
    """How much better than the source the sentence scores, and the two slots whose fillers traded places."""

    __slots__ = ("gain", "first", "second", "_slots")

    def __init__(self, gain: float, first: int, second: int, slots: Sequence[SearchSlot]) -> None:
        self.gain = gain
        self.first = first
        self.second = second
        self._slots = slots

    @property
    def fillers(self) -> Tuple[Tuple[str, ...], ...]:
        """What stands in each slot; spelled out only on demand."""
        filled = [slot.filler for slot in self._slots]
        filled[self.first], filled[self.second] = filled[self.second], filled[self.first]
        return tuple(filled)


def find_exchanges(
    slots: Sequence[SearchSlot], spell: Spell, lm: LanguageModel, allowed: Callable[[int, int], bool]
) -> Tuple[float, List[Exchange]]:
    """All exchanges that are allowed.

    slots (Sequence[SearchSlot]): The source, slot by slot.
    spell (Callable): Gives the words of a filler in a slot.
    lm (LanguageModel): Scores the words.
    allowed (Callable): Whether the fillers of two slots may trade.
    RETURNS (Tuple[float, List[Exchange]]): The source's log-likelihood, and the exchanges. With none the score is 0.
    """
    groups: Dict[str, List[int]] = {}
    for i, slot in enumerate(slots):
        if slot.group is not None:
            groups.setdefault(slot.group, []).append(i)
    pairs = [
        (i, j)
        for members in groups.values()
        for k, i in enumerate(members)
        for j in members[k + 1 :]
        if slots[i].filler != slots[j].filler and allowed(i, j)
    ]
    if not pairs:
        return 0.0, []
    words = [spell(slot.filler, i) for i, slot in enumerate(slots)]
    score = _in_full if lm.order is None else _around
    return score(slots, words, spell, lm, pairs)


_Scored = Tuple[float, List[Exchange]]
_Words = List[Sequence[Word]]


def _in_full(
    slots: Sequence[SearchSlot], words: _Words, spell: Spell, lm: LanguageModel, pairs: List[Tuple[int, int]]
) -> _Scored:
    """Sentence by sentence, all in one question: for models whose score depends on all that went before."""
    sentences = [words]
    for i, j in pairs:
        changed = list(words)
        changed[i], changed[j] = spell(slots[j].filler, i), spell(slots[i].filler, j)
        sentences.append(changed)
    source, *scores = score_sentences(lm, [[word for part in sentence for word in part] for sentence in sentences])
    return source, [Exchange(score - source, i, j, slots) for score, (i, j) in zip(scores, pairs)]


def _around(
    slots: Sequence[SearchSlot], words: _Words, spell: Spell, lm: LanguageModel, pairs: List[Tuple[int, int]]
) -> _Scored:
    """From each change on until the model is in the state it had in the source: a few words for an n-gram model."""
    extend = lm.extend
    size = len(slots)
    states: List[State] = [lm.begin()]
    total = [0.0]
    for part in words:
        (score,), (state,) = extend(states[-1:], [part])
        states.append(state)
        total.append(total[-1] + score)
    end = lm.end(states[-1:])[0]
    found = []
    for i, j in pairs:
        new = {i: spell(slots[j].filler, i), j: spell(slots[i].filler, j)}
        gain, at, state = 0.0, i, states[i]
        while at < size:
            if at not in new and state == states[at]:
                if at > j:
                    break
                at, state = j, states[j]
            (score,), (state,) = extend([state], [new.get(at, words[at])])
            gain += score - (total[at + 1] - total[at])
            at += 1
        else:
            gain += lm.end([state])[0] - end
        found.append(Exchange(gain, i, j, slots))
    return total[-1] + end, found
