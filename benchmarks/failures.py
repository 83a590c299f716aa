"""What failing nodes cost a run whose progress is finished shards alone: a simulation, event by event.

A node has so many workers, each with one shard in hand. When the node dies its shards in hand go back to the queue, what
was done of them is lost, and a new node with as many workers comes after a while. The first node is the head: when it
dies the cluster goes with it, and what is finished is gone over again before the run goes on.
"""

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Sequence

import numpy

# When a node dies that comes up at a moment.
NextFailure = Callable[[int, float], float]


@dataclass
class Cluster:
    """What the simulation goes by; times are seconds.

    nodes (int), workers (int): How many there are, and on each.
    restart (float): From a node's death until another is there, or until the cluster is, after its head.
    load (float): From then until its workers have their models.
    over_again (float): What the head needs for each finished shard when it starts again.
    """

    nodes: int
    workers: int
    restart: float = 0.0
    load: float = 0.0
    over_again: float = 0.0


@dataclass
class Outcome:
    """What came of a run: seconds that it took, nodes that died and how often that was the head, shards that were lost
    in hand with the work in them, and the most often that one and the same shard was."""

    seconds: float = 0.0
    failures: int = 0
    heads: int = 0
    shards: int = 0
    lost_work: float = 0.0
    most: int = 0
    deaths: Counter = field(default_factory=Counter, repr=False)


def poisson(mtbf: float, seed: int) -> NextFailure:
    """Nodes that die at random, once per so many seconds on average."""
    chance = numpy.random.default_rng(seed)
    return lambda node, up: up + float(chance.exponential(mtbf))


def never(node: int, up: float) -> float:
    return float("inf")


def simulate(work: Sequence[float], cluster: Cluster, next_failure: NextFailure) -> Outcome:
    """A run.

    work (Sequence[float]): Seconds that each shard takes.
    cluster (Cluster): Where.
    next_failure (NextFailure): When a node dies.
    RETURNS (Outcome): What came of it.
    """
    done = 0
    queue = list(range(len(work) - 1, -1, -1))
    life = [0] * cluster.nodes
    up = [True] * cluster.nodes
    hands: List[Dict[int, tuple]] = [{} for _ in range(cluster.nodes)]
    idle: List[List[int]] = [[] for _ in range(cluster.nodes)]
    events: List[tuple] = []
    outcome = Outcome()

    def come_up(node: int, now: float) -> None:
        heapq.heappush(events, (now + cluster.load, 1, node, life[node], -1))
        heapq.heappush(events, (next_failure(node, now), 0, node, life[node], -1))

    def take(node: int, worker: int, now: float) -> None:
        if not queue:
            idle[node].append(worker)
            return
        shard = queue.pop()
        hands[node][worker] = (shard, now)
        heapq.heappush(events, (now + work[shard], 2, node, life[node], worker))

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
            done += 1
            outcome.seconds = now
            del hands[node][worker]
            take(node, worker, now)
    outcome.most = max(outcome.deaths.values(), default=0)
    return outcome
