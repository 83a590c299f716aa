import json
import os
from collections import Counter

import pytest
import srsly

from paws_components import audit
from paws_components.building.project import Project, build
from paws_components.curation.sheet import show_sheet
from paws_components.curation.splitting import is_identical, sentence_keys
from paws_components.errors import PawsError
from paws_components.readers import read_pairs
from paws_components.records import PairRecord

from .projects import backs, lines, make_project, put, sentences, swaps, write, write_plan

SPLITS = ("train", "dev", "test")


def run(folder, **options):
    told = []
    counts = build(folder, told.append, quiet=True, **options)
    return counts, told


def change(folder, **plan):
    write_plan(folder, {**srsly.read_yaml(folder / "build.yml"), **plan})


def parts(folder, format="jsonl"):
    return {name: list(read_pairs(folder / "dataset" / format / f"{name}.{format}")) for name in SPLITS}


@pytest.fixture(scope="module")
def silver(tmp_path_factory):
    folder = make_project(tmp_path_factory.mktemp("projects") / "trains")
    counts, told = run(folder)
    return folder, counts, told


def test_silver_labels_and_every_pair_accounted_for(silver):
    folder, counts, told = silver
    found = parts(folder)
    everything = [pair for part in found.values() for pair in part]
    # Thirty swaps have two back translations each: six pairs of each source.
    assert Counter((pair.generator, pair.label) for pair in everything) == {
        ("word_swap", 0): 30,
        ("back_translation", 1): 60,
        ("recombined", 0): 90,
    }
    assert {pair.label_source for pair in everything} == {"silver"}
    aside = list(read_pairs(folder / "dataset" / "jsonl" / "auxiliary" / "train.jsonl"))
    assert len(aside) == 10 == counts["auxiliary"]["pairs"] and {pair.label for pair in aside} == {0}
    assert counts["account"] == {"labels_in": 100, "labels_out": 100, "labels_dropped": 0} and counts["reasons"] == {}
    assert {name: part["pairs"] for name, part in counts["splits"].items()} == {
        name: len(part) for name, part in found.items()
    }
    # dev is 30 pairs, test a fifth of 180; groups are of six.
    assert (len(found["dev"]), len(found["test"])) == (30, 36)
    assert told[0] == "swaps: raw 40" and told[-1].startswith("write: train 114, dev 30, test 36")


def test_the_splits_and_the_flip_do_not_leak(silver, tmp_path):
    folder, _, _ = silver
    files = {name: folder / "dataset" / "tsv" / f"{name}.tsv" for name in SPLITS}
    files["auxiliary"] = folder / "dataset" / "tsv" / "auxiliary" / "train.tsv"
    findings = audit(files)
    leaks = {"shared_pairs", "shared_sentences", "shared_rows", "contradictory_across", "fixed_sides"}
    assert {finding.check for finding in findings} & leaks == set()
    assert not any(finding.level == "error" for finding in findings)
    found = parts(folder)
    for name in SPLITS:
        for other in SPLITS:
            if name != other:
                assert not sentence_keys(found[name]) & sentence_keys(found[other])
                assert not {p.source_id for p in found[name]} & {p.source_id for p in found[other]}
    everything = [pair for part in found.values() for pair in part]
    flipped = [pair for pair in everything if pair.evidence.get("flipped")]
    assert 0.35 < len(flipped) / len(everything) < 0.65
    # The same audit sees what the flip hides: several swaps of a sentence, as they are generated.
    bare = [PairRecord(f"Train {i // 4} ran.", f"Ran {i} train.", label=0) for i in range(80)]
    write(tmp_path / "bare.jsonl", bare)
    assert [finding.check for finding in audit({"x": tmp_path / "bare.jsonl"}, checks=["fixed_sides"])]
    other = make_project(tmp_path / "bare", swaps={"file": "../bare.jsonl"}, back=None, splits={})
    run(other)
    assert not audit({"x": other / "dataset" / "tsv" / "train.tsv"}, checks=["fixed_sides"])


def test_all_formats_hold_the_same(silver):
    folder, _, _ = silver
    one = parts(folder)
    assert parts(folder, "parquet") == one
    for name, rows in parts(folder, "tsv").items():
        assert [(r.id, r.sentence1, r.sentence2, r.label) for r in rows] == [
            (r.id, r.sentence1, r.sentence2, r.label) for r in one[name]
        ]


