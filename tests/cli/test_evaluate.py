"""Models by test sets. The models are real pipelines with a rule in the place of a trained network."""

import json
import shutil

import numpy
import pytest
import spacy
from click.testing import CliRunner
from thinc.api import Model

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.evaluation.judging import read_test_set
from paws_components.pairs import pair_spans
from paws_components.readers import read_pairs
from paws_components.records import PairRecord
from paws_components.writers import RecordWriter

from ..ml.cases import BLOCKS, make_pipeline, needs_gpu
from ..ml.encoders import make_tiny_classifier
from ..training.small import write_pairs

# Both sentences, the label; "same words" answers by the words alone, "first longer" by the order alone.
ROWS = [
    ("the dog bit the man", "the man was bitten by the dog", 1),
    ("the dog bit the man", "the man bit the dog", 0),
    ("anna sold her car", "anna bought a boat", 0),
    ("anna sold her old car", "her car was sold by anna", 1),
    ("it rains", "it is raining now", 1),
    ("a b c", "c b a", 0),
]


def same_words(first, second):
    return float(sorted(first.text.split()) == sorted(second.text.split()))


def shared_words(first, second):
    one, two = set(first.text.split()), set(second.text.split())
    return len(one & two) / max(1, len(one | two))


def first_longer(first, second):
    return 0.9 if len(first) >= len(second) else 0.1


RULES = {rule.__name__: rule for rule in (same_words, shared_words, first_longer)}


def forward(model, docs, is_train):
    rule = RULES[model.attrs["rule"]]
    scores = [rule(*pair_spans(doc)) for doc in docs]
    return numpy.array([[score, 1 - score] for score in scores], dtype="f"), lambda d_scores: []


@spacy.registry.architectures("paws_test.Rule.v1")
def build_rule(rule: str) -> Model:
    return Model("rule", forward, attrs={"rule": rule})


def make_model(path, rule, labels=("paraphrase", "not_paraphrase")):
    nlp = spacy.blank("en")
    textcat = nlp.add_pipe("textcat", config={"model": {"@architectures": "paws_test.Rule.v1", "rule": rule}})
    for label in labels:
        textcat.add_label(label)
    path.parent.mkdir(exist_ok=True)
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {rule: make_model(folder / rule / "model-best", rule) for rule in RULES}


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    with RecordWriter(path) as writer:
        for first, second, label in ROWS:
            writer.write(PairRecord(first, second, label=label, evidence={"kept": True}))
        writer.write(PairRecord("no label", "here"))
    return path


def paws(*args):
    result = CliRunner().invoke(cli, ["evaluate", *map(str, args), "--quiet"])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_one_model_one_test_set(models, pairs):
    result = paws(models["same_words"], "--on", f"swaps={pairs}")
    assert result.exit_code == 0
    head, _, row = result.stdout.splitlines()[:3]
    assert head.split("  ")[0] == "model" and "AUC-PR" in head and "same in both orders" in head
    # `spacy train` calls every pipeline model-best: the folder above tells them apart.
    assert row.split()[:2] == ["same_words", "swaps"]
    assert "16.7 [" in row and "100.0 [" in row
    assert "6 pairs; left out 1 without a label, 0 without a sentence (empty, or NS) and 0 rows" in result.stderr
    assert "errors of" not in result.stdout


