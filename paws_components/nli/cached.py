from collections import OrderedDict
from typing import List, Sequence, Tuple

from .protocol import Entailment, Judgement

Question = Tuple[str, str]


class CachedEntailment:
    """Asks a model each question once: the answers to the latest ones are kept, by what the sentences say.

    model (Entailment): The model.
    size (int): How many answers are kept; 0 for none.
    """

    def __init__(self, model: Entailment, size: int) -> None:
        self.model = model
        self.size = size
        self.kept: "OrderedDict[Question, Judgement]" = OrderedDict()

    def __call__(self, pairs: Sequence[Question]) -> List[Judgement]:
        """A judgement for each pair. Those that are new go to the model at once."""
        answers = {pair: self.kept[pair] for pair in pairs if pair in self.kept}
        new = list(dict.fromkeys(pair for pair in pairs if pair not in answers))
        if new:
            answers.update(zip(new, self.model(new)))
        for pair, answer in answers.items():
            self.kept[pair] = answer
            self.kept.move_to_end(pair)
        while len(self.kept) > self.size:
            self.kept.popitem(last=False)
        return [answers[pair] for pair in pairs]
