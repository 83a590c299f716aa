from typing import List, Sequence, Tuple

from ..engine.cache import Memory
from .protocol import Entailment, Judgement

Question = Tuple[str, str]


class CachedEntailment:
    """Asks a model each question once: the answers to the latest ones are kept in memory, by what the sentences say. A
    run forgets them with each chunk.

    model (Entailment): The model.
    size (int): How many answers are kept; 0 for none.
    """

    def __init__(self, model: Entailment, size: int) -> None:
        self.model = model
        self.kept: Memory[Question, Judgement] = Memory(size)
        self.kept.forget_with_chunks()

    def __call__(self, pairs: Sequence[Question]) -> List[Judgement]:
        """A judgement for each pair. Those that are new go to the model at once."""
        answers = {pair: self.kept[pair] for pair in pairs if pair in self.kept}
        new = self.kept.new(pairs)
        if new:
            answers.update(zip(new, self.model(new)))
        self.kept.learn(answers.items())
        return [answers[pair] for pair in pairs]
