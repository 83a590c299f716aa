"""Who gets which item, and what is promised of it."""

import threading
from collections import Counter

import pytest
from sqlalchemy import select, update

from paws_components.annotate import queue
from paws_components.annotate.raters import add_rater
from paws_components.annotate.schema import assignments, items, undone
from paws_components.annotate.tasks import find_task

from .conftest import hidden, sentences


def rows(study, table=assignments):
    with study.reading() as connection:
        return list(connection.execute(select(table)))


def age(study, minutes):
    """Let so many minutes go by."""
    change = update(assignments).values(expires=assignments.c.expires - 60 * minutes)
    study.write(lambda connection: connection.execute(change))


def test_each_item_goes_to_that_many_raters_and_to_nobody_twice(people, study):
    people.task("judge", 4, raters=3)
    crowd = [people.come(f"rater {i}") for i in range(5)]
    for _ in range(4):
        for one in crowd:
            if 'name="ticket"' in one.item("judge") and "Yes, the same" in one.item("judge"):
                assert one.answer("judge", label="1").status == 303
    done = rows(study)
    assert len(done) == 12 and all(row.state == queue.DONE for row in done)
    assert set(Counter(row.item_id for row in done).values()) == {3}
    assert len({(row.item_id, row.rater_id) for row in done}) == 12
    assert "All 12 answers are there" in crowd[0].item("judge")


def test_who_asks_again_gets_the_same_item(people, study):
    people.task("judge", 3)
    ann = people.come("ann")
    assert hidden(ann.item("judge")) == hidden(ann.item("judge"))
    assert len(rows(study)) == 1


def test_an_item_that_nobody_answers_goes_back_to_the_pool(people, study):
    people.task("judge", 1, raters=1, lease=10)
    ann, ben = people.come("ann"), people.come("ben")
    page = ann.item("judge")
    assert "There is nothing for you just now" in ben.item("judge")
    age(study, 9)
    assert "There is nothing for you just now" in ben.item("judge")
    age(study, 2)
    assert "Yes, the same" in ben.item("judge")
    # Ann was away too long: Ben has the item now, and hers does not count.
    assert ann.answer("judge", page=page, label="1").headers["location"] == "/t/judge?note=late"
    assert "came too late" in ann.get("/t/judge?note=late").text
    assert ben.answer("judge", label="0").status == 303
    with study.reading() as connection:
        (item,) = connection.execute(select(items))
        assert item.taken == item.needed == 1
        answers = connection.execute(select(assignments.c.answer).where(assignments.c.state == queue.DONE)).scalars()
        assert list(answers) == [{"label": 0}]


def test_who_comes_back_first_goes_on(people, study):
    people.task("judge", 1, raters=1, lease=10)
    ann = people.come("ann")
    page = ann.item("judge")
    age(study, 11)
    study.write(lambda connection: queue.take_back(connection, 1, queue.now()))
    assert rows(study)[0].state == queue.EXPIRED and rows(study, items)[0].taken == 0
    # An answer that is late, but for a place that is still free, counts.
    assert ann.answer("judge", page=page, label="1").headers["location"] == "/t/judge"
    assert rows(study)[0].state == queue.DONE and rows(study, items)[0].taken == 1


def test_a_form_that_is_sent_twice_counts_once(people, study):
    people.task("judge", 2)
    ann = people.come("ann")
    page = ann.item("judge")
    assert [ann.answer("judge", page=page, label=label).status for label in "110"] == [303] * 3
    assert [row.answer for row in rows(study) if row.state == queue.DONE] == [{"label": 1}]


def test_undo_brings_the_last_answer_back_once(people, study):
    people.task("judge", 3)
    ann = people.come("ann")
    assert "Undo" not in ann.item("judge")
    first = ann.item("judge")
    ann.answer("judge", label="1")
    second = ann.item("judge")
    assert ann.answer("judge", "undo").status == 303
    again = ann.item("judge")
    assert sentences(again) == sentences(first) != sentences(second)
    assert "You took your answer back. It was: they mean the same." in again and "Undo" not in again
    ann.answer("judge", "undo")  # there is nothing more to take back
    assert len(rows(study, undone)) == 1
    ann.answer("judge", label="0")
    assert sentences(ann.item("judge")) == sentences(second)
    assert [row.answer for row in rows(study) if row.state == queue.DONE] == [{"label": 0}]


def test_a_skipped_item_is_for_somebody_else(people, study):
    people.task("judge", 1, raters=1)
    ann, ben = people.come("ann"), people.come("ben")
    assert ann.answer("judge", "skip").status == 303
    assert "There is nothing for you just now" in ann.item("judge")
    assert ben.answer("judge", label="1").status == 303
    assert Counter(row.state for row in rows(study)) == {queue.DONE: 1, queue.SKIPPED: 1}


def test_sides_are_drawn_for_each_rater_and_answers_are_turned_back(people, study):
    people.task("judge", 40, raters=1)
    ann = people.come("ann")
    first = Counter()
    for _ in range(40):
        first[sentences(ann.item("judge"))[0].split()[0]] += 1
        ann.answer("judge", label="1")
    assert set(first) == {"Ann", "Bob"} and min(first.values()) > 5


@pytest.mark.parametrize("threads", [8])
def test_raters_at_once_never_share_a_slot(people, study, threads):
    people.task("judge", 12, raters=3)
    names = [f"rater {i}" for i in range(threads)]
    for name in names:
        add_rater(study, name)
    with study.reading() as connection:
        task = find_task(connection, "judge")
    wrong = []

    def work(rater):
        try:
            while True:
                turn = study.write(lambda connection: queue.lend(connection, task, rater))
                if turn is None:
                    return

                def settle(connection, ticket=turn.ticket):
                    queue.settle(connection, queue.find_turn(connection, task.id, rater, ticket), {"label": 1})

                study.write(settle)
        except BaseException as error:
            wrong.append(error)

    crowd = [threading.Thread(target=work, args=(rater,)) for rater in range(1, threads + 1)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert not wrong
    assert set(Counter(row.item_id for row in rows(study) if row.state == queue.DONE).values()) == {3}
