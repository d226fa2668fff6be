"""Vectors that were trained once: kept with their settings, run time and training curve, and used again."""

import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from relrep.files import DAMAGE, checksum, remove, written_whole
from relrep.progress import Progress, ProgressCallback
from relrep.vectors import WordVectors

logger = logging.getLogger(__name__)
_LOSS = re.compile(r"\bloss ([-+.\deE]+)")


@dataclass(frozen=True)
class TrainingRecord:
    """What is known about a training besides its vectors; `curve` is (how far, loss).

    `cpu_seconds` are those of all cores together: unlike `seconds`, other work on the machine hardly changes them.
    """

    system: str
    settings: dict[str, Any]
    seconds: float
    cpu_seconds: float
    curve: list[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Trained:
    """Vectors and their record; `reused` if they were there already."""

    vectors: WordVectors
    record: TrainingRecord
    reused: bool


class VectorStore:
    """A folder of trained vectors, found again by system, settings and corpus.

    A training is done when its record (.json) is there, which holds the checksum of its vectors (.safetensors).
    """

    def __init__(self, folder: Path, corpus_fingerprint: str, force: bool = False) -> None:
        self.folder = folder
        self.corpus_fingerprint = corpus_fingerprint
        self.force = force
        self._made_now: set[Path] = set()

    def get(
        self,
        system: str,
        settings: Mapping[str, Any],
        train: Callable[[Path, ProgressCallback], WordVectors],
        progress: ProgressCallback,
    ) -> Trained:
        """The vectors of a system under these settings: those in the folder, or newly trained ones.

        `train` gets a folder of its own for checkpoints, which an interrupted training leaves to the next.
        """
        stem = self._stem(system, settings)
        if self.has(system, settings):
            with suppress(*DAMAGE):
                return Trained(WordVectors.load(_vectors_of(stem)), _read_record(stem)[0], True)
        remove(_record_of(stem))
        work = stem.with_suffix(".work")
        if self.force:
            remove(work)
        course = _Course(work, progress)
        vectors = train(work, course.report)
        record = TrainingRecord(system, dict(settings), *course.times(), course.curve)
        vectors.save(_vectors_of(stem))
        described = {**asdict(record), "checksum": checksum(_vectors_of(stem))}
        with written_whole(_record_of(stem)) as path:  # last: it says that the vectors are whole
            path.write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
        remove(work)
        self._made_now.add(stem)
        return Trained(vectors, record, False)

    def has(self, system: str, settings: Mapping[str, Any]) -> bool:
        """Whether vectors of a system under these settings are there, whole, and not to be made again."""
        stem = self._stem(system, settings)
        if self.force and stem not in self._made_now:
            return False
        try:
            _, expected = _read_record(stem)
            if expected is None or checksum(_vectors_of(stem)) == expected:
                return True
        except FileNotFoundError:
            return False
        except DAMAGE:
            pass
        logger.warning("%s is missing or damaged; it is trained again", _vectors_of(stem))
        return False

    def _stem(self, system: str, settings: Mapping[str, Any]) -> Path:
        described = json.dumps([system, dict(settings), self.corpus_fingerprint], sort_keys=True)
        return self.folder / f"{system}-{hashlib.blake2b(described.encode(), digest_size=6).hexdigest()}"


def _vectors_of(stem: Path) -> Path:
    return stem.with_suffix(".safetensors")


def _record_of(stem: Path) -> Path:
    return stem.with_suffix(".json")


def _read_record(stem: Path) -> tuple[TrainingRecord, int | None]:
    """The record, and the checksum of the vectors (None in records of older versions)."""
    held = json.loads(_record_of(stem).read_text(encoding="utf-8"))
    expected = held.pop("checksum", None)
    held["curve"] = [(float(place), float(loss)) for place, loss in held["curve"]]
    return TrainingRecord(**held), expected


class _Course:
    """The course of one training: its losses and its time, also those of runs of it that were interrupted.

    It is kept beside the checkpoints, so that a training that was killed ends with the record of an undisturbed one.
    """

    def __init__(self, work: Path, progress: ProgressCallback) -> None:
        self.path, self.progress = work / "course.json", progress
        self.curve: list[tuple[float, float]] = []
        self.before = (0.0, 0.0)
        self.begin, self.cpu = time.monotonic(), time.process_time()
        with suppress(*DAMAGE):
            held = json.loads(self.path.read_text(encoding="utf-8"))
            seconds, cpu_seconds = held["times"]
            self.curve = [(float(place), float(loss)) for place, loss in held["curve"]]
            self.before = float(seconds), float(cpu_seconds)

    def report(self, each: Progress) -> None:
        """Passes a report on and keeps the loss it mentions."""
        if found := _LOSS.search(each.note):
            self._add(float(each.done), float(found[1]))
        self.progress(each)

    def _add(self, place: float, loss: float) -> None:
        if self.curve and self.curve[-1] == (place, loss):
            return
        self.curve = [point for point in self.curve if point[0] < place]  # what a checkpoint did not hold comes again
        if not self.curve or self.curve[-1][1] != loss:
            self.curve.append((place, loss))
            with written_whole(self.path) as path:
                path.write_text(json.dumps({"times": self.times(), "curve": self.curve}), encoding="utf-8")

    def times(self) -> tuple[float, float]:
        """Seconds by the clock and of all cores together."""
        clock, cpu = time.monotonic() - self.begin, time.process_time() - self.cpu
        return round(self.before[0] + clock, 1), round(self.before[1] + cpu, 1)
