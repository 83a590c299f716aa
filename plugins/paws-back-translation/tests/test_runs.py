"""The generator with real translators: in pipelines, and through `paws generate`."""

import json
import os
import shutil
import stat
import subprocess
import sys

import pytest
import spacy
from click.testing import CliRunner
from tiny import ENGLISH

from paws_components.cli import cli
from paws_components.errors import Fatal, PawsError
from paws_components.readers import read_pairs
from paws_components.records import stable_id


def settings(opus, **others):
    return {"translator_settings": {"model": opus}, "k": 3, "min_bow_cosine": 0.3, **others}


@pytest.fixture
def generate(tmp_path):
    """Run the command over some lines; gives what it said, the pairs, and what it raised."""

    def call(lines, *options):
        source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
        source.write_text("\n".join(lines) + "\n", encoding="utf8")
        args = ["generate", str(source), "-o", str(out), "--generator", "back_translation", "--quiet"]
        result = CliRunner().invoke(cli, [*args, *options])
        return result, list(read_pairs(out)) if out.exists() else []

    return call


def test_saved_loaded_elsewhere_and_in_two_processes(opus, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("paws_generator", config={"generator": "back_translation", "settings": settings(opus)})
    sources = [*ENGLISH, "", "The dog reads a book."]
    here = [doc._.paws_candidates for doc in nlp.pipe(sources)]
    texts = [[candidate["text"] for candidate in found] for found in here]
    assert any(texts) and texts[-2] == []
    # The parent has run torch by now: forked workers must not wait for its threads.
    forked = nlp.pipe(sources, n_process=2, batch_size=2)
    assert [[candidate["text"] for candidate in doc._.paws_candidates] for doc in forked] == texts
    nlp.to_disk(tmp_path / "saved")
    code = (
        "import json, sys, spacy; nlp = spacy.load(sys.argv[1]);"
        "print(json.dumps([doc._.paws_candidates for doc in nlp.pipe(json.loads(sys.argv[2]))]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "saved", json.dumps(sources)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert json.loads(done.stdout) == here, done.stderr


def test_a_run_is_the_same_however_it_is_cut(opus, generate):
    options = [f"--set={key}={value}" for key, value in (("k", 3), ("min_bow_cosine", 0.3))]
    options.append(f"--set=translator_settings.model={opus}")
    # The models know the words of the first two in another order.
    sources = ["In the old house sleeps the dog.", "Laugh and run across the street two girls.", *ENGLISH]
    lines = [f"{text} {word}" for word in ("", "Now.", "Then.") for text in sources] * 6
    first, records = generate(lines, *options)
    assert first.exit_code == 0 and records, first.output
    assert f"{len(lines)} lines in = " in first.output and "candidates were chosen" in first.output
    rates = [record.evidence["inversion_rate"] for record in records]
    assert sum(rate > 0.02 for rate in rates) >= len(rates) / 2
    assert {"pivot", "pivot_lang", "pivot_score", "back_score", "bow_cosine"} <= set(records[0].evidence)
    for more in (["--n-process", "2"], ["--batch-size", "1"]):
        assert generate(lines, *options, *more)[1] == records
    assert generate(lines, *options, "--seed", "5")[1] != records or all(rate > 0.02 for rate in rates)


def test_labelled_pairs(opus, tmp_path):
    source, out = tmp_path / "in.tsv", tmp_path / "out.jsonl"
    source.write_text(f"id\tsentence1\tsentence2\tlabel\n7\t{ENGLISH[0]}\t{ENGLISH[1]}\t1\n", encoding="utf8")
    args = ["generate", str(source), "-o", str(out), "-g", "back_translation", "--pairs", "--quiet"]
    args += [f"--set=translator_settings.model={opus}", "--set=min_bow_cosine=0", "--set=reordered_share=0"]
    result = CliRunner().invoke(cli, args)
    assert "1 lines in = 1 with pairs" in result.output
    records = list(read_pairs(out))
    assert {record.sentence1 for record in records} == set(ENGLISH[:2])
    assert {record.source_id for record in records} == {stable_id(ENGLISH[0])}
    assert {(record.evidence["pair_id"], record.evidence["pair_label"]) for record in records} == {("7", 1)}


def test_a_missing_model_is_one_error(generate, tmp_path):
    result, records = generate(ENGLISH, f"--set=translator_settings.model={tmp_path}/no-{{source}}-{{target}}")
    assert isinstance(result.exception, Fatal) and "B002" in str(result.exception) and records == []
    assert "no-en-de" in str(result.exception)
    # Nothing was done, and nothing is left behind.
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_an_unknown_language_is_one_error(generate, m2m100):
    result, records = generate(ENGLISH, f"--set=translator_settings.model={m2m100}", '--set=pivots=["xx"]')
    assert (
        isinstance(result.exception, PawsError) and "B003" in str(result.exception) and "'xx'" in str(result.exception)
    )


def test_a_sentence_that_is_too_long_is_an_error_of_its_line(generate, opus, tmp_path):
    lines = [ENGLISH[0], "dog " * 500, ENGLISH[1]]
    result, _ = generate(lines, f"--set=translator_settings.model={opus}", "--set=min_bow_cosine=0")
    assert result.exit_code == 0 and "+ 1 errors" in result.output
    assert "B006" in (tmp_path / "out.jsonl.errors.jsonl").read_text(encoding="utf8")


@pytest.fixture
def mortal(tmp_path):
    """Apertium behind a script that can be told to die, at a word or for good."""
    if not shutil.which("apertium"):
        pytest.skip("Apertium is not installed: apt-get install apertium-eng-spa")
    script = tmp_path / "apertium"
    script.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *-l*) exec {shutil.which("apertium")} "$@";; esac\n'
        f"cat > {tmp_path}/input\nif grep -aq deadly {tmp_path}/input; then kill -9 $$; fi\n"
        f"if grep -aq farewell {tmp_path}/input; then rm {script}; fi\n"
        f'exec {shutil.which("apertium")} "$@" < {tmp_path}/input\n',
        encoding="utf8",
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def test_a_translator_that_dies_over_a_sentence_loses_that_sentence_alone(generate, mortal, tmp_path):
    lines = ["The red car is fast.", "This is a deadly sentence.", "My sister has a green book."]
    options = ["--set=translator=apertium", f"--set=translator_settings.command={mortal}", '--set=pivots=["es"]']
    result, records = generate(lines, *options, "--set=min_bow_cosine=0", "--set=reordered_share=0")
    assert result.exit_code == 0 and "3 lines in" in result.output and "+ 1 errors" in result.output, result.output
    errors = (tmp_path / "out.jsonl.errors.jsonl").read_text(encoding="utf8")
    assert "B033" in errors and '"line": 2' in errors


def test_a_translator_that_is_gone_for_good_is_one_error_and_the_rest_is_kept(generate, mortal, tmp_path):
    lines = ["The red car is very fast."] * 64 + ["I say farewell to the old house."] + ["The cat sleeps."] * 100
    options = ["--set=translator=apertium", f"--set=translator_settings.command={mortal}", '--set=pivots=["es"]']
    result, records = generate(lines, *options, "--set=min_bow_cosine=0", "--set=reordered_share=0")
    assert isinstance(result.exception, Fatal) and "B031" in str(result.exception)
    assert not os.path.exists(mortal) and records == []
    # The same command goes on after the lines that are done.
    kept = [json.loads(line) for line in next((tmp_path / "out.jsonl.run").glob("0*.jsonl")).open(encoding="utf8")]
    assert [entry[1] for entry in kept[:-1]] == list(range(1, 65))


def test_apertium_there_and_back(generate):
    if not shutil.which("apertium"):
        pytest.skip("Apertium is not installed: apt-get install apertium-eng-spa")
    result, records = generate(
        ["My sister has a green book and my brother has a red car."],
        "--set=translator=apertium",
        '--set=pivots=["es"]',
        "--set=min_bow_cosine=0.5",
        "--set=reordered_share=0",
    )
    assert result.exit_code == 0, result.exception
    for record in records:
        assert record.evidence["pivot_lang"] == "es" and record.evidence["pivot_score"] is None
    assert "1 lines in" in result.output
