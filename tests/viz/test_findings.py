import sys

from paws_components.viz.findings import findings_table

from .conftest import check_markup


def table(tmp_path, rows):
    path = tmp_path / "dev.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows), "utf8")
    return findings_table({"<dev>": str(path)})


def test_faults_are_listed_with_examples(tmp_path):
    rows = [("1", "<i>A</i> man ran .", "A man ran .", "1"), ("2", "Same words", "Same words", "0")]
    root = check_markup(table(tmp_path, [*rows, ("3", "NS", "NS", "0"), rows[0]]))
    cells = [["".join(td.itertext()) for td in tr.findall("td")] for tr in root.find("table/tbody")]
    checks = {row[1]: row for row in cells}
    assert checks["identical not paraphrase"][2:4] == ["<dev>", "1"]
    assert "<i>A</i> man ran" in checks["duplicate pairs"][4]
    levels = [row[0] for row in cells]
    assert levels == sorted(levels, key=["error", "warning", "info"].index), "the gravest first"


def test_without_an_audit_there_is_no_section(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "paws_components.curation.audit", None)
    assert table(tmp_path, [("1", "a", "b", "1")]) is None


def test_an_audit_that_cannot_be_made_says_so(tmp_path):
    said = findings_table({"x": str(tmp_path / "missing.tsv")})
    assert "The audit could not be made" in "".join(check_markup(said).itertext())
