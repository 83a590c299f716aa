"""The pool by itself, over workers that are no more than a list."""

from collections import deque
from types import SimpleNamespace

from paws_components.engine import pool
from paws_components.engine.pool import Event, Pool


class Cluster:
    """A place that learns how many workers it has when it is open, as a Ray cluster does."""

    def __init__(self, count, blocked=0):
        self.count, self.size, self.blocked = 1, count, blocked
        self.chunks, self.events_to_come = {}, []

    def open(self, job):
        self.count = self.size

    def hire(self, worker):
        self.chunks[worker] = deque()
        self.events_to_come.append(Event(worker, "ready"))

    def give(self, worker, chunk):
        self.chunks[worker].append(chunk)

    def events(self, seconds):
        if self.blocked:
            self.blocked -= 1
            return []
        found, self.events_to_come = self.events_to_come, []
        return found or [Event(worker, "result", held.popleft()) for worker, held in self.chunks.items() if held]

    def waits_for(self):
        return "there is no room"

    def close(self, finished):
        pass


def test_all_workers_of_a_cluster_are_used():
    found = Pool(Cluster(20), retry=2)
    assert [*found.map(None, range(500))] == [*range(500)]
    assert found.staff.most == 20


def test_that_there_is_no_worker_is_said_soon(monkeypatch, capsys):
    seconds = iter(range(1000))
    monkeypatch.setattr(pool, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    # A second each: it is said after 11, and then every 31.
    assert [*Pool(Cluster(1, blocked=50), retry=2).map(None, range(3))] == [0, 1, 2]
    assert capsys.readouterr().err.splitlines() == ["paws: there is no room"] * 2
