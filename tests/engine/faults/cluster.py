"""A Ray cluster of several nodes on this machine: a head without CPUs, and nodes with one each.

Prints the address. `nodes` on standard input prints the process of each node's raylet, `replace PROCESS` takes away
what is left of a node and starts another. At the end of the input the cluster goes.
"""

import json
import sys
from typing import Any

from ray.cluster_utils import Cluster

# Nodes that died are to be noticed within seconds rather than half a minute.
HEALTH = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_failure_threshold": 3}
STORE = 80 * 1024 * 1024


def raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def main() -> None:
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "include_dashboard": False,
            "object_store_memory": STORE,
            "_system_config": HEALTH,
        },
    )
    nodes = {}

    def add() -> None:
        node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
        nodes[raylet(node)] = node

    for _ in range(int(sys.argv[1])):
        add()
    print(json.dumps(cluster.address), flush=True)
    for line in sys.stdin:
        command, *rest = line.split()
        if command == "replace":
            cluster.remove_node(nodes.pop(int(rest[0])), allow_graceful=False)
            add()
        print(json.dumps([*nodes]), flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
