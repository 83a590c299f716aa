import json
from collections import Counter

import numpy
import pytest

from paws_components.errors import PawsError
from paws_components.metrics.measure import measure_records
from paws_components.plugins import Registration, host
from paws_components.records import PairRecord
from paws_components.viz.examples import OPEN, RANDOM, find_tails
from paws_components.viz.report import ReportSettings, build_report, by_label, describe_metric, installed_metrics
from paws_components.viz.sample import Corpus, read_corpus

from .browser import evaluate, find_browser, probe
from .conftest import check_markup

CORE = ["bow_cosine", "inversion_rate", "wpd", "ld"]


@pytest.fixture(scope="module")
def files(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("corpora")
    odd, plain = folder / "odd.jsonl", folder / "plain.tsv"
    with odd.open("w", encoding="utf8") as file:
        for record in records:
            pair = {"sentence1": record.sentence1, "sentence2": record.sentence2, "label": record.label}
            file.write(json.dumps(pair) + "\n")
    names = ["Tim", "Tom"]
    rows = [f"{i}\tAnn {i} met Bob and Tom .\tBob met Ann {i} and {names[i % 2]} .\t{i % 2}" for i in range(60)]
    plain.write_text("\n".join(["id\tsentence1\tsentence2\tlabel", *rows]) + "\n", encoding="utf8")
    return [f"<odd> & co={odd}", f"plain={plain}"]


@pytest.fixture(scope="module")
def page(files, en_nlp):
    return build_report(files, ReportSettings(metrics=CORE, examples=3, sample=50), nlp=en_nlp)


def test_the_page_is_whole_and_asks_for_nothing(page):
    root = check_markup(page)
    assert [h2.text for h2 in root.iter("h2")] == ["Summary", "Labels", "Distributions", "Examples", "Audit"]
    anchors = {a.get("href")[1:] for a in root.iter("a")}
    assert anchors <= {element.get("id") for element in root.iter()}
    assert root.find("body/header/h1").text == "Sentence pairs"


def test_ids_are_unique(page):
    ids = [element.get("id") for element in check_markup(page).iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_the_sample_is_said(page, files, en_nlp):
    # Eleven rows of the one are nine pairs: two have an empty sentence.
    lead = next(p for p in check_markup(page).iter("p") if p.get("class") == "lead").text
    assert "Of plain a random sample of 50 pairs (seed 0) is measured" in lead and lead.startswith(
        "69 pairs in <odd> & co and plain. "
    )
    whole = build_report(files, ReportSettings(metrics=["ld"], sample=None, audit=False, examples=1), nlp=en_nlp)
    assert "All of them are measured." in whole


def test_the_summary_holds_the_metrics(page, files, en_nlp):
    tables = list(check_markup(page).iter("table"))
    rows = [["".join(td.itertext()).strip() for td in tr.findall("td")] for tr in tables[1].find("tbody")]
    records = read_corpus("plain", files[1].split("=")[1], 50, 0).records
    values = numpy.array([row["wpd"] for row in measure_records(records, ["wpd"], nlp=en_nlp)])
    labels = numpy.array([record.label for record in records])
    expected = [values.mean(), numpy.median(values), *numpy.percentile(values, [5, 95])]
    expected += [values[labels == 1].mean(), values[labels == 0].mean()]
    assert rows[5] == ["WPD", "plain", *(f"{value:.3f}" for value in expected)]


def test_examples_are_the_tails():
    corpus = Corpus("c", "c", records=list(range(6)))  # type: ignore[arg-type]
    values = {"wpd": numpy.array([0.3, 0.1, 0.9, float("nan"), 0.1, 0.5]), "ld": numpy.array([0.0] * 6)}
    pairs = find_tails([corpus], [values], 2)
    assert sum(RANDOM in pair.tails for pair in pairs) == 2
    shown = {pair.place: [tail for tail in pair.tails if tail != RANDOM] for pair in pairs}
    assert {place: tails for place, tails in shown.items() if tails} == {
        0: ["ld-high", "ld-low"],
        1: ["wpd-low", "ld-high", "ld-low"],
        2: ["wpd-high"],
        4: ["wpd-low"],
        5: ["wpd-high"],
    }


def test_the_random_sample_is_of_all_pairs():
    corpus = Corpus("c", "c", records=list(range(50)))  # type: ignore[arg-type]
    drawn = [[pair.place for pair in find_tails([corpus], [{}], 5, seed)] for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2] and len(drawn[0]) == 5
    assert [pair.tails for pair in find_tails([corpus], [{}], 80)] == [[RANDOM]] * 50


def test_every_example_has_its_values_and_three_drawings(page):
    root = check_markup(page)
    table = next(t for t in root.iter("table") if t.get("id") == "examples")
    bodies = table.findall("tbody")
    assert 6 < len(bodies) <= 2 * 3 * (2 * len(CORE) + 1)
    opened = [
        body.get("data-tail").split() for body in bodies for details in body.iter("details") if details.get("open")
    ]
    assert len(opened) == OPEN and all(RANDOM in tails for tails in opened)
    for body in bodies:
        classes = [figure.get("class").split()[1] for figure in body.iter("figure")]
        assert classes == ["paws-swap", "paws-alignment", "paws-positions"]
        assert all(float(body.get(f"data-{name.replace('_', '-')}")) >= 0 for name in CORE)
        assert body.get("data-tail")
    options = [option.get("value") for option in root.iter("option")]
    assert "wpd-high" in options and "bow-cosine up" in options


def test_reports_are_deterministic(page, files, en_nlp):
    again = build_report(files, ReportSettings(metrics=CORE, examples=3, sample=50), nlp=en_nlp)
    assert again == page


def test_metrics_are_chosen_and_named(files, en_nlp):
    assert installed_metrics()[:4] == CORE
    with pytest.raises(PawsError, match="P104.*bleu"):
        build_report(files, ReportSettings(metrics=["bleu"]), nlp=en_nlp)


def test_metrics_of_plugins_are_drawn(files, en_nlp, monkeypatch):
    class Commas:
        def __call__(self, pairs):
            return [float(one.count(",")) for one, two in pairs]

    monkeypatch.setitem(host().registered["metrics"], "comma_count", Registration("comma_count", Commas, "somebody"))
    page = build_report(files, ReportSettings(metrics=["comma_count"], examples=1, audit=False), nlp=en_nlp)
    assert "comma count, all pairs" in page and 'data-comma-count="0.0"' in page


def test_every_metric_is_explained(page):
    assert all(all(describe_metric(name)) for name in installed_metrics())
    said = "".join(check_markup(page).itertext())
    assert all(describe_metric(name)[1] in said for name in CORE)


def test_distributions_are_split_by_label(page, files, en_nlp):
    root = check_markup(page)
    section = next(section for section in root.iter("section") if section.get("id") == "section-distributions")
    assert [h3.text for h3 in section.iter("h3")] == ["BOW cosine", "Inversion rate", "WPD", "LD"]
    titles = [h4.text for h4 in section.iter("h4")]
    assert titles[:3] == [
        "BOW cosine, all pairs",
        "BOW cosine of <odd> & co, by label",
        "BOW cosine of plain, by label",
    ]
    captions = ["".join(figure.find("figcaption").itertext()) for figure in section.iter("figure")]
    assert "plain: mean" in captions[0] and "of their areas" not in captions[0]
    assert "not paraphrase: mean" in captions[2] and "of their areas overlap" in captions[2]
    # One corpus has a chart for each metric, in a card with what it says.
    alone = check_markup(build_report(files[1:], ReportSettings(metrics=CORE, examples=1, audit=False), nlp=en_nlp))
    charts = [f for f in alone.iter("figure") if f.find("h3") is not None and f.findtext("h3") in titles[0] + "WPD LD"]
    assert len(charts) == 3 and all(chart.find("p") is not None for chart in charts)


def test_pairs_without_a_label_or_with_one_only():
    records = [PairRecord("a", "b", label=label) for label in (1, 1, None)]
    labels = Counter({"paraphrase": 2, "no label": 1})
    series = by_label(Corpus("c", "c", records=records, labels=labels), numpy.array([0.1, 0.2, 0.3]))
    assert [(one.name, one.values.tolist(), one.colour) for one in series] == [
        ("paraphrase", [0.1, 0.2], 0),
        ("no label", [0.3], 1),
    ]
    assert by_label(Corpus("c", "c", records=records[:2], labels=labels), numpy.array([0.1, 0.2])) == []


def test_mrpc_against_paws(data_dir, en_nlp):
    """What Figures 6 and 7 of the paper show: MRPC moves words a little more, and changes them far more."""
    paths = [f"MRPC={data_dir / 'mrpc' / 'msr_paraphrase_train.txt'}", f"PAWS={data_dir / 'paws_wiki' / 'dev.tsv'}"]
    settings = ReportSettings(metrics=["wpd", "ld"], sample=400, examples=1, audit=False)
    root = check_markup(build_report(paths, settings, nlp=en_nlp))
    rows = [[td.text for td in tr.findall("td")] for tr in list(root.iter("table"))[1].find("tbody")]
    means = {(row[0], row[1]): float(row[2]) for row in rows}
    assert means["WPD", "MRPC"] > means["WPD", "PAWS"]
    assert means["LD", "MRPC"] > 3 * means["LD", "PAWS"]


@pytest.mark.skipif(find_browser() is None, reason="no Chromium on the PATH to measure pages with")
@pytest.mark.parametrize("width", [1280, 800, 400])
def test_in_a_browser_nothing_overlaps_or_sticks_out(page, width, tmp_path):
    found = probe(page, tmp_path, width)
    assert found["width"] == width and found["drawings"] > 30
    assert found["scroll"] <= width
    assert (found["overlaps"], found["outside"], found["small"]) == ([], [], 0)


WIDTHS = """
  return Array.from(document.querySelectorAll(".paws-chart")).map(function (card) {
    var style = getComputedStyle(card), room = card.clientWidth - 2 * parseFloat(style.paddingLeft);
    var svg = Array.from(card.querySelectorAll("svg[role=img]")).filter(function (s) { return s.clientWidth; })[0];
    return [room, svg.clientWidth];
  });
"""


@pytest.mark.skipif(find_browser() is None, reason="no Chromium on the PATH to measure pages with")
@pytest.mark.parametrize("width", [1280, 800, 400])
def test_in_a_browser_charts_are_as_wide_as_their_cards(page, width, tmp_path):
    widths = evaluate(page, WIDTHS, tmp_path, width)
    assert len(widths) == 2 + 3 * len(CORE)
    assert all(drawn == pytest.approx(room, abs=1.5) and room > 250 for room, drawn in widths)


CLICKS = """
  function seen() {
    var rows = Array.from(document.querySelectorAll("#examples tbody")).filter(function (b) { return !b.hidden; });
    return rows.map(function (b) {
      return [b.dataset.corpus, b.dataset.label, Number(b.dataset.wpd), Number(b.dataset.ld), b.dataset.tail];
    });
  }
  function pick(name, value, kind) {
    var field = document.getElementById("pick-" + name);
    field.value = value;
    field.dispatchEvent(new Event(kind || "change"));
    return seen();
  }
  var found = { start: seen(), said: document.getElementById("shown").textContent };
  found.low = pick("tail", "wpd-low");
  found.all = pick("tail", "");
  found.down = pick("sort", "ld down");
  document.querySelector("th[data-key=wpd] button").click();
  found.up = seen();
  document.querySelector("th[data-key=wpd] button").click();
  found.again = seen();
  found.arrow = document.querySelector("th[data-key=wpd]").getAttribute("aria-sort");
  found.corpus = pick("corpus", "1");
  found.label = pick("label", "0");
  found.text = pick("text", "TIM", "input");
  return found;
"""


@pytest.mark.skipif(find_browser() is None, reason="no Chromium on the PATH to click in")
def test_the_examples_sort_and_filter(page, tmp_path):
    found = evaluate(page, CLICKS, tmp_path, 1280)
    corpora, labels, wpds, lds, tails = range(5)
    assert all("random" in row[tails] for row in found["start"]) and len(found["start"]) == 6
    total = len(found["all"])
    assert found["said"] == f"{len(found['start'])} of {total} pairs"
    assert all("wpd-low" in row[tails] for row in found["low"]) and len(found["low"]) == 6
    assert [row[wpds] for row in found["low"]] == sorted(row[wpds] for row in found["low"])
    assert [row[lds] for row in found["down"]] == sorted((row[lds] for row in found["all"]), reverse=True)
    ascending = sorted(row[wpds] for row in found["all"])
    assert [row[wpds] for row in found["up"]] == ascending
    assert [row[wpds] for row in found["again"]] == ascending[::-1] and found["arrow"] == "descending"
    assert {row[corpora] for row in found["corpus"]} == {"1"} and 0 < len(found["corpus"]) < total
    assert {row[labels] for row in found["label"]} == {"0"}
    assert 0 < len(found["text"]) <= len(found["label"])


def test_examples_say_how_natural_a_swap_is(tmp_path, en_nlp):
    path = tmp_path / "judged.jsonl"
    evidence = {"gap": 1.25, "naturalness": 0.8125}
    pair = {"sentence1": "Ann saw Bob .", "sentence2": "Bob saw Ann .", "label": 0, "evidence": evidence}
    path.write_text(json.dumps(pair) + "\n", encoding="utf8")
    page = build_report([str(path)], ReportSettings(metrics=CORE, examples=1, sample=5), nlp=en_nlp)
    assert "1.25 nats under its source; naturalness 0.81" in page
