"""The Adversarial Paraphrasing Task (APT) for paws-components: one meaning in words as different as can be.

The equations and tables that comments name are those of Nighojkar and Licato, "Improving Paraphrase Detection with the
Adversarial Paraphrasing Task" (ACL 2021).
"""

from typing import Any, Callable

from paws_components.plugin import hookimpl

__version__ = "0.1.0"


@hookimpl
def paws_register_metrics(register: Callable[..., Any]) -> None:
    # Neither of these modules imports torch or transformers: that waits for the first pair.
    from .metrics import AptMetric, RewardMetric

    about = "Whether the pair passes the Adversarial Paraphrasing Task: the same meaning in other words."
    register("apt", AptMetric, title="APT", about=about)
    about = "What the pair earns in the Adversarial Paraphrasing Task, from 0 to 1."
    register("apt_reward", RewardMetric, title="APT reward", about=about)


@hookimpl
def paws_register_generators(register: Callable[..., Any]) -> None:
    from .apt_t5 import AptT5
    from .t5_paraphrase import T5Paraphrase

    register("apt_t5", AptT5, chunk=64)
    register("t5_paraphrase", T5Paraphrase, needs=["tagger", "attribute_ruler", "lemmatizer"], chunk=64)
