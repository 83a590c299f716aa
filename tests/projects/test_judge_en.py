"""The embedded judge's project in reduced form: two builds of one text give the same bytes, and a judge that judges."""

import gzip
import json
import lzma
import random

import pytest

from paws_components.generation.embedded import EmbeddedJudge
from tests.ml.encoders import make_tiny_causal
from tests.projects.running import copy_project, open_scripts, run_workflow

pytest.importorskip("gensim")
pytest.importorskip("sklearn")
pytest.importorskip("torch")

CITIES = "Boston Chicago Denver Dallas Houston Seattle Paris London Berlin Rome Madrid Vienna".split()
NAMES = "Mary Alice Robert Peter Susan Laura David Simon".split()
KINDS = "old new small large quiet busy cheap famous".split()
FRAMES = [
    "{0} lives in {2} and often works in {3} .",
    "The {4} train from {2} to {3} was late again .",
    "{0} sold the {4} house and bought a {5} boat from {1} .",
    "A {4} museum in {2} lent two paintings to the {5} gallery in {3} .",
]
STEPS = ("data", "vectors", "words", "propose", "measure")


def write_wiki(path):
    """Two hundred paragraphs of made-up sentences."""
    chance = random.Random(0)
    path.parent.mkdir(parents=True)
    with lzma.open(path, "wt", encoding="utf8") as lines:
        for _ in range(200):
            told = [
                chance.choice(FRAMES).format(
                    *chance.sample(NAMES, 2), *chance.sample(CITIES, 2), *chance.sample(KINDS, 2)
                )
                for _ in range(9)
            ]
            lines.write(" ".join(told).replace(" .", ".") + "\n\n")


@pytest.fixture(scope="module")
def folders(tmp_path_factory, en_nlp):
    base = tmp_path_factory.mktemp("judge")
    write_wiki(base / "data" / "wiki" / "wiki.txt.xz")
    model = make_tiny_causal(base / "model", [frame for frame in FRAMES])
    overrides = {
        "data": base / "data",
        "index": base,
        "sentences": 90,
        "short": 40,
        "words": 200,
        "learnt": 9000,
        "model": model,
    }
    one, two = found = [copy_project("judge_en", base / name) for name in ("one", "two")]
    # All but the last step, which wants readers' answers about what the others made.
    plan = (one / "project.yml").read_text(encoding="utf8")
    plan = plan.replace("workflows:\n", f"workflows:\n  before: [{', '.join(STEPS)}]\n", 1)
    (one / "project.yml").write_text(plan, encoding="utf8")
    run_workflow(one, "before", **overrides)
    # Readers who like swaps of short sentences: hashes of the swaps are all that is kept.
    rows = read_rows(one)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(one / "scripts"))
        from readings import key

        answers = [
            f"{key(row['text'], proposal[0])}\t{'y' if len(row['text']) < 48 else 'n'}"
            for row in rows
            for proposal in row["proposals"][::2]
        ]
    for folder in found:
        (folder / "readings.tsv").write_text("\n".join(sorted(set(answers))) + "\n", encoding="utf8")
    return found, [run_workflow(one, "fit", **overrides).stdout, run_workflow(two, "all", **overrides).stdout]


def read_rows(folder):
    with gzip.open(folder / "build" / "measured.jsonl.gz", "rt", encoding="utf8") as lines:
        return [json.loads(line) for line in lines]


def test_two_builds_give_the_same_bytes(folders):
    (one, two), printed = folders
    assert read_rows(one) == read_rows(two)
    assert (one / "build" / "en.npz").read_bytes() == (two / "build" / "en.npz").read_bytes()
    assert "of them read" in printed[0] and "AUC" in printed[0]


def test_what_was_built_judges(folders, en_nlp, monkeypatch, capsys):
    (folder, _), _ = folders
    judge = EmbeddedJudge(folder / "build" / "en.npz")
    assert judge.neural is not None and judge.keeps == 0.5 and len(judge.features.words) > 20
    with open_scripts(folder, monkeypatch, capsys):
        import fit

        swaps = fit.Swaps(
            fit.empty_judge(folder / "build" / "words.pt"), folder / "build/measured.jsonl.gz", folder / "readings.tsv"
        )
    told = swaps.read >= 0
    said = judge.trees(swaps.facts)
    # It has learnt what the readers liked.
    assert said[told & (swaps.read == 1)].mean() > said[told & (swaps.read == 0)].mean() + 0.2
    assert (told.sum(), (~told).sum()) > (30, 30)
