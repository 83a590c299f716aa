"""What this package itself brings, registered as any plugin registers its own."""

from functools import partial
from typing import Any, Callable

from . import hookimpl


@hookimpl
def paws_register_generators(register: Callable[..., Any]) -> None:
    from .generation.word_swap import WordSwap

    register("word_swap", WordSwap, needs=["tagger", "morphologizer", "attribute_ruler", "ner"])


@hookimpl
def paws_register_translators(register: Callable[..., Any]) -> None:
    from .translation.libretranslate import LibreTranslate

    manner = ["key_env", "per_minute", "retries", "backoff", "max_wait", "timeout"]
    register("libretranslate", LibreTranslate, manner=manner)


@hookimpl
def paws_register_language_models(register: Callable[..., Any]) -> None:
    from .lm.causal import make_causal_lm
    from .lm.ngram import make_kenlm

    register("kenlm", make_kenlm)
    register("causal", make_causal_lm)


@hookimpl
def paws_register_judges(register: Callable[..., Any]) -> None:
    from .generation.embedded import make_embedded_judge
    from .generation.neural import make_neural_judge

    register("embedded", make_embedded_judge)
    register("neural", make_neural_judge)


@hookimpl
def paws_register_metrics(register: Callable[..., Any]) -> None:
    from .metrics.bleurt import Bleurt
    from .metrics.compared import damerau_levenshtein, self_bleu
    from .metrics.measure import Deviation, PairFunction, cosine_of_words, inversions_of_words, rouge_of_words
    from .metrics.mi import MIMetric

    def simple(function: Callable[[Any, Any], float]) -> Any:
        return partial(PairFunction, function)

    light = partial(register, light=True)
    extra = "paws-components[metrics]"
    about = "How alike the words of the two sentences are, whatever their order: 1 for the very same words."
    light("bow_cosine", simple(cosine_of_words), reads="words", title="BOW cosine", about=about)
    about = "How much of the order of the shared words is turned round: 0 for the same order."
    light("inversion_rate", simple(inversions_of_words), reads="words", title="Inversion rate", about=about)
    about = "Word position deviation: how far the shared words have moved, on average."
    light("wpd", partial(Deviation, 0), reads="lemmas", title="WPD", about=about)
    about = "Lexical deviation: the share of words that only one of the two sentences has."
    light("ld", partial(Deviation, 1), reads="lemmas", title="LD", about=about)
    about = "The longest sequence of words that both sentences have in this order, as an F-measure."
    needs = {"rapidfuzz": extra}
    light("rouge_l", simple(rouge_of_words), reads="words", title="ROUGE-L", about=about, requires=needs)
    about = "BLEU of the second sentence with the first as its reference: 1 for a copy."
    light("self_bleu", simple(self_bleu), title="Self-BLEU", about=about, requires={"sacrebleu": extra})
    about = "Damerau-Levenshtein: how many characters must change, over the length of the longer sentence."
    light("damerau_levenshtein", simple(damerau_levenshtein), title="Edit distance", about=about, requires=needs)
    titles = {
        "verdict": ("MI", "Mutual implication: 1 where each sentence entails the other."),
        "forward": ("Entails", "The probability that the first sentence entails the second."),
        "backward": ("Entailed", "The probability that the second sentence entails the first."),
    }
    for field in MIMetric.FIELDS:
        title, about = titles[field]
        register(f"mi_{field}", partial(MIMetric, field), title=title, about=about)
    about = "What people would say of the second sentence as a rendering of the first, by a model."
    register("bleurt", Bleurt, title="BLEURT", about=about)
