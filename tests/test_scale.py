"""What carries rates to a cluster in benchmarks/, and the simulation of failing nodes: cases worked out by hand."""

import importlib
from argparse import Namespace
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def benchmarks(monkeypatch):
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are in a checkout only")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


@pytest.fixture
def failures(benchmarks):
    return benchmarks("failures")


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


def test_rates_become_hours_and_prices(benchmarks):
    """3.6 million sentences: 2 core hours of tagging, one of a judge that is asked about half of them, half an hour of
    reading, a quarter of an hour of putting together."""
    scale = benchmarks("scale")
    stages = scale.Stages()
    stages.seconds = {"read": 0.0005, "tag": 0.002, "neural judge": 0.002, "put together": 0.00025}
    stages.units = {"read": 1.0, "tag": 1.0, "neural judge": 0.5, "put together": 1.0}
    args = Namespace(sentences=3_600_000, busy=0.5, core_price=0.05, gpu_price=2.0, cores=2, seed=0)
    args.judge_gpu, args.marian_gpu, args.nli_gpu = 50.0, 1.0, 1.0
    table = scale.costs(stages, args)
    assert table["tag"] == {"core_hours": pytest.approx(2.0), "price": pytest.approx(2 * 0.05 / 0.5)}
    assert table["neural judge, GPU (assumed)"]["gpu_hours"] == pytest.approx(1_800_000 / 50 / 3600)
    assert set(table) == {*stages.seconds, "neural judge, GPU (assumed)"}
    names = list(stages.seconds)
    assert scale.wall_hours(table, names, 1, args) == pytest.approx(3 / (2 * 0.5) + 0.25)
    assert scale.wall_hours(table, names, 100, args) == pytest.approx(0.5 + 0.25)  # reading takes longer then
    assert scale.even(stages, args) == {"neural judge": pytest.approx(2.0 / 0.05 / 0.002)}
    work = scale.chunk_seconds(table, names, [1.0, 1.0], args)
    assert len(work) == 14_063 and sum(work) == pytest.approx(3 * 3600 / 0.5)
