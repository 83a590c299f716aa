"""From a Doc and its templates to swaps: search, choice and surface form put together."""

from dataclasses import dataclass
from itertools import groupby
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from spacy.tokens import Doc

from ..lm.protocol import LanguageModel, Word, score_sentences
from .beam import Hypothesis, SearchSlot, beam_search
from .lists import is_list_permutation
from .surface import fix_articles, initial_case, plain_case, sentence_starts
from .template import Slot, TemplateSettings

# Scores are compared and given out to this many digits: enough for any use, and free of the noise of summation.
DIGITS = 6


@dataclass(frozen=True)
class SwapSettings:
    """What is searched for and kept; the fields are part of the config of `paws_swapper`."""

    n_best: int
    beam_width: int
    threshold: Optional[float]
    keep_list_permutations: bool
    fix_articles: bool


class _Candidate(NamedTuple):
    text: str
    words: List[Word]
    moved: List[Dict[str, object]]
    kind: str
    articles: List[Dict[str, object]]


class Swapper:
    """Finds the swaps of one Doc. It holds what all templates of the Doc share."""

    def __init__(self, doc: Doc, template_settings: TemplateSettings) -> None:
        self.doc = doc
        self.starts = sentence_starts(doc)
        self.spaces = [token.whitespace_ for token in doc]
        proper = template_settings.proper_tags
        self.tokens = [token.text for token in doc]
        self.plain = list(self.tokens)
        for i in self.starts:
            token = doc[i]
            is_name = template_settings.tag(token) in proper or (token.ent_type_ != "" and token.pos_ != "DET")
            self.plain[i] = plain_case(token, is_name)
        self.breaks: Set[int] = set(sorted(self.starts)[1:])

    def find(
        self,
        templates: Sequence[Tuple[str, List[Slot]]],
        lm: LanguageModel,
        settings: SwapSettings,
        rescorer: Optional[LanguageModel] = None,
    ) -> List[Dict[str, object]]:
        """The swaps of the Doc, best first, as plain data."""
        # The rescorer decides about the threshold, so the proposer must not.
        max_loss = settings.threshold if rescorer is None else None
        found: List[Tuple[float, _Arranger, Hypothesis]] = []
        source_score = 0.0
        for kind, slots in _distinct(templates):
            arranger = _Arranger(self, kind, slots)
            score, hypotheses = beam_search(
                arranger.search_slots, arranger.spell, lm, width=settings.beam_width, max_loss=max_loss
            )
            if hypotheses:
                source_score = score
                found.extend((round(hyp.gain, DIGITS), arranger, hyp) for hyp in hypotheses)
        candidates = self._candidates(found, settings)
        if rescorer is None:
            return [
                _as_dict(candidate, source_score, source_score + gain)
                for (gain, candidate), _ in zip(candidates, range(settings.n_best))
            ]
        chosen = [pair for pair, _ in zip(candidates, range(settings.beam_width))]
        return _rescore(self.source_words(), source_score, chosen, rescorer, settings)

    def source_words(self) -> List[Word]:
        """The words of the source as language models take them."""
        words: List[Word] = []
        for i, token in enumerate(self.doc):
            if not token.is_space:
                words.append(self.lead(i) + token.text)
        return words

    def lead(self, i: int) -> str:
        """What precedes the token at i: a sentence break, a space or nothing."""
        if i in self.breaks:
            return "\n"
        return " " if i and self.spaces[i - 1] else ""

    def _candidates(
        self, found: List[Tuple[float, "_Arranger", Hypothesis]], settings: SwapSettings
    ) -> Iterator[Tuple[float, _Candidate]]:
        """What may come out, best first; of equal scores, the one that moves least. Spelled out only when asked for."""
        found.sort(key=_gain, reverse=True)
        seen = {self.doc.text.casefold()}  # the source, and its mere re-casing, never come out
        for gain, tied in groupby(found, key=_gain):
            group = [(arranger.count_moves(hyp), k, arranger, hyp) for k, (_, arranger, hyp) in enumerate(tied)]
            group.sort(key=lambda entry: entry[:2])
            for moves, _, arranger, hyp in group:
                if not moves:
                    continue
                candidate, plain = arranger.arrange(hyp, settings.fix_articles)
                folded = candidate.text.casefold()
                if folded in seen:
                    continue
                seen.add(folded)
                if settings.keep_list_permutations or not is_list_permutation(self.doc, plain):
                    yield gain, candidate


