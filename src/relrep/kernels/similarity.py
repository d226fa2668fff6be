"""Similarities of frequent patterns with all others, a block of them at a time: one vector instruction serves all."""

import numpy as np
from numba import njit

from relrep.kernels.simd import LANES, add_half_row, add_row, prefetch

BLOCK = LANES
_AHEAD = 16  # pairs are far from each other in memory: a row soon to come is asked for early
_LINES = 8  # at most so many, and none beyond the row's end: others use the same memory
_HALF = LANES // 2


@njit(cache=True, nogil=True)
def count_visits(starts, patterns, left_out, low, high, visits):
    """Adds to visits[block] the number of pairs low ≤ pair < high, not left out, that have a pattern of the block.

    Only the blocks that `visits` has room for are looked at.
    """
    beyond = len(visits) * BLOCK
    for pair in range(low, high):
        if left_out[pair]:
            continue
        last = -1
        for entry in range(starts[pair], starts[pair + 1]):
            if patterns[entry] >= beyond:
                break
            block = patterns[entry] // BLOCK
            if block != last:
                visits[block] += 1
                last = block


@njit(cache=True, nogil=True)
def list_visits(starts, patterns, left_out, low, high, at, entries, lengths):
    """For each block the rows that reach it, in the order of their pairs: where, and how much of the row is left there.

    Those of a block are written from at[block] on.
    """
    beyond = len(at) * BLOCK
    for pair in range(low, high):
        if left_out[pair]:
            continue
        last = -1
        end = starts[pair + 1]
        for entry in range(starts[pair], end):
            if patterns[entry] >= beyond:
                break
            block = patterns[entry] // BLOCK
            if block != last:
                entries[at[block]] = entry
                lengths[at[block]] = end - entry
                at[block] += 1
                last = block


@njit(cache=True, nogil=True)
def block_products(patterns, weights, first, entries, lengths, lanes, products):
    """products[q · BLOCK + l] = Σ_pairs f(first + l, pair) · f(q, pair) for all patterns q ≥ first, l < BLOCK.

    `entries` and `lengths` are the block's visits. The sums run over the pairs in order, in float32. `products` and
    `lanes` should begin at a multiple of 64 bytes, so that no vector lies across two lines of the cache.
    """
    products[first * BLOCK :] = np.float32(0)
    last = first + BLOCK
    for visit in range(len(entries)):
        coming = min(visit + _AHEAD, len(entries) - 1)
        ahead, many = np.int64(entries[coming]), np.int64(lengths[coming])
        for line in range(min(_LINES, (many + 15) // 16)):
            prefetch(weights, ahead + 16 * line)
        for line in range(min(_LINES // 2, (many + 31) // 32)):
            prefetch(patterns, ahead + 32 * line)
        begin = np.int64(entries[visit])
        end = begin + np.int64(lengths[visit])
        lanes[:] = np.float32(0)
        entry = begin
        while entry < end and patterns[entry] < last:
            lanes[patterns[entry] - first] = weights[entry]
            entry += 1
        if patterns[entry - 1] - first < _HALF:  # few lanes are used at a time: often one half is empty
            add_half_row(products, 0, patterns, weights, begin, end, lanes)
        elif patterns[begin] - first >= _HALF:
            add_half_row(products, _HALF, patterns, weights, begin, end, lanes)
        else:
            add_row(products, 0, patterns, weights, begin, end, lanes)
