"""The loss of section 3.2."""

from typing import Any

# From this reward on, the loss of a batch is divided by it.
LEAST_REWARD = 1.0


def reward_divided(cross_entropy: Any, total_reward: float) -> Any:
    """The paper's loss: "dividing the cross-entropy loss per batch by the total reward earned from the model's
    paraphrase generations for that batch, provided the model was able to reach a reward of at least 1".

    cross_entropy (Any): The cross-entropy of a batch: a tensor, or a number.
    total_reward (float): The sum of the rewards (equation 1) for what the model wrote for the batch's sentences.
    RETURNS (Any): The loss.
    """
    return cross_entropy / total_reward if total_reward >= LEAST_REWARD else cross_entropy
