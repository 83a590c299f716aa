"""The loss of section 3.2."""

from typing import TypeVar

# A number, or a tensor of torch.
N = TypeVar("N")
# From this reward on, the loss of a batch is divided by it.
LEAST_REWARD = 1.0


def reward_divided(cross_entropy: N, total_reward: float) -> N:
    """The paper's loss: "dividing the cross-entropy loss per batch by the total reward earned from the model's
    paraphrase generations for that batch, provided the model was able to reach a reward of at least 1".

    cross_entropy (N): The cross-entropy of a batch.
    total_reward (float): The sum of the rewards (equation 1) for what the model wrote for the batch's sentences.
    RETURNS (N): The loss.
    """
    if total_reward < LEAST_REWARD:
        return cross_entropy
    return cross_entropy / total_reward  # type: ignore[operator, no-any-return]
