from paws_components.metrics.summary import Summary


def test_rows_and_table():
    summary = Summary()
    for i in range(5):
        summary.add({"wpd": i / 4, "ld": 0.5}, label=i % 2)
    wpd, ld = summary.rows()
    assert (wpd["mean"], wpd["min"], wpd["25 %"], wpd["median"], wpd["max"]) == (0.5, 0.0, 0.25, 0.5, 1.0)
    assert (wpd["label 0"], wpd["label 1"]) == (0.5, 0.5)
    assert ld["sd"] == 0.0
    lines = str(summary).splitlines()
    assert len(lines) == 4 and len({len(line) for line in lines}) == 1
    assert lines[0].split() == "metric mean sd min 25 % median 75 % max label 0 label 1".split()


def test_no_labels_no_columns():
    summary = Summary()
    summary.add({"wpd": 0.1}, None)
    summary.add({"wpd": 0.2}, "")
    assert "label" not in str(summary)
    for i in range(9):
        summary.add({"wpd": 0.2}, i)  # ids, not labels
    assert "label" not in str(summary)


def test_nothing():
    assert str(Summary()) == "No pairs."
