"""All pattern pairs' similarities, a block of patterns at a time: one vector instruction serves them all."""

import numpy as np
from numba import njit

from relrep.kernels.simd import LANES, add_scaled, prefetch

BLOCK = LANES
_AHEAD = 4  # pairs are far from each other in memory: the row after next is asked for early
_LINES = 12


@njit(cache=True, nogil=True)
def count_visits(starts, patterns, visits):
    """Adds to visits[block + 1] the number of pairs that have a pattern of the block."""
    for pair in range(len(starts) - 1):
        last = -1
        for entry in range(starts[pair], starts[pair + 1]):
            block = patterns[entry] // BLOCK
            if block != last:
                visits[block + 1] += 1
                last = block


@njit(cache=True, nogil=True)
def list_visits(starts, patterns, at, pairs, entries):
    """For each block the pairs that have a pattern of it, in order, and where in its row the first stands."""
    for pair in range(len(starts) - 1):
        last = -1
        for entry in range(starts[pair], starts[pair + 1]):
            block = patterns[entry] // BLOCK
            if block != last:
                pairs[at[block]] = pair
                entries[at[block]] = entry
                at[block] += 1
                last = block


@njit(cache=True, nogil=True)
def block_products(starts, patterns, weights, first, pairs, entries, lanes, products):
    """products[q · BLOCK + l] = Σ_pairs f(first + l, pair) · f(q, pair) for all patterns q ≥ first, l < BLOCK.

    `pairs` and `entries` are the block's visits. The sums run over the pairs in order, in float32. `products` and
    `lanes` should begin at a multiple of 64 bytes, so that no vector lies across two lines of the cache.
    """
    products[first * BLOCK :] = np.float32(0)
    last = first + BLOCK
    for visit in range(len(pairs)):
        ahead = np.int64(entries[min(visit + _AHEAD, len(pairs) - 1)])
        for line in range(_LINES):
            prefetch(weights, ahead + 16 * line)
            prefetch(patterns, ahead + 32 * (line >> 1))
        begin = np.int64(entries[visit])
        end = starts[pairs[visit] + 1]
        lanes[:] = np.float32(0)
        entry = begin
        while entry < end and patterns[entry] < last:
            lanes[patterns[entry] - first] = weights[entry]
            entry += 1
        for entry in range(begin, end):
            at = np.int64(patterns[entry]) * BLOCK
            add_scaled(products, at, weights[entry], lanes, 0)


@njit(cache=True, nogil=True)
def collect(products, first, n_patterns, norms, at_least, at_most, similarities, left, right):
    """The pairs (p, q), p in the block, p < q, with similarity ≥ at_least or in (0, at_most]; returns how many."""
    n = 0
    for lane in range(min(BLOCK, n_patterns - first)):
        p = first + lane
        for q in range(p + 1, n_patterns):
            product = products[q * BLOCK + lane]
            if product > 0:
                similarity = np.float64(product) / (norms[p] * norms[q])
                if similarity >= at_least or similarity <= at_most:
                    similarities[n] = similarity
                    left[n] = p
                    right[n] = q
                    n += 1
    return n
