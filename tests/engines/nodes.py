"""A Ray of several nodes on this machine, of which each is a raylet with its own workers and its own objects."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tests.effort import ALL
from tests.engines.killing import Prey, ancestor

SMALL = {"num_cpus": 2, "object_store_memory": 80 << 20}


@contextlib.contextmanager
def nodes(ray: Any, count: int) -> Iterator[Any]:
    """A head without processors, where the driver is, and nodes that work."""
    from ray.cluster_utils import Cluster

    head = {**SMALL, "num_cpus": 0, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args=head, shutdown_at_exit=False)
    try:
        for _ in range(count):
            cluster.add_node(**SMALL)
        ray.init(cluster.address, log_to_driver=False, logging_level="error")
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


class Node(Prey):
    """The raylet above a process with a shard, and so a node with all that is on it. Another takes its place."""

    #: A node takes seconds to come back, and the work must last for as many as are killed.
    rest = 4 if ALL else 1.5

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def of(self, process: int) -> int:
        return ancestor(process, "raylet/raylet")

    def replace(self) -> None:
        self._cluster.add_node(wait=False, **SMALL)
