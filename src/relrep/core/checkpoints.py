"""Checkpoints: one file, replaced whole, from which a training goes on bit by bit; and the learning curve beside them.

The curve holds the losses of a training and its time, those of interrupted runs included.
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from relrep.core.files import DAMAGE, remove, written_whole
from relrep.progress import Progress, ProgressCallback

_PAUSE_PER_COST, _SHORTEST_PAUSE, _LONGEST_PAUSE = 50, 0.2, 60.0
CURVE_FILE = "curve.json"
Arrays = dict[str, NDArray[Any]]


def training_key(name: str, settings: Any, words: Sequence[str], tokens: NDArray[np.int32]) -> str:
    """Says which training a checkpoint belongs to: the system, its settings (a dataclass), vocabulary and tokens."""
    digest = hashlib.blake2b(json.dumps([name, asdict(settings)], sort_keys=True).encode(), digest_size=16)
    digest.update("\n".join(words).encode())
    digest.update(np.ascontiguousarray(tokens).data)
    return digest.hexdigest()


class Checkpoints:
    """Saves the state of one training now and then; does nothing without a path."""

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self.key = path, key
        self.pause = 0.0
        self.last = time.monotonic()

    def load(self) -> tuple[Arrays, dict[str, Any]] | None:
        """The arrays and the record of the last save, or None where there is none of this very training."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with safe_open(self.path, framework="numpy") as file:
                record = json.loads((file.metadata() or {}).get("record", "{}"))
                if record.get("key") != self.key:
                    return None
                return {name: file.get_tensor(name) for name in file.keys()}, record["state"]  # noqa: SIM118
        except (SafetensorError, OSError, ValueError, KeyError, AttributeError):
            remove(self.path)  # not whole: start again
            return None

    def save(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any], now: bool = False) -> None:
        """Saves if the last save is long enough ago (or `now`): as often as costs 2 % of the time."""
        begin = time.monotonic()
        if self.path is None or not (now or begin - self.last >= self.pause):
            return
        record = json.dumps({"key": self.key, "state": dict(state)})
        with written_whole(self.path) as temporary:
            save_file(dict(arrays), temporary, metadata={"record": record})
        self.last = time.monotonic()
        self.pause = min(max(_PAUSE_PER_COST * (self.last - begin), _SHORTEST_PAUSE), _LONGEST_PAUSE)


class LearningCurve:
    """Collects the losses that a training reports, as (how far, loss).

    It is kept beside the checkpoints, so that a training that was killed ends with the curve of an undisturbed one.
    """

    def __init__(self, folder: Path, progress: ProgressCallback) -> None:
        self.path, self.progress = folder / CURVE_FILE, progress
        self.curve: list[tuple[float, float]] = []
        self.before = (0.0, 0.0)
        self.begin, self.cpu = time.monotonic(), time.process_time()
        with suppress(*DAMAGE):
            self.before, self.curve = read_curve(folder)

    def report(self, progress: Progress) -> None:
        """Passes a report on and keeps its loss."""
        if "loss" in progress.metrics:
            self._add(float(progress.done), progress.metrics["loss"])
        self.progress(progress)

    def _add(self, done: float, loss: float) -> None:
        if self.curve and self.curve[-1] == (done, loss):
            return
        self.curve = [point for point in self.curve if point[0] < done]  # what a checkpoint did not hold comes again
        if not self.curve or self.curve[-1][1] != loss:
            self.curve.append((done, loss))
            with written_whole(self.path) as path:
                path.write_text(self._text(), encoding="utf-8")

    def _text(self) -> str:
        """Seconds by the clock and of all cores together, and the curve."""
        clock, cpu = time.monotonic() - self.begin, time.process_time() - self.cpu
        times = (round(self.before[0] + clock, 1), round(self.before[1] + cpu, 1))
        return json.dumps({"times": times, "curve": self.curve})

    def write(self, folder: Path) -> None:
        """Leaves the curve of a finished training."""
        (folder / CURVE_FILE).write_text(self._text(), encoding="utf-8")


def read_curve(folder: Path) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """(seconds, CPU seconds) and the curve that were left in `folder`."""
    record = json.loads((folder / CURVE_FILE).read_text(encoding="utf-8"))
    seconds, cpu_seconds = record["times"]
    return (float(seconds), float(cpu_seconds)), [(float(done), float(loss)) for done, loss in record["curve"]]