class _Arranger:
    """Spells out what the search found in one template."""

    def __init__(self, parent: Swapper, kind: str, slots: List[Slot]) -> None:
        self.parent = parent
        self.kind = kind
        self.slots = slots
        self.bounds: List[Tuple[int, int]] = [(slot["start"], slot["end"]) for slot in slots]  # type: ignore[misc]
        self.search_slots: List[SearchSlot] = []
        self.homes: Dict[Tuple[str, ...], List[int]] = {}
        for i, (slot, (start, end)) in enumerate(zip(slots, self.bounds)):
            filler = tuple(parent.plain[start:end])
            self.search_slots.append(SearchSlot(None if slot["fixed"] else str(slot["tag"]), filler))
            self.homes.setdefault(filler, []).append(i)

    def spell(self, filler: Tuple[str, ...], slot: int) -> List[Word]:
        """The words of a filler when it stands in a slot."""
        parent = self.parent
        start = self.bounds[slot][0]
        home = self.bounds[self.homes[filler][0]][0]
        words: List[Word] = []
        for k, text in enumerate(filler):
            if not text or text.isspace():
                continue
            if k:
                words.append(parent.spaces[home + k - 1] + text)
            else:
                words.append(parent.lead(start) + (initial_case(text) if start in parent.starts else text))
        return words

    def count_moves(self, hyp: Hypothesis) -> int:
        return sum(filler != slot.filler for filler, slot in zip(hyp.fillers, self.search_slots))

    def arrange(self, hyp: Hypothesis, articles: bool) -> Tuple[_Candidate, List[str]]:
        """The sentence as text, as words for language models, and as plain tokens."""
        parent = self.parent
        tokens: List[str] = []
        spaces: List[str] = []
        plain: List[str] = []
        leads: List[str] = []
        moves: List[Tuple[int, int, int]] = []  # slot, where its filler came from, its first token now
        for i, origin in enumerate(self._origins(hyp)):
            start, end = self.bounds[i]
            from_start, from_end = self.bounds[origin]
            if self.search_slots[origin].filler != self.search_slots[i].filler:
                moves.append((i, origin, len(tokens)))
            filler = parent.plain[from_start:from_end]
            plain.extend(filler)
            leads.append(parent.lead(start))
            leads.extend(parent.spaces[from_start : from_end - 1])
            if origin == i or (start in parent.starts and from_start in parent.starts):
                filler = parent.tokens[from_start:from_end]  # the very form it has
            elif start in parent.starts:
                filler = [initial_case(filler[0]), *filler[1:]]
            tokens.extend(filler)
            spaces.extend(parent.spaces[from_start : from_end - 1])
            spaces.append(parent.spaces[end - 1])
        changes: List[int] = []
        if articles:
            tokens, changes = fix_articles(tokens)
        offsets = [0]
        for token, space in zip(tokens, spaces):
            offsets.append(offsets[-1] + len(token) + len(space))
        moved = [self._moved(slot, origin, first, tokens, offsets) for slot, origin, first in moves]
        text = "".join(token + space for token, space in zip(tokens, spaces))
        words = [lead + token for lead, token in zip(leads, tokens) if not token.isspace()]
        fixed: List[Dict[str, object]] = [{"start": offsets[i], "text": tokens[i]} for i in changes]
        return _Candidate(text, words, moved, self.kind, fixed), plain

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

    def _moved(self, slot: int, origin: int, first: int, tokens: List[str], offsets: List[int]) -> Dict[str, object]:
        start, end = self.bounds[origin]
        source = self.parent.doc[start:end]
        last = first + end - start - 1
        return {
            "text": source.text,
            "tag": self.slots[slot]["tag"],
            "source": [source.start_char, source.end_char],
            "target": [offsets[first], offsets[last] + len(tokens[last])],
        }


def _distinct(templates: Sequence[Tuple[str, List[Slot]]]) -> Iterator[Tuple[str, List[Slot]]]:
    """Templates that cut the Doc in the same way are searched once."""
    seen: List[List[Slot]] = []
    for kind, slots in templates:
        if slots not in seen:
            seen.append(slots)
            yield kind, slots


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