def test_languages_are_told_apart_and_joined(models, tmp_path):
    for lang in ("de", "zh"):
        folder = tmp_path / "pawsx" / lang
        folder.mkdir(parents=True)
        rows = [
            (1, "a b", "b a", 1),
            (2, "c d", "d c" if lang == "de" else "e", 1),
            (3, "f", "f g", 1),
            (4, "NS", "h", 0),
        ]
        lines = ["id\tsentence1\tsentence2\tlabel", *("\t".join(map(str, row)) for row in rows)]
        (folder / "dev_2k.tsv").write_text("\n".join(lines) + "\n", encoding="utf8")
    files = {lang: tmp_path / "pawsx" / lang / "dev_2k.tsv" for lang in ("de", "zh")}
    merged, out = tmp_path / "merged.jsonl", tmp_path / "out.json"
    with pytest.warns(UserWarning, match="1 rows of"):
        with RecordWriter(merged) as writer:
            # The place of a file of PAWS-X tells its language.
            for record in (record for path in files.values() for record in read_pairs(path)):
                writer.write(record)
    model = f"words={models['same_words']}"
    result = paws(model, "--on", f"x={merged}", "--by", "lang", "--join", "id", "-o", out, "--one-order")
    assert result.exit_code == 0, result.output
    data = json.loads(out.read_text(encoding="utf8"))
    measured = {one["test_set"]: (one["pairs"], one["accuracy"]["value"]) for one in data["results"]}
    assert measured == {"x:de": (3, pytest.approx(2 / 3)), "x:zh": (3, pytest.approx(1 / 3))}
    assert data["agreements"][0]["right_in"] == {"0": 1, "1": 1, "2": 1}
    assert "words: wrong everywhere" in result.stdout
    # Test sets of a file each are joined without --by, and what was measured is read by a pattern.
    apart = [f"--on={lang}={path}" for lang, path in files.items()]
    other = paws(model, *apart, "--join", "id", "--one-order", "--format", "json")
    assert json.loads(other.stdout)["agreements"][0]["right_in"] == data["agreements"][0]["right_in"]
    column = {"title": "all", "run": "{row}", "on": "join:id", "measure": "right_in_2"}
    table = {"columns": [column], "rows": [{"name": "words", "paper": [61.7]}]}
    (tmp_path / "table6").write_text(json.dumps(table), encoding="utf8")
    shown = paws("--results", tmp_path / "ou*.json", "--beside", tmp_path / "table6").stdout
    assert "33.3 [" in shown and "61.7" in shown
    with pytest.raises(PawsError, match="nothing matches"):
        paws("--results", tmp_path / "no*.json", "--beside", tmp_path / "table6")
    with pytest.raises(PawsError, match="has no 'voice'"):
        paws(model, *apart, "--by", "voice")


def test_several_models_and_sets_as_json(models, pairs, tmp_path):
    (tmp_path / "paws.tsv").write_text(
        "id\tsentence1\tsentence2\tlabel\n1\ta b\tb a\t0\n2\tc d\tc d\t1\n", encoding="utf8"
    )
    table, results, examples = tmp_path / "table.md", tmp_path / "results.json", tmp_path / "answers.jsonl"
    result = paws(
        f"words={models['same_words']}",
        f"length={models['first_longer']}",
        *("--on", f"six={pairs}", "--on", f"two={tmp_path / 'paws.tsv'}"),
        *("-o", table, "-o", results, "--examples", examples, "--format", "json"),
    )
    data = json.loads(results.read_text(encoding="utf8"))
    assert json.loads(result.stdout) == data
    assert [(one["model"], one["test_set"]) for one in data["results"]] == [
        ("words", "six"),
        ("words", "two"),
        ("length", "six"),
        ("length", "two"),
    ]
    assert data["test_sets"][0] == {
        "name": "six",
        "path": str(pairs),
        "pairs": 6,
        "unlabelled": 1,
        "unreadable": 0,
        "no_sentence": 0,
    }
    found = {(one["model"], one["test_set"]): one for one in data["results"]}
    # "same words" is wrong on all swaps and misses all paraphrases that say it otherwise; one pair is right.
    assert found["words", "six"]["accuracy"]["value"] == pytest.approx(1 / 6)
    assert found["words", "two"]["accuracy"]["value"] == 0.5
    assert found["words", "six"]["order_consistency"]["value"] == 1.0
    # "first longer" says another thing in the other order, unless the lengths are equal.
    equal = sum(len(first.split()) == len(second.split()) for first, second, _ in ROWS)
    assert found["length", "six"]["order_consistency"]["value"] == pytest.approx(equal / 6)
    for one in data["results"]:
        for name in ("accuracy", "f1", "mcc", "order_consistency"):
            assert one[name]["low"] <= one[name]["value"] <= one[name]["high"]
    overlaps = {(one["test_set"], one["model"], one["other"]): one for one in data["overlaps"]}
    assert len(overlaps) == 4
    of_words = overlaps["six", "words", "length"]
    wrong = {0, 1, 3, 4, 5}
    length_right = {i for i, (a, b, label) in enumerate(ROWS) if (len(a.split()) >= len(b.split())) == bool(label)}
    assert (of_words["errors"], of_words["right"]) == (5, len(wrong & length_right))
    assert of_words["share"] == len(wrong & length_right) / 5
    assert "| model | test set |" in table.read_text(encoding="utf8") and "|---|---|---:|" in table.read_text("utf8")
    # The per-example file is one of pair records, with nothing of theirs lost.
    records = list(read_pairs(examples))
    assert len(records) == 8 and [record.label for record in records[:6]] == [label for *_, label in ROWS]
    assert records[0].evidence["kept"] and records[0].evidence["test_set"] == "six"
    assert records[1].evidence["answers"] == {
        "words": {"label": "paraphrase", "right": False, "score": 1.0, "swapped_score": 1.0},
        "length": {
            "label": "paraphrase",
            "right": False,
            "score": pytest.approx(0.9),
            "swapped_score": pytest.approx(0.9),
        },
    }


