from functools import partial
from typing import Any, List, Optional, Sequence, Tuple

from ..errors import Errors, PawsError
from ..ml.kept import PipelineAnswers
from ..models import load_pipeline
from ..pairs import mark_pair, pair_text
from .labels import Label, find_entailment
from .protocol import Judgement


class PipelineEntailment:
    """A spaCy pipeline with a text categorizer of pairs, trained on NLI data. It is loaded here, and stays here.

    model (str): An installed package or the path of a saved pipeline.
    entailment_label (Optional[Label]): The number or the name of the label that means entailment; None where one is
        called so.
    batch_size (Optional[int]): How many pairs the pipeline gets at once; None for its own default.
    """

    def __init__(
        self, model: str, *, entailment_label: Optional[Label] = None, batch_size: Optional[int] = None
    ) -> None:
        self.nlp = load_pipeline(model)
        self.batch_size = batch_size
        pipes = [name for name in self.nlp.pipe_names if "doc.cats" in self.nlp.get_pipe_meta(name).assigns]
        labels = [label for name in pipes for label in self.nlp.pipe_labels.get(name, [])]
        if not labels:
            raise PawsError(Errors.P404.format(name=model))
        self.label = labels[find_entailment(labels, entailment_label, model)]
        self.answers = PipelineAnswers(model, self.nlp, loaded=True)

    def __call__(self, pairs: Sequence[Tuple[str, str]]) -> List[Judgement]:
        """A judgement for each pair, which is asked about as one Doc."""
        asked = [[*map(list, pairs)], self.label, self.batch_size]
        return [Judgement(*row) for row in self.answers(asked, partial(self._ask, pairs), len(pairs))]

    def _ask(self, pairs: Sequence[Tuple[str, str]]) -> List[List[Any]]:
        found: List[List[Any]] = []
        # Nothing but numbers leaves: what the texts add to the vocabulary goes again.
        with self.nlp.memory_zone():
            docs = (mark_pair(self.nlp.make_doc(pair_text(one, two))) for one, two in pairs)
            for doc in self.nlp.pipe(docs, batch_size=self.batch_size):
                probability = float(doc.cats[self.label])
                others = [score for label, score in doc.cats.items() if label != self.label]
                found.append([probability, all(probability > score for score in others)])
        return found
