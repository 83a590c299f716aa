import json

import pytest
import spacy
from click.testing import CliRunner

from paws_components.errors import PawsError
from paws_components.plugin import Translation, make_registered

pytest.importorskip("sacrebleu")

from paws_back_translation.commands import translation
from paws_back_translation.evaluation import bleu
from paws_back_translation.funnel import count_funnel


class Known:
    """Translates what it has been told, and nothing else."""

    def __init__(self, known):
        self.known = known

    def translate(self, texts, source, target, k):
        return [[Translation(text) for text in self.known.get((text, target), [])[:k]] for text in texts]


def invoke(*arguments):
    return CliRunner().invoke(translation, [str(argument) for argument in arguments], catch_exceptions=False)


def test_bleu_is_that_of_sacrebleu():
    from sacrebleu.metrics import BLEU

    sources = ["one", "two", "three"]
    references = ["Der Hund schläft im alten Haus.", "Die Katze läuft über die Straße.", "Er liest ein Buch."]
    said = ["Der Hund schläft in dem Haus.", "Die Katze läuft über die Straße.", ""]
    known = {("one", "de"): [said[0], references[0]], ("two", "de"): [said[1]]}
    found = bleu(Known(known), sources, references, "en", "de")
    assert found["bleu"] == round(BLEU().corpus_score(said, [references]).score, 2) and 30 < found["bleu"] < 90
    assert found["sentences"] == 3 and found["untranslated"] == 1 and "tok:13a" in found["signature"]
    with pytest.raises(PawsError, match="B041"):
        bleu(Known(known), sources, references[:2], "en", "de")
    with pytest.raises(PawsError, match="B041"):
        bleu(Known(known), [], [], "en", "de")


def test_the_command_measures_each_direction(opus, tmp_path):
    from tiny import ENGLISH, GERMAN

    (tmp_path / "test.en").write_text("\n".join(ENGLISH) + "\n", encoding="utf8")
    (tmp_path / "test.de").write_text("\n".join(GERMAN) + "\n", encoding="utf8")
    output = tmp_path / "bleu.jsonl"
    options = ["--split", "test", "--set", f"model={opus}", "--set", "num_beams=5", "-o", output]
    done = invoke("evaluate", tmp_path, "en-de", "de-en", *options)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    # These models know their sentences by heart.
    assert [(line["direction"], line["bleu"], line["sentences"]) for line in lines] == [
        ("en-de", 100.0, 5),
        ("de-en", 100.0, 5),
    ]
    assert lines[0]["translator"] == {"name": "marian", "model": opus, "num_beams": 5}
    assert output.read_text(encoding="utf8") == done.stdout
    with pytest.raises(PawsError, match="B002"):
        invoke("evaluate", tmp_path, "en-de", "--split", "test", "--set", f"model={tmp_path / 'none'}")


def test_the_funnel_counts_each_step():
    generator = make_registered("generators", "back_translation", {"k": 3}, spacy.blank("en"))
    text, swapped = "the old dog saw a cat", "a cat saw the old dog"
    known = {(text, "de"): ["p", "q"], ("p", "en"): [text, swapped, "nothing like it"], ("q", "en"): [swapped]}
    generator.translator = Known(known)
    found = count_funnel(generator, [text, "unknown"])
    assert found == {
        "sentences": 2,
        "candidates": 4,
        "distinct": 2,
        "similar": 1,
        "sampled": 1,
        "reordered": 1.0,
        "reordered_before_sampling": 1.0,
        "sentences_with_pairs": 1,
    }
    none = count_funnel(generator, ["unknown"])
    assert none["sampled"] == 0 and none["reordered"] is None and none["reordered_before_sampling"] is None


def test_the_funnel_keeps_what_a_run_keeps(opus, tmp_path):
    from tiny import ENGLISH

    from paws_components.cli import cli

    text = tmp_path / "text.txt"
    text.write_text("\n".join([*ENGLISH, "", "The cat sleeps near the river.", "Two men."]) + "\n", encoding="utf8")
    wanted = ["--set", f"translator_settings.model={opus}", "--set", "min_bow_cosine=0.1", "--set", "per_sentence=2"]
    wanted += ["--set", "reordered_share=0"]
    done = invoke("funnel", text, "-o", tmp_path / "funnel.json", "--quiet", *wanted)
    found = json.loads(done.stdout)
    assert json.loads((tmp_path / "funnel.json").read_text(encoding="utf8")) == found
    assert found["sentences"] == 7 and "1 rows are empty" in done.stderr
    with pytest.raises(PawsError, match="P046.*'zz'"):
        invoke("funnel", text, "--lang", "zz")
    pairs = tmp_path / "pairs.jsonl"
    arguments = ["generate", str(text), "-o", str(pairs), "--generator", "back_translation", "--quiet", *wanted]
    assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
    kept = [json.loads(line) for line in pairs.read_text(encoding="utf8").splitlines()]
    assert found["candidates"] >= found["distinct"] >= found["similar"] >= found["sampled"] == len(kept) > 0
    assert found["sentences_with_pairs"] == len({record["sentence1"] for record in kept})
