"""What failing nodes cost a run whose progress is finished shards alone: a simulation, event by event.

A node has so many workers, each with one shard in hand: so many chunks as take a second, or a share of the time so far
(engine/work.py). When the node dies its shards in hand go back to the queue, what was done of them is lost, and a new
node with as many workers comes after a while. The first node is the head: when it dies the cluster goes with it, and
what is finished is gone over again before the run goes on.
"""

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Sequence, Tuple

import numpy

# When a node dies that comes up at a moment.
NextFailure = Callable[[int, float], float]


@dataclass
class Cluster:
    """What the simulation goes by; times are seconds.

    nodes (int), workers (int): How many there are, and on each.
    restart (float): From a node's death until another is there, or until the cluster is, after its head.
    load (float): From then until its workers have their models.
    over_again (float): What the head needs for each finished chunk when it starts again.
    shard_seconds (float), shard_share (float), shard_chunks (int): How long a shard takes at least, as a share of the
        time since the run was started, and how many chunks it has at most.
    """

    nodes: int
    workers: int
    restart: float = 0.0
    load: float = 0.0
    over_again: float = 0.0
    shard_seconds: float = 0.0
    shard_share: float = 0.0
    shard_chunks: int = 1


@dataclass
class Outcome:
    """What came of a run: seconds that it took, nodes that died and how often that was the head, shards that were lost
    in hand with the work in them, the most often that one and the same shard was, and shards in all."""

    seconds: float = 0.0
    failures: int = 0
    heads: int = 0
    shards: int = 0
    lost_work: float = 0.0
    most: int = 0
    finished: int = 0
    deaths: Counter = field(default_factory=Counter, repr=False)


def poisson(mtbf: float, seed: int) -> NextFailure:
    """Nodes that die at random, once per so many seconds on average."""
    chance = numpy.random.default_rng(seed)
    return lambda node, up: up + float(chance.exponential(mtbf))


def never(node: int, up: float) -> float:
    return float("inf")


def simulate(work: Sequence[float], cluster: Cluster, next_failure: NextFailure) -> Outcome:
    """A run.

    work (Sequence[float]): Seconds that each chunk takes.
    cluster (Cluster): Where.
    next_failure (NextFailure): When a node dies.
    RETURNS (Outcome): What came of it.
    """
    sums = numpy.concatenate([[0.0], numpy.cumsum(work)])
    pace = float(sums[-1]) / max(1, len(work))
    cut = done = 0
    started = 0.0
    queue: List[Tuple[int, int]] = []
    life = [0] * cluster.nodes
    up = [True] * cluster.nodes
    hands: List[Dict[int, tuple]] = [{} for _ in range(cluster.nodes)]
    idle: List[List[int]] = [[] for _ in range(cluster.nodes)]
    events: List[tuple] = []
    outcome = Outcome()

    def come_up(node: int, now: float) -> None:
        heapq.heappush(events, (now + cluster.load, 1, node, life[node], -1))
        heapq.heappush(events, (next_failure(node, now), 0, node, life[node], -1))

    def next_shard(now: float) -> Tuple[int, int]:
        nonlocal cut
        if queue:
            return queue.pop()
        wanted = max(cluster.shard_seconds, cluster.shard_share * (now - started))
        size = max(1, min(int(wanted / pace), cluster.shard_chunks))
        shard = (cut, min(cut + size, len(work)))
        cut = shard[1]
        return shard

    def take(node: int, worker: int, now: float) -> None:
        if not queue and cut == len(work):
            idle[node].append(worker)
            return
        shard = next_shard(now)
        hands[node][worker] = (shard, now)
        heapq.heappush(events, (now + float(sums[shard[1]] - sums[shard[0]]), 2, node, life[node], worker))

    def die(node: int, now: float) -> None:
        for shard, began in hands[node].values():
            queue.append(shard)
            outcome.shards += 1
            outcome.lost_work += now - began
            outcome.deaths[shard] += 1
        hands[node].clear()
        idle[node].clear()
        life[node] += 1
        up[node] = False

    for node in range(cluster.nodes):
        come_up(node, 0.0)
    while done < len(work):
        now, kind, node, born, worker = heapq.heappop(events)
        if born != life[node]:
            continue
        if kind == 0:
            outcome.failures += 1
            outcome.heads += node == 0
            gone = range(cluster.nodes) if node == 0 else (node,)
            back = now + cluster.restart + (done * cluster.over_again if node == 0 else 0.0)
            started = back if node == 0 else started
            for each in gone:
                die(each, now)
                come_up(each, back)
            for each in range(cluster.nodes):
                while up[each] and queue and idle[each]:
                    take(each, idle[each].pop(), now)
        elif kind == 1:
            up[node] = True
            for each in range(cluster.workers):
                take(node, each, now)
        else:
            (first, last), _ = hands[node].pop(worker)
            done += last - first
            outcome.finished += 1
            outcome.seconds = now
            take(node, worker, now)
    outcome.most = max(outcome.deaths.values(), default=0)
    return outcome
