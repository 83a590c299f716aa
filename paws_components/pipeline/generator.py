from typing import Any, Dict, Iterable, List, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ..extensions import CANDIDATES, install
from ..generation.protocol import Candidate, Generator, ask
from ..pairs import TAB, pair_spans
from ..plugins import host
from .base import BatchPipe

DEFAULT_CONFIG: Dict[str, Any] = {"generator": "word_swap", "settings": {}}


@Language.factory("paws_generator", assigns=["doc._.paws_candidates"], default_config=DEFAULT_CONFIG)
def make_generator(nlp: Language, name: str, generator: str, settings: Dict[str, Any]) -> "PawsGenerator":
    """Generate candidates for each Doc with a generator that a plugin brings: `doc._.paws_candidates`.

    generator (str): Its name; `paws plugins` lists those that are installed.
    settings (Dict[str, Any]): Its settings; `paws plugins NAME` lists them.
    """
    return PawsGenerator(nlp, name, generator=generator, settings=settings)


class PawsGenerator(BatchPipe):
    """Asks a generator for sentences that can be paired with a Doc. Of a pair Doc, each sentence gets its own,
    unless the generator takes pairs."""

    def __init__(
        self, nlp: Language, name: str = "paws_generator", *, generator: str, settings: Dict[str, Any]
    ) -> None:
        install()
        self.name = name
        self.generator_name = generator
        self.generator: Generator = host().make("generators", generator, settings, nlp)
        self.takes_pairs = host().find("generators", generator).takes_pairs

    def predict(self, docs: List[Doc]) -> List[List[Candidate]]:
        """The candidates of each Doc; the Docs stay as they are."""
        sides = [[doc] if self.takes_pairs else _sides(doc) for doc in docs]
        flat = [side for parts in sides for side in parts]
        found = iter(ask(self.generator, self.generator_name, flat))
        return [
            [
                {"source": side.text, **candidate} if side is not doc else candidate
                for side in parts
                for candidate in next(found)
            ]
            for doc, parts in zip(docs, sides)
        ]

    def set_annotations(self, docs: Iterable[Doc], candidates: Iterable[List[Candidate]]) -> None:
        """Write the candidates to the Docs."""
        for doc, found in zip(docs, candidates):
            doc._.set(CANDIDATES, found)


def _sides(doc: Doc) -> Sequence[Doc]:
    """The Doc, or the two sentences of a pair Doc as Docs of their own."""
    if doc.text.count(TAB) != 1:
        return [doc]
    return [span.as_doc() for span in pair_spans(doc) if len(span)]
