"""The matrix A of P = AX: every pattern vector as a weighted sum of word vectors (Eq. 4)."""

import itertools
from dataclasses import dataclass

import numpy as np

from relrep.core.arrays import Floats, Ints, Longs
from relrep.core.csr import transpose
from relrep.core.memory import let_go
from relrep.core.threads import run_in_threads
from relrep.mining.pairs import Pairs
from relrep.paper._kernels import SparseRows, transposed_rows
from relrep.paper.association import Association
from relrep.progress import Progress, ProgressCallback, ignore

STEP = "indexing patterns"


@dataclass(frozen=True, eq=False)
class PatternMatrix:
    """A, restricted to the patterns that training looks at and the words they are made of.

    Row i is pattern patterns[i]; column j is word words[j]. `by_word` is Aᵀ.
    """

    patterns: Ints
    words: Ints
    by_pattern: SparseRows
    by_word: SparseRows


def pattern_matrix(
    association: Association, pairs: Pairs, patterns: Ints, threads: int = 1, progress: ProgressCallback = ignore
) -> PatternMatrix:
    """A[p, x] = H(p, x) / |R(p)| (Eq. 3, 14) for the given patterns (rising ids)."""
    n_words = len(pairs.starts) - 1
    by_second = np.argsort(pairs.v, kind="stable")
    second_starts = np.searchsorted(pairs.v[by_second], np.arange(n_words + 1)).astype(np.int64)
    row_of = np.full(association.n_patterns, -1, dtype=np.int32)
    row_of[patterns] = np.arange(len(patterns), dtype=np.int32)
    f = SparseRows(association.starts, association.pattern, association.weight)
    sizes = np.where(association.sizes > 0, association.sizes, 1.0)
    entries = np.diff(association.starts)
    load = np.zeros(n_words, dtype=np.int64)
    np.add.at(load, pairs.u, entries)
    np.add.at(load, pairs.v, entries)
    bounds = np.searchsorted(np.cumsum(load), np.linspace(0, load.sum(), 65)[1:-1])
    bounds = np.unique(np.concatenate([[0], bounds, [n_words]])).tolist()

    def work(words: tuple[int, int]) -> tuple[Longs, Ints, Floats]:
        result: tuple[Longs, Ints, Floats] = transposed_rows(
            *words, pairs.starts, by_second, second_starts, f, sizes, row_of, len(patterns)
        )
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
    return PatternMatrix(patterns, words, SparseRows(*transpose(*by_word, len(patterns))), by_word)
