"""A Doc read once into plain lists: what every template and the surface form ask for again and again."""

from itertools import chain
from typing import FrozenSet, List, Optional, Set, Tuple

from spacy.tokens import Doc

from ..lang import rules_of
from .surface import fixed_by_spelling, sentence_bounds, sentence_starts

CONJUNCTION_TAGS = frozenset(("CC", "CCONJ"))
COMMAS = frozenset((",", ";", "、", "，", "；", "،"))


class Tokens:
    """The tokens of a Doc as lists. Going through a Doc makes an object per token; a list costs nothing."""

    __slots__ = (
        *("doc", "words", "spaces", "tags", "rules"),
        *("spaced", "frozen", "tied", "sentences", "starts", "capitals", "leads"),
        *("_labels", "_text", "_lower", "_auxiliaries", "_conjunctions"),
    )

    def __init__(self, doc: Doc, attr: str) -> None:
        self.doc = doc
        self.words: List[str] = []
        self.spaces: List[str] = []
        self.tags: List[str]
        marks: List[bool] = []
        strings = doc.vocab.strings
        for word, space, mark in doc.to_array(["ORTH", "SPACY", "SENT_START"]).tolist():
            self.words.append(strings[word])
            self.spaces.append(" " if space else "")
            marks.append(mark == 1)
        if attr in ("tag_", "pos_"):
            self.tags = [strings[tag] for tag in doc.to_array(attr[:-1].upper()).tolist()]
        else:
            self.tags = [getattr(token, attr) for token in doc]
        if attr == "pos_" and any(self.tags):  # universal tags make no difference between a comma and other punctuation
            self.tags = ["," if word in COMMAS else tag for word, tag in zip(self.words, self.tags)]
        self.frozen: Set[int]
        self.tied: Set[int]
        self.rules = rules_of(doc.lang_)
        # A missing space ties nothing in scripts that do not write any (Chinese, Japanese).
        spaced = self.rules.spaced
        self.spaced: bool = doc.vocab.writing_system.get("has_letters", True) if spaced is None else spaced
        self.frozen, self.tied = fixed_by_spelling(self.words, self.spaces, self.rules, self.spaced)
        known = marks if doc.has_annotation("SENT_START") else None
        self.sentences: List[Tuple[int, int]] = sentence_bounds(self.words, self.spaces, known)
        self.starts: Set[int] = sentence_starts(self.words, known)
        # Where what begins a sentence has a capital; text in lower case gets none.
        self.capitals: Set[int] = {i for i in self.starts if not self.words[i][0].islower()}
        # What precedes each token, as language models want it: nothing, a space, or the end of the sentence before.
        self.leads: List[str] = ["", *(" " if space else "" for space in self.spaces[:-1])][: len(doc)]
        for i in self.starts - {min(self.starts, default=0)}:
            self.leads[i] = "\n"

        self._labels: Optional[List[str]] = None
        self._text: Optional[str] = None
        self._lower: Optional[List[str]] = None
        self._auxiliaries: Optional[Set[int]] = None
        self._conjunctions: Optional[FrozenSet[str]] = None

    @property
    def lower(self) -> List[str]:
        """The words in lower case."""
        if self._lower is None:
            self._lower = [word.lower() for word in self.words]
        return self._lower

    @property
    def auxiliaries(self) -> Set[int]:
        """Which tokens are forms of verbs such as *be*, or tagged as auxiliaries; particles are of their kind."""
        if self._auxiliaries is None:
            forms = self.rules.auxiliaries | self.rules.particles
            tagged, auxiliary = self.doc.to_array("POS").tolist(), self.doc.vocab.strings["AUX"]
            self._auxiliaries = {
                i for i, (word, pos) in enumerate(zip(self.lower, tagged)) if pos == auxiliary or word in forms
            }
        return self._auxiliaries

    @property
    def conjunctions(self) -> FrozenSet[str]:
        """What links the items of a list here, in lower case: the language's words, and what is tagged so."""
        if self._conjunctions is None:
            tagged = (word for word, tag in zip(self.lower, self.tags) if tag in CONJUNCTION_TAGS)
            self._conjunctions = self.rules.conjunctions.union(tagged)
        return self._conjunctions

    @property
    def labels(self) -> List[str]:
        """The entity label of each token, "" where it has none; read when it is first asked for."""
        if self._labels is None:
            strings = self.doc.vocab.strings
            self._labels = [strings[label] if label else "" for label in self.doc.to_array("ENT_TYPE").tolist()]
        return self._labels

    @property
    def text(self) -> str:
        """The text of the Doc, which spaCy puts together anew each time."""
        if self._text is None:
            self._text = "".join(chain.from_iterable(zip(self.words, self.spaces)))
        return self._text

    def __len__(self) -> int:
        return len(self.words)
