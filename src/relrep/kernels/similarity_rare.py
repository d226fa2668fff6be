"""Similarities of rare patterns with each other, a tile of pairs at a time.

A pair has few of them, so that vector instructions would mostly multiply by 0, and little of a row is needed: what a
tile of pairs has of them is small enough to stay near the processor while one pattern after the other is served.
"""

import numpy as np
from numba import njit

from relrep.kernels.simd import add_scaled, prefetch

_AHEAD = 4
_LINES = 4


@njit(cache=True, nogil=True)
def _place(patterns, low, high, first):
    """Where in patterns[low:high], rising, those from `first` on begin."""
    while low < high:
        middle = (low + high) // 2
        if patterns[middle] < first:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def gather(starts, patterns, weights, left_out, low, high, first, columns, values, visits, entries, ends):
    """What the pairs low ≤ pair < high, not left out, have of the patterns from `first` on.

    Row after row in `columns` and `values`. The rows that have pattern first + i, in their order, are listed at
    visits[i] ≤ v < visits[i + 1], for as many patterns as `visits` has room for: from entries[v] to ends[v] stands what
    follows in the row, beginning with the pattern itself.
    """
    n_patterns = len(visits) - 1
    rows = np.empty(high - low + 1, np.int64)
    rows[0] = n_rows = n = 0
    visits[:] = 0
    for pair in range(low, high):
        if left_out[pair]:
            continue
        for entry in range(_place(patterns, starts[pair], starts[pair + 1], first), starts[pair + 1]):
            columns[n] = patterns[entry]
            values[n] = weights[entry]
            n += 1
            number = np.int64(patterns[entry]) - first
            if number < n_patterns:
                visits[number + 1] += 1
        n_rows += 1
        rows[n_rows] = n
    for number in range(n_patterns):
        visits[number + 1] += visits[number]
    at = visits[:-1].copy()
    for row in range(n_rows):
        for entry in range(rows[row], rows[row + 1]):
            number = np.int64(columns[entry]) - first
            if number >= n_patterns:
                break
            entries[at[number]] = entry
            ends[at[number]] = rows[row + 1]
            at[number] += 1


@njit(cache=True, nogil=True)
def add_products(columns, values, first, visits, entries, ends, low, high, n_patterns, places, sums):
    """sums[places[p − first] + q] += Σ_pairs f(p, pair) · f(q, pair) for low ≤ p < high and all q, p ≤ q < n_patterns.

    The first arguments are what `gather` has left. The sums run over the pairs in order, in float32. A pattern's sums
    should follow those of the pattern before: they are asked for meanwhile, as all are too many for the cache.
    """
    last = visits[-1] - 1
    for pattern in range(low, high):
        place = places[pattern - first]
        begin, end = visits[pattern - first], visits[pattern - first + 1]
        following = place + n_patterns
        stride = 16 * (1 + (n_patterns - pattern) // (16 * max(1, end - begin)))
        for visit in range(begin, end):
            for line in range(following, following + stride, 16):
                prefetch(sums, line)
            following += stride
            coming = min(visit + _AHEAD, last)
            ahead, many = np.int64(entries[coming]), np.int64(ends[coming]) - np.int64(entries[coming])
            for line in range(min(_LINES, (many + 15) // 16)):
                prefetch(values, ahead + 16 * line)
            for line in range(min(_LINES // 2, (many + 31) // 32)):
                prefetch(columns, ahead + 32 * line)
            entry = np.int64(entries[visit])
            add_scaled(sums, place, columns, values, entry, np.int64(ends[visit]), values[entry])
