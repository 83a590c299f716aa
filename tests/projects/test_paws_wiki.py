"""The project's own scripts on a few dozen pairs and sentences, through `spacy project run`."""

import json
import lzma
import shutil
import stat
import sys

import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.util import load_config

from paws_components.pairs import pair_text

from ..ml.encoders import make_tiny_bert
from .quora import CITIES, PAWS, PAWS_TEST, QQP, write_quora
from .running import copy_project, json_lines, open_scripts, run_workflow, sentences

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("paws_back_translation")

MODELS = ("bow", "bilstm", "esim", "decatt", "decatt_bilstm", "diin", "transformer")
CORPORA = ("qqp", "paws_qqp", "paws_wiki")
MIXES = {
    "qqp": ("qqp",),
    "qqp+paws_qqp": ("qqp", "paws_qqp"),
    "qqp+paws_wiki": ("qqp", "paws_wiki"),
    "qqp+paws_wiki+swap": ("qqp", "paws_wiki", "swap"),
    "qqp+paws_qqp+paws_wiki": ("qqp", "paws_qqp", "paws_wiki"),
    "qqp+paws_qqp+paws_wiki+swap": ("qqp", "paws_qqp", "paws_wiki", "swap"),
}
WIKI = [
    (f"The railway from {a} to {b} was closed in {year} .", f"The railway {rest} was closed in {year} .", label)
    for a, b in zip(CITIES, CITIES[3:] + CITIES[:3])
    for year in (1953, 1954)
    for rest, label in ((f"from {b} to {a}", 0), (f"to {b} from {a}", 1))
]
# Questions of QQP in another spelling: wherever they come to lie, they leak.
SHARED = [(f"Is {a} old ?", f"Is old {a} ?", 0) for a in CITIES]
# The translator below knows what to do with the first kind of sentence, and leaves the second as it is.
TEXT = [
    *(f"The band from {a} also played in {b} in the spring. It was short." for a, b in zip(CITIES, CITIES[1:])),
    *(f"The road from {a} to {b} was built by a rich count. and was lost" for a, b in zip(CITIES, CITIES[2:])),
    "The railway from Oslo to Lima was closed in 1953.",
]
# Stands in for Apertium: the same command line and the same way of telling sentences apart.
APERTIUM = """#!{python}
import re, sys
if "-l" in sys.argv:
    print("eng-spa spa-eng")
else:
    text = sys.stdin.buffer.read().decode("utf8")
    sys.stdout.buffer.write(re.sub("also played in ([A-Z]\\\\w+)", r"played in \\1 also", text).encode("utf8"))
"""


def write_wiki(folder, files):
    (folder / "paws_wiki").mkdir(parents=True)
    (folder / "wiki").mkdir()
    for name, pairs in files.items():
        rows = ["id\tsentence1\tsentence2\tlabel", *(f"{i}\t{a}\t{b}\t{y}" for i, (a, b, y) in enumerate(pairs, 1))]
        (folder / "paws_wiki" / f"{name}.tsv").write_text("\r\n".join(rows) + "\r\n", encoding="utf8", newline="")
    with lzma.open(folder / "wiki" / "wiki.txt.xz", "wt", encoding="utf8") as file:
        file.write("\n".join(TEXT) + "\n")


def records(path):
    return json_lines(path.read_text(encoding="utf8"))


def parts(folder, *kinds):
    return {
        f"{name}_{kind}": records(folder / "build" / "corpus" / f"{name}_{kind}.jsonl")
        for name in CORPORA
        for kind in kinds
    }


