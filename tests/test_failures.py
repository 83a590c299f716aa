"""The simulation of failing nodes in benchmarks/: cases worked out by hand."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def failures(monkeypatch):
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are in a checkout only")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("failures")


def at(*moments):
    """Failures of nodes at given moments."""
    return lambda node, up: next((moment for which, moment in moments if which == node and moment > up), float("inf"))


def test_without_failures_nothing_is_added(failures):
    done = failures.simulate([10.0] * 7, failures.Cluster(2, 2, restart=60, load=3), failures.never)
    assert done.seconds == 3 + 2 * 10 and (done.failures, done.shards, done.lost_work, done.most) == (0, 0, 0.0, 0)


def test_a_failure_costs_what_was_in_hand_and_the_restart(failures):
    """One worker, three shards: the second is lost after 5 of its 10 seconds, 7 pass, models load for 2."""
    cluster = failures.Cluster(1, 1, restart=7, load=2)
    done = failures.simulate([10.0] * 3, cluster, at((0, 17.0)))
    assert done.seconds == 2 + 30 + 5 + 7 + 2
    assert (done.failures, done.heads, done.shards, done.lost_work, done.most) == (1, 1, 1, 5.0, 1)


def test_others_take_what_a_node_had_in_hand(failures):
    """Two nodes, four shards of 10 seconds: the second node dies at 4 and is away for 100. The first does all."""
    done = failures.simulate([10.0] * 4, failures.Cluster(2, 1, restart=100), at((1, 4.0)))
    assert (done.seconds, done.failures, done.heads, done.shards, done.lost_work) == (40.0, 1, 0, 1, 4.0)


def test_idle_workers_take_what_is_lost_at_once(failures):
    """Shards of 5 and 20: the first node is idle from 5 on, the second dies at 15."""
    done = failures.simulate([5.0, 20.0], failures.Cluster(2, 1, restart=100), at((1, 15.0)))
    assert (done.seconds, done.shards, done.lost_work) == (35.0, 1, 15.0)


def test_the_head_takes_all_nodes_with_it(failures):
    """Two nodes, two shards each in 10 seconds. The head dies at 14: two lost, two finished ones gone over again."""
    cluster = failures.Cluster(2, 1, restart=6, over_again=0.5)
    done = failures.simulate([10.0] * 4, cluster, at((0, 14.0)))
    assert (done.seconds, done.failures, done.heads, done.shards, done.lost_work) == (14 + 6 + 1 + 10, 1, 1, 2, 8.0)


def test_a_shard_can_be_lost_several_times(failures):
    done = failures.simulate([10.0], failures.Cluster(1, 1), at((0, 4.0), (0, 8.0), (0, 12.0)))
    assert (done.seconds, done.most, done.lost_work) == (22.0, 3, 12.0)


def test_shards_grow_with_the_run(failures):
    """One worker, chunks of a second, a shard a tenth of the time so far, three chunks at most. A failure at 32, in the
    shard of three, costs two seconds of work, and 10 until another node is there."""
    cluster = failures.Cluster(1, 1, restart=10, shard_seconds=1, shard_share=0.1, shard_chunks=3)
    calm = failures.simulate([1.0] * 34, cluster, failures.never)
    assert (calm.seconds, calm.finished) == (34.0, 20 + 5 + 2)  # 20 of one chunk, 5 of two, then three and one
    done = failures.simulate([1.0] * 34, cluster, at((0, 32.0)))
    assert (done.seconds, done.shards, done.lost_work) == (34.0 + 2.0 + 10.0, 1, 2.0)


def test_random_failures_come_as_often_as_asked(failures):
    """Ten nodes for about 1,000 seconds, each dying every 100 on average; a seed gives the same run."""
    cluster = failures.Cluster(10, 4)
    done = failures.simulate([1.0] * 40_000, cluster, failures.poisson(100.0, 1))
    assert done.seconds >= 1000 and done.failures == pytest.approx(10 * done.seconds / 100, rel=0.3)
    assert done.shards > 2 * done.failures
    assert done == failures.simulate([1.0] * 40_000, cluster, failures.poisson(100.0, 1))
