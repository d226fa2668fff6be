"""Weights of patterns for pairs, entry by entry."""

import math

import numpy as np

from relrep.kernels.compiling import njit

PPMI, LLR, LMI = 0, 1, 2


@njit(cache=True, nogil=True)
def _term(k, a, b, total):
    return k * math.log(k * total / (a * b)) if k > 0 else 0.0


@njit(cache=True, nogil=True)
def weigh(starts, patterns, counts, low, high, pattern_totals, total, measure):
    """f of the rows (pairs) low ≤ i < high: (row starts, patterns, weights, counts) of the entries above zero."""
    size = starts[high] - starts[low]
    row_starts = np.zeros(high - low + 1, dtype=np.int64)
    out_patterns = np.empty(size, dtype=np.int32)
    out_weights = np.empty(size, dtype=np.float32)
    out_counts = np.empty(size, dtype=np.int32)
    n = 0
    for row in range(low, high):
        pair_total = 0
        for entry in range(starts[row], starts[row + 1]):
            pair_total += counts[entry - starts[low]]
        column = float(pair_total)
        for entry in range(starts[row], starts[row + 1]):
            pattern = patterns[entry - starts[low]]
            count = counts[entry - starts[low]]
            g = float(count)
            pattern_total = pattern_totals[pattern]
            if g * total <= pattern_total * column:
                continue
            pmi = math.log(g * total / (pattern_total * column))
            if measure == PPMI:
                weight = pmi
            elif measure == LMI:
                weight = g * pmi
            else:
                weight = 2.0 * (
                    _term(g, pattern_total, column, total)
                    + _term(pattern_total - g, pattern_total, total - column, total)
                    + _term(column - g, total - pattern_total, column, total)
                    + _term(total - pattern_total - column + g, total - pattern_total, total - column, total)
                )
            out_patterns[n] = pattern
            out_weights[n] = weight
            out_counts[n] = count
            n += 1
        row_starts[row - low + 1] = n
    return row_starts, out_patterns[:n].copy(), out_weights[:n].copy(), out_counts[:n].copy()


@njit(cache=True, nogil=True)
def sum_by_pattern(patterns, weights, sums, squares):
    """Adds weights and their squares to `sums` and `squares` by pattern, in the order of the entries."""
    for entry in range(len(patterns)):
        weight = np.float64(weights[entry])
        sums[patterns[entry]] += weight
        squares[patterns[entry]] += weight * weight
