from paws_components.tables import markdown_table, text_table

ROWS = [("model", "on", "pairs"), ("a|b", "x", "1,000"), ("c", "longer", "2")]


def test_for_a_terminal():
    assert text_table(ROWS, ("model", "on")).splitlines() == [
        "model   on       pairs",
        "-----   ------   -----",
        "a|b     x        1,000",
        "c       longer       2",
    ]
    # The first column alone stands to the left by default, and lines do not end in spaces.
    assert text_table([("a", "bcd"), ("efg", "h")]).splitlines() == ["a     bcd", "---   ---", "efg     h"]
    assert text_table([("a", "b"), ("c", "d" * 300)], ("a", "b")).splitlines()[2] == "c   " + "d" * 300
    assert text_table(ROWS[:1]).splitlines()[0] == "model   on   pairs"


def test_for_markdown():
    assert markdown_table(ROWS, ("model", "on")).splitlines() == [
        "| model | on | pairs |",
        "|---|---|---:|",
        "| a\\|b | x | 1,000 |",
        "| c | longer | 2 |",
    ]
    assert markdown_table(ROWS[:1]).splitlines()[1] == "|---|---:|---:|"
