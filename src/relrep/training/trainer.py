"""The trainer: iterations with a record of each, an end when converged, and checkpoints to go on from."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from relrep.files import remove, written_whole
from relrep.instances import Instances
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.training.pattern_matrix import PatternMatrix
from relrep.training.settings import TrainingSettings
from relrep.training.solvers import make_solver

STEP = "training"


@dataclass(frozen=True)
class Iteration:
    """The record of one iteration.

    `loss` and `accuracy` are of the vectors it started from (of each instance just before its own update, with sgd);
    `movement` is how far the words of patterns have come from their start, relative to the start's mean length.
    """

    iteration: int
    loss: float
    accuracy: float
    movement: float


def train(
    initial: NDArray[np.float32],
    instances: Instances,
    matrix: PatternMatrix,
    settings: TrainingSettings,
    checkpoint: Path | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> tuple[NDArray[np.float32], list[Iteration]]:
    """Fits the word vectors to the instances; words outside every pattern keep their initial vectors.

    With a `checkpoint` path the state is left there after every iteration; a run that finds one goes on from it.
    """
    start = np.array(initial[matrix.words], dtype=np.float32)
    vectors, sums, history = start.copy(), np.zeros_like(start), list[Iteration]()
    if checkpoint is not None and (held := _read(checkpoint, start.shape)) is not None:
        vectors, sums, history = held
    solver = make_solver(instances, matrix, settings, threads)
    length = float(np.linalg.norm(start, axis=1).mean()) or 1.0
    progress(Progress(STEP, len(history), settings.iterations))
    while len(history) < settings.iterations and not _converged(history, settings.tolerance):
        seen = solver(len(history), vectors, sums)
        movement = float(np.linalg.norm(vectors - start, axis=1).mean()) / length
        history.append(Iteration(len(history) + 1, seen.loss, seen.accuracy, movement))
        if checkpoint is not None:
            _write(checkpoint, vectors, sums, history)
        note = f"loss {seen.loss:.4f}, {seen.accuracy:.1%} of instances right"
        progress(Progress(STEP, len(history), settings.iterations, note=note))
    progress(Progress(STEP, settings.iterations, settings.iterations))
    trained = np.array(initial, dtype=np.float32)
    trained[matrix.words] = vectors
    return trained, history


def _converged(history: list[Iteration], tolerance: float) -> bool:
    if len(history) < 2 or tolerance == 0:
        return False
    before, now = history[-2].loss, history[-1].loss
    return abs(before - now) < tolerance * before


def _write(path: Path, vectors: NDArray[np.float32], sums: NDArray[np.float32], history: list[Iteration]) -> None:
    record = {"history": json.dumps([asdict(iteration) for iteration in history])}
    with written_whole(path) as part:
        save_file({"vectors": vectors, "sums": sums}, part, metadata=record)


def _read(
    path: Path, shape: tuple[int, ...]
) -> tuple[NDArray[np.float32], NDArray[np.float32], list[Iteration]] | None:
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            vectors, sums = file.get_tensor("vectors"), file.get_tensor("sums")
            history = [Iteration(**record) for record in json.loads(file.metadata()["history"])]
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        remove(path)  # not whole: start again
        return None
    if vectors.shape != shape or sums.shape != shape:
        remove(path)
        return None
    return np.array(vectors), np.array(sums), history
