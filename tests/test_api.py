"""The declared surface, as a notebook uses it: every function with whatever holds pairs or texts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.language import Language

import paws_components as paws
from paws_components.errors import PawsError

TEXTS = ["Ann flew from Paris to London.", "The old man saw a young dog."]
PAIRS = [("Ann saw Bob.", "Bob saw Ann.", 0), ("It rains.", "It rains now.", 1)]
NAMES = ("sentence1", "sentence2", "label")


def dataset(rows):
    return pytest.importorskip("datasets").Dataset.from_list(rows)


FORMS = {
    "tuples": lambda: list(PAIRS),
    "generator": lambda: (pair for pair in PAIRS),
    "dicts": lambda: [dict(zip(NAMES, pair)) for pair in PAIRS],
    "other names": lambda: [dict(zip(("source", "target", "label"), pair)) for pair in PAIRS],
    "records": lambda: [paws.PairRecord(*pair) for pair in PAIRS],
    "datasets": lambda: dataset([dict(zip(NAMES, pair)) for pair in PAIRS]),
    "data frame": lambda: pytest.importorskip("pandas").DataFrame(PAIRS, columns=NAMES),
}


@pytest.fixture(params=FORMS)
def pairs(request):
    return FORMS[request.param]()


def three(records):
    return [(record.sentence1, record.sentence2, record.label) for record in records]


def test_read_and_write(pairs, tmp_path):
    assert paws.write_pairs(pairs, tmp_path / "pairs.jsonl") == 2
    assert three(paws.read_pairs(tmp_path / "pairs.jsonl")) == PAIRS
    with pytest.raises(PawsError, match="P111.*'only a text' is not a pair"):
        list(paws.read_pairs(["only a text"]))


def test_measure(pairs):
    found = paws.measure(pairs, ["bow_cosine", "wpd"])
    assert three(found) == PAIRS
    assert found[0].evidence["bow_cosine"] == 1.0 and found[0].evidence["wpd"] > 0
    frame = pytest.importorskip("pandas").DataFrame(found)
    assert list(frame["sentence1"]) == [one for one, _, _ in PAIRS]


def test_audit(pairs, tmp_path):
    (found,) = [finding for finding in paws.audit(pairs) if finding.check == "same_bow"]
    assert found.count == 1 and found.to_dict()["split"] == "pairs"
    paws.write_pairs(PAIRS, tmp_path / "train.tsv")
    paws.write_pairs(PAIRS[:1], tmp_path / "dev.tsv")
    for source in (tmp_path, {"train": PAIRS, "dev": PAIRS[:1]}):
        assert "shared_pairs" in {finding.check for finding in paws.audit(source)}
    assert paws.audit(tmp_path / "dev.tsv", checks=["duplicate_pairs"]) == []


@pytest.mark.parametrize(
    "texts",
    [TEXTS, tuple(TEXTS), [{"text": text} for text in TEXTS], [*TEXTS, "", "one"]],
    ids=["strings", "tuple", "dicts", "empty too"],
)
def test_generate(texts):
    found = paws.generate(texts, precise=False, n_best=2, threshold=None)
    assert {record.sentence1 for record in found} == set(TEXTS)
    assert "Ann flew from London to Paris." in [record.sentence2 for record in found]
    assert found[0].to_dict()["generator"] == "word_swap"


def test_generate_from_one_text_from_pairs_and_from_a_data_set(pairs):
    assert [record.sentence2 for record in paws.generate(TEXTS[0], precise=False)] == ["Ann flew from London to Paris."]
    found = paws.generate(pairs, precise=False, threshold=None)
    assert {record.evidence["pair_label"] for record in found} == {0}
    rows = dataset([{"text": text} for text in TEXTS])
    assert len(paws.generate(rows, precise=False)) == 2


def test_generate_takes_pairs_by_any_name_and_leaves_out_what_has_no_sentence():
    rows = [{"sentence": TEXTS[0], "candidate": TEXTS[1]}, {"sentence1": "NS", "sentence2": TEXTS[0]}]
    with pytest.warns(UserWarning, match="W027"):
        found = paws.generate(rows, precise=False)
    assert {record.sentence1 for record in found} == set(TEXTS)


def test_generate_tells_what_failed():
    with pytest.warns(UserWarning, match="W028.*1 of 2 texts.*P039"):
        assert paws.generate(["word " * 30_000, TEXTS[0]], precise=False)
    with pytest.raises(PawsError, match="P039"):
        paws.generate("word " * 30_000)
    with pytest.raises(PawsError, match="P203.*n_bset"):
        paws.generate(TEXTS, n_bset=3)
    with pytest.raises(PawsError, match="P201.*'word_swop'"):
        paws.generate(TEXTS, "word_swop")


@Language.component("always", assigns=["doc.cats"])
def always(doc):
    doc.cats = {"paraphrase": 0.9, "not_paraphrase": 0.1}
    return doc


def test_evaluate(pairs, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("always")
    (result,) = paws.evaluate(nlp, pairs).to_dict()["results"]
    assert (result["test_set"], result["pairs"], result["accuracy"]["value"]) == ("pairs", 2, 0.5)
    nlp.to_disk(tmp_path / "always")
    both = paws.evaluate({"a": nlp, "b": tmp_path / "always"}, {"one": PAIRS, "two": PAIRS[1:]}, both_orders=False)
    found = [(row["model"], row["test_set"], row["accuracy"]["value"]) for row in both.to_dict()["results"]]
    assert found == [("a", "one", 0.5), ("a", "two", 1.0), ("b", "one", 0.5), ("b", "two", 1.0)]


def test_pairs_in_a_pipeline(pairs):
    nlp = paws.load_pipeline()
    nlp.add_pipe("paws_pair_metrics")
    docs = [doc for doc, _ in paws.pipe_pairs(nlp, paws.read_pairs(pairs))]
    assert docs[0]._.paws_bow_cosine == paws.make_pair(nlp, *PAIRS[0][:2])._.paws_bow_cosine == 1.0
    assert "<svg" in paws.render(docs, jupyter=False)


def test_it_is_a_command():
    done = subprocess.run([sys.executable, "-m", "paws_components", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and paws.__version__ in done.stdout, done.stderr


USER = """
import paws_components as paws

records = paws.generate(["Ann saw Bob."], n_best=3)
reveal_type(records)
reveal_type(paws.measure(records))
reveal_type(paws.audit(records))
reveal_type(paws.evaluate("model", records))
reveal_type(paws.read_pairs("pairs.tsv"))
reveal_type(paws.write_pairs(records, "out.tsv"))
reveal_type(paws.load_pipeline())
reveal_type(paws.render(records))
"""


def test_a_users_type_checker_sees_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER, encoding="utf8")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", str(tmp_path), "user.py"]
    # mypy does not see what is installed in editable mode.
    env = {**os.environ, "MYPYPATH": str(Path(paws.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    revealed = [line.split("Revealed type is ")[1] for line in done.stdout.splitlines() if "Revealed" in line]
    assert len(revealed) == 8 and not any("Any" in kind for kind in revealed), revealed
    assert "PairRecord" in revealed[0] and "Comparison" in revealed[3] and "Language" in revealed[6]
