"""Training (Algorithm 1): two solvers, a record of each iteration, an end when converged, checkpoints to go on from."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from relrep.core.arrays import Floats, Ints
from relrep.core.checkpoints import Checkpoints
from relrep.core.csr import multiply_rows
from relrep.core.settings import NOT_NEGATIVE, POSITIVE, Settings, one_of, setting, whole
from relrep.core.threads import run_in_threads, split_evenly
from relrep.paper import _kernels as kernel
from relrep.paper._kernels import SparseRows
from relrep.paper.instances import Instances
from relrep.paper.pattern_matrix import PatternMatrix
from relrep.progress import Progress, ProgressCallback, ignore

STEP = "training"
OBJECTIVES = ("coherence", "paper")
SIGMA = {"tanh": kernel.TANH, "logistic": kernel.LOGISTIC, "relu": kernel.RELU}
INSTANCES_AT_ONCE = 1000
"""Of sgd: between two of these an interruption is heard."""
_PARTS = 64


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How vectors are fitted to the training instances."""

    objective: str = setting(
        "coherence", "coherence (of pairs) or paper (similar patterns get similar vectors)", one_of(OBJECTIVES)
    )
    dim: int = setting(300, "dimensions of the vectors (given ones keep theirs)", whole(1, 10_000))
    init: str = setting(
        "ivlbl", "initial vectors: random, skipgram, cbow, glove, ivlbl, fasttext, a file, or several (file.txt+ivlbl)"
    )
    solver: str = setting(
        "batch", "batch (all instances at once) or sgd (one by one)", one_of(("batch", "sgd")), objective="paper"
    )
    activation: str = setting("tanh", "tanh, logistic or relu", one_of(SIGMA), objective="paper")
    iterations: int = setting(10, "at most so many passes over the instances", whole(0), objective="paper")
    learning_rate: float = setting(0.01, "AdaGrad's step", POSITIVE, objective="paper")
    tolerance: float = setting(
        0.001,
        "stop when the loss falls by less than this share in an iteration (0: never)",
        NOT_NEGATIVE,
        objective="paper",
    )
    seed: int = setting(1, "of the random initial vectors and the order of instances", whole(0))


Pass = tuple[float, float]
"""What one pass over the instances saw: mean loss, and the share of instances on the right side."""


class LocalInstances(NamedTuple):
    """The instances by rows of the pattern matrix."""

    left: Ints
    right: Ints
    target: Floats


class Sgd:
    """Algorithm 1: instance by instance, in an order drawn anew for every iteration."""

    def __init__(self, instances: LocalInstances, matrix: PatternMatrix, settings: TrainingSettings) -> None:
        self.instances, self.matrix, self.settings = instances, matrix, settings

    def __call__(self, iteration: int, vectors: Floats, sums: Floats) -> Pass:
        """One pass: moves `vectors` and AdaGrad's `sums` in place."""
        n, settings = len(self.instances.left), self.settings
        order = np.random.default_rng([settings.seed, iteration]).permutation(n)
        loss, n_correct = 0.0, 0
        for low in range(0, n, INSTANCES_AT_ONCE):
            seen = kernel.sgd_pass(
                order[low : low + INSTANCES_AT_ONCE], self.instances, self.matrix.by_pattern, vectors, sums,
                SIGMA[settings.activation], np.float32(settings.learning_rate),
            )  # fmt: skip
            loss, n_correct = loss + seen[0], n_correct + seen[1]
        return loss / n, n_correct / n


