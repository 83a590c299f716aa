import pytest
from click.testing import CliRunner

from paws_components.cli import cli
from paws_components.errors import PawsError

ROWS = ["id\tsentence1\tsentence2\tlabel", "1\tAnn saw Bob .\tBob saw Ann .\t0", "2\tAnn ran .\tAnn was running .\t1"]


@pytest.fixture()
def corpus(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(ROWS) + "\n", encoding="utf8")
    return path


def run(*arguments):
    return CliRunner().invoke(cli, ["report", *map(str, arguments)], catch_exceptions=False)


def test_a_report_is_written_and_named(corpus, tmp_path, en_nlp):
    output = tmp_path / "report.html"
    result = run(f"Mine={corpus}", "-o", output, "--metrics", "wpd, ld", "--title", "A <title>")
    assert result.exit_code == 0
    assert "Measuring 2 of 2 pairs of Mine" in result.output and f"The report is in {output}" in result.output
    page = output.read_text(encoding="utf8")
    assert page.startswith("<!DOCTYPE html>") and "<title>A &lt;title&gt;</title>" in page
    assert "LD" in page and "ROUGE" not in page and 'id="section-audit"' in page


def test_quiet_and_without_audit(corpus, tmp_path, en_nlp):
    result = run(corpus, "-o", tmp_path / "r.html", "--quiet", "--no-audit", "--metrics", "bow_cosine")
    assert result.exit_code == 0 and "Measuring" not in result.output
    assert 'id="section-audit"' not in (tmp_path / "r.html").read_text(encoding="utf8")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--sample", "-1"], "P015.*--sample"),
        (["--examples", "0"], "P015.*--examples"),
        (["--metrics", "nonsense"], "P104.*nonsense"),
        (["--model", "no_such_model"], "P013.*no_such_model"),
        (["--lang", "de"], "P013.*paws download de"),
        (["-o", "report.pdf"], "P011.*report.pdf.*html"),
        (["-o", "report"], "P011.*html"),
    ],
)
def test_wrong_options_are_named(corpus, tmp_path, arguments, said, en_nlp):
    with pytest.raises(PawsError, match=said):
        run(corpus, "-o", tmp_path / "r.html", *arguments)


def test_a_folder_that_is_not_there_is_named(corpus, tmp_path, en_nlp):
    with pytest.raises(PawsError, match="P021.*nowhere"):
        run(corpus, "-o", tmp_path / "nowhere" / "r.html", "--metrics", "bow_cosine", "--no-audit")


def test_another_language(corpus, tmp_path):
    """Where no metric needs lemmas, its tokenizer is enough."""
    result = run(corpus, "-o", tmp_path / "r.html", "--lang", "de", "--metrics", "bow_cosine", "--no-audit")
    assert result.exit_code == 0 and "pipeline de_pipeline" in (tmp_path / "r.html").read_text(encoding="utf8")