def test_the_same_seed_gives_the_same_bytes(silver, tmp_path):
    folder, _, _ = silver
    other = make_project(tmp_path / "trains")
    run(other)
    for path in (folder / "dataset").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (other / path.relative_to(folder)).read_bytes(), path
    change(other, seed=8)
    _, told = run(other)
    assert any(line.startswith("write: again, since\n    seed: 7 then, 8 now") for line in told)
    assert parts(other) != parts(folder)


def test_what_is_done_is_not_done_again(silver, tmp_path, monkeypatch):
    folder = make_project(tmp_path / "trains")
    run(folder)
    # From another folder, under another name: it is the same project.
    monkeypatch.chdir(folder)
    _, told = run(".")
    assert [line.split(" (")[0] for line in told] == [
        f"{name}: done before" for name in ("swaps", "label_swaps", "back", "label_back", "balance", "write")
    ]
    change(folder, splits={"dev": 12})
    _, told = run(".")
    assert sum("done before" in line for line in told) == 5
    assert "splits.test" in told[5] and "splits.dev: 30 then, 12 now" in told[5]
    assert {path.name for path in (folder / "dataset" / "jsonl").iterdir()} == {
        "train.jsonl",
        "dev.jsonl",
        "auxiliary",
    }
    # Another input: what comes of it is done again, and the rest is not.
    write(folder / "b.jsonl", backs(range(20)))
    counts, told = run(".")
    assert "back: again, since\n    b.jsonl is not what it was" in told and told[0].startswith("swaps: done before")
    assert counts["auxiliary"]["pairs"] == 20
    # A run that was killed in the middle of a stage goes on there.
    project = Project(".")
    project.ledger.begin("balance")
    (folder / "steps" / "dropped.jsonl").unlink()
    _, told = run(".")
    assert told[4].startswith("balance: pairs 120") and told[3].startswith("label_back: done before")


def test_nothing_of_anybody_else_is_replaced(tmp_path):
    folder = make_project(tmp_path / "trains")
    (folder / "dataset").mkdir()
    (folder / "dataset" / "mine.txt").write_text("mine", encoding="utf8")
    with pytest.raises(PawsError, match="P725.*dataset"):
        run(folder)
    assert (folder / "dataset" / "mine.txt").read_text(encoding="utf8") == "mine"
    (folder / "dataset" / "mine.txt").unlink()
    (folder / "dataset").rmdir()
    run(folder)
    card = folder / "dataset" / "README.md"
    card.write_text("Better words.\n", encoding="utf8")
    change(folder, seed=9)
    with pytest.raises(PawsError, match="P731.*dataset.*was changed"):
        run(folder)
    assert card.read_text(encoding="utf8") == "Better words.\n"
    run(folder, fresh=True)
    assert "# trains" in card.read_text(encoding="utf8")


def test_what_takes_long_is_refused_where_it_changed(tmp_path):
    (tmp_path / "text.txt").write_text("Mary lives in Boston and works in Chicago.\n", encoding="utf8")
    plan = {"swaps": {"settings": {"precise": False}}, "texts": ["../text.txt"], "back": None, "splits": {}}
    folder = make_project(tmp_path / "trains", **plan)
    run(folder)
    before = (folder / "steps" / "swaps.jsonl").read_bytes()
    change(folder, swaps={"settings": {"precise": False, "n_best": 2}})
    with pytest.raises(PawsError, match=r"P730.*'swaps'[\s\S]*settings.n_best: null then, 2 now[\s\S]*--fresh"):
        run(folder)
    assert (folder / "steps" / "swaps.jsonl").read_bytes() == before
    _, told = run(folder, fresh=True)
    assert told[0].startswith("swaps: again")


def test_a_classifier_can_label(tmp_path):
    plan = {"labels": {"by": "tests.building.answers:probabilities"}, "back": {"file": "b.jsonl"}}
    folder = make_project(tmp_path / "trains", count=8, with_back=6, splits={}, **plan)
    same = PairRecord("It is so.", "It is so!", generator="back_translation")
    write(folder / "b.jsonl", [*backs(range(6)), same])
    counts, _ = run(folder)
    assert (counts["swaps"]["non_paraphrase"], counts["back"]["paraphrase"]) == (8, 1)
    (pair,) = (
        pair
        for pair in read_pairs(folder / "dataset/jsonl/train.jsonl")
        if pair.sentence2 in (same.sentence2, same.sentence1)
    )
    assert pair.evidence["labelled_by"] == {"model": "tests.building.answers:probabilities", "score": 0.9}
    assert pair.label_source == "silver"


