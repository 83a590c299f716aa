"""The five tasks: what is shown, what may be answered, and what comes out."""

import json

import pytest
from sqlalchemy import select

from paws_components.annotate import queue, writing
from paws_components.annotate.answers import list_answers, table_two
from paws_components.annotate.checking import ByWords, Guess
from paws_components.annotate.exporting import export_task
from paws_components.annotate.loading import add_task
from paws_components.annotate.modelling import rate_with_model
from paws_components.annotate.raters import add_rater, list_raters
from paws_components.annotate.schema import assignments, items
from paws_components.annotate.tasks import find_task
from paws_components.corpora import sample_text
from paws_components.corpora.samples import sample_pairs
from paws_components.curation.corrections import apply_corrections, read_corrections
from paws_components.curation.votes import decide, measure_agreement, read_votes
from paws_components.errors import PawsError
from paws_components.readers import read_pairs

from .conftest import sentences


def export(study, name, path, what=""):
    with study.reading() as connection:
        return export_task(connection, find_task(connection, name), str(path), what)


def ann_id(connection):
    return next(row.id for row in list_raters(connection) if row.name == "ann")


def says_yes_about_threes(pairs):
    """A classifier."""
    return [0.9 if " 3 " in f" {one} " else 0.1 for one, _ in pairs]


def test_a_correction_is_made_without_the_source(people, study, tmp_path):
    people.task("correct", 4)
    ann = people.come("ann")
    seen = []
    for form in ({"action": "accept"}, {"action": "reject"}, {"action": "fix", "text": " Bob  met\nAnn. "}):
        page = ann.item("correct")
        assert "Ann met Bob" not in page  # the source
        seen += sentences(page)
        assert ann.answer("correct", **form).status == 303
    page = ann.item("correct")
    (shown,) = sentences(page)
    for form, told in (
        ({"action": "fix", "text": shown}, "was not changed"),
        ({"action": "fix", "text": "  "}, "is empty"),
        ({"action": "fix", "text": shown, "shown": "another"}, "was not changed"),
        ({"action": "burn"}, "Accept, fix or reject"),
        ({}, "Accept, fix or reject"),
    ):
        refused = ann.answer("correct", page=page, **form)
        assert refused.status == 422 and told in refused.text
    # What was typed is not lost.
    refused = ann.answer("correct", action="burn", text="My long work.")
    assert "My long work.</textarea>" in refused.text
    path = tmp_path / "corrections.jsonl"
    assert str(export(study, "correct", path)) == "3 corrections"
    done = apply_corrections(read_pairs(people.pairs(4)), read_corrections(path))
    assert (len(done.kept), len(done.rejected), len(done.waiting)) == (2, 1, 1)
    assert "Bob met Ann." in {record.sentence2 for record in done.kept} and len(set(seen)) == 3


def test_votes_come_out_as_they_are_read(people, study, tmp_path):
    people.task("judge", 3, raters=3)
    crowd = [people.come(f"rater {i}") for i in range(3)]
    for number, one in enumerate(crowd):
        for _ in range(3):
            one.answer("judge", label="0" if number else "1")
    for name in ("votes.jsonl", "votes.tsv", "votes.csv"):
        assert export(study, "judge", tmp_path / name).count == 9
        votes = read_votes(tmp_path / name)
        decided = decide(read_pairs(people.pairs(3)), votes, raters=3, agreeing=2)
        assert {record.id for record in decided.kept} == {"p0", "p1", "p2"} and decided.unknown == 0
        assert {record.label for record in decided.kept} == {0}
        assert measure_agreement(votes).share == pytest.approx(2 / 3)


def test_a_model_beside_people_is_never_one_of_them(people, study, tmp_path):
    people.task("judge", 5, raters=2)
    ann, ben, boss = people.come("ann"), people.come("ben"), people.come("boss", admin=True)
    with study.reading() as connection:
        task = find_task(connection, "judge")
    model = f"{__name__}:says_yes_about_threes"
    assert rate_with_model(study, task, model, rater="threes") == 5
    assert rate_with_model(study, task, model, rater="threes") == 0  # once is enough
    with pytest.raises(PawsError, match="P811"):
        rate_with_model(study, task, model, rater="ann")
    for one in (ann, ben):
        for _ in range(5):
            assert one.answer("judge", label="0").status == 303
    with study.reading() as connection:
        assert [(row.taken, row.needed) for row in connection.execute(select(items))] == [(2, 2)] * 5
    export(study, "judge", tmp_path / "votes.jsonl")
    found = measure_agreement(read_votes(tmp_path / "votes.jsonl"))
    assert (found.votes, found.share) == (10, 1.0) and set(found.raters) == {"ann", "ben"}
    assert (found.models["threes"].answers, found.models["threes"].agreeing) == (5, 4)
    page = boss.get("/admin/t/judge").text
    assert "threes</bdi> (model)" in page and "80.0 %" in page and "10 of 10 answers" in page


