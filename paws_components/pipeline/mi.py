from typing import Any, Dict, Iterable, List, Optional, Union

from spacy.language import Language
from spacy.tokens import Doc

from ..extensions import MI, install
from ..nli.making import CACHE_SIZE, DEFAULT_MODEL
from ..nli.mutual import MutualImplication, MutualJudge
from ..pairs import pair_spans
from .base import BatchPipe

DEFAULT_CONFIG: Dict[str, Any] = {
    "model": DEFAULT_MODEL,
    "entailment_label": None,
    "max_length": None,
    "batch_size": None,
    "cache_size": CACHE_SIZE,
}


@Language.factory("paws_mi", assigns=["doc._.paws_mi"], default_config=DEFAULT_CONFIG)
def make_mi(
    nlp: Language,
    name: str,
    model: str,
    entailment_label: Optional[Union[int, str]],
    max_length: Optional[int],
    batch_size: Optional[int],
    cache_size: int,
) -> "PawsMI":
    """Judge whether the sentences of each pair Doc entail each other: `doc._.paws_mi`.

    model (str): An NLI model of transformers (a folder, an installed package, a name on the hub), or a spaCy pipeline
        (a path, an installed package) with a text categorizer trained on NLI data. It is loaded when the first Doc
        comes. The pipeline that this component is in saves its name, not the model.
    entailment_label (Optional[Union[int, str]]): The number or the name of the label that means entailment; None where
        the model calls one so.
    max_length (Optional[int]): How many tokens of a pair a transformer sees; None for as many as it can.
    batch_size (Optional[int]): How many pairs, sorted by length, one forward pass takes; None for what suits the
        device.
    cache_size (int): How many answers are kept, by what the sentences say; 0 for none.
    """
    judge = MutualJudge(
        model,
        entailment_label=entailment_label,
        max_length=max_length,
        batch_size=batch_size,
        cache_size=cache_size,
    )
    return PawsMI(nlp, name, judge=judge)


class PawsMI(BatchPipe):
    """Judges mutual implication: whether each sentence of a pair entails the other."""

    def __init__(self, nlp: Language, name: str = "paws_mi", *, judge: MutualJudge) -> None:
        install()
        self.name = name
        self.judge = judge

    def predict(self, docs: List[Doc]) -> List[MutualImplication]:
        """What is found of each Doc; the Docs stay as they are."""
        spans = [pair_spans(doc) for doc in docs]
        return self.judge([(one.text, two.text) for one, two in spans])

    def set_annotations(self, docs: Iterable[Doc], found: Iterable[MutualImplication]) -> None:
        """Write both probabilities and the verdict to the Docs."""
        for doc, implication in zip(docs, found):
            doc._.set(MI, implication._asdict())