def test_one_order_takes_no_swapped_answers(models, pairs, tmp_path):
    results = tmp_path / "results.json"
    paws(models["first_longer"], "--on", f"six={pairs}", "--one-order", "-o", results, "--limit", 4)
    (one,) = json.loads(results.read_text(encoding="utf8"))["results"]
    assert "order_consistency" not in one and one["pairs"] == 4


def test_two_processes_give_the_same(models, pairs):
    args = (models["shared_words"], "--on", f"six={pairs}")
    assert paws(*args, "--n-process", 2, "--batch-size", 2).stdout == paws(*args).stdout


def test_judgements_of_inference(pairs, tmp_path):
    labels = ("entailment", "neutral", "contradiction")

    def three(path):
        nlp = spacy.blank("en")
        textcat = nlp.add_pipe(
            "textcat", config={"model": {"@architectures": "paws_test.Rule.v1", "rule": "same_words"}}
        )
        for label in labels[:2]:
            textcat.add_label(label)
        nlp.to_disk(path)
        return path

    model = three(tmp_path / "nli")
    rows = "a b\tb a\tentailment\nc\td\tneutral\ne\tf\tneutral\n"
    (tmp_path / "nli.tsv").write_text("premise\thypothesis\tlabel\n" + rows, encoding="utf8")
    result = paws(model, "--on", f"nli={tmp_path / 'nli.tsv'}", "--positive-label", "entailment", "--format", "json")
    (one,) = json.loads(result.stdout)["results"]
    assert one["accuracy"]["value"] == 1.0 and one["f1"]["value"] == 1.0
    # Our own records keep the judgement in their evidence.
    lines = (row.split("\t") for row in rows.splitlines())
    records = [PairRecord(first, second, evidence={"nli": label}) for first, second, label in lines]
    own = write_pairs(tmp_path / "nli.jsonl", [*records, PairRecord("g", "h")])
    result = paws(model, "--on", f"nli={own}", "--positive-label", "entailment", "--format", "json")
    assert json.loads(result.stdout)["results"] == [one]
    assert json.loads(result.stdout)["test_sets"][0]["unlabelled"] == 1
    # A corpus of 0 and 1 can be asked of it too: entailment or not.
    result = paws(model, "--on", f"six={pairs}", "--positive-label", "entailment", "--format", "json")
    assert json.loads(result.stdout)["results"][0]["accuracy"]["value"] == pytest.approx(1 / 6)
    with pytest.raises(PawsError, match="P352.*paraphrase"):
        paws(model, "--on", f"six={pairs}")


def test_a_transformer_and_a_function_beside_a_pipeline(models, pairs, tmp_path, monkeypatch):
    words = [text for first, second, _ in ROWS for text in (first, second)]
    make_tiny_classifier(tmp_path / "bert", words, ["LABEL_0", "LABEL_1"])
    make_tiny_classifier(tmp_path / "cross", words, ["LABEL_0"])
    code = "def same(pairs):\n    return [float(sorted(a.split()) == sorted(b.split())) for a, b in pairs]\n"
    (tmp_path / "rules.py").write_text(code, encoding="utf8")
    monkeypatch.chdir(tmp_path)
    args = (models["same_words"], "bert", "cross", "again=rules:same", "--on", f"six={pairs}", "--format", "json")
    results = json.loads(paws(*args, "--examples", "answers.jsonl").stdout)["results"]
    assert [one["model"] for one in results] == ["same_words", "bert", "cross", "again"]
    # The function has the same rule as the pipeline.
    assert {**results[3], "model": "same_words"} == results[0]
    answers = next(iter(read_pairs("answers.jsonl"))).evidence["answers"]
    assert answers["bert"]["label"] in ("LABEL_0", "LABEL_1") and 0 < answers["cross"]["score"] < 1
    # What a model is called by default is what tells it from others.
    assert "| rules:same | six |" in paws("rules:same", "--on", f"six={pairs}", "--format", "markdown").stdout