class Batch:
    """All instances at once: P = AX (Eq. 4), ∂L/∂P (Eq. 8, 9), ∂L/∂X = Aᵀ ∂L/∂P (Eq. 12), one AdaGrad step."""

    def __init__(
        self, instances: LocalInstances, matrix: PatternMatrix, settings: TrainingSettings, threads: int
    ) -> None:
        self.instances, self.matrix, self.settings, self.threads = instances, matrix, settings, threads
        n = len(instances.left)
        patterns = np.concatenate([instances.left, instances.right])
        order = np.argsort(patterns, kind="stable")
        self.starts = np.searchsorted(patterns[order], np.arange(len(matrix.patterns) + 1)).astype(np.int64)
        self.of_pattern = (order % n).astype(np.int32)
        self.others = np.concatenate([instances.right, instances.left])[order].astype(np.int32)

    def _in_parts(self, work: Callable[[tuple[int, int]], None], size: int) -> None:
        for _ in run_in_threads(work, split_evenly(size, _PARTS), self.threads):
            pass

    def _multiply(self, rows: SparseRows, dense: Floats) -> Floats:
        out = np.empty((rows.n_rows, dense.shape[1]), dtype=np.float32)
        self._in_parts(lambda part: multiply_rows(*part, *rows, dense, out), rows.n_rows)
        return out

    def __call__(self, iteration: int, vectors: Floats, sums: Floats) -> Pass:
        """One pass: moves `vectors` and AdaGrad's `sums` in place."""
        n, sigma = len(self.instances.left), SIGMA[self.settings.activation]
        patterns = self._multiply(self.matrix.by_pattern, vectors)
        factors, losses, correct = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)
        slopes = np.empty_like(patterns)
        self._in_parts(
            lambda part: kernel.forward_loss(*part, self.instances, patterns, sigma, factors, losses, correct), n
        )
        index = (self.starts, self.of_pattern, self.others)
        self._in_parts(lambda part: kernel.pattern_gradient(*part, *index, factors, patterns, slopes), len(patterns))
        gradient = self._multiply(self.matrix.by_word, slopes)
        rate = np.float32(self.settings.learning_rate)
        self._in_parts(lambda part: kernel.adagrad_step(*part, gradient, rate, vectors, sums), len(vectors))
        return float(losses.sum() / n), float(correct.sum() / n)


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
    initial: Floats,
    instances: Instances,
    matrix: PatternMatrix,
    settings: TrainingSettings,
    checkpoint: Path | None = None,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> tuple[Floats, list[Iteration]]:
    """Fits the word vectors to the instances; words outside every pattern keep their initial vectors.

    With a `checkpoint` path the state is left there after every iteration; a run that finds one goes on from it.
    """
    start = np.array(initial[matrix.words], dtype=np.float32)
    vectors, sums, history = start.copy(), np.zeros_like(start), list[Iteration]()
    checkpoints = Checkpoints(checkpoint, f"paper {start.shape}")
    if saved := checkpoints.load():
        vectors, sums = saved[0]["vectors"], saved[0]["sums"]
        history = [Iteration(**record) for record in saved[1]["history"]]
    left, right = (
        np.searchsorted(matrix.patterns, side).astype(np.int32) for side in (instances.left, instances.right)
    )
    local = LocalInstances(left, right, instances.target)
    solver = Sgd(local, matrix, settings) if settings.solver == "sgd" else Batch(local, matrix, settings, threads)
    length = float(np.linalg.norm(start, axis=1).mean()) or 1.0
    progress(Progress(STEP, len(history), settings.iterations))
    while len(history) < settings.iterations and not _converged(history, settings.tolerance):
        loss, accuracy = solver(len(history), vectors, sums)
        movement = float(np.linalg.norm(vectors - start, axis=1).mean()) / length
        history.append(Iteration(len(history) + 1, loss, accuracy, movement))
        state = {"history": [asdict(iteration) for iteration in history]}
        checkpoints.save({"vectors": vectors, "sums": sums}, state, now=True)
        note = f"loss {loss:.4f}, {accuracy:.1%} of instances right"
        metrics = {"loss": round(loss, 4)}
        progress(Progress(STEP, len(history), settings.iterations, note=note, metrics=metrics))
    progress(Progress(STEP, settings.iterations, settings.iterations))
    trained = np.array(initial, dtype=np.float32)
    trained[matrix.words] = vectors
    return trained, history


def _converged(history: list[Iteration], tolerance: float) -> bool:
    if len(history) < 2 or tolerance == 0:
        return False
    before, now = history[-2].loss, history[-1].loss
    return abs(before - now) < tolerance * before
