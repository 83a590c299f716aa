import json

import pytest
import spacy
from click.testing import CliRunner
from tiny_t5 import SENTENCES

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.metrics.measure import TextMetric
from paws_components.plugins import make_registered
from paws_components.readers import read_pairs

# Passing takes all words of the sentence and no other, each more or less often: a random model seldom does.
EASY = {"similarity": "bow_cosine", "threshold": 0.99, "max_length": 12, "samples": 3, "rounds": 2}


def test_every_attempt_is_a_candidate(tiny, shared_words):
    nlp = spacy.blank("en")
    generator = make_registered("generators", "apt_t5", {"model": tiny, **EASY}, nlp)
    docs = list(nlp.pipe(SENTENCES))
    found = generator(docs)
    assert [len(candidates) for candidates in found] == [6] * len(SENTENCES)
    first = found[0][0]
    assert set(first) == {
        *("text", "round", "sample", "mi", "similarity", "passed", "reward", "forward", "backward"),
    }
    assert [(each["round"], each["sample"]) for each in found[0]] == [(r, s) for r in (1, 2) for s in (1, 2, 3)]
    cosine = TextMetric("bow_cosine")([(SENTENCES[0], each["text"]) for each in found[0]])
    assert [each["similarity"] for each in found[0]] == cosine
    assert generator.evidence["similarity_metric"] == {"name": "bow_cosine", "threshold": 0.99}
    assert generator(docs[1:2]) == found[1:2] and generator([]) == []


def test_only_what_passed(tiny, monkeypatch):
    from containment import Contained

    from paws_apt import judging

    def early(pairs):
        return [Contained(1.0, 1.0, text < "m") for _, text in pairs]

    monkeypatch.setattr(judging, "make_implication", lambda settings: early)
    nlp = spacy.blank("en")
    settings = {"model": tiny, **EASY, "samples": 20, "threshold": 2.0}
    every = make_registered("generators", "apt_t5", settings, nlp)([nlp(SENTENCES[0])])[0]
    passed = make_registered("generators", "apt_t5", {**settings, "only_passed": True}, nlp)([nlp(SENTENCES[0])])[0]
    texts = list(dict.fromkeys(each["text"] for each in every if each["passed"]))
    assert texts and [each["text"] for each in passed] == texts and len(every) > len(passed)


def test_a_run_by_the_command(tiny, shared_words, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("\n".join([*SENTENCES[:2], "dog " * 40, SENTENCES[2]]), encoding="utf8")
    options = [f"--set={key}={json.dumps(value)}" for key, value in {"model": tiny, **EASY, "max_length": 20}.items()]
    args = ["generate", str(source), "-o", str(out), "-g", "apt_t5", "--quiet", *options]
    result = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert "4 lines in = 3 with pairs + 0 without + 1 errors; 18 pairs" in result.output
    assert "A013" in (tmp_path / "out.jsonl.errors.jsonl").read_text(encoding="utf8")
    records = list(read_pairs(out))
    assert {record.generator for record in records} == {"apt_t5"} and records[0].evidence["paraphraser"] == tiny
    counted = CliRunner().invoke(cli, ["apt", "stats", str(out), "--threshold=0.99", "--format=json", "--no-paper"])
    assert json.loads(counted.output)["out"]["attempts"] == 18


def test_wrong_settings_are_errors_at_once(tiny):
    for settings, error in (
        ({"model": tiny, "similarity": "bow_cosine"}, "A001"),
        ({"model": tiny, "rounds": 0}, "P203.*`rounds`"),
        ({"model": tiny, "prompt": "x"}, "A012"),
    ):
        with pytest.raises(PawsError, match=error):
            make_registered("generators", "apt_t5", settings, spacy.blank("en"))
