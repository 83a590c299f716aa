from functools import partial
from typing import Any, Callable, Dict, Iterable, List

from spacy.scorer import Scorer
from spacy.training import Example

from ..errors import Errors, PawsError
from ..evaluation.judging import best_label
from ..evaluation.measures import measure_answers

MEASURES = {"accuracy": "accuracy", "auc_pr": "AUC-PR", "f1": "F1", "mcc": "MCC"}


def make_paraphrase_scorer(
    positive_label: str = "paraphrase", main: str = "auc_pr", samples: int = 1000, seed: int = 0
) -> Callable[..., Dict[str, Any]]:
    """`paws.paraphrase_scorer.v1`: accuracy, area under the precision-recall curve, F1 and MCC, with 95 % intervals.

    positive_label (str): The label that is looked for; of NLI's three perhaps "entailment".
    main (str): Which of `accuracy`, `auc_pr`, `f1` and `mcc` becomes `cats_score`: `spacy train` keeps the checkpoint
        where it is highest.
    samples (int): How many resamples the bootstrap draws for the intervals.
    seed (int): Its seed.
    RETURNS (Callable): The scorer, for `[components.textcat.scorer]`.
    """
    if main not in MEASURES:
        raise PawsError(Errors.P015.format(name="main", what=f"one of {', '.join(MEASURES)}", value=main))
    if samples < 0:
        raise PawsError(Errors.P015.format(name="samples", what="0 or more", value=samples))
    return partial(score_paraphrases, looked_for=positive_label, main=main, samples=samples, seed=seed)


def score_paraphrases(
    examples: Iterable[Example],
    *,
    looked_for: str = "paraphrase",
    main: str = "auc_pr",
    samples: int = 1000,
    seed: int = 0,
    labels: Iterable[str] = (),
    **_: Any,
) -> Dict[str, Any]:
    """Score the categories of pair Docs. Examples that have no label are left out.

    The label has another name here than in the config: a text categorizer calls its scorer with all of its own
    settings, of which `positive_label` is one, usually empty.

    examples (Iterable[Example]): The examples.
    looked_for (str): The positive label.
    main (str): Which measure becomes `cats_score`.
    samples (int), seed (int): Of the bootstrap.
    labels (Iterable[str]): The labels there are; none to take those of the examples.
    RETURNS (Dict[str, Any]): spaCy's own `cats_…` scores; `cats_accuracy`, `cats_auc_pr`, `cats_f1` and `cats_mcc`,
        each with `…_low` and `…_high`; and `cats_score`, the main one. Plain numbers, None where there is no value.
    """
    examples = list(examples)
    known = list(labels) or sorted({label for example in examples for label in example.reference.cats})
    if examples and looked_for not in known:
        raise PawsError(Errors.P341.format(label=looked_for, known=", ".join(known) or "none"))
    examples = [example for example in examples if _gold(example, known)]
    results = Scorer.score_cats(examples, "cats", labels=known, multi_label=False)
    truths, scores, answers, right = [], [], [], []
    for example in examples:
        gold = _gold(example, known)
        predicted = {label: value for label, value in example.predicted.cats.items() if label in known}
        best = best_label(predicted, looked_for)
        truths.append(gold == looked_for)
        scores.append(predicted.get(looked_for, 0.0))
        answers.append(best == looked_for)
        right.append(best == gold)
    for name, measure in measure_answers(truths, scores, answers, right, samples=samples, seed=seed).items():
        results[f"cats_{name}"] = measure.value
        results[f"cats_{name}_low"] = measure.low
        results[f"cats_{name}_high"] = measure.high
    results["cats_score"] = results[f"cats_{main}"]
    results["cats_score_desc"] = MEASURES[main] if main == "accuracy" else f"{MEASURES[main]} ({looked_for})"
    return results


def _gold(example: Example, labels: List[str]) -> str:
    """The label of an example; "" if it has none."""
    given = {label: value for label, value in example.reference.cats.items() if label in labels and value > 0}
    return max(given, key=given.__getitem__, default="")
