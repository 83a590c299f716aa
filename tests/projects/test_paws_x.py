"""The project in two languages with a few dozen pairs, and the published pairs as its README counts them."""

import json
import stat
import subprocess
import sys

import pytest

from paws_components.evaluation.judging import read_test_set

from ..ml.encoders import make_tiny_bert
from .quora import CITIES
from .running import copy_project, json_lines, open_scripts, run_workflow, sentences

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("paws_back_translation")

# What the paper's Table 2 has of the development set.
KEPT = {"fr": 1992, "es": 1962, "de": 1932, "zh": 1984, "ja": 1980, "ko": 1965}
PAIRS = [
    (f"The road from {a} to {b} was built in {year}.", f"The road {rest} was built in {year}.", label)
    for a, b in zip(CITIES, CITIES[3:] + CITIES[:3])
    for year in (1953, 1954)
    for rest, label in ((f"from {b} to {a}", 0), (f"to {b} from {a}", 1))
]
SPANISH = {"The road": "La carretera", " from ": " de ", " to ": " a ", "was built in": "se hizo en"}
# Stands in for Apertium: the same command line, and words for words.
APERTIUM = """#!{python}
import sys
if "-l" in sys.argv:
    print("eng-spa spa-eng")
else:
    text = sys.stdin.buffer.read().decode("utf8")
    for one, other in {words}.items():
        text = text.replace(one, other) if "eng-spa" in sys.argv else text.replace(other, one)
    sys.stdout.buffer.write(text.encode("utf8"))
"""


def to_spanish(text):
    for one, other in SPANISH.items():
        text = text.replace(one, other)
    return text


def write_pawsx(folder):
    """English whole; of Spanish two rows nobody translated. PAWS-Wiki has these pairs and some others."""
    spanish = [(to_spanish(a), to_spanish(b), label) for a, b, label in PAIRS]
    spanish[0], spanish[-1] = ("NS", "NS", 0), (spanish[-1][0], "", 0)
    others = [(f"It rains in {a}.", f"In {a} it rains.", 1) for a in CITIES]
    files = {"pawsx/en/dev_2k": PAIRS, "pawsx/es/dev_2k": spanish, "paws_wiki/dev": [*PAIRS, *others]}
    for name, pairs in files.items():
        path = folder / f"{name}.tsv"
        path.parent.mkdir(parents=True)
        rows = ["id\tsentence1\tsentence2\tlabel", *(f"{i}\t{a}\t{b}\t{y}" for i, (a, b, y) in enumerate(pairs, 1))]
        path.write_text("\n".join(rows) + "\n", encoding="utf8")


