"""A Spark cluster of real processes on loopback: a master and workers, each of which can be killed."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark

_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
_START_SECONDS = 120


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Cluster:
    """The master's address and the workers' processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        master = ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())]
        self._start("master", master)
        self._wait("master", "I have been elected leader")
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self) -> None:
        """One more worker with a single core."""
        name = f"worker-{len(self.workers)}"
        place = ["--host", "127.0.0.1", "--webui-port", str(free_port()), "--work-dir", str(self._folder / name)]
        self.workers.append(self._start(name, ["worker.Worker", *place, "-c", "1", "-m", "2g", self.url]))
        self._wait(name, "Successfully registered with master")

    def _start(self, name: str, arguments: list[str]) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(_CLASS), f"org.apache.spark.deploy.{arguments[0]}", *arguments[1:]],
                stdout=log, stderr=log, env=environment, start_new_session=True,
            )  # fmt: skip
        self._processes.append(process)
        return process

    def _wait(self, name: str, sentence: str) -> None:
        path = self._folder / f"{name}.log"
        until = time.monotonic() + _START_SECONDS
        while sentence not in path.read_text(errors="replace"):
            assert time.monotonic() < until, path.read_text(errors="replace")[-2000:]
            time.sleep(0.2)

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """Ends a worker with all that it runs, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)

    def stop(self) -> None:
        """Ends everything."""
        for process in reversed(self._processes):
            self.kill(process)


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A cluster that is gone afterwards."""
    started = Cluster(folder)
    try:
        for _ in range(workers):
            started.add_worker()
        yield started
    finally:
        started.stop()
