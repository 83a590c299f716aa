"""From a sentence and its templates to swaps: search, choice and surface form put together."""

import math
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any, Collection, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ..errors import Errors, PawsError
from ..lm.protocol import LanguageModel, Word, score_sentences
from .beam import Hypothesis, SearchSlot, beam_search
from .constraints import ALL, TWO_SPANS, check_constraints, stopped_by
from .exchange import Exchange, find_exchanges
from .judging import Judgement, Proposal, Question
from .lists import is_list_permutation
from .surface import fill_spaces, initial_case, plain_case
from .template import Slot, Template
from .tokens import Tokens

# A swap as plain data; see docs/swapping.md.
Swap = Dict[str, Any]
_Found = Union[Hypothesis, Exchange]

# Scores are compared and given out to this many digits: enough for any use, and free of the noise of summation.
DIGITS = 6
JUDGED_DIGITS = 4
# The widest beam, and the most swaps of a Doc: a hundred times the default beam. More would only fill the memory.
MOST = 10_000


@dataclass(frozen=True)
class SwapSettings:
    """What is searched for and kept; the fields are part of the config of `paws_swapper`. Making it checks them."""

    n_best: int
    beam_width: int
    threshold: Optional[float]
    keep_list_permutations: bool
    fix_articles: bool
    constraints: Tuple[str, ...] = ()
    naturalness: Optional[float] = None

    def __post_init__(self) -> None:
        check_constraints(self.constraints)
        if self.naturalness is not None and not 0 <= self.naturalness <= 1:
            raise PawsError(Errors.P015.format(name="naturalness", what="from 0 to 1", value=self.naturalness))
        for name, value in (("n_best", self.n_best), ("beam_width", self.beam_width)):
            if not 1 <= value <= MOST:
                what = f"from 1 to {MOST:,}, which is more than anybody needs"
                raise PawsError(Errors.P015.format(name=name, what=what, value=value))
        # Every comparison with nan is false; for infinity there is None, which a config can hold.
        if self.threshold is not None and not math.isfinite(self.threshold):
            what = "a finite number of nats, or None to keep all swaps"
            raise PawsError(Errors.P015.format(name="threshold", what=what, value=self.threshold))


class _Candidate(NamedTuple):
    text: str
    words: List[Word]
    moved: List[Dict[str, object]]
    kind: str
    articles: List[Dict[str, object]]
    moves: List[Tuple[Slot, Slot]]  # each slot that is filled anew, and where its filler comes from


class SentenceSwapper:
    """Finds the swaps of one sentence. It holds what all its templates share."""

    def __init__(self, tokens: Tokens, proper_tags: Collection[str]) -> None:
        self.tokens = tokens
        # Each word as it would stand inside a sentence.
        self.plain = list(tokens.words)
        for i in tokens.starts:
            token = tokens.doc[i]
            is_name = tokens.tags[i] in proper_tags or (token.ent_type_ != "" and token.pos_ != "DET")
            is_name = is_name or token.pos_ in tokens.rules.capitals
            self.plain[i] = plain_case(token.text, is_name)
        # The spans that traded already, in whatever template.
        self.seen: Set[Tuple[int, int, int, int]] = set()
        # For each token the word as language models take it; white space is none.
        self.source_words: List[List[Word]] = [
            [lead + word] if word.strip() else [] for lead, word in zip(tokens.leads, tokens.words)
        ]

    def propose(
        self, templates: Sequence[Template], lm: LanguageModel, settings: SwapSettings, max_loss: Optional[float]
    ) -> "Proposals":
        """What the language model would let pass, best first.

        max_loss (Optional[float]): Nats that a swap may score under its source.
        """
        hypotheses: List[Tuple[float, _Arranger, _Found]] = []
        source_score = 0.0
        for template in templates:
            arranger = _Arranger(self, template)
            if TWO_SPANS in settings.constraints:
                score, found = arranger.exchanges(lm, settings, max_loss)
            else:
                score, found = arranger.search(lm, settings, max_loss)
            if found:
                source_score = score
                hypotheses.extend((round(hyp.gain, DIGITS), arranger, hyp) for hyp in found)
        return Proposals(self, source_score, self._candidates(hypotheses, settings))

    def _candidates(
        self, found: List[Tuple[float, "_Arranger", "_Found"]], settings: SwapSettings
    ) -> Iterator[Tuple[float, "_Choice"]]:
        """What may come out, best first; of equal scores, the one that moves least. Spelled out only when asked for."""
        found.sort(key=_gain, reverse=True)
        # The source, and its mere re-casing, never come out.
        seen: Set[Tuple[str, ...]] = {_folded(self.plain)}
        for gain, tied in groupby(found, key=_gain):
            group = [(arranger.count_moves(hyp), k, arranger, hyp) for k, (_, arranger, hyp) in enumerate(tied)]
            group.sort(key=lambda entry: entry[:2])
            for _, _, arranger, hyp in group:
                plain = arranger.plain_words(hyp)
                folded = _folded(plain)
                if folded in seen:
                    continue
                seen.add(folded)
                if not settings.keep_list_permutations and is_list_permutation(self.tokens, plain):
                    continue
                choice = _Choice(arranger, hyp, settings.fix_articles)
                # Of an exchange that was asked before it was scored.
                if isinstance(hyp, Exchange) or not stopped_by(settings.constraints, self.tokens, choice.moves):
                    yield gain, choice


