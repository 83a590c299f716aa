"""The reward for a paraphrase, and whether it passes the task: plain functions of an MI verdict and a similarity."""

import math

# Above this BLEURT (the checkpoints of the first series, about -2 to 1) nothing is paid.
THRESHOLD = 0.5


def passes(mi: bool, similarity: float, threshold: float = THRESHOLD) -> bool:
    """Whether a pair passes the Adversarial Paraphrasing Task (section 3): APT(s1, s2).

    mi (bool): Whether each sentence entails the other.
    similarity (float): How similar they are in words and structure, BLEURT in the paper.
    threshold (float): The highest similarity that passes. It belongs to the similarity: another has another scale.
    RETURNS (bool): Whether they are mutually implicative, and no more similar than that.
    """
    return bool(mi) and similarity <= threshold


def reward(mi: bool, similarity: float, threshold: float = THRESHOLD) -> float:
    """What a paraphrase earns: equation 1, from nearly 1 for MI without any similarity down to 0.

    Equation 1 by itself never reaches 0; the paper says that nothing was granted above 0.5. So what does not pass earns
    nothing. (The payments that the authors recorded are rounded to cents, which comes to nearly the same: the cent ends
    at 0.515.)

    mi (bool), similarity (float), threshold (float): As in `passes`.
    RETURNS (float): The reward, from 0 to 1.
    """
    if not passes(mi, similarity, threshold):
        return 0.0
    # Not above the threshold, so the exponential is large only where the threshold is.
    return 1.0 / (1.0 + math.exp(min(5.0 * similarity, 300.0))) ** 2
