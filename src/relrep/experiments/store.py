"""Vectors that were trained once: kept with their settings, run time and training curve, and used again."""

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from relrep.files import written_whole
from relrep.progress import Progress, ProgressCallback
from relrep.vectors import WordVectors

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
    """A folder of trained vectors, found again by system, settings and corpus."""

    def __init__(self, folder: Path, corpus_fingerprint: str) -> None:
        self.folder = folder
        self.corpus_fingerprint = corpus_fingerprint

    def get(
        self,
        system: str,
        settings: Mapping[str, Any],
        train: Callable[[Path, ProgressCallback], WordVectors],
        progress: ProgressCallback,
    ) -> Trained:
        """The vectors of a system under these settings: those in the folder, or newly trained ones.

        `train` gets a folder of its own for checkpoints.
        """
        stem = self.folder / f"{system}-{self._key(system, settings)}"
        vectors_path, record_path = stem.with_suffix(".safetensors"), stem.with_suffix(".json")
        if record_path.exists() and vectors_path.exists():
            held = json.loads(record_path.read_text(encoding="utf-8"))
            held["curve"] = [tuple(point) for point in held["curve"]]
            return Trained(WordVectors.load(vectors_path), TrainingRecord(**held), True)
        self.folder.mkdir(parents=True, exist_ok=True)
        curve: list[tuple[float, float]] = []
        begin, cpu = time.monotonic(), time.process_time()
        vectors = train(stem.with_suffix(".work"), _recording(curve, progress))
        seconds, cpu_seconds = round(time.monotonic() - begin, 1), round(time.process_time() - cpu, 1)
        record = TrainingRecord(system, dict(settings), seconds, cpu_seconds, curve)
        vectors.save(vectors_path)
        with written_whole(record_path) as path:  # last: it says that the vectors are whole
            path.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        return Trained(vectors, record, False)

    def _key(self, system: str, settings: Mapping[str, Any]) -> str:
        described = json.dumps([system, dict(settings), self.corpus_fingerprint], sort_keys=True)
        return hashlib.blake2b(described.encode(), digest_size=6).hexdigest()


def _recording(curve: list[tuple[float, float]], progress: ProgressCallback) -> ProgressCallback:
    """A callback that passes reports on and keeps the losses they mention."""

    def report(each: Progress) -> None:
        found = _LOSS.search(each.note)
        if found:
            point = (float(each.done), float(found[1]))
            if not curve or curve[-1][1] != point[1]:
                curve.append(point)
        progress(each)

    return report
