"""The learning curve of one training: its losses and its time, those of interrupted runs included."""

import json
import time
from contextlib import suppress
from pathlib import Path

from relrep.core.files import DAMAGE, written_whole
from relrep.progress import Progress, ProgressCallback

CURVE_FILE = "curve.json"


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