def test_spacy_evaluate_and_paws_evaluate_agree(models, pairs, tmp_path):
    from spacy.cli.evaluate import evaluate
    from spacy.tokens import DocBin

    from paws_components.pairs import pair_text

    nlp = spacy.load(models["shared_words"])
    config = nlp.config
    config["components"]["textcat"]["scorer"] = {"@scorers": "paws.paraphrase_scorer.v1"}
    scored = spacy.blank("en").from_config(config)
    for label in ("paraphrase", "not_paraphrase"):
        scored.get_pipe("textcat").add_label(label)
    scored.to_disk(tmp_path / "scored")
    docs = []
    for first, second, label in ROWS:
        doc = nlp.make_doc(pair_text(first, second))
        doc.cats = {"paraphrase": float(label), "not_paraphrase": float(1 - label)}
        docs.append(doc)
    DocBin(docs=docs).to_disk(tmp_path / "six.spacy")
    theirs = evaluate(str(tmp_path / "scored"), tmp_path / "six.spacy", output=tmp_path / "scores.json")
    written = json.loads((tmp_path / "scores.json").read_text())
    assert written["cats_auc_pr"] == pytest.approx(theirs["cats_auc_pr"])
    result = paws(tmp_path / "scored", "--on", f"six={pairs}", "--format", "json")
    (ours,) = json.loads(result.stdout)["results"]
    for name in ("accuracy", "auc_pr", "f1", "mcc"):
        for part, ending in (("value", ""), ("low", "_low"), ("high", "_high")):
            assert ours[name][part] == pytest.approx(theirs[f"cats_{name}{ending}"], abs=1e-6)


def test_the_gpu_is_taken_before_a_model_is_loaded(models, pairs, monkeypatch):
    """Weights go to where the work is done when they are loaded. What there is no GPU for is seen in the order."""
    from paws_components.evaluation.targets import pipeline

    done = []
    monkeypatch.setattr(spacy, "require_gpu", lambda gpu_id: done.append(gpu_id))
    monkeypatch.setattr(pipeline, "load_pipeline", lambda path: done.append(path) or spacy.load(path))
    args = (str(models["same_words"]), "--on", f"six={pairs}")
    paws(*args, "--gpu-id", 3)
    assert done == [3, args[0]]
    paws(*args)
    assert done == [3, args[0], args[0]]


@needs_gpu
def test_gpu_id(pairs, tmp_path):
    """The same answers from the GPU."""
    make_pipeline(BLOCKS["esim"], steps=3).to_disk(tmp_path / "esim")
    args = (tmp_path / "esim", "--on", f"six={pairs}", "--examples", tmp_path / "answers.jsonl")
    scores = []
    try:
        for gpu_id in (-1, 0):
            paws(*args, "--gpu-id", gpu_id)
            answers = [record.evidence["answers"]["esim"] for record in read_pairs(tmp_path / "answers.jsonl")]
            scores.append([answer["score"] for answer in answers])
    finally:
        spacy.require_cpu()
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)


def test_clear_errors(models, pairs, tmp_path):
    model = models["same_words"]
    cases = [
        (["nowhere", "--on", f"six={pairs}"], "P356"),
        ([model, "nowhere", "--on", f"six={pairs}"], "P356"),
        ([model, "--on", "six=nowhere.tsv"], "P020"),
        ([model, "--on", f"six={pairs}", "--on", f"six={pairs}"], "P354"),
        ([model, model, "--on", f"six={pairs}"], "P354"),
        ([model, "--on", f"six={pairs}", "-o", "table.html"], "P011"),
        ([model, "--on", f"six={pairs}", "--examples", "table.tsv"], "P011"),
        ([model, "--on", f"six={pairs}", "--examples", pairs], "P150"),
        ([model, "--on", f"six={pairs}", "-o", tmp_path / "no" / "table.md"], "P021"),
        ([model, "--on", f"six={pairs}", "--samples", -1], "P015"),
        ([model, "--on", f"six={pairs}", "--gpu-id", 99], "P355"),
    ]
    spacy.blank("en").to_disk(tmp_path / "blank")
    cases.append(([tmp_path / "blank", "--on", f"six={pairs}"], "P351"))
    (tmp_path / "none.tsv").write_text("sentence1\tsentence2\tlabel\na\tb\t\n", encoding="utf8")
    cases.append(([model, "--on", f"none={tmp_path / 'none.tsv'}"], "P353"))
    for args, code in cases:
        with pytest.raises(PawsError, match=code):
            paws(*args)


