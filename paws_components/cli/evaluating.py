"""A run of `paws evaluate`: models and test sets in, one comparison out."""

import json
from pathlib import Path
from typing import Any, Dict, List, Sequence

import spacy
from spacy.util import is_package
from tqdm import tqdm

from ..errors import Errors, PawsError
from ..models import load_pipeline
from ..training.comparison import Comparison
from ..training.judging import Answers, TestSet, judge


def compare(
    models: Dict[str, str],
    test_sets: Sequence[TestSet],
    *,
    positive_label: str,
    both_orders: bool,
    samples: int,
    seed: int,
    gpu_id: int,
    quiet: bool,
    pipe: Dict[str, Any],
) -> Comparison:
    """Ask every model about every test set. One model is in memory at a time.

    models (Dict[str, str]): The pipelines by name.
    test_sets (Sequence[TestSet]): The test sets.
    positive_label (str), both_orders (bool): See `judge`.
    samples (int), seed (int): Of the bootstrap.
    gpu_id (int): The GPU; -1 for none.
    quiet (bool): Whether to show no progress.
    pipe (Dict[str, Any]): For `nlp.pipe`.
    RETURNS (Comparison): The comparison, a model after the other.
    """
    for path in models.values():
        # Before the first is asked: a misspelt last one would cost all that came before.
        if not is_package(path) and not Path(path).exists():
            raise PawsError(Errors.P356.format(name=path))
    if gpu_id >= 0:
        try:
            spacy.require_gpu(gpu_id)
        except ValueError as error:
            raise PawsError(Errors.P355.format(gpu=gpu_id, reason=str(error).rstrip("."))) from error
    total = sum(len(one.records) for one in test_sets) * len(models) * (2 if both_orders else 1)
    answers: List[Answers] = []
    with tqdm(total=total, unit=" pairs", disable=quiet, leave=False) as bar:
        for name, path in models.items():
            bar.set_description(name)
            nlp = load_pipeline(path)
            for one in test_sets:
                found = judge(
                    nlp,
                    one,
                    name,
                    positive_label=positive_label,
                    both_orders=both_orders,
                    watch=bar.update,
                    **pipe,
                )
                answers.append(found)
            del nlp
    return Comparison(answers, samples=samples, seed=seed)


def show(comparison: Comparison, shape: str) -> str:
    """The comparison as "text", "markdown" or "json"."""
    if shape == "json":
        return json.dumps(comparison.to_dict(), ensure_ascii=False, indent=2)
    return comparison.to_markdown() if shape == "markdown" else comparison.to_text()