def records(path):
    return json_lines(path.read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with little data, after its workflow with a step for each model."""
    projects = tmp_path_factory.mktemp("projects")
    folder = copy_project("paws_x", projects)
    write_pawsx(projects / "data")
    command = folder / "apertium"
    command.write_text(APERTIUM.format(python=sys.executable, words=SPANISH), encoding="utf8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    encoder = make_tiny_bert(folder / "encoder", [side for pair in PAIRS for side in pair[:2]], positions=128)
    overrides = {
        "langs": "en es",
        "spaced": "es",
        "unspaced": "",
        "merged": "en+es",
        "transformer_langs": "es",
        "across": "es-en",
        "dev": 8,
    }
    overrides.update(test=16, max_steps=1, encoder=encoder, translator="apertium")
    overrides.update(train_translated="es", test_translated="es", translator_setting=f"command={command}")
    done = run_workflow(folder, data=projects / "data", **overrides)
    return folder, json_lines(done.stdout)


def test_parts_are_cut_by_id_and_nothing_leaks(project):
    folder, (counts, *_) = project
    parts = {path.stem: records(path) for path in (folder / "build" / "corpus").glob("*.jsonl")}
    assert counts["es_dev_2k_rows_kept"] == len(PAIRS) - 2 == counts["dev_2k_rows_kept_but_en"]
    assert counts["es_dev_2k_rows_no_sentence"] == 2 and "en_dev_2k_rows_no_sentence" not in counts
    ids = {name: {pair["id"] for pair in pairs} for name, pairs in parts.items()}
    for kind in ("train", "dev", "test"):
        assert ids[f"es_{kind}"] <= ids[f"en_{kind}"]
        assert {pair["evidence"]["lang"] for pair in parts[f"es_{kind}"]} == {"es"}
        for other in {"train", "dev", "test"} - {kind}:
            for lang in ("en", "es"):
                assert not ids[f"{lang}_{kind}"] & ids[f"{lang}_{other}"]
                assert not sentences(parts[f"{lang}_{kind}"]) & sentences(parts[f"{lang}_{other}"])
    # What PAWS-Wiki has besides is trained on, in English alone.
    assert sum(pair["sentence1"].startswith("It rains") for pair in parts["en_train"]) == len(CITIES)
    assert len(parts["test"]) == len(parts["en_test"]) + len(parts["es_test"])
    assert {pair["evidence"]["lang"] for pair in parts["es-en_test"]} == {"es-en"}
    assert all("carretera" in pair["sentence1"] and "road" in pair["sentence2"] for pair in parts["es-en_test"])


def test_tables_are_in_the_papers_layout(project):
    folder, _ = project
    tables = (folder / "build" / "tables.md").read_text(encoding="utf8")
    for title in ("Table 4", "Table 5", "Table 6"):
        assert f"**{title} of Yang et al. (2019)" in tables
    cells = {}
    for number, table in zip((4, 5, 6), json.loads((folder / "build" / "tables.json").read_text())["beside"]):
        cells.update({(number, one["row"], one["column"]): one for one in table["cells"]})
    for row in ("bow-translate_train", "esim-translate_train", "transformer-translate_train", "transformer-merged"):
        assert 0 <= cells[4, row, "es Acc"]["ours"] <= 100 and cells[4, row, "fr Acc"]["ours"] is None
    assert 0 <= cells[4, "bow-translate_test", "es Acc"]["ours"] <= 100
    # A mean over six languages is not made of one.
    assert (
        cells[5, "transformer-merged", "Acc"]["ours"] is None
        and cells[5, "bow-translate_train", "Acc"]["paper"] == 52.7
    )
    assert cells[6, "transformer-merged", "7"]["paper"] == 61.7
    found = json.loads((folder / "build" / "results" / "transformer.json").read_text(encoding="utf8"))
    both = {pair["id"] for pair in records(folder / "build" / "corpus" / "es_test.jsonl")}
    assert [one["pairs"] for one in found["agreements"]] == [len(both)] * 2
    assert (folder / "build" / "across-es-en.md").is_file()


def test_pairs_are_translated_both_ways(project):
    folder, _ = project
    made, read = folder / "build" / "translated", folder / "build" / "corpus"
    train, test = records(made / "es_train.jsonl"), records(made / "es_test.jsonl")
    assert [pair["id"] for pair in test] == [pair["id"] for pair in records(read / "es_test.jsonl")]
    assert len(train) == len(records(read / "en_train.jsonl"))
    assert any("carretera" in pair["sentence1"] for pair in train)
    assert all("road" in pair["sentence1"] for pair in test)


def test_an_encoder_is_made_and_what_is_wrong_is_said(project, monkeypatch, capsys, tmp_path):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder, _ = project
    with open_scripts(folder, monkeypatch, capsys) as script:
        size = ["--width", 64, "--layers", 1, "--pieces", 300]
        assert "pieces" in script("encoder", "build/corpus/train.jsonl", "-o", tmp_path / "encoder", *size)
        said = script("prepare", "assets/pawsx", "--langs", "en fr", "--wiki", "no", "-o", tmp_path)
        assert "fr/dev_2k.tsv" in said and "there is no such file" in said
    assert AutoModelForMaskedLM.from_pretrained(tmp_path / "encoder").config.hidden_size == 64
    assert "road" in AutoTokenizer.from_pretrained(tmp_path / "encoder").tokenize("The road from Oslo")
    # The first language that fails ends it.
    failed = [sys.executable, "scripts/each.py", "a b", sys.executable, "-c", "import sys; sys.exit('{lang}' == 'a')"]
    done = subprocess.run(failed, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout.count("+ ") == 1


def test_published_parts_are_taken_as_they_are(project, monkeypatch, capsys, tmp_path):
    folder, _ = project
    header = "id\tsentence1\tsentence2\tlabel\n"
    for lang, train in (("en", "train"), ("zh", "translated_train_published")):
        (tmp_path / lang).mkdir()
        for i, name in enumerate((train, "dev_2k", "test_2k")):
            text = header + f"{i}\t{lang} {name} a\t{lang} {name} b\t1\n9\tNS\tx\t0\n"
            (tmp_path / lang / f"{name}.tsv").write_text(text, encoding="utf8")
    with open_scripts(folder, monkeypatch, capsys) as script:
        options = ["--langs", "en zh", "--wiki", "no", "--across", "zh-en", "-o", tmp_path / "out"]
        (counts,) = json_lines(script("prepare", tmp_path, *options))
    assert counts["paws_x_is"] == "published parts" and counts["zh_translated_train_published_rows_no_sentence"] == 1
    assert [counts[f"zh_{kind}"] for kind in ("train", "dev", "test")] == [1, 1, 1]


def test_the_published_pairs_are_counted_as_in_the_paper(data_dir):
    """`NS` and empty rows are left out of the dev sets, and never scored."""
    kept, left_out = {}, {}
    for lang in KEPT:
        found = read_test_set(lang, data_dir / "pawsx" / lang / "dev_2k.tsv")
        kept[lang], left_out[lang] = len(found.records), found.no_sentence
        assert {record.evidence["lang"] for record in found.records} == {lang}
        assert len({record.id for record in found.records}) == len(found.records)
        assert not any(text in ("NS", "") for one in found.records for text in (one.sentence1, one.sentence2))
    assert kept == KEPT and sum(kept.values()) == 11815
    assert left_out == {"de": 68, "es": 38, "ko": 35, "ja": 20, "zh": 16, "fr": 8}


def test_what_prepare_counts(data_dir, monkeypatch, capsys, tmp_path):
    """What `spacy project run prepare` prints of the real files."""
    # The Chinese training pairs are not what is counted, and take long.
    for lang in ("en", *KEPT):
        (tmp_path / "pawsx" / lang).mkdir(parents=True)
        (tmp_path / "pawsx" / lang / "dev_2k.tsv").symlink_to(data_dir / "pawsx" / lang / "dev_2k.tsv")
    with open_scripts(copy_project("paws_x", tmp_path), monkeypatch, capsys) as script:
        (counts,) = json_lines(script("prepare", tmp_path / "pawsx", "--wiki", "no", "-o", tmp_path / "out"))
    assert {lang: counts[f"{lang}_dev_2k_rows_kept"] for lang in KEPT} == KEPT
    assert counts["dev_2k_rows_kept_but_en"] == 11815 and counts["en_dev_2k_rows_kept"] == 2000
    # No English sentence is in two parts.
    parts = {kind: records(tmp_path / "out" / f"en_{kind}.jsonl") for kind in ("train", "dev", "test")}
    assert len(parts["test"]) == 1000 and not sentences(parts["test"]) & sentences(parts["train"] + parts["dev"])
