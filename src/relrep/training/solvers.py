"""The two solvers under one interface: one pass over the instances each, with AdaGrad."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from relrep.instances import Instances
from relrep.kernels import training as kernel
from relrep.threads import run_in_threads, split_evenly
from relrep.training.pattern_matrix import PatternMatrix
from relrep.training.settings import TrainingSettings

SIGMA = {"tanh": kernel.TANH, "logistic": kernel.LOGISTIC, "relu": kernel.RELU}
_PARTS = 64


@dataclass(frozen=True)
class Pass:
    """What one pass over the instances saw: mean loss, and the share of instances on the right side."""

    loss: float
    accuracy: float


class Solver(Protocol):
    """One pass over the instances: moves `vectors` and AdaGrad's `sums` in place."""

    def __call__(self, iteration: int, vectors: NDArray[np.float32], sums: NDArray[np.float32]) -> Pass: ...


@dataclass(frozen=True, eq=False)
class LocalInstances:
    """The instances by rows of the pattern matrix."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    target: NDArray[np.float32]


def local_instances(instances: Instances, matrix: PatternMatrix) -> LocalInstances:
    """The instances with patterns numbered as the rows of A."""
    left = np.searchsorted(matrix.patterns, instances.left).astype(np.int32)
    right = np.searchsorted(matrix.patterns, instances.right).astype(np.int32)
    return LocalInstances(left, right, instances.target)


def make_solver(instances: Instances, matrix: PatternMatrix, settings: TrainingSettings, threads: int) -> Solver:
    """The solver that the settings name."""
    local = local_instances(instances, matrix)
    if settings.solver == "sgd":
        return _Sgd(local, matrix, settings)
    return _Batch(local, matrix, settings, threads)


class _Sgd:
    """The paper's: instance by instance, in an order drawn anew for every iteration.

    A pattern's vector is recomputed when it appears (delayed update), from its row of A (the index of its words).
    """

    def __init__(self, instances: LocalInstances, matrix: PatternMatrix, settings: TrainingSettings) -> None:
        self.instances, self.matrix, self.settings = instances, matrix, settings

    def __call__(self, iteration: int, vectors: NDArray[np.float32], sums: NDArray[np.float32]) -> Pass:
        held, rows = self.instances, self.matrix.by_pattern
        order = np.random.default_rng([self.settings.seed, iteration]).permutation(len(held.left))
        loss, n_correct = kernel.descend_instances(
            order, held.left, held.right, held.target, rows.starts, rows.columns, rows.values,
            SIGMA[self.settings.activation], np.float32(self.settings.learning_rate), vectors, sums,
        )  # fmt: skip
        return Pass(loss / len(order), n_correct / len(order))


class _Batch:
    """All instances at once: P = AX, ∂L/∂P, ∂L/∂X = Aᵀ ∂L/∂P, one AdaGrad step."""

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

    def _multiply(self, rows: object, n_rows: int, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        out = np.empty((n_rows, vectors.shape[1]), dtype=np.float32)
        everything = np.arange(n_rows)
        matrix = self.matrix.by_pattern if rows == "patterns" else self.matrix.by_word

        def work(part: tuple[int, int]) -> None:
            kernel.multiply(*part, matrix.starts, matrix.columns, matrix.values, everything, vectors, out)

        self._in_parts(work, n_rows)
        return out

    def __call__(self, iteration: int, vectors: NDArray[np.float32], sums: NDArray[np.float32]) -> Pass:
        held, n = self.instances, len(self.instances.left)
        patterns = self._multiply("patterns", len(self.matrix.patterns), vectors)
        factors, losses, correct = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)

        def judge(part: tuple[int, int]) -> None:
            kernel.judge(
                *part, held.left, held.right, held.target, patterns, SIGMA[self.settings.activation], factors, losses,
                correct,
            )  # fmt: skip

        self._in_parts(judge, n)
        slopes = np.empty_like(patterns)

        def pull(part: tuple[int, int]) -> None:
            kernel.pull(*part, self.starts, self.of_pattern, self.others, factors, patterns, slopes)

        self._in_parts(pull, len(patterns))
        gradient = self._multiply("words", len(self.matrix.words), slopes)
        words = np.arange(len(vectors))

        def descend(part: tuple[int, int]) -> None:
            kernel.descend(*part, gradient, words, np.float32(self.settings.learning_rate), vectors, sums)

        self._in_parts(descend, len(vectors))
        return Pass(float(losses.sum() / n), float(correct.sum() / n))
