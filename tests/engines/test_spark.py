"""The real Spark, on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytemill
from bytemill.engines import Spark
from bytemill.engines.spark import LOCAL_SETTINGS
from bytemill.errors import SpecError
from tests.conftest import absent, need
from tests.engines import shown
from tests.engines.corpora import written
from tests.engines.killing import Prey, ancestor

#: For a cluster of processes on this machine, which begins executors and tasks anew as often as they are killed.
OF_NODES = {
    "spark.executor.memory": "600m",
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[2]),
    "spark.deploy.maxExecutorRetries": "-1",
    "spark.task.maxFailures": "40",
    "spark.stage.maxConsecutiveAttempts": "40",
}

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return written(tmp_path_factory.mktemp("corpora"))


@pytest.fixture
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A session with `request.param` workers; a task that fails is begun again."""
    sql = need("pyspark.sql")
    if shutil.which("java") is None:
        absent("Java is not installed")
    nodes = isinstance(request.param, str)
    build = sql.SparkSession.builder.master(request.param if nodes else f"local[{request.param},20]")
    for name, value in {
        **LOCAL_SETTINGS,
        **(OF_NODES if nodes else {}),
        "spark.local.dir": str(tmp_path / "spark"),
    }.items():
        build = build.config(name, value)
    found = build.getOrCreate()
    found.sparkContext.pythonExec = sys.executable
    yield found
    found.stop()


@pytest.mark.parametrize("session", [1, 2, 5], indirect=True, ids="{} workers".format)
def test_results_are_those_of_one_machine(
    session: Any, corpora: dict[str, Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    shown.same_as_one_machine(corpora, tmp_path, Spark(session), every="2 workers" in request.node.name)


@pytest.mark.parametrize("session", [3], indirect=True)
def test_workers_may_be_killed(session: Any, corpora: dict[str, Path], tmp_path: Path) -> None:
    shown.survives_kills(corpora, tmp_path, Spark(), kills=5)


class Executor(Prey):
    """The executor that a process with a shard belongs to: a Java with all its workers and what they have written."""

    rest = 1.5

    def of(self, process: int) -> int:
        return ancestor(process, "CoarseGrainedExecutorBackend")


@pytest.mark.parametrize("session", ["local-cluster[2,1,600]"], indirect=True)
def test_nodes_may_be_killed(session: Any, corpora: dict[str, Path], tmp_path: Path) -> None:
    shown.survives_kills(corpora, tmp_path, Spark(session), shown.NODES_KILLED, Executor())


@pytest.mark.parametrize("session", [3], indirect=True)
def test_bad_rows(session: Any, tmp_path: Path) -> None:
    shown.a_bad_row_ends_the_job_or_is_skipped(tmp_path, Spark(session))


@pytest.mark.parametrize("session", [3], indirect=True)
def test_interrupts(session: Any, corpora: dict[str, Path], tmp_path: Path) -> None:
    shown.an_interrupt_leaves_finished_shards(corpora, tmp_path, Spark(session))


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pyspark = need("pyspark")
    (tmp_path / "a.txt").write_text("a b")

    class Remote:
        __module__ = "pyspark.sql.connect.session"

    with pytest.raises(SpecError, match="not one of Spark Connect"):
        bytemill.count_pieces(tmp_path / "a.txt", engine=Spark(Remote()), progress=False)
    monkeypatch.setattr(pyspark, "__version__", "3.4.1")
    with pytest.raises(SpecError, match=r"pyspark 3\.4\.1 is too old for this engine, which needs 3\.5 or later"):
        bytemill.count_pieces(tmp_path / "a.txt", engine="spark", progress=False)
    assert os.environ.get("PYSPARK_PYTHON") is None
