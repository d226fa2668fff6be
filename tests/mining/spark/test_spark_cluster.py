"""On a standalone cluster of two workers, and with one of them killed in the middle of a stage: the same bytes."""

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from spark_here import need_spark

from relrep.cli.main import main
from small_corpus import small_corpus

need_spark()
from standalone_cluster import cluster, free_port  # noqa: E402 (imports pyspark)

pytestmark = pytest.mark.slow
FLAGS = ["--bound-patterns", "500", "--keep-ids"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("world"), tokens=1_000_000)


@pytest.fixture(scope="module")
def expected(corpus, tmp_path_factory) -> dict[str, bytes]:
    """What the local engine leaves."""
    out = tmp_path_factory.mktemp("local") / "mined"
    assert main(["mine", str(corpus), "--out", str(out), "--quiet", *FLAGS]) == 0
    return contents(out)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def start_mining(corpus: Path, out: Path, master: str, ui_port: int) -> "subprocess.Popen[bytes]":
    conf = {
        "spark.sql.files.maxPartitionBytes": 1 << 18,
        "spark.sql.shuffle.partitions": 6,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "true",
        "spark.ui.port": ui_port,
        "spark.executor.heartbeatInterval": "2s",
        "spark.network.timeout": "60s",
    }
    given = [word for key, value in conf.items() for word in ("--spark-conf", f"{key}={value}")]
    command = [sys.executable, "-m", "relrep.cli.main", "mine", str(corpus), "--out", str(out), "--json", "--quiet"]
    return subprocess.Popen(
        [*command, *FLAGS, "--engine", "spark", "--spark-master", master, *given], stdout=subprocess.PIPE
    )


def asked(ui_port: int, what: str) -> list[dict[str, object]]:
    """An answer of Spark's own web interface; nothing where it is not up yet."""
    base = f"http://127.0.0.1:{ui_port}/api/v1/applications"
    try:
        with urllib.request.urlopen(base, timeout=5) as answer:
            application = json.load(answer)[0]["id"]
        with urllib.request.urlopen(f"{base}/{application}/{what}", timeout=5) as answer:
            return list(json.load(answer))
    except (OSError, ValueError, IndexError):
        return []


def wait_for_a_stage_half_done(run: "subprocess.Popen[bytes]", ui_port: int) -> None:
    """Returns in the middle of a stage that counts, with tasks running, some done and some waiting."""
    until = time.monotonic() + 600
    while time.monotonic() < until and run.poll() is None:
        for stage in asked(ui_port, "stages?status=active"):
            done, running, total = (int(stage[key]) for key in ("numCompleteTasks", "numActiveTasks", "numTasks"))
            if stage["stageId"] > 2 and running and 2 <= done < total - running:
                return
        time.sleep(0.1)
    raise AssertionError("no stage was seen half done")


@pytest.mark.parametrize("kills", [False, True])
def test_same_bytes_on_a_cluster(corpus, expected, tmp_path, kills):
    ui_port = free_port()
    with cluster(tmp_path, workers=2) as there:
        run = start_mining(corpus, tmp_path / "mined", there.url, ui_port)
        try:
            if kills:
                wait_for_a_stage_half_done(run, ui_port)
                there.kill(there.workers[0])
            run.communicate(timeout=1200)
        finally:
            run.kill()
    log = (tmp_path / "mined.work" / "spark.log").read_text(errors="replace")
    assert run.returncode == 0, log[-3000:]
    assert ("Lost executor" in log) == kills
    assert contents(tmp_path / "mined") == expected
