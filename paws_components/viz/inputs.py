"""What `render` takes, brought to one form: pairs of sides, each with its words."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..errors import Errors, PawsError
from ..extensions import SWAPS
from ..models import blank
from ..pairs import PAIR_KEY, pair_spans
from ..records import PairRecord
from .text import encodable

Renderable = Union[Doc, PairRecord]


class Side(NamedTuple):
    """One sentence of a pair. White space is not a word; the lists are of one length."""

    text: str
    words: List[str]
    keys: List[str]  # lower-cased: what is aligned
    lemmas: List[str]  # lower-cased; the keys where the pipeline has no lemmatiser
    starts: List[int]  # the offset of each word in the text


class Moved(NamedTuple):
    """A span and the place it moved to, both as offsets; spans of one number belong together."""

    source: Tuple[int, int]
    target: Tuple[int, int]
    number: int


@dataclass
class Pair:
    """A pair to draw.

    moved (Optional[List[Moved]]): What the generator says it moved; None if nobody said.
    changed (List[Tuple[int, int]]): Spans of the second sentence that were put right after the move.
    notes (List[str]): What else is known, for the caption.
    """

    first: Side
    second: Side
    moved: Optional[List[Moved]] = None
    changed: List[Tuple[int, int]] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)


def to_pairs(item: Any, nlp: Optional[Language] = None, lang: Optional[str] = None) -> List[Pair]:
    """The pairs in a Doc or a record. A Doc with several swaps holds several.

    item (Union[Doc, PairRecord]): A pair Doc, a Doc with swaps, or a record.
    nlp (Optional[Language]): The pipeline for texts that are not processed yet; None for a tokeniser alone.
    lang (Optional[str]): The language of that tokeniser; None for the Doc's own, or English.
    RETURNS (List[Pair]): The pairs; none if the Doc's list of swaps is empty.
    """
    if isinstance(item, PairRecord):
        return [_from_record(item, nlp or _tokeniser(lang or "en"))]
    if not isinstance(item, Doc):
        raise PawsError(Errors.P162.format(kind=type(item).__name__))
    swaps = item._.get(SWAPS) if item.has_extension(SWAPS) else None
    if swaps is None or PAIR_KEY in item.spans:
        if PAIR_KEY not in item.spans and "\t" not in item.text:
            raise PawsError(Errors.P163)
        first, second = pair_spans(item)
        return [Pair(read_side(first), read_side(second))]
    nlp = nlp or _tokeniser(lang or item.lang_ or "en")
    return [_from_swap(item, swap, nlp) for swap in swaps]


@lru_cache(maxsize=8)
def _tokeniser(lang: str) -> Language:
    return blank(lang)


def read_side(span: Union[Doc, Span], lemmas: bool = True) -> Side:
    """The words of a Doc or a Span."""
    tokens = [token for token in span if not token.is_space]
    base = span.start_char if isinstance(span, Span) else 0
    return Side(
        span.text,
        [token.text for token in tokens],
        [token.lower_ for token in tokens],
        [token.lemma_.lower() if lemmas and token.lemma_ else token.lower_ for token in tokens],
        [token.idx - base for token in tokens],
    )


def _from_record(record: PairRecord, nlp: Language) -> Pair:
    # Each sentence by itself: tags and lemmas must not depend on the other one.
    first, second = nlp(encodable(record.sentence1)), nlp(encodable(record.sentence2))
    evidence = record.evidence
    pair = Pair(read_side(first), read_side(second), *_moves(evidence, record.sentence1, record.sentence2))
    if record.label is not None:
        pair.notes.append("labelled paraphrase" if record.label else "labelled not a paraphrase")
    pair.notes.extend(score_notes(evidence))
    return pair


def _from_swap(doc: Doc, swap: Dict[str, Any], nlp: Language) -> Pair:
    second = nlp(str(swap["text"]))
    # Lemmas of one side alone would compare "moved" with "move".
    lemmas = doc.has_annotation("LEMMA") and second.has_annotation("LEMMA")
    moves = _moves(swap, doc.text, second.text)
    return Pair(read_side(doc, lemmas), read_side(second, lemmas), *moves, notes=score_notes(swap))


def _moves(data: Dict[str, Any], source: str, target: str) -> Tuple[Optional[List[Moved]], List[Tuple[int, int]]]:
    """The moved and the changed spans that a swap or a record's evidence names, as far as they lie in the texts."""
    entries = data.get("moved")
    if not isinstance(entries, (list, tuple)):
        return None, []
    moved: List[Moved] = []
    for entry in sorted(entries, key=lambda entry: tuple(entry["source"])):
        spans = tuple(entry["source"]), tuple(entry["target"])
        if _inside([spans[0]], source) and _inside([spans[1]], target):
            moved.append(Moved(*spans, number=len(moved) + 1))
    # Articles that were put right stand in the swap, which is the first sentence where the sides were flipped.
    articles = (not data.get("flipped") and data.get("articles")) or []
    changed = [(entry["start"], entry["start"] + len(entry["text"])) for entry in articles]
    return moved, changed if _inside(changed, target) else []


def _inside(spans: Iterable[Tuple[int, int]], text: str) -> bool:
    return all(0 <= start < end <= len(text) for start, end in spans)


def score_notes(data: Dict[str, Any]) -> List[str]:
    """What the language model and the judge say of a swap."""
    notes = []
    gap, naturalness, rule = data.get("gap"), data.get("naturalness"), data.get("rule")
    if isinstance(gap, float):
        notes.append(f"{abs(gap):.2f} nats {'under' if gap >= 0 else 'over'} its source")
    if isinstance(naturalness, float):
        notes.append(f"naturalness {naturalness:.2f}")
    if isinstance(rule, str):
        notes.append(f"the rule {rule} would have stopped it")
    return notes