class _Choice:
    """What may come out of a search; spelled out when it is asked for."""

    __slots__ = ("arranger", "hyp", "articles", "_candidate")

    def __init__(self, arranger: "_Arranger", hyp: "_Found", articles: bool) -> None:
        self.arranger = arranger
        self.hyp = hyp
        self.articles = articles
        self._candidate: Optional[_Candidate] = None

    @property
    def candidate(self) -> _Candidate:
        if self._candidate is None:
            self._candidate = self.arranger.arrange(self.hyp, self.articles)
        return self._candidate

    @property
    def moves(self) -> List[Tuple[Slot, Slot]]:
        """Each slot that is filled anew, and where its filler comes from."""
        if isinstance(self.hyp, Exchange):
            first, second = self.arranger.slots[self.hyp.first], self.arranger.slots[self.hyp.second]
            return [(first, second), (second, first)]
        return self.candidate.moves

    def spell(self) -> Tuple[str, List[Word]]:
        return self.candidate.text, self.candidate.words


class Proposals:
    """What was found for one sentence, and the ways to choose from it. Best first; spelled out as it is asked for."""

    def __init__(self, sentence: SentenceSwapper, score: float, found: Iterator[Tuple[float, _Choice]]) -> None:
        self.sentence = sentence
        self.score = score
        self.found = found

    def best(self, settings: SwapSettings) -> List[Swap]:
        """The first ones, as the language model has them."""
        chosen = islice(self.found, min(settings.n_best, settings.beam_width))
        return [self._as_dict(choice.candidate, self.score, self.score + gain, settings) for gain, choice in chosen]

    def rescored(self, rescorer: LanguageModel, settings: SwapSettings) -> List[Swap]:
        """Score source and proposals with a second model in one go; it decides about order and threshold."""
        proposed = list(islice(self.found, settings.beam_width))
        if not proposed:
            return []
        words = [choice.candidate.words for _, choice in proposed]
        source_score, *scores = score_sentences(rescorer, [self.source_words, *words])
        swaps = []
        for (gain, choice), score in zip(proposed, scores):
            if settings.threshold is None or score >= source_score - settings.threshold:
                swap = self._as_dict(choice.candidate, source_score, score, settings)
                swap["proposer_score"] = round(self.score + gain, DIGITS)
                swaps.append(swap)
        swaps.sort(key=lambda swap: -swap["score"])
        return swaps[: settings.n_best]

    def question(self, most: int) -> Question:
        """The first ones as a question to a judge; `judged` takes its answer."""
        self.asked = list(islice(self.found, most))
        proposals = []
        for gain, choice in self.asked:
            moves = choice.moves
            proposals.append(Proposal.later(choice.spell, round(-gain, DIGITS), moves[0] if len(moves) == 2 else None))
        sentence = self.sentence
        return Question(sentence.tokens.text, self.source_words, sentence.tokens, proposals, sentence.plain)

    def judged(self, answer: Sequence[Judgement], bar: float, settings: SwapSettings) -> List[Swap]:
        """Those that the judge finds natural enough, the most natural first."""
        swaps = []
        for (gain, choice), judgement in zip(self.asked, answer):
            if judgement.naturalness >= bar:
                swap = self._as_dict(choice.candidate, self.score, self.score + gain, settings)
                said = {name: value for name, value in judgement._asdict().items() if value is not None}
                swaps.append({**swap, **{name: round(value, JUDGED_DIGITS) for name, value in said.items()}})
        swaps.sort(key=lambda swap: -swap["naturalness"])
        return swaps

    @property
    def source_words(self) -> List[Word]:
        return list(chain.from_iterable(self.sentence.source_words))

    def _as_dict(self, candidate: _Candidate, source_score: float, score: float, settings: SwapSettings) -> Swap:
        swap: Swap = {
            "text": candidate.text,
            "moved": candidate.moved,
            "source_score": round(source_score, DIGITS),
            "score": round(score, DIGITS),
            "gap": round(source_score - score, DIGITS),
            "template": candidate.kind,
        }
        if candidate.articles:
            swap["articles"] = candidate.articles
        rest = [name for name in ALL if name not in settings.constraints]
        rule = stopped_by(rest, self.sentence.tokens, candidate.moves) if rest else None
        if rule:
            swap["rule"] = rule
        return swap


