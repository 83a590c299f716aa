"""The project's own scripts on a few dozen pairs and sentences, through `spacy project run`."""

import json
import lzma
import stat
import sys

import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.util import load_config

from ..ml.encoders import make_tiny_bert
from .quora import CITIES, PAWS, PAWS_TEST, QQP, write_quora
from .running import copy_project, json_lines, open_scripts, run_workflow, sentences, write_index

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("paws_back_translation")

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


def weights(nlp):
    return nlp.get_pipe("textcat").model.to_bytes()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with two models and one step each."""
    projects = tmp_path_factory.mktemp("projects")
    copy_project("paws_qqp", projects)
    folder = copy_project("paws_wiki", projects)
    write_quora(projects / "data")
    write_wiki(projects / "data", {"dev": WIKI + SHARED})
    command = folder / "apertium"
    command.write_text(APERTIUM.format(python=sys.executable), encoding="utf8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    encoder = make_tiny_bert(folder / "encoder", [side for pair in WIKI + PAWS for side in pair[:2]], positions=128)
    overrides = {"qqp_train": 24, "qqp_dev": 4, "paws_dev": 4, "wiki_dev": 6, "wiki_test": 10, "max_steps": 1}
    overrides.update(translator_setting=f"translator_settings.command={command}", silver_share=0.4)
    # Which of a dozen sentences the judge keeps is not what is tested here.
    overrides.update(swaps_kept="all", models="bow transformer", mix_models="bow", encoder=encoder)
    index = write_index(projects / "index", [*CITIES, "railway", "closed"])
    done = run_workflow(folder, data=projects / "data", index=index, **overrides)
    return folder, json_lines(done.stdout)


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
    counts = next(line for line in lines if "back_translations" in line)
    swaps, back = (records(folder / "build" / f"{name}.jsonl") for name in ("swaps", "back"))
    silver = records(folder / "build" / "silver" / "silver_train.jsonl")
    assert 0 < len(back) == counts["back_translations"] and len(swaps) == counts["swaps"]
    assert all(pair["label_source"] == "silver" for pair in silver)
    labels = {pair["generator"]: set() for pair in silver}
    for pair in silver:
        labels[pair["generator"]].add(pair["label"])
    assert labels == {"word_swap": {0}, "back_translation": {1}, "recombined": {0}}
    assert {pair["sentence1"] for pair in silver if pair["label"]} == {pair["sentence1"] for pair in back}
    # As many non-paraphrases were drawn as leave the share that was asked for.
    paraphrases = sum(pair["label"] for pair in silver)
    assert paraphrases / len(silver) >= 0.4 and counts["silver_not_drawn"] > 0
    assert len(silver) + counts["silver_not_drawn"] + counts["silver_leaks"] == counts["pairs"]
    for pairs in parts(folder, "train", "dev", "test").values():
        assert not sentences(silver) & sentences(pairs)


def test_the_auxiliary_set_is_what_has_no_back_translation(project, script, tmp_path):
    folder, lines = project
    counts = next(line for line in lines if "swap_is" in line)
    alone = records(folder / "build" / "silver" / "swap_train.jsonl")
    assert counts["swap_is"] == "our own swaps, silver labels" and counts["swap_train"] == len(alone) > 0
    # The railway from Oslo to Lima is a sentence of PAWS-Wiki.
    assert counts["swap_leaks"] > 0
    assert all(pair["sentence1"].startswith("The road") and pair["label"] == 0 for pair in alone)
    test = parts(folder, "test")["paws_wiki_test"]
    leak = (test[0]["sentence1"].upper(), test[0]["sentence2"], 0)
    write_wiki(tmp_path, {"swap": [leak, ("A dog bit a man .", "A man bit a dog .", 0)]})
    options = ["--published", tmp_path / "paws_wiki" / "swap.tsv", "--labelled", "build/corpus", "-o", tmp_path / "out"]
    (counts,) = json_lines(script("silver", "build/swaps.jsonl", "build/back.jsonl", *options))
    assert counts["swap_is"].startswith("PAWS-Wiki-Swap") and (counts["swap_train"], counts["swap_leaks"]) == (1, 1)


@pytest.mark.parametrize("model", ["bow", "transformer"])
def test_fine_tuning_starts_with_the_pretrained_weights(project, monkeypatch, model):
    folder, _ = project
    monkeypatch.chdir(folder)
    models = folder / "build" / "models"
    config = load_config(models / f"{model}-silver-paws_wiki-0" / "config.cfg")
    assert config["paths"]["init"] == f"build/models/{model}-silver-0/model-best"
    assert config["paths"]["train"] == ["build/corpus/paws_wiki_train.jsonl"]
    started = init_nlp(config)
    pretrained = spacy.load(models / f"{model}-silver-0" / "model-best")
    assert weights(started) == weights(pretrained)
    assert weights(started) != weights(init_nlp(load_config(models / f"{model}-paws_wiki" / "config.cfg")))
    assert weights(started) != weights(spacy.load(models / f"{model}-silver-paws_wiki-0" / "model-best"))
    assert not started._optimizer.mom1 and not started._optimizer.nr_update


def test_tables_hold_what_was_measured(project):
    folder, lines = project
    trained = {line["model"]: line["pairs"] for line in lines if "seconds" in line}
    train = {name.removesuffix("_train"): len(pairs) for name, pairs in parts(folder, "train").items()}
    for name in ("swap", "silver"):
        train[name] = len(records(folder / "build" / "silver" / f"{name}_train.jsonl"))
    runs = {"paws_wiki": train["paws_wiki"], "silver-0": train["silver"], "silver-paws_wiki-0": train["paws_wiki"]}
    assert trained == {
        **{f"{model}-{run}": pairs for model in ("bow", "transformer") for run, pairs in runs.items()},
        **{f"bow-{mix}": sum(train[part] for part in corpora) for mix, corpora in MIXES.items()},
    }
    for name, row, column, run, measure in (
        ("table8", "transformer", "supervised Acc", "transformer-paws_wiki", "accuracy"),
        ("table8", "bow", "pretrain + fine-tune AUC-PR", "bow-silver-paws_wiki-0", "auc_pr"),
    ):
        found = json.loads((folder / "build" / f"{name}.json").read_text(encoding="utf8"))
        value = next(one[measure]["value"] for one in found["results"] if one["model"] == run)
        (cell,) = [one for one in found["beside"][0]["cells"] if (one["row"], one["column"]) == (row, column)]
        assert cell["ours"] == pytest.approx(100 * value)
    table = (folder / "build" / "table8.md").read_text(encoding="utf8")
    assert "*BERT, paper* | 90.4 | 93.7 | 91.9 | 94.3" in table and "| errors of |" in table
    mixes = json.loads((folder / "build" / "table9.json").read_text(encoding="utf8"))
    assert {one["model"] for one in mixes["results"]} == {f"bow-{mix}" for mix in MIXES}
    # The table is DIIN's, which was not trained here.
    assert all(cell["ours"] is None and cell["paper"] for cell in mixes["beside"][0]["cells"])
    assert [cell["row"] for cell in mixes["beside"][0]["cells"]][::3] == list(MIXES)


def test_what_is_wrong_is_said(project, script, tmp_path):
    assert "would be empty" in script(
        "prepare", "assets/paws_wiki", "--quora", "build/quora", "-o", tmp_path, "--dev", 0
    )
