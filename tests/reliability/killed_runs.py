"""Real `relrep` processes that are killed, interrupted or starved, and digests of what they leave."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from interrupts import hear_interrupts
from relrep.core.files import remove

NOT_BITS = ("config.json", "README.md")
"""Files of a model that tell times."""
COMPARISON = "comparison"
"""The name of a comparison's folder in these tests."""
TIMES = ("seconds", "cpu_seconds", "reused", "command")
"""What a comparison's report may tell otherwise after a kill."""
PAPER = ["--objective", "paper", "--init", "random", "--iterations", "4", "--tolerance", "0", "--dim", "16"]
PAPER += ["--n-patterns", "200", "--min-pair-sentences", "20", "--positives", "500", "--negatives", "500"]
PAIRS = ["--objective", "coherence", "--init", "glove", "--dim", "16"]
PAIRS += ["--coherence-min-meetings", "5", "--coherence-n-pairs", "2000"]


def train_command(corpus: Path, out: Path, objective: list[str]) -> list[str]:
    """`relrep train` with so little memory that there are several chunks."""
    run = ["--memory", "1MB", "--threads", "2", "--quiet"]
    return [sys.executable, "-m", "relrep.cli.main", "train", str(corpus), "--out", str(out), *run, *objective]


def baseline_command(corpus: Path, out: Path, system: str) -> list[str]:
    """`relrep baseline` of one of relrep's own systems."""
    run = ["--memory", "1MB", "--threads", "2", "--quiet", "--dim", "16"]
    length = ["--iterations", "40"] if system == "glove" else ["--epochs", "3"]
    return [sys.executable, "-m", "relrep.cli.main", "baseline", system, str(corpus), "--out", str(out), *run, *length]


def compare_command(world: Path, out: Path) -> list[str]:
    """`relrep compare` of relrep's own systems, small; `world` holds corpus and questions."""
    run = [
        "--memory",
        "1MB",
        "--threads",
        "2",
        "--quiet",
        "--quick",
        "--systems",
        "ivlbl,glove,relrep-paper,relrep-coherence",
    ]
    sizes = [
        "--init",
        "ivlbl+glove",
        "--dim",
        "16",
        "--instances",
        "400",
        "--dims",
        "",
        "--n-patterns",
        "200",
        "--min-pair-sentences",
        "20",
    ]
    asked = ["--google", str(world / "questions.txt")]
    corpus = str(world / "world.txt")
    return [sys.executable, "-m", "relrep.cli.main", "compare", corpus, "--out", str(out), *asked, *run, *sizes]


def start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_interrupts
    )


def finish(process: subprocess.Popen[str]) -> str:
    """Waits for a run that has to succeed; returns what it said."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, f"exit {process.returncode}\n{out}\n{err}"
    return out


def work_of(out: Path) -> Path:
    """The folder with the lock: of a model or vectors beside them, of a comparison in it."""
    return out / "relrep" if out.name == COMPARISON else out.with_name(f"{out.name}.work")


def at_work(process: subprocess.Popen[str], work: Path) -> bool:
    """Waits until the process holds its work folder: its start is over. False if it ended before that was seen."""
    while process.poll() is None:
        try:
            if (work / "lock").read_text() == str(process.pid):
                return True
        except OSError:
            pass
        time.sleep(0.005)
    return False


def digests(path: Path) -> dict[str, Any]:
    """A digest of every file of a result that must not depend on how it was made; the figures of a comparison."""
    if path.name == COMPARISON:
        found: dict[str, Any] = digests(path / "vectors")
        names = {name for name in found if name.endswith(".safetensors")}
        assert names and len(found) == 2 * len(names), "leftovers beside the vectors"
        report = json.loads((path / "report.json").read_text())
        return {**{name: found[name] for name in names}, "report": _without_times(report)}
    files = [path] if path.is_file() else [p for p in sorted(path.rglob("*")) if p.is_file()]
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files if p.name not in NOT_BITS}


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(inner) for key, inner in value.items() if key not in TIMES}
    return [_without_times(inner) for inner in value] if isinstance(value, list) else value


def undisturbed(command: list[str], out: Path) -> tuple[dict[str, Any], float]:
    """The bits of a run that nobody kills, and how long it worked."""
    process = start(command)
    at_work(process, work_of(out))
    begin = time.monotonic()
    finish(process)
    return digests(out), time.monotonic() - begin


def kill_again_and_again(
    command: list[str], out: Path, bits: dict[str, Any], kills: int, seconds: float, seed: int
) -> tuple[int, int]:
    """Kills runs of `command` at random moments, then lets one through; each that gets through is held to `bits`.

    Returns how often a run was killed and how many got through. Unfinished files of killed runs must be gone.
    """
    choice = random.Random(seed)
    killed = through = 0
    while True:
        process = start(command)
        working = at_work(process, work_of(out))
        if killed < kills and working:
            begin = time.monotonic()
            try:
                process.wait(timeout=choice.random() ** 2 * seconds)
                seconds = min(seconds, time.monotonic() - begin)  # the first run may have compiled kernels
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
                killed += 1
                continue
        finish(process)
        through += 1
        assert digests(out) == bits
        assert not unfinished(out.parent), "leftovers of killed runs"
        if killed >= kills:
            return killed, through
        remove(work_of(out))
        remove(out)


def unfinished(folder: Path) -> list[str]:
    """Temporary names anywhere in `folder`."""
    names = (path for path in folder.rglob("*") if path.parent.name != "vectors")  # relrep-… is a system there
    return sorted(str(p) for p in names if p.name.startswith((".", "relrep-")) or p.suffix == ".parts")
