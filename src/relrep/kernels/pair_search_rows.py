"""Kernels over the entries of f, pair by pair: no copy of them is ever made, since they can be many gigabytes."""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit


@njit(cache=True, nogil=True)
def measure_rows(
    indptr: NDArray[np.int64], pattern: NDArray[np.int32], weight: NDArray[np.float32], n_patterns: int
) -> tuple[bool, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """(sound, length of each pair's row of f, of each pattern's row, how many pairs each pattern joins).

    Not sound is an f with a pattern that is not there or out of order, or a weight that is no number; it is then read
    no further.
    """
    row_lengths = np.zeros(len(indptr) - 1, dtype=np.float64)
    pattern_lengths = np.zeros(n_patterns, dtype=np.float64)
    joined = np.zeros(n_patterns, dtype=np.int64)
    for row in range(len(indptr) - 1):
        total, before = 0.0, -1
        for entry in range(indptr[row], indptr[row + 1]):
            p, w = pattern[entry], np.float64(weight[entry])
            if p <= before or p >= n_patterns or not np.isfinite(w):
                return False, row_lengths, pattern_lengths, joined
            before = p
            total += w * w
            pattern_lengths[p] += w * w
            joined[p] += 1
        row_lengths[row] = np.sqrt(total)
    return True, row_lengths, np.sqrt(pattern_lengths), joined


@njit(cache=True, nogil=True)
def fill_by_pattern(
    indptr: NDArray[np.int64],
    pattern: NDArray[np.int32],
    weight: NDArray[np.float32],
    first: int,
    last: int,
    starts: NDArray[np.int64],
    out_pair: NDArray[np.int32],
    out_weight: NDArray[np.float32],
) -> None:
    """Writes pair and f of the patterns first : last to where they begin, the pairs rising; f is sound."""
    cursor = starts[first:last].copy()
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            p = pattern[entry] - first
            if 0 <= p < last - first:
                out_pair[cursor[p]] = row
                out_weight[cursor[p]] = weight[entry]
                cursor[p] += 1


@njit(cache=True, nogil=True)
def add_pattern(pair: NDArray[np.int32], weight: NDArray[np.float32], scale: float, out: NDArray[np.float64]) -> bool:
    """out[pair] += f · scale for the entries of one pattern; False where one names a pair that is not there."""
    for entry in range(len(pair)):
        p = pair[entry]
        if p < 0 or p >= len(out):
            return False
        out[p] += np.float64(weight[entry]) * scale
    return True


@njit(cache=True, nogil=True)
def find_entries(
    indptr: NDArray[np.int64], pattern: NDArray[np.int32], rows: NDArray[np.int32], wanted: int
) -> NDArray[np.int64]:
    """The place in f of the entry of a pattern in each of the given pairs' rows; −1 where there is none."""
    found = np.full(len(rows), -1, dtype=np.int64)
    for at in range(len(rows)):
        row = rows[at]
        if row < 0 or row >= len(indptr) - 1:
            continue
        low, end = indptr[row], indptr[row + 1]
        high = end
        while low < high:
            middle = (low + high) >> 1
            if pattern[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < end and pattern[low] == wanted:
            found[at] = low
    return found


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
