"""The two solvers under one interface: one pass over the instances each, with AdaGrad."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from relrep.instances import Instances
from relrep.kernels import training as kernel
from relrep.kernels.descent import MOST, descent
from relrep.kernels.simd import LANES
from relrep.kernels.simd_descent import HALF
from relrep.mapped import aligned
from relrep.threads import available_threads, run_in_threads, split_evenly
from relrep.training.pattern_matrix import PatternMatrix, SparseRows
from relrep.training.settings import TrainingSettings

SIGMA = {"tanh": kernel.TANH, "logistic": kernel.LOGISTIC, "relu": kernel.RELU}
_PARTS = 64
_WORD_PARTS = 4  # of sgd: so many threads can share an instance
_SGD_BATCH = 1000  # between two of these an interruption is heard; even, as walks go to and fro


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
        return _Sgd(local, matrix, settings, threads)
    return _Batch(local, matrix, settings, threads)


class _Sgd:
    """The paper's: instance by instance, in an order drawn anew for every iteration.

    A pattern's vector is recomputed when it appears (delayed update), from its row of A (the index of its words).
    Threads share the words of one instance: every _WORD_PARTS-th word is in the same part.
    """

    def __init__(
        self, instances: LocalInstances, matrix: PatternMatrix, settings: TrainingSettings, threads: int
    ) -> None:
        self.instances, self.settings = instances, settings
        self.n_patterns = len(matrix.patterns)
        self.starts, self.entries = _entries_by_part(matrix.by_pattern)
        self.threads = min(threads, available_threads())  # parts wait for each other: each needs a core

    def __call__(self, iteration: int, vectors: NDArray[np.float32], sums: NDArray[np.float32]) -> Pass:
        order = np.random.default_rng([self.settings.seed, iteration]).permutation(len(self.instances.left))
        n_blocks, size = _blocks(vectors.shape[1])
        n_words = -(-len(vectors) // _WORD_PARTS) + 1  # the last is in no pattern
        places = aligned(_WORD_PARTS * n_blocks * n_words * 2 * size * HALF)
        places = places.reshape(_WORD_PARTS, n_blocks, -1, 2, size * HALF)
        places[..., 1, :] = kernel.LEAST
        for own, part in _places_of(places, vectors, np.maximum(sums, kernel.LEAST)):
            own[: len(part), : part.shape[1]] = part
        loss, n_correct = 0.0, 0
        with ThreadPoolExecutor(self.threads) as pool:
            for low in range(0, len(order), _SGD_BATCH):
                seen = self._descend(order[low : low + _SGD_BATCH], places, pool)
                loss, n_correct = loss + seen[0], n_correct + seen[1]
        for own, part in _places_of(places, vectors, sums):
            part[:] = own[: len(part), : part.shape[1]]
        return Pass(loss / len(order), n_correct / len(order))

    def _descend(
        self, order: NDArray[np.int64], places: NDArray[np.float32], pool: ThreadPoolExecutor
    ) -> tuple[float, int]:
        held = self.instances
        n_blocks, width = places.shape[1], places.shape[-1]
        room = -(-n_blocks * width // LANES) * LANES  # no two parts share a line of the cache
        told = aligned(2 * _WORD_PARTS * 2 * room)
        done = np.zeros(8 * _WORD_PARTS, dtype=np.int64)
        words, n_words = places.reshape(-1), places.shape[0] * places.shape[2]
        last_in, due = np.empty(n_words, dtype=np.uint32), np.empty(n_words, dtype=np.uint64)

        def work(parts: tuple[int, int]) -> tuple[float, int]:
            seen: tuple[float, int] = descent(width // HALF)(
                order, held.left, held.right, held.target, self.n_patterns, self.starts, self.entries,
                SIGMA[self.settings.activation], np.float32(self.settings.learning_rate), words, _WORD_PARTS, n_blocks,
                *parts, last_in, due, told, done,
            )  # fmt: skip
            return seen

        shares = split_evenly(_WORD_PARTS, self.threads)
        seen = [future.result() for future in [pool.submit(work, share) for share in shares]]
        return seen[0]  # all have seen the same


def _blocks(dim: int) -> tuple[int, int]:
    """Into how many blocks the dimensions are cut, and of how many half vectors one is."""
    n_blocks = -(-dim // MOST)
    return n_blocks, -(-dim // (HALF * n_blocks))


def _entries_by_part(rows: SparseRows) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Where the rows of part 0 (words 0, _WORD_PARTS, …) begin, then those of part 1, and so on, and their entries."""
    starts = np.zeros(_WORD_PARTS * rows.n_rows + 1, np.int64)
    entries = np.empty(len(rows.columns), np.uint64)
    kernel.deal_out(rows.starts, rows.columns, rows.values.view(np.uint32), _WORD_PARTS, starts, entries)
    return starts, entries


def _places_of(
    places: NDArray[np.float32], vectors: NDArray[np.float32], sums: NDArray[np.float32]
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Each block of each part of vectors and sums, and where it stands in `places`."""
    width = places.shape[-1]
    for part in range(_WORD_PARTS):
        for block in range(places.shape[1]):
            columns = slice(block * width, (block + 1) * width)
            yield places[part, block, :, 0], vectors[part::_WORD_PARTS, columns]
            yield places[part, block, :, 1], sums[part::_WORD_PARTS, columns]


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
