"""The project's own scripts on a few dozen pairs, with one step of everything, as project.yml calls them."""

import contextlib
import importlib
import io
import json
import lzma
import os
import shlex
import subprocess
import sys

import pytest
import spacy
import srsly
from spacy.util import load_config
from weasel.util import load_project_config

from paws_components.cli import cli
from paws_components.evaluation.comparison import read_results
from paws_components.models import installed_pipeline
from paws_components.readers import read_pairs

from ..ml.encoders import make_tiny_bert
from .quora import QQP, write_quora
from .running import PROJECTS, copy_project, json_lines, open_scripts, sentences, write_index

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("paws_shared_words")
if installed_pipeline("en") is None:
    pytest.skip("no English pipeline is installed: `paws download en`", allow_module_level=True)

MODELS, SETS = ("diin", "transformer"), ("qqp", "mrpc")
COLUMNS, GROUPS = ("full", "sampled", "modified"), ("positive", "negative", "all")
TOWNS = ["Oslo", "Bonn", "Rome", "Lima", "Cairo", "Quito", "Paris", "Delhi", "Riga", "Cork"]
MRPC = [
    (label, f'"{town} has {what} ships, he said.', f"He said {town} had {what if label else 'no'} ships.")
    for town in TOWNS
    for what in ("three large", "seven old")
    for label in (1, 0)
]
WIKI = [
    f"The river near {town} is long and quiet. Old ships brought silver from {other} to the market. It rains."
    for town, other in zip(TOWNS, TOWNS[1:])
]


def write_data(folder):
    write_quora(folder)
    for name in ("mrpc", "wiki"):
        (folder / name).mkdir()
    rows = ["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"]
    rows += [f"{label}\t{i}\t{i + 1}\t{one}\t{two}" for i, (label, one, two) in enumerate(MRPC)]
    text = "\ufeff" + "\r\n".join(rows) + "\r\n"
    (folder / "mrpc" / "msr_paraphrase_train.txt").write_bytes(text.encode("utf8"))
    with lzma.open(folder / "wiki" / "wiki.txt.xz", "wt", encoding="utf8") as file:
        file.write("\n".join(WIKI) + "\n")