def test_the_second_table_of_the_paper(people, study, tmp_path):
    attacks = [json.loads(line) for line in sample_pairs("en", "attacks").read_text(encoding="utf8").splitlines()]
    attacks[0]["evidence"]["status"] = "failed"
    path = tmp_path / "attacks.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in attacks), encoding="utf8")
    with pytest.raises(PawsError, match="P810.*5 examples with label 1.* 50 are"):
        people.task("grade", source=str(path))
    people.task("grade", source=str(path), sample=8, raters=1)
    with study.reading() as connection:
        drawn = [row.content for row in connection.execute(select(items))]
    assert len(drawn) == 16 and sum(one["record"]["label"] for one in drawn) == 8
    assert sum(one["version"] == "original" for one in drawn) == 8
    assert all(one["record"]["id"] != attacks[0]["id"] for one in drawn)
    assert all(one["pair"] == one["record"]["evidence"]["original"] for one in drawn if one["version"] == "original")
    # Ann finds the first sentence on the screen well formed, the other not, and every pair a paraphrase.
    ann = people.come("ann")
    refused = ann.answer("grade", grammar1="3", label="1")
    assert refused.status == 422 and "grammar of the second sentence" in refused.text
    for _ in range(16):
        page = ann.item("grade")
        assert "original" not in page and "modified" not in page
        assert ann.answer("grade", page=page, grammar1="3", grammar2="1", label="1").status == 303
    with study.reading() as connection:
        answers = list_answers(connection, 1)
        table = table_two(answers)
    for given in answers:
        assert given.answer["grammar"] == ([1, 3] if given.flipped else [3, 1])
    for row in table.values():
        assert (row.accuracy([1]), row.accuracy([0]), row.accuracy(), row.grammar) == (1.0, 0.0, 0.5, 2.0)
    assert export(study, "grade", tmp_path / "votes.jsonl").count == 16
    assert export(study, "grade", tmp_path / "grammar.tsv", "grammar").count == 32
    assert {vote.answer for vote in read_votes(tmp_path / "grammar.tsv")} == {1, 3}
    assert "Original against modified" in people.come("boss", admin=True).get("/admin/t/grade").text


def test_translations_are_checked_by_somebody_else_and_put_together(people, study, tmp_path):
    people.task("translate", 3, target="fr", checked=1.0)
    ann, ben = people.come("ann"), people.come("ben")
    texts = {}
    for number in range(6):
        page = ann.item("translate")
        (sentence,) = sentences(page)  # alone
        assert "Check a translation" not in page and 'lang="fr"' in page
        texts[sentence] = f"Phrase {number}."
        form = {"action": "impossible"} if "2 times" in sentence else {"action": "translated", "text": texts[sentence]}
        assert ann.answer("translate", **form).status == 303
        if number == 0 and form["action"] == "translated":
            assert ann.answer("translate", "undo").status == 303  # nobody has begun to check it
            assert ann.answer("translate", **form).status == 303
    assert "nothing for you just now" in ann.item("translate")
    for number in range(4):
        page = ben.item("translate")
        assert "Check a translation" in page and texts[sentences(page)[0]] == sentences(page)[1]
        form = {"action": "fix", "text": "Mieux."} if number == 0 else {"action": "accept"}
        assert ben.answer("translate", **form).status == 303
    # What is being checked can't be taken back any more.
    assert ann.answer("translate", "undo", page=ben.item("translate")).status in (303, 403)
    done = export(study, "translate", tmp_path / "fr.jsonl")
    assert done.count == 2 and sum(done.left_out.values()) == 1
    found = list(read_pairs(tmp_path / "fr.jsonl"))
    assert {record.id for record in found} == {"p0", "p1"} and {record.label for record in found} == {0}
    written = [text for record in found for text in (record.sentence1, record.sentence2)]
    assert written.count("Mieux.") == 1 and all(text.startswith(("Phrase", "Mieux")) for text in written)
    people_of = found[0].evidence["translation"]["people"]["1"]
    assert people_of == {"translator": "ann", "checker": "ben"}


