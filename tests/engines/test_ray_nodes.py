"""Nodes of Ray that die with all that is on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bytemill.engines import Ray
from tests.conftest import need
from tests.engines import shown
from tests.engines.corpora import written
from tests.engines.nodes import Node, nodes

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]


def test_nodes_may_be_killed(
    home: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts that a dead node had for others are counted again."""
    ray = need("ray")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with nodes(ray, 3) as cluster:
        corpora = written(tmp_path_factory.mktemp("corpora"))
        shown.survives_kills(corpora, tmp_path, Ray(retries=20), shown.NODES_KILLED, Node(cluster))