def votes(items, yes, raters=5):
    """So many of the raters say yes to each item."""
    return [{"item_id": item, "rater": f"r{k}", "answer": int(k < yes)} for item in items for k in range(raters)]


def test_people_correct_and_judge(tmp_path):
    folder = make_project(tmp_path / "trains", count=12, with_back=8, labels="people", splits={"dev": 6})
    people = folder / "people"
    with pytest.raises(PawsError, match=r"P726.*12 pairs in .*steps/swaps.jsonl.*people/corrections.jsonl"):
        run(folder)
    ids = [pair["id"] for pair in lines(folder / "steps" / "swaps.jsonl")]
    decisions = [{"item_id": one, "action": "accept"} for one in ids[:9]]
    decisions.append({"item_id": ids[9], "action": "reject", "text": ""})
    put(people / "corrections.jsonl", decisions)
    with pytest.raises(PawsError, match="P727.*2 pairs of .*swaps.jsonl are not decided"):
        run(folder)
    # One is fixed to a better sentence, one back to its source.
    decisions.append({"item_id": ids[10], "action": "fix", "text": "Train 10 ran there and back."})
    decisions.append({"item_id": ids[11], "action": "fix", "text": sentences(11)[0]})
    put(people / "corrections.jsonl", decisions)
    with pytest.raises(PawsError, match="P728.*11 pairs in .*swaps_corrected.jsonl .*5 each.*swap_votes.jsonl"):
        run(folder)
    corrected = [pair["id"] for pair in lines(folder / "steps" / "swaps_corrected.jsonl")]
    # Seven clear negatives, one that is divided, one clear paraphrase, and the two that were fixed.
    cast = [*votes(corrected[:7], 0), *votes(corrected[7:8], 3), *votes(corrected[8:9], 4), *votes(corrected[9:], 5)]
    cast.append({"item_id": corrected[0], "rater": "mi", "answer": 1, "is_model": True})
    put(people / "swap_votes.jsonl", cast[5:])
    with pytest.raises(PawsError, match="P729.*1 pair of .*fewer than 5 votes"):
        run(folder)
    put(people / "swap_votes.jsonl", cast)
    with pytest.raises(PawsError, match="P728.*16 pairs in .*back.jsonl.*back_votes.jsonl"):
        run(folder)
    back = [pair["id"] for pair in lines(folder / "steps" / "back.jsonl")]
    put(people / "back_votes.jsonl", [*votes(back[:1], 1), *votes(back[1:], 5)])
    counts, _ = run(folder)

    table = counts["swaps"]
    assert (table["raw"], table["accepted"], table["fixed"], table["rejected"]) == (12, 9, 2, 1)
    assert (table["labelled"], table["paraphrase"], table["non_paraphrase"], table["kept"]) == (11, 4, 7, 10)
    # By hand: 7 * 5 + 3 + 4 + 2 * 5 of 55 labels with their majority; then without the divided pair 49 of 50.
    assert table["agreement"] == pytest.approx(52 / 55) and table["kept_agreement"] == pytest.approx(49 / 50)
    assert table["models"] == {"mi": 0.0}
    assert counts["back"]["agreement"] == pytest.approx(79 / 80) and counts["back"]["non_paraphrase"] == 1
    # 11 + 16 labels of people: all come out, one of them apart.
    assert counts["account"] == {"labels_in": 27, "labels_out": 27, "labels_dropped": 0}
    low = list(read_pairs(folder / "dataset/jsonl/low_agreement/train.jsonl"))
    assert len(low) == 1 and low[0].evidence["votes"] == {"yes": 3, "no": 2, "why": "low_agreement"}
    assert counts["reasons"]["low_agreement"] == 1 and counts["reasons"]["rejected"] == 1
    # The pair with the negative link on both sides gives no label; its siblings follow from the rules.
    assert counts["reasons"]["two_negatives"] == 2
    text = show_sheet(counts)
    assert "| # Fixed pairs | 2 |" in text and "| Human agreement | 94.5 % |" in text
    assert "*After post-filtering*" in text and "mi (a model) with the majority" in text
    card = (folder / "dataset" / "README.md").read_text(encoding="utf8")
    assert "5 people judged each pair, and at least 4 of them agree" in card and "94.5 %" in card


