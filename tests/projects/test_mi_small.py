"""The project's own scripts on a few dozen pairs in the layouts of the real files, through `spacy project run`."""

import json

import numpy
import pytest
import spacy

from paws_components import make_pair
from paws_components.records import NLI
from paws_components.training.readers import PairCorpus

from ..ml.encoders import make_tiny_bert
from .running import copy_project, json_lines, open_scripts, run_workflow, sentences

pytest.importorskip("torch")
pytest.importorskip("transformers")

TOWNS = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito", "Paris", "Delhi", "Riga", "Cork"]
PAIRS = [
    (f"Anna {did} {town} in {when}.", hypothesis.format(town=town, did=did), label)
    for town in TOWNS
    for did, when in (("saw", "May"), ("left", "June"))
    for hypothesis, label in (("Anna {did} {town}.", 0), ("Anna liked {town}.", 1), ("Nobody {did} {town}.", 2))
]
# An attempt whose source is a premise of the corpora, too.
LEAK = ("Anna saw Oslo in May!", "In May it was Oslo that Anna saw.", 1)
ATTEMPTS = [LEAK] + [
    (f"{town} lies by a lake.", f"{other} lies by a lake.", int(town == other)) for town in TOWNS for other in TOWNS[:4]
]
# Of T5. The first shares a sentence with one of people.
OTHERS = [("Oslo lies by a lake.", "By a lake lies Oslo.", 1)] + [
    (f"{town} has a port.", f"{other} has a port.", int(town == other)) for town in TOWNS for other in TOWNS[:3]
]


