"""What kind of change made a pair (PAWS, Table 2): by the tags of what moved, and by the words that were replaced."""

from collections import Counter
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from ..records import PairRecord

ADJECTIVE, ENTITY, TEMPORAL, REPLACEMENT = "adjective", "named entity", "temporal phrase", "word replacement"
NOUN, VERB, ADVERB, NUMBER, OTHER, NONE = "noun", "verb", "adverb", "number", "other words", "punctuation or case"
# Table 2's four first; then what else there is.
KINDS = (ADJECTIVE, ENTITY, TEMPORAL, REPLACEMENT, NOUN, VERB, ADVERB, NUMBER, OTHER, NONE)
# How much it says for two words to be the same that they did not move, where as many others could be.
WEIGHTS = {ENTITY: 0.9, TEMPORAL: 0.9, NUMBER: 0.9, ADJECTIVE: 0.95, NOUN: 0.97}
# Entity types of OntoNotes that are times; the other pipelines of spaCy have few of their own.
TIMES = frozenset(("DATE", "TIME"))
ENTITIES = frozenset("PERSON PER ORG GPE LOC FAC NORP PRODUCT EVENT WORK_OF_ART LAW LANGUAGE MISC".split())
QUANTITIES = frozenset(("CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"))
# Penn's tags begin so; after them universal ones, and the slots of templates.
TAGS: Dict[str, str] = {"JJ": ADJECTIVE, "NN": NOUN, "VB": VERB, "RB": ADVERB, "CD": NUMBER} | {
    "ADJ": ADJECTIVE,
    "NOUN": NOUN,
    "VERB": VERB,
    "AUX": VERB,
    "ADV": ADVERB,
    "NUM": NUMBER,
    "NNP": ENTITY,
    "NNPS": ENTITY,
    "PROPN": ENTITY,
    "NAME": ENTITY,
}


def kind_of_tag(tag: str) -> str:
    """The kind of change that words of a tag make, be it a part of speech, a type of entity, or a slot's."""
    if tag in TIMES:
        return TEMPORAL
    if tag in QUANTITIES:
        return NUMBER
    return ENTITY if tag in ENTITIES else TAGS.get(tag) or TAGS.get(tag[:2]) or OTHER


def kinds_of_tags(tags: Iterable[str]) -> List[str]:
    """The kinds of a swap by the tags of what moved, in the order of `KINDS`."""
    return _ordered({kind_of_tag(tag) for tag in tags})


def kinds_of_docs(doc1: Doc, doc2: Doc) -> List[str]:
    """The kinds of change between two sentences, each processed by itself.

    What is in both in the same order stayed where it was; of the rest, words of both sentences have moved, and the
    others were replaced.

    doc1, doc2 (Doc): The sentences, with tags, and with entities if there are any.
    RETURNS (List[str]): The kinds, in the order of `KINDS`.
    """
    words1, words2 = (_words(doc) for doc in (doc1, doc2))
    stay1, stay2 = _stay(words1, words2)
    left1, left2 = (
        [one for i, one in enumerate(words) if i not in stay] for words, stay in ((words1, stay1), (words2, stay2))
    )
    moved = Counter(one.lower_ for one in left1) & Counter(one.lower_ for one in left2)
    found = {_kind(one) for one in left1 if one.lower_ in moved}
    if max(len(left1), len(left2)) > moved.total():
        found.add(REPLACEMENT)
    return _ordered(found) or [NONE]


def recorded_kinds(record: PairRecord) -> Optional[List[str]]:
    """The kinds of a swap as its generator recorded them; None if it recorded no moves."""
    evidence = record.evidence
    moved = evidence.get("moved") or (evidence.get("correction") or {}).get("moved")
    if not isinstance(moved, list) or not moved:
        return None
    found = kinds_of_tags(str(one.get("tag", "")) for one in moved)
    return found or None


def find_kinds(
    records: Sequence[PairRecord], nlp: Optional[Language], batch_size: int = 128
) -> Iterator[Tuple[PairRecord, List[str]]]:
    """The kinds of change of pairs: as recorded, else by comparing the two sentences.

    records (Sequence[PairRecord]): The pairs.
    nlp (Optional[Language]): A pipeline with a tagger, and an entity recogniser if need be; None where there is none:
        then pairs without a record of their moves are left out.
    batch_size (int): How many sentences go through the pipeline at once.
    YIELDS (Tuple[PairRecord, List[str]]): The pairs with their kinds.
    """
    for start in range(0, len(records), batch_size):
        batch = records[start : start + batch_size]
        known = [recorded_kinds(record) for record in batch]
        unknown = [record for record, kinds in zip(batch, known) if kinds is None]
        compared: Iterator[Any] = iter(())
        if nlp is not None and unknown:
            with nlp.memory_zone():
                texts = [text for record in unknown for text in (record.sentence1, record.sentence2)]
                docs = list(nlp.pipe(texts, batch_size=batch_size))
                compared = iter([kinds_of_docs(one, two) for one, two in zip(docs[::2], docs[1::2])])
        for record, kinds in zip(batch, known):
            if kinds is None and nlp is not None:
                kinds = next(compared)
            if kinds is not None:
                yield record, kinds


def _ordered(found: Set[str]) -> List[str]:
    """The kinds in the order of `KINDS`. "in 1953" moves as one: the preposition is not a change of its own."""
    return [kind for kind in KINDS if kind in found and (kind != OTHER or len(found) == 1)]


def _words(doc: Doc) -> List[Token]:
    return [token for token in doc if not token.is_punct and not token.is_space]


def _kind(token: Token) -> str:
    return kind_of_tag(token.ent_type_) if token.ent_type_ else kind_of_tag(token.tag_ or token.pos_)


def _stay(words1: Sequence[Token], words2: Sequence[Token]) -> Tuple[Set[int], Set[int]]:
    """The words that stayed where they were: a longest common subsequence. Of two that are as long, the one without
    names and times, which are what people say has moved: "in 1953", not "they met"."""
    best = [[0.0] * (len(words2) + 1) for _ in range(len(words1) + 1)]
    lower = [one.lower_ for one in words2]
    for i in reversed(range(len(words1))):
        word, weight = words1[i].lower_, WEIGHTS.get(_kind(words1[i]), 1.0)
        for k in reversed(range(len(words2))):
            kept = best[i + 1][k + 1] + weight if word == lower[k] else 0.0
            best[i][k] = max(kept, best[i + 1][k], best[i][k + 1])
    stay1: Set[int] = set()
    stay2: Set[int] = set()
    i = k = 0
    while i < len(words1) and k < len(words2):
        if best[i][k] == best[i + 1][k]:
            i += 1
        elif best[i][k] == best[i][k + 1]:
            k += 1
        else:
            stay1.add(i)
            stay2.add(k)
            i, k = i + 1, k + 1
    return stay1, stay2