def test_those_who_do_not_wait(tmp_path):
    labels = {"by": "people", "correct": False, "wait": False}
    folder = make_project(tmp_path / "trains", count=6, with_back=6, labels=labels, splits={})
    ids = [pair.id for pair in swaps(6)]
    # Spreadsheets will do.
    (folder / "people").mkdir()
    rows = [f"{one['item_id']},{one['rater']},{one['answer']}" for one in votes(ids[:4], 0)]
    (folder / "people" / "swap_votes.csv").write_text("\n".join(["item_id,rater,answer", *rows]), encoding="utf8")
    put(folder / "people" / "back_votes.jsonl", votes([pair.id for pair in backs(range(6))], 5))
    counts, _ = run(folder)
    assert counts["swaps"]["unvoted"] == 2 and counts["swaps"]["kept"] == 4
    assert not (folder / "dataset" / "jsonl" / "low_agreement").exists()
    assert counts["reasons"]["low_agreement"] == 2 and counts["account"]["labels_in"] == 16


def test_identical_pairs_stay_in_train_alone(tmp_path):
    folder = make_project(tmp_path / "trains", splits={"dev": 60, "test": 60})
    same = [PairRecord(sentences(i)[0], sentences(i)[0], generator="back_translation") for i in range(30)]
    write(folder / "b.jsonl", [*backs(range(30)), *same])
    counts, _ = run(folder)
    found = parts(folder)
    lost = counts["reasons"]["identical_outside_train"]
    assert sum(map(is_identical, found["train"])) == 30 - lost == counts["splits"]["train"]["identical"] > 0
    assert not any(map(is_identical, [*found["dev"], *found["test"]]))
    assert (len(found["dev"]), len(found["test"])) == (60, 60)
    left = list(read_pairs(folder / "steps" / "left_out.jsonl"))
    assert [pair.evidence["dropped"] for pair in left] == ["identical_outside_train"] * lost
    assert counts["account"] == {"labels_in": 130, "labels_out": 130 - lost, "labels_dropped": lost}


def test_drawing_and_keeping_apart(tmp_path):
    folder = make_project(tmp_path / "trains", paraphrases=0.44, apart_from=["test.tsv"], splits={"dev": 0.1})
    row = "\t".join(["1", sentences(0)[1].upper(), "Something else.", "1"])
    (folder / "test.tsv").write_text(f"id\tsentence1\tsentence2\tlabel\n{row}\n", encoding="utf8")
    counts, _ = run(folder)
    total, yes = (sum(part[key] for part in counts["splits"].values()) for key in ("pairs", "paraphrases"))
    # One of the sixty paraphrases has the sentence, by its letters.
    assert yes == 59 and yes / total > 0.43
    assert counts["reasons"]["not_drawn"] == 180 - counts["balance"]["drawn"] and counts["reasons"]["apart_from"] > 0
    account = counts["account"]
    assert account["labels_in"] == account["labels_out"] + account["labels_dropped"] == 100
    assert account["labels_dropped"] > 0


@pytest.mark.parametrize(
    "plan, told",
    [
        ("swaps: [", "P722"),
        ("texts: []", "P722.*texts"),
        ("texts: x.txt\nsplit: {dev: 3}", "P722.*split: Extra inputs"),
        ("texts: x.txt\nswaps: {generator: word_swop}", "P201.*word_swop"),
        ("texts: x.txt\nswaps: {settings: {n_bets: 3}}", "P203.*n_best"),
        ("texts: x.txt\nlabels: {by: people, agreeing: 2}", "P703"),
        ("texts: x.txt\nparaphrases: 1.5", "P722.*paraphrases"),
        ("texts: x.txt\nlabels: nobody/knows me", "P356.*nobody/knows me"),
        ("texts: x.txt\nformats: [xml]", "P015.*formats"),
        ("texts: x.txt\nsplits: {train: 5}", "P015.*train"),
        ("- texts", "P722"),
    ],
)
def test_plans_that_mean_nothing(tmp_path, plan, told):
    (tmp_path / "build.yml").write_text(plan, encoding="utf8")
    with pytest.raises(PawsError, match=told):
        run(tmp_path)
    assert os.listdir(tmp_path) == ["build.yml"]


def test_a_folder_without_a_plan(tmp_path):
    with pytest.raises(PawsError, match="P721.*--init"):
        run(tmp_path)


def test_too_little_for_a_data_set(tmp_path):
    folder = make_project(tmp_path / "trains", count=4, with_back=0)
    with pytest.raises(PawsError, match="P732.*auxiliary 4"):
        run(folder)
    folder = make_project(tmp_path / "small", count=1, with_back=1, splits={"dev": 2})
    with pytest.raises(PawsError, match="P152.*dev"):
        run(folder)
    assert json.loads((folder / ".build" / "state.json").read_text(encoding="utf8"))["stages"]["write"] == {
        "done": False
    }
