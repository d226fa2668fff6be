"""Kernels over the entries of f, pair by pair: no copy of them is ever made, since they can be many gigabytes."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def measure_rows(
    indptr: NDArray[np.int64], pattern: NDArray[np.int32], weight: NDArray[np.float32], n_patterns: int
) -> tuple[bool, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """(sound, length of each pair's row of f, of each pattern's row, how many pairs each pattern joins).

    Not sound is an f with a pattern that is not there or a weight that is no number; it is then read no further.
    """
    row_lengths = np.zeros(len(indptr) - 1, dtype=np.float64)
    pattern_lengths = np.zeros(n_patterns, dtype=np.float64)
    joined = np.zeros(n_patterns, dtype=np.int64)
    for row in range(len(indptr) - 1):
        total = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            p, w = pattern[entry], np.float64(weight[entry])
            if p < 0 or p >= n_patterns or not np.isfinite(w):
                return False, row_lengths, pattern_lengths, joined
            total += w * w
            pattern_lengths[p] += w * w
            joined[p] += 1
        row_lengths[row] = np.sqrt(total)
    return True, row_lengths, np.sqrt(pattern_lengths), joined


@njit(cache=True, nogil=True)
def row_products(
    indptr: NDArray[np.int64],
    pattern: NDArray[np.int32],
    weight: NDArray[np.float32],
    query: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """out[i] = Σ f(p, pair i) · query[p]; `indptr` may be a part of the whole."""
    for row in range(len(out)):
        total = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            total += weight[entry] * query[pattern[entry]]
        out[row] = total


@njit(cache=True, nogil=True)
def pattern_products(
    indptr: NDArray[np.int64],
    pattern: NDArray[np.int32],
    weight: NDArray[np.float32],
    rows: NDArray[np.int64],
    row_weights: NDArray[np.float32],
    n_patterns: int,
) -> NDArray[np.float64]:
    """Σ over the given pairs of f(p, pair) · the pair's weight, for every pattern p."""
    out = np.zeros(n_patterns, dtype=np.float64)
    for at in range(len(rows)):
        row, scale = rows[at], np.float64(row_weights[at])
        for entry in range(indptr[row], indptr[row + 1]):
            out[pattern[entry]] += scale * weight[entry]
    return out
