"""The matrix A of P = AX: every pattern vector as a weighted sum of word vectors."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.association import Association
from relrep.kernels.training import transpose, transposed_rows
from relrep.mapped import let_go
from relrep.mining import Pairs
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.threads import run_in_threads

STEP = "indexing patterns"


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A sparse matrix by rows: row i holds columns[starts[i]:starts[i + 1]], rising, and their values."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    def turned(self, n_columns: int) -> "SparseRows":
        """The transpose."""
        out = SparseRows(np.empty(n_columns + 1, np.int64), np.empty_like(self.columns), np.empty_like(self.values))
        transpose(self.starts, self.columns, self.values, n_columns, out.starts, out.columns, out.values)
        return out


@dataclass(frozen=True, eq=False)
class PatternMatrix:
    """A, restricted to the patterns that training looks at and the words they are made of.

    Row i is pattern patterns[i]; column j is word words[j]. `by_word` is Aᵀ.
    """

    patterns: NDArray[np.int32]
    words: NDArray[np.int32]
    by_pattern: SparseRows
    by_word: SparseRows


def pattern_matrix(
    association: Association,
    pairs: Pairs,
    patterns: NDArray[np.int32],
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> PatternMatrix:
    """A[p, x] = (Σ_v f(p, x, v) − Σ_u f(p, u, x)) / |R(p)| for the given patterns (rising ids)."""
    n_words = len(pairs.starts) - 1
    by_second = np.argsort(pairs.v, kind="stable")
    second_starts = np.searchsorted(pairs.v[by_second], np.arange(n_words + 1)).astype(np.int64)
    place = np.full(association.n_patterns, -1, dtype=np.int32)
    place[patterns] = np.arange(len(patterns), dtype=np.int32)
    sizes = np.where(association.sizes > 0, association.sizes, 1.0)
    entries = np.diff(association.starts)
    load = np.zeros(n_words, dtype=np.int64)
    np.add.at(load, pairs.u, entries)
    np.add.at(load, pairs.v, entries)
    bounds = np.searchsorted(np.cumsum(load), np.linspace(0, load.sum(), 65)[1:-1])
    bounds = np.unique(np.concatenate([[0], bounds, [n_words]])).tolist()

    def work(words: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        result: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]] = transposed_rows(
            *words, pairs.starts, by_second, second_starts, association.starts, association.pattern,
            association.weight, sizes, place, len(patterns),
        )  # fmt: skip
        return result

    parts = []
    for part in run_in_threads(work, list(itertools.pairwise(bounds)), threads):
        parts.append(part)
        if len(parts) % 16 == 0:
            let_go(association.pattern, association.weight)
        progress(Progress(STEP, len(parts), len(bounds) - 1))
    let_go(association.pattern, association.weight)
    lengths = np.concatenate([np.diff(starts) for starts, _, _ in parts])
    words = np.flatnonzero(lengths).astype(np.int32)
    by_word = SparseRows(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[words])]),
        np.concatenate([columns for _, columns, _ in parts]),
        np.concatenate([values for _, _, values in parts]),
    )
    return PatternMatrix(patterns, words, by_word.turned(len(patterns)), by_word)