def test_a_pattern_that_finds_nothing_is_told(models, pairs, tmp_path):
    done = paws(models["same_words"], tmp_path / "*" / "model-best", "--on", f"six={pairs}", "--one-order")
    assert f"Nothing matches {tmp_path}" in done.stderr and "six" in done.stdout


def test_rows_that_cannot_be_read_are_counted(tmp_path):
    path = tmp_path / "paws.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n1\ta\tb\t1\nstray\n2\tc\td\t0\n3\te\tf\t\n", encoding="utf8")
    found = read_test_set("some", str(path))
    assert (len(found.records), found.unreadable, found.unlabelled) == (2, 1, 1)


def test_a_paper_s_table_stands_beside_ours(models, pairs, tmp_path, monkeypatch):
    """Models by a pattern; the same table again from the results, without asking anybody."""
    column = {"title": "Acc", "run": "{row}", "on": "dev", "measure": "accuracy"}
    table = {"title": "Table 1", "columns": [column], "rows": [{"name": "same_words", "title": "BOW", "paper": [29.0]}]}
    (tmp_path / "paper.json").write_text(json.dumps(table), encoding="utf8")
    pattern = str(next(iter(models.values())).parents[1] / "*" / "model-best")
    beside = ["--beside", str(tmp_path / "paper.json")]
    files = {ending: str(tmp_path / f"table.{ending}") for ending in ("json", "md", "tsv", "txt")}
    outputs = [word for path in files.values() for word in ("-o", path)]
    done = CliRunner().invoke(cli, ["evaluate", pattern, "--on", f"dev={pairs}", "--quiet", *beside, *outputs])
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "table.json").read_text(encoding="utf8"))
    assert sorted(one["model"] for one in found["results"]) == sorted(RULES)
    value = next(one["accuracy"]["value"] for one in found["results"] if one["model"] == "same_words")
    (cell,) = found["beside"][0]["cells"]
    assert cell["ours"] == pytest.approx(100 * value) and cell["paper"] == 29.0
    assert "*BOW, paper* | 29.0" in (tmp_path / "table.md").read_text(encoding="utf8")
    assert (tmp_path / "table.tsv").read_text(encoding="utf8").splitlines()[0].startswith("row\tcolumn\tours")
    again = CliRunner().invoke(cli, ["evaluate", "--results", files["json"], *beside, "--format", "markdown"])
    assert (
        again.exit_code == 0 and f"| BOW | {cell['ours']:.1f} [" in again.output and "first_longer" not in again.output
    )


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["evaluate"], "P360"),
        (["evaluate", "--results", "none.json"], "P360"),
        (["evaluate", "some/model"], "P361"),
        (["evaluate", "none/*/model-best", "--on", "dev=pairs.jsonl"], "P356"),
    ],
)
def test_what_is_missing_is_said(arguments, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PawsError, match=code):
        CliRunner().invoke(cli, arguments, catch_exceptions=False, standalone_mode=False)


def test_a_training_that_did_not_end_is_not_measured(pairs, models, tmp_path):
    run = tmp_path / "models" / "bow"
    shutil.copytree(models["same_words"], run / "model-best")
    (run / "config.cfg").write_text("", encoding="utf8")
    for model in (tmp_path / "models" / "*" / "model-best", run / "model-best", f"BOW={run / 'model-best'}"):
        with pytest.raises(PawsError, match="P314.*bow"):
            arguments = ["evaluate", str(model), "--on", f"dev={pairs}"]
            CliRunner().invoke(cli, arguments, catch_exceptions=False, standalone_mode=False)