def predictions(nlp):
    texts = [pair_text(a, b) for a, b, _ in WIKI[:6]]
    return [doc.cats["paraphrase"] for doc in nlp.pipe(texts)]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with two models and one step each."""
    projects = tmp_path_factory.mktemp("projects")
    copy_project("paws_qqp", projects)
    folder = copy_project("paws_wiki", projects)
    write_quora(folder / "data")
    write_wiki(folder / "data", {"dev": WIKI + SHARED})
    command = folder / "apertium"
    command.write_text(APERTIUM.format(python=sys.executable), encoding="utf8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    encoder = make_tiny_bert(folder / "encoder", [side for pair in WIKI + PAWS for side in pair[:2]], positions=128)
    overrides = {"data": "data", "qqp_train": 24, "qqp_dev": 4, "paws_dev": 4, "wiki_dev": 6, "wiki_test": 10}
    overrides.update(translator_setting=f"translator_settings.command={command}", silver_share=0.4)
    # Which of a dozen sentences the judge keeps is not what is tested here.
    overrides.update(swaps_kept="all")
    overrides.update(models="bow transformer", epochs="bow=1 transformer=1", silver_epochs="bow=1 transformer=1")
    overrides.update(mix_models="bow", mix_epochs="bow=1", max_steps=1, encoder=encoder, threads=1)
    return folder, json_lines(run_workflow(folder, **overrides).stdout)


@pytest.fixture
def script(project, monkeypatch, capsys):
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def test_no_corpus_leaks_into_any_test_set(project):
    folder, lines = project
    counts = next(line for line in lines if "paws_wiki_is" in line)
    assert counts["paws_wiki_is"] == "cut from dev.tsv"
    train, dev, test = (parts(folder, kind) for kind in ("train", "dev", "test"))
    for name, pairs in {**train, **dev, **test}.items():
        assert pairs and counts[name] == len(pairs)
    for pairs in train.values():
        for other in (*dev.values(), *test.values()):
            assert not sentences(pairs) & sentences(other)
    for pairs in dev.values():
        for other in test.values():
            assert not sentences(pairs) & sentences(other)
    # Nothing but leaks is lost, and the test sets are whole.
    assert sum(counts[f"{name}_leaks"] for name in (*train, *dev)) > 0
    lost = counts["paws_wiki_train_leaks"] + counts["paws_wiki_dev_leaks"]
    assert sum(counts[f"paws_wiki_{kind}"] for kind in ("train", "dev", "test")) + lost == len(WIKI + SHARED)
    assert counts["paws_qqp_test"] == len(PAWS_TEST) and counts["qqp_test"] == len(QQP) - 24
    assert {pair["label_source"] for pair in train["paws_wiki_train"]} == {"human"}


def test_published_parts_are_taken_as_they_are(project, script, tmp_path):
    write_wiki(tmp_path, {"train": WIKI[4:] + SHARED[:3], "dev": WIKI[2:4], "test": WIKI[:2]})
    (counts,) = json_lines(script("prepare", tmp_path / "paws_wiki", "--quora", "build/quora", "-o", tmp_path / "out"))
    assert counts["paws_wiki_is"] == "published parts"
    test = records(tmp_path / "out" / "paws_wiki_test.jsonl")
    assert [(pair["sentence1"], pair["sentence2"], pair["label"]) for pair in test] == WIKI[:2]
    assert counts["paws_wiki_train"] + counts["paws_wiki_train_leaks"] == len(WIKI) - 4 + 3


def test_silver_pairs_are_made_as_paws_wiki_was(project):
    folder, lines = project
    taken = (folder / "build" / "silver" / "sentences.txt").read_text(encoding="utf8").splitlines()
    # Neither what is short, nor what is not a whole sentence, nor what is labelled.
    assert taken == [line.split(". ")[0] + "." for line in TEXT[:-1]]
    counts = next(line for line in lines if "swaps_with_back_translation" in line)
    swaps, back = (records(folder / "build" / "silver" / f"{name}.jsonl") for name in ("swaps", "back"))
    silver = records(folder / "build" / "silver" / "pairs" / "silver.jsonl")
    assert 0 < len(back) == counts["back_translations"] and len(swaps) == counts["swaps"]
    assert all(pair["label_source"] == "silver" for pair in silver)
    labels = {pair["generator"]: set() for pair in silver}
    for pair in silver:
        labels[pair["generator"]].add(pair["label"])
    assert labels == {"word_swap": {0}, "back_translation": {1}, "recombined": {0}}
    assert {pair["sentence1"] for pair in silver if pair["label"]} == {pair["sentence1"] for pair in back}
    # As many non-paraphrases were drawn as leave the share that was asked for.
    paraphrases = sum(pair["label"] for pair in silver)
    assert paraphrases / len(silver) >= 0.4 and len(silver) + counts["silver_not_drawn"] == counts["recombined"]
    assert counts["silver_not_drawn"] > 0
    for pairs in parts(folder, "train", "dev", "test").values():
        assert not sentences(silver) & sentences(pairs)


def test_the_auxiliary_set_is_what_has_no_back_translation(project, script, tmp_path):
    folder, lines = project
    counts = next(line for line in lines if "swap_is" in line)
    alone = records(folder / "build" / "auxiliary" / "swap_train.jsonl")
    assert counts["swap_is"] == "our own swaps, silver labels" and counts["swap_train"] == len(alone) > 0
    assert all(pair["sentence1"].startswith("The road") and pair["label"] == 0 for pair in alone)
    test = parts(folder, "test")["paws_wiki_test"]
    leak = (test[0]["sentence1"].upper(), test[0]["sentence2"], 0)
    write_wiki(tmp_path, {"swap": [leak, ("A dog bit a man .", "A man bit a dog .", 0)]})
    options = ["--silver", "none.jsonl", "--labelled", "build/corpus", "-o", tmp_path / "out"]
    (counts,) = json_lines(script("auxiliary", tmp_path / "paws_wiki" / "swap.tsv", *options))
    assert counts["swap_is"].startswith("PAWS-Wiki-Swap") and (counts["swap_train"], counts["swap_leaks"]) == (1, 1)


@pytest.mark.parametrize("model", ["bow", "transformer"])
def test_fine_tuning_starts_with_the_pretrained_weights(project, monkeypatch, model):
    folder, _ = project
    monkeypatch.chdir(folder)
    models = folder / "build" / "models"
    config = load_config(models / f"{model}-silver-wiki" / "config.cfg")
    assert config["components"]["textcat"]["source"] == f"build/models/{model}-silver/model-best"
    assert config["corpora"]["train"]["path"] == ["build/corpus/paws_wiki_train.jsonl"]
    started = init_nlp(config)
    pretrained = spacy.load(models / f"{model}-silver" / "model-best")
    assert predictions(started) == predictions(pretrained)
    assert predictions(started) != predictions(init_nlp(load_config(models / f"{model}-wiki" / "config.cfg")))
    assert predictions(started) != predictions(spacy.load(models / f"{model}-silver-wiki" / "model-best"))
    assert not started._optimizer.mom1 and not started._optimizer.nr_update


def test_tables_hold_what_was_measured(project):
    folder, lines = project
    trained = {line["model"]: line["pairs"] for line in lines if "seconds" in line}
    train = {name.removesuffix("_train"): len(pairs) for name, pairs in parts(folder, "train").items()}
    train["swap"] = len(records(folder / "build" / "auxiliary" / "swap_train.jsonl"))
    silver = len(records(folder / "build" / "silver" / "pairs" / "silver.jsonl"))
    runs = {"wiki": train["paws_wiki"], "silver": silver, "silver-wiki": train["paws_wiki"]}
    assert trained == {
        **{f"{model}-{run}": pairs for model in ("bow", "transformer") for run, pairs in runs.items()},
        **{f"bow-{mix}": sum(train[part] for part in corpora) for mix, corpora in MIXES.items()},
    }

    results = json.loads((folder / "build" / "table8.json").read_text(encoding="utf8"))["results"]
    measured = {one["model"]: one for one in results}
    table = (folder / "build" / "table8.md").read_text(encoding="utf8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[2:6]]
    assert [row[0] for row in rows] == ["BOW", "*BOW, paper*", "transformer", "*BERT, paper*"]
    for row, model in ((rows[0], "bow"), (rows[2], "transformer")):
        values = [
            measured[f"{model}-{run}"][name] for run in ("wiki", "silver-wiki") for name in ("accuracy", "auc_pr")
        ]
        assert [cell.split()[0] for cell in row[1:]] == [f"{100 * value['value']:.1f}" for value in values]
        assert all(cell.endswith("]") for cell in row[1:])
    assert rows[3][1:] == ["90.4", "93.7", "91.9", "94.3"]
    assert any("cut from dev.tsv" in line for line in table) and any(f"{silver:,} pairs" in line for line in table)

    results = json.loads((folder / "build" / "table9.json").read_text(encoding="utf8"))["results"]
    measured = {(one["model"], one["test_set"]): one["auc_pr"]["value"] for one in results}
    rows = [line for line in lines if "mix" in line]
    assert [row["mix"] for row in rows] == list(MIXES)
    for row in rows:
        for name in ("qqp_test", "paws_qqp_test", "paws_wiki_test"):
            assert row[name] == round(100 * measured[f"bow-{row['mix']}", name], 1)
    assert "silver labels" in (folder / "build" / "table9.md").read_text(encoding="utf8")


def test_errors_of_the_transformer_that_diin_has_right(project, script, tmp_path):
    """The figures come from what `paws evaluate` wrote, for both ways of training, and from the right side."""
    found = json.loads((project[0] / "build" / "table8.json").read_text(encoding="utf8"))
    renamed = json.loads(json.dumps(found).replace('"bow-', '"diin-'))
    (tmp_path / "results.json").write_text(json.dumps(renamed), encoding="utf8")
    counts = ["build/corpus/counts.json", "build/silver/pairs/counts.json"]
    lines = json_lines(script("table8", tmp_path / "results.json", "--counts", *counts, "-o", tmp_path / "table.md"))
    shown = {
        line["trained"]: (line["transformer_errors"], line["diin_right"]) for line in lines if "diin_right" in line
    }
    expected = {}
    for pair in records(project[0] / "build" / "answers.jsonl"):
        for run in ("wiki", "silver-wiki"):
            answers = pair["evidence"]["answers"]
            errors, right = expected.get(run, (0, 0))
            if not answers[f"transformer-{run}"]["right"]:
                expected[run] = (errors + 1, right + answers[f"bow-{run}"]["right"])
    assert shown == expected
    text = (tmp_path / "table.md").read_text(encoding="utf8")
    assert f"transformer's {expected['wiki'][0]} errors" in text and "280 right" in text


def test_what_was_pretrained_otherwise_is_fine_tuned_again(project, script, tmp_path):
    folder, _ = project
    shutil.copytree(folder / "build" / "models", tmp_path / "models")
    command = ["train", "bow", "--epochs", "bow=1", "--max-steps", 1, "--threads", 1, "-o", tmp_path / "models"]
    names = ["bow-wiki", "bow-silver", "bow-silver-wiki"]
    again = json_lines(script(*command, "--silver-epochs", "bow=1"))
    # The folder of the pretrained weights is another one now.
    assert [line["model"] for line in again if "trained_before" in line] == names[:2]
    assert [line["model"] for line in json_lines(script(*command, "--silver-epochs", "bow=1"))] == names
    assert all("trained_before" in line for line in json_lines(script(*command, "--silver-epochs", "bow=1")))
    other = json_lines(script(*command, "--silver-epochs", "bow=2", "--seed", 3))
    assert not any("trained_before" in line for line in other)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_config(project, script, model):
    from configs import make_config

    folder = project[0]
    corpus = folder / "build" / "corpus"
    config = make_config(model, [corpus / "paws_wiki_train.jsonl"], [corpus / "paws_wiki_dev.jsonl"], 3, 2)
    if model == "transformer":
        config["components"]["textcat"]["model"]["name"] = str(folder / "encoder")
    nlp = spacy.util.load_model_from_config(config, auto_fill=True, validate=True)
    assert nlp.pipe_names == ["paws_pair", "textcat"]
    filled = nlp.config.interpolate()
    assert filled["training"]["max_epochs"] == 2 and filled["corpora"]["train"]["seed"] == 3
    if model.startswith("decatt"):
        assert filled["components"]["textcat"]["model"]["encoder"] is (model == "decatt_bilstm")


def test_what_is_wrong_is_said(project, script, tmp_path):
    assert "no model 'bimpm'" in script("train", "bimpm")
    assert "no mix 'wiki'" in script("train_mixes", "bow", "--mixes", "wiki")
    assert "MODEL=N" in script("train", "bow", "--silver-epochs", "bow=0")
    assert "Run prepare" in script("train", "bow", "--corpus", tmp_path)
    assert "would be empty" in script("prepare", "data/paws_wiki", "--quora", "build/quora", "-o", tmp_path, "--dev", 0)
    empty = tmp_path / "empty.json"
    empty.write_text('{"results": [], "overlaps": []}', encoding="utf8")
    assert "no model" in script("table8", empty, "--counts", "build/corpus/counts.json", "-o", tmp_path / "table.md")
    assert "no model" in script("table9", empty, "--counts", "build/auxiliary/counts.json", "-o", tmp_path / "table.md")
