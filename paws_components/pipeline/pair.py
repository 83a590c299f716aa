from typing import Callable, Iterable, List, Optional, Tuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..ml.requirements import name_requirements
from ..pairs import mark_pair, pair_spans
from .base import BatchPipe


@Language.factory("paws_pair", assigns=["doc.spans", "token.is_sent_start"])
def make_pair_marker(nlp: Language, name: str) -> "PairMarker":
    """Mark the two sentences of each pair Doc: `doc.spans["paws_pair"]`, and a sentence start at the second.

    Put it first in the pipeline, before any parser. The text of the Doc is `paws_components.pairs.pair_text(s1, s2)`.
    """
    return PairMarker(nlp, name)


class PairMarker(BatchPipe):
    """Marks where the two sentences of a pair are."""

    def __init__(self, nlp: Language, name: str = "paws_pair") -> None:
        self.nlp = nlp
        self.name = name

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Optional[Language] = None) -> None:
        """Before training: what the pipeline's models need goes into its meta, for `spacy package`."""
        if nlp is not None:
            name_requirements(nlp)

    def predict(self, docs: List[Doc]) -> List[Tuple[Span, Span]]:
        """Where the two sentences of each Doc are; our error for a Doc that is not a pair."""
        return [pair_spans(doc) for doc in docs]

    def set_annotations(self, docs: Iterable[Doc], pairs: Iterable[Tuple[Span, Span]]) -> None:
        """Write the two spans to the Docs, and where the second sentence starts."""
        for doc, _ in zip(docs, pairs):
            mark_pair(doc)
