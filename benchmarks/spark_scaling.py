"""Mining by the local engine and by Spark on one machine, on growing parts of one text, alternating, in one run.

    python benchmarks/spark_scaling.py TEXT [--millions 8,16,32,64] [--rounds 1] [--master local[2]] [--json FILE]

TEXT is plain text. Of it the first so many million tokens are mined (by bytes: 6.2 a token), text → ids → pairs →
patterns → counts with all defaults, each run in a process of its own; both engines leave the same files, which are
compared. Spark's start is told apart. Bytes shuffled are those that Spark itself reports (`shuffleWriteBytes` of all
stages).
"""

import argparse
import filecmp
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from relrep.config import Config
from relrep.mining.spark.engine import SparkEngine
from relrep.mining.spark.session import SparkSettings
from relrep.pipeline.graph import Graph
from relrep.pipeline.stages import RunSettings

BYTES_PER_TOKEN = 6.2
STAGES = ("ids", "pairs", "patterns", "counts")
THREADS = 2


def one_run(engine: str, text: Path, work: Path, master: str) -> dict[str, Any]:
    """Mines with one engine; seconds by stage, and what Spark tells of its shuffles."""
    config, started = Config(), 0.0
    spark = SparkEngine([text], config.corpus, SparkSettings(master, {}), work) if engine == "spark" else None
    graph = Graph([text], work, config, RunSettings(THREADS), engine=spark)
    if spark:
        begin = time.perf_counter()
        _ = spark.session
        started = time.perf_counter() - begin
        context = spark.session.sparkContext
        spark.release = lambda: None  # type: ignore[method-assign]  # what was shuffled is asked for first
    seconds = {}
    for name in STAGES:
        begin = time.perf_counter()
        getattr(graph, name)()
        seconds[name] = round(time.perf_counter() - begin, 2)
    told = {"engine": engine, "start": round(started, 2), "seconds": seconds, "mining": round(sum(seconds.values()), 2),
            "tokens": graph.ids()[1].tokens}  # fmt: skip
    if spark:
        told |= {"shuffled": shuffled(context)}
        spark.session.stop()
    return told


def shuffled(context: Any) -> int:
    """Bytes that all stages so far wrote for shuffles, as Spark counts them."""
    store, jvm = context._jsc.sc().statusStore(), context._jvm
    stages = store.stageList(None, False, False, context._gateway.new_array(jvm.double, 0), None)
    return sum(stages.apply(at).shuffleWriteBytes() for at in range(stages.size()))


def first_part(text: Path, millions: float, folder: Path) -> Path:
    """The first so many million tokens of the text, whole lines."""
    size = int(millions * 1e6 * BYTES_PER_TOKEN)
    with text.open("rb") as file:
        data = file.read(size) + file.readline()
    path = folder / f"part-{millions:g}.txt"
    path.write_bytes(data)
    return path


def same_files(one: Path, other: Path) -> bool:
    """Whether both engines left the same bytes."""
    names = ["pairs.npz", "patterns.npz", *(f"ids/{name}" for name in ("tokens.i32", "vocab.txt", "facts.json"))]
    names += [f"counts/{path.name}" for path in (one / "counts").iterdir()]
    return all(filecmp.cmp(one / name, other / name, shallow=False) for name in names)


def measured(text: Path, millions: float, rounds: int, master: str) -> dict[str, Any]:
    """Both engines in turns."""
    runs: dict[str, list[dict[str, Any]]] = {"local": [], "spark": []}
    with tempfile.TemporaryDirectory(prefix="relrep-spark-", dir=text.parent) as name:
        folder = Path(name)
        part = first_part(text, millions, folder)
        for _ in range(rounds):
            for engine, held in runs.items():
                work = folder / engine
                subprocess.run(["rm", "-rf", str(work)], check=True)
                command = [
                    sys.executable,
                    __file__,
                    str(part),
                    "--one",
                    engine,
                    "--work",
                    str(work),
                    "--master",
                    master,
                ]
                held.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        same = same_files(folder / "local", folder / "spark")
    return {"millions": millions, "same_bytes": same, "runs": runs}


def shown(result: dict[str, Any]) -> str:
    """One line of the table."""
    local, spark = (result["runs"][name] for name in ("local", "spark"))
    tokens = local[0]["tokens"]
    here, there = (statistics.median(run["mining"] for run in runs) for runs in (local, spark))
    return (
        f"{tokens / 1e6:6.1f} M  local {here:6.1f} s {tokens / here / 1e6:5.2f} M/s   spark {there:6.1f} s "
        f"{tokens / there / 1e6:5.2f} M/s (start {spark[0]['start']:.1f} s)   shuffled "
        f"{spark[0]['shuffled'] / tokens:5.2f} bytes/token   "
        f"{'same bytes' if result['same_bytes'] else 'DIFFERENT BYTES'}"
    )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("text", type=Path)
    parser.add_argument("--millions", default="8,16,32,64")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(one_run(arguments.one, arguments.text, arguments.work, arguments.master)))
        return
    results = []
    for millions in map(float, arguments.millions.split(",")):
        results.append(measured(arguments.text, millions, arguments.rounds, arguments.master))
        print(shown(results[-1]), flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
