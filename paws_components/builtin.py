"""What this package itself brings, registered as any plugin registers its own."""

from functools import partial
from typing import Any, Callable

from . import hookimpl


@hookimpl
def paws_register_generators(register: Callable[..., Any]) -> None:
    from .generation.word_swap import WordSwap

    register("word_swap", WordSwap, needs=["tagger", "attribute_ruler", "ner"])


@hookimpl
def paws_register_language_models(register: Callable[..., Any]) -> None:
    from .lm.causal import make_causal_lm
    from .lm.ngram import make_kenlm

    register("kenlm", make_kenlm)
    register("causal", make_causal_lm)


@hookimpl
def paws_register_metrics(register: Callable[..., Any]) -> None:
    from .metrics.bleurt import Bleurt
    from .metrics.measure import METRICS, TextMetric
    from .metrics.mi import MIMetric

    for name in METRICS:
        register(name, partial(TextMetric, name))
    for field in MIMetric.FIELDS:
        register(f"mi_{field}", partial(MIMetric, field))
    register("bleurt", Bleurt)