class _Arranger:
    """Spells out what the search found in one template."""

    def __init__(self, parent: SentenceSwapper, template: Template) -> None:
        self.tokens = parent.tokens
        self.seen = parent.seen
        self.plain = plain = parent.plain
        self.kind = template.kind
        self.slots = slots = template.slots
        self.search_slots = [
            SearchSlot(None if slot.fixed else slot.tag, tuple(plain[slot.start : slot.end])) for slot in slots
        ]
        # Most slots are only ever filled by what they hold.
        spelled = parent.source_words
        self.own_words = [spelled[slot.start] if slot.end - slot.start == 1 else _join(spelled, slot) for slot in slots]
        # Where a filler stands in the source tells the spaces inside it.
        self.homes = {entry.filler: slot.start for entry, slot in zip(self.search_slots, slots)}

    def search(
        self, lm: LanguageModel, settings: SwapSettings, max_loss: Optional[float]
    ) -> Tuple[float, Sequence["_Found"]]:
        """Any number of slots are filled anew."""
        return beam_search(self.search_slots, self.spell, lm, width=settings.beam_width, max_loss=max_loss)

    def exchanges(
        self, lm: LanguageModel, settings: SwapSettings, max_loss: Optional[float]
    ) -> Tuple[float, Sequence["_Found"]]:
        """Two slots trade; those that no rule stops, and that no other template of the sentence had before."""
        slots, tokens, seen = self.slots, self.tokens, self.seen

        def allowed(i: int, j: int) -> bool:
            a, b = slots[i], slots[j]
            spans = (a.start, a.end, b.start, b.end)
            if spans in seen:
                return False
            seen.add(spans)
            return stopped_by(settings.constraints, tokens, ((a, b),)) is None

        score, found = find_exchanges(self.search_slots, self.spell, lm, allowed)
        return score, found if max_loss is None else [hyp for hyp in found if hyp.gain >= -max_loss]

    def spell(self, filler: Tuple[str, ...], slot: int) -> List[Word]:
        """The words of a filler when it stands in a slot."""
        tokens = self.tokens
        if filler == self.search_slots[slot].filler:
            return self.own_words[slot]
        start = self.slots[slot].start
        first = initial_case(filler[0]) if start in tokens.capitals else filler[0]
        words: List[Word] = [tokens.leads[start] + first] if first.strip() else []
        if len(filler) > 1:
            home = self.homes[filler]
            words.extend(tokens.spaces[home + k - 1] + filler[k] for k in range(1, len(filler)) if filler[k].strip())
        return words

    def plain_words(self, hyp: "_Found") -> List[str]:
        """The words of the sentence, each as it would stand inside one."""
        if isinstance(hyp, Exchange):
            (a0, a1, *_), (b0, b1, *_), plain = self.slots[hyp.first], self.slots[hyp.second], self.plain
            return plain[:a0] + plain[b0:b1] + plain[a1:b0] + plain[a0:a1] + plain[b1:]
        return list(chain.from_iterable(hyp.fillers))

    def count_moves(self, hyp: "_Found") -> int:
        if isinstance(hyp, Exchange):
            return 2
        return sum(filler != slot.filler for filler, slot in zip(hyp.fillers, self.search_slots))

    def arrange(self, hyp: "_Found", articles: bool) -> _Candidate:
        """The sentence that a hypothesis stands for, as text and as words for language models."""
        tokens = self.tokens
        words: List[str] = []
        spaces: List[str] = []
        leads: List[str] = []
        moves: List[Tuple[int, int, int]] = []  # slot, the slot its filler came from, its first token now
        for i, origin in enumerate(self._origins(hyp)):
            slot, source = self.slots[i], self.slots[origin]
            if origin != i:
                moves.append((i, origin, len(words)))
            if origin == i or (slot.start in tokens.starts and source.start in tokens.starts):
                filler = tokens.words[source.start : source.end]  # the very form it has
            else:
                filler = self.plain[source.start : source.end]
                if slot.start in tokens.capitals:
                    filler[0] = initial_case(filler[0])
            inner = tokens.spaces[source.start : source.end - 1]
            words += filler
            spaces += [*inner, tokens.spaces[slot.end - 1]]
            leads += [tokens.leads[slot.start], *inner]
        if not tokens.spaced:
            borders = [(first, first + self.slots[origin].end - self.slots[origin].start) for _, origin, first in moves]
            fill_spaces(words, spaces, [place - 1 for border in borders for place in border])
        changes: List[int] = []
        if articles and tokens.rules.fix_articles:
            words, changes = tokens.rules.fix_articles(words)
        offsets = [0]
        for word, space in zip(words, spaces):
            offsets.append(offsets[-1] + len(word) + len(space))
        return _Candidate(
            text="".join(chain.from_iterable(zip(words, spaces))),
            words=[lead + word for lead, word in zip(leads, words) if word.strip()],
            moved=[self._moved(slot, origin, first, words, offsets) for slot, origin, first in moves],
            kind=self.kind,
            articles=[{"start": offsets[i], "text": words[i]} for i in changes],
            moves=[(self.slots[slot], self.slots[origin]) for slot, origin, _ in moves],
        )

    def _origins(self, hyp: "_Found") -> List[int]:
        """For each slot the slot its filler comes from; equal strings stay at home where they can."""
        origins = list(range(len(self.slots)))
        free: Dict[Tuple[Optional[str], Tuple[str, ...]], List[int]] = {}
        for i, (slot, filler) in enumerate(zip(self.search_slots, hyp.fillers)):
            if slot.filler != filler:
                free.setdefault((slot.group, slot.filler), []).append(i)
        for i, (slot, filler) in enumerate(zip(self.search_slots, hyp.fillers)):
            if slot.filler != filler:
                origins[i] = free[slot.group, filler].pop(0)
        return origins

    def _moved(self, slot: int, origin: int, first: int, words: List[str], offsets: List[int]) -> Dict[str, object]:
        start, end = self.slots[origin].start, self.slots[origin].end
        span = self.tokens.doc[start:end]
        last = first + end - start - 1
        return {
            "text": span.text,
            "tag": self.slots[slot].tag,
            "source": [span.start_char, span.end_char],
            "target": [offsets[first], offsets[last] + len(words[last])],
        }


def _join(spelled: List[List[Word]], slot: Slot) -> List[Word]:
    return list(chain.from_iterable(spelled[slot.start : slot.end]))


def _folded(words: Sequence[str]) -> Tuple[str, ...]:
    return tuple(word.casefold() for word in words)


def _gain(entry: tuple) -> float:
    return entry[0]
