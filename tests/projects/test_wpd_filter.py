"""The project on a few attempts in the layouts of the authors' files, through `spacy project run`."""

import hashlib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import srsly

from paws_components import read_pairs

from .running import copy_project, json_lines, run_spacy, run_workflow

SOURCES = ["The old bridge was closed by the mayor in May.", "Anna sold her small house to a friend last week."]
MOVED = ["In May the old bridge was closed by the mayor.", "Last week Anna sold her small house to a friend."]
REWORDED = ["The ancient crossing was shut by the council in May.", "Anna gave her tiny home to a neighbour last week."]
OTHER = ["A mayor swam across some cold river yesterday.", "Nobody ever bought furniture there."]
# Of a source in another share of the authors' run.
ELSEWHERE = ("Rain fell on Oslo.", "On Oslo fell rain.")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = copy_project("wpd_filter", tmp_path_factory.mktemp("projects"))
    data = folder.parent / "data" / "apt"
    data.mkdir(parents=True)
    rows = {
        "msrp1-mi0.tsv": [(one, two, 0.7, 1) for texts in (MOVED, REWORDED) for one, two in zip(SOURCES, texts)],
        "msrp1-nmi0.tsv": [*((one, two, -0.4, 0) for one, two in zip(SOURCES, OTHER))] * 2,
        "msrp1-apt.tsv": [
            ("sentence", "paraphrase", "mi"),
            (SOURCES[0], "It was the mayor who closed the old bridge in May.", 1),
            (*ELSEWHERE, 1),
        ],
    }
    for name, lines in rows.items():
        text = "".join("\t".join(map(str, line)) + "\n" for line in lines)
        (data / name).write_text(text, encoding="utf8")
    done = run_workflow(folder, data=folder.parent / "data")
    return folder, done.stdout


def test_each_attempt_of_the_share_comes_once(project):
    folder, output = project
    records = list(read_pairs(folder / "build" / "attempts.jsonl"))
    assert "7 different attempts at 2 sentences" in output
    assert {record.sentence1 for record in records} == set(SOURCES)
    assert sorted(record.label for record in records) == [0, 0, 1, 1, 1, 1, 1]


def test_filters_keep_what_they_say_ranked(project):
    folder, _ = project
    kept = {name: list(read_pairs(folder / "build" / f"{name}.jsonl")) for name in ("structural", "lexical", "both")}
    assert {record.sentence2 for record in kept["structural"]} == set(MOVED)
    assert set(REWORDED) <= {record.sentence2 for record in kept["lexical"]}
    assert not set(MOVED) & {record.sentence2 for name in ("lexical", "both") for record in kept[name]}
    assert set(OTHER) & {record.sentence2 for record in kept["both"]}
    values = [record.evidence["wpd"] for record in kept["structural"]]
    assert values == sorted(values, reverse=True) and min(values) > 0.2


def test_the_tables(project):
    folder, output = project
    (figures,) = json_lines(output)
    assert figures["all"]["attempts"] == 7 and figures["all"]["mean_the_same"] == pytest.approx(5 / 7)
    assert figures["structural"]["mean_the_same"] == 1.0 and figures["structural"]["sentences"] == 2
    table = (folder / "build" / "tables.md").read_text(encoding="utf8")
    assert "| Generated paraphrase | WPD | LD |" in table and "| all | 7 | 2 |" in table


def test_no_attempt_left_by_a_filter_and_few_sentences(project):
    folder, _ = project
    done = run_workflow(folder, data=folder.parent / "data", limit=1, both="wpd > 2")
    (figures,) = json_lines(done.stdout)
    assert figures["all"]["sentences"] == 1
    assert figures["both"] == {"attempts": 0, "sentences": 0, "wpd": 0.0, "ld": 0.0, "mean_the_same": 0.0}


def test_assets_are_fetched_from_their_addresses(project, tmp_path):
    """`spacy project assets` and `spacy project run all` in a clone that has no data, from a server that has it."""
    base, _ = project
    served = base.parent / "data" / "apt"
    folder = copy_project("wpd_filter", tmp_path)
    text = (folder / "project.yml").read_text(encoding="utf8")
    handler = partial(SimpleHTTPRequestHandler, directory=str(served))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for asset in srsly.yaml_loads(text)["assets"]:
            path = served / Path(asset["dest"]).name
            text = text.replace(asset["url"], f"http://127.0.0.1:{server.server_port}/{path.name}")
            text = text.replace(asset["checksum"], hashlib.md5(path.read_bytes()).hexdigest())
        (folder / "project.yml").write_text(text, encoding="utf8")
        run_spacy(folder, "project", "assets")
        server.shutdown()
    assert {path.name for path in (folder / "assets" / "apt").iterdir()} == {path.name for path in served.iterdir()}
    (figures,) = json_lines(run_workflow(folder).stdout)
    assert figures["all"]["attempts"] == 7