def write_data(folder):
    snli, mnli, sick, anli = (PAIRS[i::4] for i in range(4))
    rows = {
        "snli/train_100k.tsv": [("premise", "hypothesis", "label"), *snli[:-4]],
        "snli/validation.tsv": [("premise", "hypothesis", "label"), *snli[-4:]],
        "apt/msrp1-mi0.tsv": [(a, b, 0.4, mi) for a, b, mi in OTHERS if mi],
        "apt/msrp1-nmi0.tsv": [(a, b, 0.4, mi) for a, b, mi in OTHERS if not mi],
        "mnli_ni/mnli_train_subset.tsv": [("premise", "hypothesis", "label"), *((a, b, NLI[i]) for a, b, i in mnli)],
        "sick/SICK.txt": [
            ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"),
            *((n, a, b, 3.5, NLI[i].upper()) for n, (a, b, i) in enumerate(sick)),
        ],
        "anli_ni/anli_r1_r2_r3.tsv": [
            ("round", "premise", "hypothesis", "label"),
            *(("r1", a, b, NLI[i].title()) for a, b, i in anli),
        ],
        "apt/final_checks.tsv": [
            tuple("token time duration dataset index sentence candidate BLEURT MI dollar".split()),
            *(("T", 1.0, 2.0, "msrp", n, a, b, 0.4, mi, 0.1) for n, (a, b, mi) in enumerate(ATTEMPTS)),
        ],
    }
    for name, lines in rows.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines), encoding="utf8")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with a training of a few steps."""
    place = tmp_path_factory.mktemp("projects")
    folder = copy_project("mi_small", place)
    write_data(place / "data")
    encoder = make_tiny_bert(
        folder / "encoder", [text for *pair, _ in PAIRS + ATTEMPTS for text in pair], positions=128
    )
    done = run_workflow(folder, data=place / "data", dev=6, max_steps=2, encoder=encoder)
    return folder, json_lines(done.stdout)


def records(folder, name):
    return json_lines((folder / "build" / "corpus" / f"{name}.jsonl").read_text(encoding="utf8"))


def test_what_is_held_back_is_not_trained_on(project):
    folder, (counts, *_) = project
    parts = {name: records(folder, name) for name in ("nli_train", "nli_dev", "snli_test", "attempts", "fit")}
    assert {name: counts[name] for name in parts} == {name: len(part) for name, part in parts.items()}
    assert counts["attempts"] == len(ATTEMPTS) and counts["attempts_paraphrases"] == sum(mi for *_, mi in ATTEMPTS)
    assert counts["fit_shares_with_attempts"] == 1 and counts["fit"] == len(OTHERS) - 1
    assert not sentences(parts["fit"]) & sentences(parts["attempts"])
    assert counts["train_shares_with_attempts"] > 0 and counts["train_shares_with_snli_test"] > 0
    train = sentences(parts["nli_train"])
    assert not any(train & sentences(parts[name]) for name in parts if name != "nli_train")
    gone = counts["train_shares_with_attempts"] + counts["train_shares_with_snli_test"]
    assert sum(counts[name] for name in ("nli_train", "nli_dev", "snli_test")) + gone == len(PAIRS)


def test_it_learns_three_labels_and_never_swaps_sides(project):
    folder, (_, trained, *_) = project
    assert trained["model"] == "nli" and trained["pairs"] == len(records(folder, "nli_train"))
    assert 0 <= trained["dev_accuracy"] <= 1
    nlp = spacy.load(folder / "build" / "models" / "nli" / "model-best")
    assert nlp.get_pipe("textcat").labels == NLI
    assert nlp.config["training"]["batcher"]["swap_sides"] == 0
    assert nlp.get_pipe("textcat").model.layers[1].layers[0].shims[0].autocast


def test_the_figures_are_those_of_the_component(project):
    folder, lines = project
    model = str(folder / "build" / "models" / "nli" / "model-best")
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_mi", config={"model": model})
    verdicts = numpy.array([make_pair(nlp, a, b)._.paws_mi["verdict"] for a, b, _ in ATTEMPTS])
    recorded = numpy.array([bool(mi) for *_, mi in ATTEMPTS])
    figures = lines[-1]
    assert figures == json.loads((folder / "build" / "agreement.json").read_text(encoding="utf8"))
    assert figures["accuracy"]["value"] == pytest.approx((verdicts == recorded).mean(), abs=1e-4)
    assert figures["said_mi"] == pytest.approx(verdicts.mean(), abs=1e-4)
    assert figures["always_mi"]["accuracy"] == pytest.approx(recorded.mean(), abs=1e-4)
    assert sum(figures["confusion"].values()) == len(ATTEMPTS) == sum(figures["fitted"]["confusion"].values())
    said = [doc._.paws_mi for doc in (make_pair(nlp, a, b) for a, b, _ in ATTEMPTS)]
    above = numpy.array([min(one["forward"], one["backward"]) > figures["fitted"]["threshold"] for one in said])
    assert figures["fitted"]["said_mi"] == pytest.approx(above.mean(), abs=0.03)
    (cell,) = json.loads((folder / "build" / "accuracy.json").read_text(encoding="utf8"))["results"]
    judge = spacy.load(model)
    scores = judge.evaluate(list(PairCorpus(folder / "build" / "corpus" / "snli_test.jsonl")(judge)))
    assert (cell["test_set"], cell["pairs"]) == ("snli", 4)
    assert cell["accuracy"]["value"] == pytest.approx(scores["cats_accuracy"])


def test_agreement_with_verdicts_it_gave_itself_is_whole(project, monkeypatch, capsys):
    """The same model's own verdicts as the recorded ones: no disagreement is left."""
    folder = project[0]
    model = str(folder / "build" / "models" / "nli" / "model-best")
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_mi", config={"model": model})
    path = folder / "own.jsonl"
    given = [
        {"sentence1": a, "sentence2": b, "label": int(make_pair(nlp, a, b)._.paws_mi["verdict"])}
        for a, b, _ in ATTEMPTS
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in given), encoding="utf8")
    with open_scripts(folder, monkeypatch, capsys) as script:
        (figures,) = json_lines(script("agreement", path, "--model", model, "-o", folder / "own.json"))
        assert figures["accuracy"]["value"] == 1.0
        assert figures["confusion"]["only_ours"] == figures["confusion"]["only_recorded"] == 0
        # The best threshold on pairs is at least as good there as the verdict, whichever that is.
        (figures,) = json_lines(script("agreement", path, "--fit", path, "--model", model, "-o", folder / "own.json"))
        assert figures["fitted"]["mcc"]["value"] == figures["fitted"]["mcc_where_fitted"] >= figures["mcc"]["value"]
