"""The real Ray, on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.engines import Ray, WorkerLost
from bytemill.engines.versions import library
from bytemill.errors import SpecError
from tests.conftest import need
from tests.engines import shown
from tests.engines.corpora import written

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return written(tmp_path_factory.mktemp("corpora"))


def start(ray: Any) -> None:
    """Ray waits half a minute for itself, which may be too short on a machine that has other work."""
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    for attempt in range(3):
        try:
            ray.init(num_cpus=5, _node_ip_address="127.0.0.1", object_store_memory=100 << 20, **quiet)
            return
        except Exception:
            ray.shutdown()
            if attempt == 2:
                raise


@pytest.fixture(scope="module", autouse=True)
def started(home: Path) -> Iterator[None]:
    """A Ray with five processors."""
    ray = need("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_prestart_worker_first_driver", "0")
        before = os.umask(0o077)
        start(ray)
        yield
        ray.shutdown()
        os.umask(before)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_are_those_of_one_machine(corpora: dict[str, Path], tmp_path: Path, workers: int) -> None:
    # `workers` tasks run at a time if each takes its part of the processors.
    shown.same_as_one_machine(corpora, tmp_path, Ray(cpus=5 // workers), every=workers == 2)


def test_workers_may_be_killed(corpora: dict[str, Path], tmp_path: Path) -> None:
    shown.survives_kills(corpora, tmp_path, Ray(retries=9), kills=5)
    with pytest.raises(WorkerLost, match="Ray has given up a task"):
        # One shard: to cancel tasks whose workers die at that moment ends the driver, by a bug of Ray (2.60).
        Ray(retries=0).map(_dies, _some_shards(corpora)[:1], lambda outcome: None)


def test_bad_rows(tmp_path: Path) -> None:
    shown.a_bad_row_ends_the_job_or_is_skipped(tmp_path, Ray())


def test_interrupts(corpora: dict[str, Path], tmp_path: Path) -> None:
    shown.an_interrupt_leaves_finished_shards(corpora, tmp_path, Ray())


def _dies(shard: Any) -> None:
    os._exit(1)


def _some_shards(corpora: dict[str, Path]) -> Any:
    from bytemill.engines.shards import planned
    from bytemill.engines.storage import listed

    return planned(listed([str(corpora["texts"])], None), (None, "text", "strict", None), 50_000)


def test_a_cluster_is_reached_by_its_address(corpora: dict[str, Path], tmp_path: Path) -> None:
    """From another process, through the server for clients."""
    ray = need("ray")
    serve = ["-m", "ray.util.client.server", "--host", "127.0.0.1", "--port", "20001", "--mode", "legacy"]
    address = ray.get_runtime_context().gcs_address
    server = subprocess.Popen(
        [sys.executable, *serve, "--address", address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    command = ["count-pieces", str(corpora["lines"]), "-o", "x.counts", "--shard-bytes", "30KB"]
    try:
        run = [sys.executable, "-m", "bytemill", *command, "--engine", "ray://127.0.0.1:20001"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    finally:
        server.kill()
        server.communicate()
    assert done.returncode == 0, done.stderr
    expected = bytemill.count_pieces(corpora["lines"], progress=False)
    assert list(bytemill.PieceCounts.load(tmp_path / "x.counts").items()) == list(expected.items())


def test_a_version_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ray = need("ray")
    monkeypatch.setattr(ray, "__version__", "2.9.3")
    (tmp_path / "a.txt").write_text("a b")
    with pytest.raises(SpecError, match=r"ray 2\.9\.3 is too old for this engine, which needs 2\.10 or later"):
        bytemill.count_pieces(tmp_path / "a.txt", engine="ray", progress=False)
    with pytest.raises(ImportError, match="pip install"):
        library("a_library_that_nobody_has", "ray", (1, 0))