def test_checks_are_kept_and_paid_up_to_the_limit(people, study, tmp_path, monkeypatch):
    texts = tmp_path / "small.txt"
    texts.write_text("Ann met Bob in town.\nBob met Ann in town.\n", encoding="utf8")
    sources = [f"A={texts}", f"B={sample_text('en')}"]
    settings = {"similarity": "by_words", "cap": 0.5, "checks": 3}
    add_task(study, "write", sources, settings=settings, limit=20)
    ann, boss = people.come("ann"), people.come("boss", admin=True)
    assert "Same meaning</dt>" not in ann.item("write")
    (sentence,) = sentences(ann.item("write"))
    for text, told in ((sentence.replace("&#39;", "'"), "the sentence itself"), ("", "is empty")):
        refused = ann.answer("write", "check", action="check", text=text)
        assert refused.status == 422 and told in refused.text
    assert ann.answer("write", label="1").status == 404
    for number in range(3):
        assert ann.answer("write", "check", action="check", text=f"Words number {number}.").status == 303
        page = ann.item("write")
        assert "<dd>no</dd>" in page and "$0.00" in page and f"Words number {number}.</textarea>" in page
    assert "as often as you may" in ann.answer("write", "check", action="check", text="One more.").text
    # What was checked can be submitted; it earns what the check said.
    page = ann.item("write")
    assert ann.answer("write", "check", page=page, action="submit", text="Words number 1.").status == 303
    assert ann.answer("write", "check", page=page, action="submit", text="Words number 1.").status == 303
    # From here on everything means the same, and looks different.
    monkeypatch.setattr(ByWords, "_ask", lambda self, one, two: Guess(1.0, 1.0, True))
    submitted = 1
    while "end of the task" not in ann.item("write"):
        assert ann.answer("write", "check", action="submit", text=f"Xyz {submitted}!").status == 303
        submitted += 1
        assert submitted < 9
    with study.reading() as connection:
        (account,) = writing.accounts(connection)
        paid = list(connection.execute(select(assignments.c.dollars)).scalars())
    assert account.dollars == 0.5 == pytest.approx(sum(filter(None, paid))) and account.submissions == submitted
    assert account.checks == submitted + 2 and max(filter(None, paid)) <= 1
    assert boss.get("/admin/payments.csv").text.splitlines()[1] == f"ann,write,{submitted},{account.checks},0.50"
    # Taken back, it is not paid; submitted again, it is.
    assert ann.answer("write", "undo").status == 303
    with study.reading() as connection:
        assert writing.earned(connection, 1, ann_id(connection)) < 0.5
    assert "You took your answer back" in ann.item("write")
    assert ann.answer("write", "check", action="submit", text=f"Xyz {submitted - 1}!").status == 303
    with study.reading() as connection:
        assert writing.earned(connection, 1, ann_id(connection)) == 0.5
    path = tmp_path / "final_checks.tsv"
    assert export(study, "write", path).count == account.checks
    stats = pytest.importorskip("paws_apt.attempts")
    attempts = list(stats.read_attempts(path))
    assert len(attempts) == account.checks and sum(one.mi for one in attempts) == submitted - 1
    header, *lines = path.read_text(encoding="utf8").splitlines()
    assert header.split("\t")[:10] == "token time duration dataset index sentence candidate BLEURT MI dollar".split()
    assert {line.split("\t")[3] for line in lines} <= {"A", "B"}
    assert export(study, "write", tmp_path / "pairs.jsonl", "pairs").count == submitted


def test_the_source_corpus_is_drawn_by_a_coin(study, tmp_path):
    small, large = tmp_path / "small.txt", tmp_path / "large.txt"
    small.write_text("".join(f"Small {i}.\n" for i in range(40)), encoding="utf8")
    large.write_text("".join(f"Large {i}.\n" for i in range(600)), encoding="utf8")
    add_task(study, "write", [str(small), str(large)], settings={"similarity": "by_words"})
    add_rater(study, "ann")

    def next_source(connection):
        turn = queue.lend(connection, find_task(connection, "write"), 1)
        queue.skip(connection, queue.find_turn(connection, 1, 1, turn.ticket))
        return turn.content["dataset"]

    seen = study.write(lambda connection: [next_source(connection) for _ in range(40)])
    # A fair coin leaves this range once in some thousand times; by size one in sixteen would be small.
    assert 9 <= seen.count("small") <= 31


def test_rows_in_are_items_and_rows_left_out(study, tmp_path):
    lines = [
        {"id": "a", "sentence1": "One.", "sentence2": "Two."},
        {"id": "a", "sentence1": "Three.", "sentence2": "Four."},
        {"id": "b", "sentence1": "", "sentence2": "Two."},
        {"id": "c", "sentence1": "Nul \u0000.", "sentence2": "Two."},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "no json\n", encoding="utf8")
    loaded = add_task(study, "judge", [str(path)])
    assert loaded.rows == 5 == loaded.taken + sum(loaded.left_out.values()) and loaded.items == 1
    assert set(loaded.left_out) == {
        "repeated",
        "without a sentence",
        "with control characters",
        "that can't be read",
    }
    with pytest.raises(PawsError, match="P808"):
        add_task(study, "judge", [str(path)])
    with pytest.raises(PawsError, match="P203.*did you mean `lease`"):
        add_task(study, "judge", [str(path)], name="x", settings={"leese": 3})
    with pytest.raises(PawsError, match="P015"):
        add_task(study, "judge", [str(path)], name="x/y")
    with pytest.raises(PawsError, match="P015.*raters"):
        add_task(study, "judge", [str(path)], name="x", settings={"raters": 0})
