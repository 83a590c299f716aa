"""The judge with a real NLI model: a small spaCy pipeline that was taught a few pairs."""

import pytest
import spacy
from spacy.training import Example
from thinc.api import fix_random_seed

from paws_components.errors import PawsError
from paws_components.plugins import make_registered

pytest.importorskip("paws_components.nli.mutual", reason="this paws-components has no mutual implication")

from paws_apt.judging import make_judge
from paws_components.pairs import pair_text

LABELS = ("entailment", "neutral", "contradiction")
# Passes; is too similar; holds one way only; holds neither way.
PAIRS = [
    ("anna saw ben.", "ben was seen by anna."),
    ("anna met ben.", "ben met anna."),
    ("anna saw ben in the old house.", "somebody was there."),
    ("ben slept.", "ben was awake all night."),
]
TAUGHT = [(one, two, "entailment") for one, two in PAIRS[:3]] + [(two, one, "entailment") for one, two in PAIRS[:2]]
TAUGHT += [(PAIRS[2][1], PAIRS[2][0], "neutral"), (*PAIRS[3], "contradiction"), (*PAIRS[3][::-1], "contradiction")]


@pytest.fixture(scope="module")
def nli(tmp_path_factory):
    fix_random_seed(0)
    nlp = spacy.blank("en")
    # N-grams reach across the tab, so that the order of the sentences counts.
    bow = {"exclusive_classes": True, "ngram_size": 3, "length": 4096, "no_output_layer": False}
    nlp.add_pipe("textcat", config={"model": {"@architectures": "spacy.TextCatBOW.v3", **bow}})
    examples = [
        Example.from_dict(nlp.make_doc(pair_text(one, two)), {"cats": {name: float(name == label) for name in LABELS}})
        for one, two, label in TAUGHT
    ]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("nli") / "model"
    nlp.to_disk(folder)
    return str(folder)


def test_the_judge_asks_both_ways(nli):
    judge = make_judge("bow_cosine", threshold=0.9, nli={"model": nli})
    found = judge(PAIRS)
    assert [each.mi for each in found] == [True, True, False, False]
    assert [each.passed for each in found] == [True, False, False, False] and found[0].reward > 0
    assert found[2].forward > 0.5 > found[2].backward and max(found[3].forward, found[3].backward) < 0.5


def test_the_metric_and_wrong_settings(nli):
    settings = {"similarity": "bow_cosine", "threshold": 0.9, "nli": {"model": nli}}
    assert make_registered("metrics", "apt", settings)(PAIRS) == [1.0, 0.0, 0.0, 0.0]
    with pytest.raises(PawsError, match="P203.*`nli`.*`modle`"):
        make_registered("metrics", "apt", {**settings, "nli": {"modle": nli}})
