"""transformers' Trainer with the paper's loss. Importing this imports torch and transformers."""

from typing import Any, Dict, List, Optional

from transformers import Trainer

from paws_components.plugin import Pretrained

from ..drawing import Draw, row_random
from ..judging import Judge, Judgement
from ..seq2seq import sample
from .examples import Examples
from .loss import reward_divided


class RewardTrainer(Trainer):
    """Divides the cross-entropy of a batch by the reward for what the model itself writes for it (section 3.2).

    judge (Optional[Judge]): Judges what the model writes; None for plain cross-entropy, and nothing is written.
    examples (Examples): The training examples.
    tokenizer (Any): The model's.
    top_k (int), top_p (float): How its paraphrases are sampled.
    max_length (int): The most tokens of one.
    **settings: What Trainer takes.
    """

    def __init__(
        self,
        *,
        judge: Optional[Judge],
        examples: Examples,
        tokenizer: Any,
        top_k: int = 120,
        top_p: float = 0.95,
        max_length: int = 256,
        **settings: Any,
    ) -> None:
        super().__init__(train_dataset=examples.features, **settings)
        self.judge = judge
        self.examples = examples
        self.tokenizer_of_model = tokenizer
        self.top_k = top_k
        self.top_p = top_p
        self.max_length = max_length
        # The loss is the mean over a batch's tokens, whatever the model would make of a longer accumulated one.
        self.model_accepts_loss_kwargs = False
        self._judged: List[List[Judgement]] = []

    def compute_loss(
        self,
        model: Any,
        inputs: Dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Optional[Any] = None,
    ) -> Any:
        numbers = inputs.pop("number").tolist()
        outputs = model(**inputs)
        loss = outputs.loss
        if self.judge is not None and model.training:
            judged = self.judge_own(self.judge, self.accelerator.unwrap_model(model), numbers)
            self._judged.append(judged)
            loss = reward_divided(loss, sum(each.reward for each in judged))
        return (loss, outputs) if return_outputs else loss

    def judge_own(self, judge: Judge, model: Any, numbers: List[int]) -> List[Judgement]:
        """Judge a paraphrase of the model's own for each sentence of a batch: all of them at once."""
        sentences = [self.examples.sentences[number] for number in numbers]
        encoded = [self.examples.features[number]["input_ids"] for number in numbers]
        # Drawn by seed, step and sentence, and not by the state of a generator: a resumed run draws the same.
        step = self.state.global_step
        draw = Draw(self.top_k, self.top_p, [row_random(self.args.seed, text, step, 0) for text in sentences])
        model.eval()
        try:
            texts = sample(Pretrained(model, self.tokenizer_of_model), encoded, draw, 1, self.max_length)
        finally:
            model.train()
        return judge(list(zip(sentences, texts)))

    def log(self, logs: Dict[str, float], *args: Any, **kwargs: Any) -> None:
        """Log what the model's own paraphrases came to since the last time."""
        every = [each for batch in self._judged for each in batch]
        if every and "loss" in logs:
            logs["reward"] = sum(each.reward for each in every) / len(every)
            logs["reward_of_batch"] = sum(each.reward for each in every) / len(self._judged)
            logs["mi_rate"] = sum(each.mi for each in every) / len(every)
            logs["apt_rate"] = sum(each.passed for each in every) / len(every)
            self._judged = []
        super().log(logs, *args, **kwargs)
