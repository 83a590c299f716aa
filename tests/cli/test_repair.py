import json

import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError
from paws_components.readers import read_pairs

TEXT = "id\tsentence1\tsentence2\tlabel\n1\tx y\ty x\t0\n2\tNS\tz\t0\n3\tu v\tu v\t1\n4\tb'p'\tq\t1.0\n"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.tsv"
    path.write_text(TEXT)
    return path


def run(*args):
    return CliRunner().invoke(cli, ["repair", *map(str, args)])


def test_closing_line_and_manifest(corpus, tmp_path):
    result = run(corpus, "-o", tmp_path / "out.tsv")
    assert result.exit_code == 0
    assert "4 rows in = 1 kept as they were + 1 changed + 2 dropped; 2 pairs" in result.output
    assert [record.sentence1 for record in read_pairs(tmp_path / "out.tsv")] == ["x y", "p"]
    lines = [json.loads(line) for line in (tmp_path / "out.tsv.manifest.jsonl").read_text().splitlines()]
    assert [(line["line"], line["reasons"]) for line in lines] == [
        (3, ["placeholder"]),
        (4, ["identical_pair"]),
        (5, ["bytes_literal", "label_encoding"]),
    ]


def test_options(corpus, tmp_path):
    result = run(
        corpus, "-o", tmp_path / "o.jsonl", "--manifest", tmp_path / "m.jsonl", "--train", "--skip", "placeholder"
    )
    assert "0 dropped" in result.output and (tmp_path / "m.jsonl").exists()


def test_errors(corpus, tmp_path):
    result = run(corpus, "-o", corpus)
    assert isinstance(result.exception, PawsError) and "P150" in str(result.exception)
    assert corpus.read_text() == TEXT
