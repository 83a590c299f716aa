"""Out to other tools and back: what they write, in the layouts that their documentation shows."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

import pytest

from paws_components.annotate.tools import TOOLS, read_from, write_for
from paws_components.annotate.tools.shared import NO, YES
from paws_components.curation.votes import Vote
from paws_components.errors import PawsError
from paws_components.records import PairRecord

RECORDS = [PairRecord(f"One <b>{i}</b> & “more”, said Ann.", f"={i} two, said\u2028Bob.", id=f"p{i}") for i in range(6)]
WANTED = {Vote(record.id, rater, (i + j) % 2) for i, record in enumerate(RECORDS) for j, rater in enumerate("ab")}


def answers():
    for vote in sorted(WANTED):
        yield vote, YES if vote.answer else NO


def label_studio(text):
    tasks = {task["data"]["item_id"]: {**task, "annotations": []} for task in json.loads(text)}
    for vote, label in answers():
        result = [{"from_name": "same", "to_name": "one", "type": "choices", "value": {"choices": [label]}}]
        annotation = {"completed_by": vote.rater, "was_cancelled": False, "result": result}
        tasks[vote.item_id]["annotations"].append(annotation)
    cancelled = {"completed_by": "c", "was_cancelled": True, "result": []}
    tasks["p0"]["annotations"].append(cancelled)
    tasks["p1"]["annotations"][0]["completed_by"] = {"id": 7, "email": "a", "first_name": ""}
    return json.dumps(list(tasks.values()))


def prodigy(text):
    tasks = {task["item_id"]: task for task in map(json.loads, text.rstrip("\n").split("\n"))}
    lines = [
        {**tasks[vote.item_id], "accept": [label], "answer": "accept", "_annotator_id": vote.rater}
        for vote, label in answers()
    ]
    lines.append({**tasks["p0"], "accept": [], "answer": "ignore", "_annotator_id": "c"})
    return "".join(json.dumps(line) + "\n" for line in lines)


def argilla(text):
    records = {record["id"]: {**record, "responses": {"same": []}} for record in json.loads(text)}
    for vote, label in answers():
        records[vote.item_id]["responses"]["same"].append({"value": label, "user_id": vote.rater})
    return json.dumps(list(records.values()))


def mturk(text):
    rows = {row["item_id"]: row for row in csv.DictReader(io.StringIO(text))}
    file = io.StringIO()
    fields = ["HITId", "WorkerId", "AssignmentStatus", "Input.item_id", "Input.one", "Answer.paraphrase"]
    writer = csv.DictWriter(file, [*fields, "Answer.not_paraphrase", "Answer.taskAnswers"])
    writer.writeheader()
    for number, (vote, label) in enumerate(answers()):
        row = {"WorkerId": vote.rater, "AssignmentStatus": "Approved", "Input.item_id": vote.item_id}
        row["Input.one"] = rows[vote.item_id]["one"]
        if number % 2:  # as the elements of the template answer
            row["Answer.taskAnswers"] = json.dumps([{YES: {YES: label == YES}, NO: {NO: label == NO}}])
        else:
            row.update(
                {"Answer.paraphrase": str(label == YES).lower(), "Answer.not_paraphrase": str(label == NO).lower()}
            )
        writer.writerow(row)
    writer.writerow(
        {"WorkerId": "c", "AssignmentStatus": "Rejected", "Input.item_id": "p0", "Answer.paraphrase": "true"}
    )
    return file.getvalue()


ANSWERED = {"label-studio": label_studio, "prodigy": prodigy, "argilla": argilla, "mturk": mturk}


@pytest.mark.parametrize("name", TOOLS)
def test_pairs_go_out_and_votes_come_back(name, tmp_path):
    tool = TOOLS[name]
    output = tmp_path / f"pairs{tool.ending}"
    written = write_for(name, RECORDS, str(output), question="Do “both” <mean> the same?")
    assert len(written) == 2
    beside = (tmp_path / f"pairs{tool.beside[0]}").read_text(encoding="utf8")
    assert "both" in beside
    if name == "label-studio":
        ElementTree.fromstring(beside)
    elif beside.startswith('"""'):
        compile(beside, "beside", "exec")
    text = output.read_text(encoding="utf8")
    assert "<b>" not in text if name == "mturk" else "<b>" in text  # a template puts them into a page as they are
    again = tmp_path / f"again{tool.ending}"
    write_for(name, RECORDS, str(again), question="?")
    assert again.read_bytes() == output.read_bytes()
    answered = tmp_path / "answered"
    answered.write_text(ANSWERED[name](text), encoding="utf8")
    assert set(read_from(name, answered)) == WANTED
    with pytest.raises(PawsError, match="P011"):
        write_for(name, RECORDS, str(tmp_path / "pairs.docx"), question="?")


@pytest.mark.parametrize("name", TOOLS)
def test_what_is_no_answer_is_said_with_its_line(name, tmp_path):
    path = tmp_path / "answers"
    for text in ("", "{}", "[]", "[1, null]", "nonsense\n", '{"a": ' * 5000, "\x00", "[" * 100_000):
        path.write_text(text, encoding="utf8")
        with pytest.raises(PawsError, match="P817|P818"):
            read_from(name, path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PawsError, match="P020"):
        read_from(name, path)
    path.write_text(ANSWERED[name](written(name, tmp_path)).replace(f'"{NO}"', '"maybe"'), encoding="utf8")
    if name != "mturk":
        with pytest.raises(PawsError, match="P817.*maybe"):
            read_from(name, path)


def written(name, folder):
    path = folder / f"out{TOOLS[name].ending}"
    write_for(name, RECORDS, str(path), question="?")
    return path.read_text(encoding="utf8")