def run_all(folder, overrides):
    """Run the commands of the workflow in this process, which saves a dozen imports of torch. RETURNS (Dict): The JSON
    lines of each."""
    changes = {f"vars.{name}": value for name, value in overrides.items()}
    config = load_project_config(folder, interpolate=True, overrides=changes)
    commands = {command["name"]: command["script"] for command in config["commands"]}
    said = {}
    for name in config["workflows"]["all"]:
        out = io.StringIO()
        for line in commands[name]:
            program, script, *arguments = shlex.split(line)
            if program == "paws":
                with contextlib.redirect_stdout(out):
                    cli.main([script, *arguments], standalone_mode=False)
            elif script.startswith("scripts/"):
                with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
                    patch.setattr(sys, "argv", [script, *arguments])
                    importlib.import_module(script.removeprefix("scripts/").removesuffix(".py")).main()
            else:
                # pip, a module, or another project's script, which has the name of one of ours.
                start = [sys.executable, "-m", "pip"] if program == "pip" else [sys.executable]
                done = subprocess.run([*start, script, *arguments], capture_output=True, text=True, check=True)
                out.write(done.stdout)
        said[name] = json_lines(out.getvalue())
    return said


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow."""
    projects = tmp_path_factory.mktemp("projects")
    copy_project("paws_qqp", projects)
    folder = copy_project("shared_words", projects)
    write_data(projects / "data")
    index = write_index(projects / "index", [*TOWNS, "ships", "old"])
    texts = [text for _, *pair in MRPC for text in pair] + [text for *pair, _ in QQP for text in pair] + WIKI
    encoder = make_tiny_bert(folder / "encoder", texts, positions=128)
    overrides = {"train": 24, "qqp_dev": 4, "paws_dev": 4, "mrpc_dev": 8, "mrpc_test": 12, "mrpc_epochs": 1}
    overrides.update(models=" ".join(MODELS), max_steps=1, encoder=encoder, mlm_encoder=encoder, mlm_steps=1)
    overrides.update(positives=3, negatives=3, steps=1, top_k=2, beam=2, max_queries=40, adversarial_queries=20)
    overrides.update(mlm_sentences=18, adversarial_qqp_steps=1, adversarial_mrpc_steps=1, buffer=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder / "scripts"))
        patch.setenv("PAWS_DATA", str(projects / "data"))
        for name, value in (("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", str(index)), ("PIP_CONFIG_FILE", os.devnull)):
            patch.setenv(name, value)
        names = [path.stem for path in (folder / "scripts").glob("*.py")]
        for name in names:
            sys.modules.pop(name, None)
        said = run_all(folder, overrides)
        for name in names:
            sys.modules.pop(name, None)
    return folder, said


@pytest.fixture
def script(project, monkeypatch, capsys):
    with open_scripts(project[0], monkeypatch, capsys) as call:
        yield call


def part(folder, name):
    return json_lines((folder / "build" / "corpus" / f"{name}.jsonl").read_text(encoding="utf8"))


def test_parts_share_no_sentence(project):
    folder, said = project
    for name in SETS:
        train, dev, test = (part(folder, f"{name}_{kind}") for kind in ("train", "dev", "test"))
        assert train and dev and test
        assert not sentences(train) & sentences(test) and not sentences(train) & sentences(dev)
        assert not sentences(dev) & sentences(test)
    _, counts = said["prepare"]
    assert counts["mrpc_rows"] == len(MRPC) == sum(counts[f"mrpc_{kind}"] for kind in ("train", "dev", "test"))


def test_the_language_model_is_trained_on_the_text_and_the_pairs(project):
    folder, said = project
    counts, before, *_, after = said["masked_lm"]
    # Two sentences of each paragraph are long enough.
    assert counts["wiki"] == 18 and set(counts) == {"wiki", *(f"{name}_train" for name in SETS)}
    assert set(before["before"]) == set(after["after"]) == set(counts)
    report = json.loads((folder / "build" / "attacks" / "diin-qqp.json").read_text(encoding="utf8"))
    assert report["settings"]["mlm"] == "build/mlm" and (folder / "build" / "mlm" / "trained.json").is_file()


def test_every_target_is_trained_attacked_and_trained_on(project):
    folder, said = project
    names = [f"{model}-{name}" for name in SETS for model in MODELS]
    assert [line["model"] for line in said["train"]] == names
    assert [line["model"] for line in said["adversarial"]] == [f"{name}-adversarial" for name in names]
    assert [line["target"] for line in said["attack"]] == names
    assert [line["target"] for line in said["attack_adversarial"]] == [f"{name}-adversarial" for name in names]
    for name in names:
        config = load_config(folder / "build" / "models" / f"{name}-adversarial" / "config.cfg")
        corpus, training = config["corpora"]["train"], config["training"]
        assert (
            corpus["@readers"] == "paws.AdversarialCorpus.v1" and corpus["corpus"]["@readers"] == "paws.PairCorpus.v1"
        )
        assert corpus["share"] == (0.3 if name.startswith("diin") else 0.4)
        assert training["max_epochs"] == -1 and training["batcher"]["buffer"] == corpus["buffer"] == 8
        assert config["paths"]["init"] == f"build/models/{name}/model-best"
        outcomes = list(read_pairs(folder / "build" / "attacks" / f"{name}.jsonl"))
        assert [record.label for record in outcomes] == [1] * 3 + [0] * 3
        assert all(record.evidence["queries"] <= 40 for record in outcomes)
        # The same examples before and after adversarial training.
        again = read_pairs(folder / "build" / "attacks" / f"{name}-adversarial.jsonl")
        assert [record.evidence["pair_id"] for record in outcomes] == [record.evidence["pair_id"] for record in again]
    spacy.load(folder / "build" / "models" / "diin-mrpc-adversarial" / "model-last")


def test_the_table_has_the_paper_beside_ours(project):
    folder, _ = project
    text = (folder / "build" / "table.md").read_text(encoding="utf8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    report = json.loads((folder / "build" / "attacks" / "transformer-mrpc.json").read_text(encoding="utf8"))
    ours = next(row for row in rows if row[0] == "MRPC, transformer, normal")
    shares = [report["accuracy"][column][group]["accuracy"] for column in COLUMNS for group in GROUPS]
    assert ours[1:] == [f"{100 * share:.1f}" for share in shares]
    assert rows[rows.index(ours) + 1][0] == "*MRPC, BERT, normal, paper*"
    # Of the paper's loss of 70.2 points for BERT on QQP 41.9 were won back, at 0.9 points of clean accuracy.
    assert ["*QQP, BERT, paper*", "25.6", "35.3", "75.7", "59.7", "-0.9", "-1.0"] in rows
    results = read_results(folder / "build" / "results.json")
    for name in (f"{model}-{name}" for name in SETS for model in MODELS):
        sampled, modified = (results[name, column]["all"].value for column in ("sampled", "modified"))
        gained = results[f"{name}-adversarial", "modified"]["all"].value - modified
        share = results[f"{name}-adversarial", "won_back"]["all"].value
        assert share is None if sampled == modified else share == pytest.approx(gained / (sampled - modified))


def test_what_the_paper_won_back_follows_from_its_table():
    accuracies, shares = (
        {row["name"]: row["paper"] for row in srsly.read_json(PROJECTS / "shared_words" / name)["rows"]}
        for name in ("table1.json", "won_back.json")
    )
    assert len(shares) == 6 and len(accuracies) == 12
    for name, theirs in shares.items():
        # Positive, negative and all, three times: full, sampled, modified.
        normal, trained = accuracies[name], accuracies[f"{name}-adversarial"]
        won = [100 * (trained[6 + i] - normal[6 + i]) / (normal[3 + i] - normal[6 + i]) for i in range(3)]
        expected = [100 * normal[8] / normal[5], *won, trained[2] - normal[2], trained[5] - normal[5]]
        assert theirs == pytest.approx(expected, abs=0.051)


def test_what_was_done_is_not_done_again(project, script, tmp_path, monkeypatch):
    folder = project[0]
    attack = ["attack", "diin", "--sets", "mrpc", "--positives", 2, "--negatives", 1, "--steps", 1, "--top-k", 2]
    (first,) = json_lines(script(*attack, "-o", tmp_path / "attacks"))
    with monkeypatch.context() as patch:
        # No target is loaded when nothing is left to be asked.
        patch.setattr("paws_shared_words.job.load_target", None)
        (second,) = json_lines(script(*attack, "-o", tmp_path / "attacks"))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    # Examples of another part are other examples.
    script(*attack, "--part", "dev", "-o", tmp_path / "attacks")
    records = read_pairs(tmp_path / "attacks" / "diin-mrpc.jsonl")
    originals = [dict(zip(("sentence1", "sentence2"), record.evidence["original"])) for record in records]
    assert originals and sentences(originals) <= sentences(part(folder, "mrpc_dev"))
    # Another budget is another run.
    script(*attack, "--beam", 1, "-o", tmp_path / "attacks")
    report = json.loads((tmp_path / "attacks" / "diin-mrpc.json").read_text(encoding="utf8"))
    assert report["settings"]["beam"] == 1 and report["accuracy"]["sampled"]["all"]["total"] == 3


def test_what_is_wrong_is_said(script, tmp_path):
    assert "not trained yet: bert-qqp. Run train first" in script("attack", "bert", "--sets", "qqp")
    told = script("attack", "diin", "--sets", "qqp", "--after=-adversarial", "--trained", tmp_path)
    assert "not trained yet: diin-qqp-adversarial. Run adversarial first" in told
    assert "S001" in script("attack", "diin", "--sets", "mrpc", "--positives", 999, "-o", tmp_path / "attacks")


def test_the_other_workflow_trains_no_language_model():
    steps = load_project_config(PROJECTS / "shared_words")["workflows"]
    assert steps["other_mlm"] == [step for step in steps["all"] if step != "masked_lm"]
