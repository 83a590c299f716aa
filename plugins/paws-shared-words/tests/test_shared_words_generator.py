"""`shared_words` as a generator: in a pipeline and by `paws generate --pairs`."""

import subprocess
import sys

import pytest
from click.testing import CliRunner
from tiny_models import PAIRS

from paws_components.cli import cli
from paws_components.evaluation.targets import load_target
from paws_components.models import load_with
from paws_components.pairs import make_pair, pair_text
from paws_components.plugins import host
from paws_components.readers import read_pairs
from paws_shared_words.sentences import read_sentence


@pytest.fixture
def options(masked_lm, classifier):
    return {"target": classifier, "mlm": masked_lm, "steps": 3, "top_k": 4, "beam": 3}


def test_in_a_pipeline(options, tagger):
    nlp = load_with(["tagger", "attribute_ruler"])
    nlp.add_pipe(
        "paws_generator", config={"generator": "shared_words", "settings": {**options, "only_succeeded": False}}
    )
    target = load_target(options["target"])
    found = 0
    for one, two, _ in PAIRS:
        [*candidates] = make_pair(nlp, one, two)._.paws_candidates
        for candidate in candidates:
            found += 1
            assert candidate["original"] == [one, two]
            first, second = (read_sentence(nlp, candidate[name]) for name in ("source", "text"))
            [probability] = target([(first, second)])
            score = probability if candidate["assumed_label"] else 1 - probability
            assert candidate["score_after"] == pytest.approx(score, abs=1e-5)
            assert candidate["status"] == ("succeeded" if score < 0.5 else "failed")
            for change in candidate["changes"]:
                assert first.words[change["i"]] == second.words[change["j"]] == change["word"]
    assert found >= 8


def test_by_command(options, corpus, tmp_path, tagger):
    output = tmp_path / "out.jsonl"
    arguments = [f"--set={name}={value}" for name, value in options.items()]
    result = CliRunner().invoke(
        cli,
        ["generate", str(corpus), "--pairs", "-o", str(output), "--generator", "shared_words", "--quiet", *arguments],
    )
    assert result.exit_code == 0, result.output
    assert "10 lines in" in result.output and "0 errors" in result.output
    records = list(read_pairs(output))
    assert records and all(record.evidence["status"] == "succeeded" for record in records)
    originals = {(one, two): label for one, two, label in PAIRS}
    for record in records:
        assert originals[tuple(record.evidence["original"])] == record.evidence["pair_label"]
        assert record.generator == "shared_words" and record.evidence["target"] == options["target"]


def test_a_sentence_is_no_pair(options, tmp_path, tagger):
    (tmp_path / "lines.txt").write_text("One dog barks.\n", encoding="utf8")
    arguments = [f"--set={name}={value}" for name, value in options.items()]
    files = [str(tmp_path / "lines.txt"), "-o", str(tmp_path / "out.jsonl")]
    result = CliRunner().invoke(cli, ["generate", *files, "--generator", "shared_words", "--quiet", *arguments])
    assert "P037" in str(result.exception) and not (tmp_path / "out.jsonl").exists()
    assert "P103" in (tmp_path / "out.jsonl.errors.jsonl").read_text(encoding="utf8")


def test_the_label_can_be_given(options, tagger):
    from paws_shared_words.generator import SharedWords

    docs = [tagger(pair_text(one, two)) for one, two, _ in PAIRS[:3]]
    given = SharedWords(tagger, **options, label=0, only_succeeded=False)(docs)
    assert all(candidate["assumed_label"] == 0 for candidates in given for candidate in candidates)
    # The classifier takes these for no paraphrases: with the label 1 there is nothing left to do.
    assert SharedWords(tagger, **options, label=1, only_succeeded=False)(docs) == [[], [], []]


def test_registered():
    part = host().find("generators", "shared_words")
    assert "tagger" in part.needs


def test_without_torch(tmp_path):
    """The plugin is there; what needs a model says what to install."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys('torch transformers'.split()))\n"
        "from paws_components.plugins import host\n"
        "host().find('generators', 'shared_words')\n"
        "import paws_shared_words.commands.attack, paws_shared_words.job\n"
        "from paws_shared_words.substitutes import MaskedSubstitutes\n"
        "MaskedSubstitutes('a-model')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Fatal: [S010]" in done.stderr and "paws-shared-words[mlm]" in done.stderr, done.stderr
