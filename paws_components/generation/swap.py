"""From a Doc and its templates to swaps: search, choice and surface form put together."""

import math
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Collection, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..errors import Errors, PawsError
from ..lm.protocol import LanguageModel, Word, score_sentences
from .beam import Hypothesis, SearchSlot, beam_search
from .lists import is_list_permutation
from .surface import initial_case, plain_case
from .template import Slot, Template
from .tokens import Tokens

# Scores are compared and given out to this many digits: enough for any use, and free of the noise of summation.
DIGITS = 6
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

    def __post_init__(self) -> None:
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


class SentenceSwapper:
    """Finds the swaps of one sentence. It holds what all its templates share."""

    def __init__(self, tokens: Tokens, proper_tags: Collection[str]) -> None:
        self.tokens = tokens
        # Each word as it would stand inside a sentence.
        self.plain = list(tokens.words)
        for i in tokens.starts:
            token = tokens.doc[i]
            is_name = tokens.tags[i] in proper_tags or (token.ent_type_ != "" and token.pos_ != "DET")
            self.plain[i] = plain_case(token.text, is_name)
        # For each token the word as language models take it; white space is none.
        self.source_words: List[List[Word]] = [
            [lead + word] if word.strip() else [] for lead, word in zip(tokens.leads, tokens.words)
        ]

    def find(
        self,
        templates: Sequence[Template],
        lm: LanguageModel,
        settings: SwapSettings,
        rescorer: Optional[LanguageModel] = None,
    ) -> List[Dict[str, object]]:
        """The swaps of the Doc, best first, as plain data."""
        # The rescorer decides about the threshold, so the proposer must not.
        max_loss = settings.threshold if rescorer is None else None
        hypotheses: List[Tuple[float, _Arranger, Hypothesis]] = []
        source_score = 0.0
        for template in templates:
            arranger = _Arranger(self, template)
            score, found = beam_search(
                arranger.search_slots, arranger.spell, lm, width=settings.beam_width, max_loss=max_loss
            )
            if found:
                source_score = score
                hypotheses.extend((round(hyp.gain, DIGITS), arranger, hyp) for hyp in found)
        candidates = self._candidates(hypotheses, settings)
        if rescorer is None:
            most = min(settings.n_best, settings.beam_width)
            return [_as_dict(swap, source_score, source_score + gain) for gain, swap in islice(candidates, most)]
        chosen = list(islice(candidates, settings.beam_width))
        return _rescore(list(chain.from_iterable(self.source_words)), source_score, chosen, rescorer, settings)

    def _candidates(
        self, found: List[Tuple[float, "_Arranger", Hypothesis]], settings: SwapSettings
    ) -> Iterator[Tuple[float, _Candidate]]:
        """What may come out, best first; of equal scores, the one that moves least. Spelled out only when asked for."""
        found.sort(key=_gain, reverse=True)
        seen: Set[Tuple[str, ...]] = {tuple(self.plain)}
        texts = {self.tokens.doc.text.casefold()}  # the source, and its mere re-casing, never come out
        for gain, tied in groupby(found, key=_gain):
            group = [(arranger.count_moves(hyp), k, arranger, hyp) for k, (_, arranger, hyp) in enumerate(tied)]
            group.sort(key=lambda entry: entry[:2])
            for _, _, arranger, hyp in group:
                plain = tuple(chain.from_iterable(hyp.fillers))
                if plain in seen:
                    continue
                seen.add(plain)
                if not settings.keep_list_permutations and is_list_permutation(self.tokens, plain):
                    continue
                candidate = arranger.arrange(hyp, settings.fix_articles)
                folded = candidate.text.casefold()
                if folded not in texts:
                    texts.add(folded)
                    yield gain, candidate


class _Arranger:
    """Spells out what the search found in one template."""

    def __init__(self, parent: SentenceSwapper, template: Template) -> None:
        self.tokens = parent.tokens
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

    def count_moves(self, hyp: Hypothesis) -> int:
        return sum(filler != slot.filler for filler, slot in zip(hyp.fillers, self.search_slots))

    def arrange(self, hyp: Hypothesis, articles: bool) -> _Candidate:
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
        )

    def _origins(self, hyp: Hypothesis) -> List[int]:
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


def _gain(entry: tuple) -> float:
    return entry[0]


def _as_dict(candidate: _Candidate, source_score: float, score: float) -> Dict[str, object]:
    swap: Dict[str, object] = {
        "text": candidate.text,
        "moved": candidate.moved,
        "source_score": round(source_score, DIGITS),
        "score": round(score, DIGITS),
        "gap": round(source_score - score, DIGITS),
        "template": candidate.kind,
    }
    if candidate.articles:
        swap["articles"] = candidate.articles
    return swap


def _rescore(
    source: List[Word],
    proposer_score: float,
    proposed: List[Tuple[float, _Candidate]],
    rescorer: LanguageModel,
    settings: SwapSettings,
) -> List[Dict[str, object]]:
    """Score the source and all proposals with the second model in one go; it decides about order and threshold."""
    if not proposed:
        return []
    source_score, *scores = score_sentences(rescorer, [source, *(candidate.words for _, candidate in proposed)])
    swaps = []
    for (gain, candidate), score in zip(proposed, scores):
        if settings.threshold is None or score >= source_score - settings.threshold:
            swap = _as_dict(candidate, source_score, score)
            swap["proposer_score"] = round(proposer_score + gain, DIGITS)
            swaps.append(swap)
    swaps.sort(key=lambda swap: -swap["score"])  # type: ignore[operator]
    return swaps[: settings.n_best]
