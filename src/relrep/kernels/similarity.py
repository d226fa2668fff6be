"""All pattern pairs' similarities, a block of patterns at a time: one vector instruction serves all patterns of the block."""

import numpy as np
from numba import njit

from relrep.kernels.simd import LANES, add_scaled

BLOCK = LANES


@njit(cache=True, nogil=True)
def block_products(starts, patterns, weights, cursors, first, products):
    """products[q · BLOCK + l] = Σ_pairs f(first + l, pair) · f(q, pair) for all patterns q ≥ first, l < BLOCK.

    `cursors[pair]` is at or before the pair's first entry of a pattern ≥ first, and is moved there: blocks must come in
    rising order. The sums run over the pairs in order, in float32.
    """
    products[first * BLOCK :] = np.float32(0)
    last = first + BLOCK
    lanes = np.empty(BLOCK, dtype=np.float32)
    for pair in range(len(cursors)):
        entry = cursors[pair]
        end = starts[pair + 1]
        while entry < end and patterns[entry] < first:
            entry += 1
        cursors[pair] = entry
        if entry == end or patterns[entry] >= last:
            continue
        lanes[:] = np.float32(0)
        inner = entry
        while inner < end and patterns[inner] < last:
            lanes[patterns[inner] - first] = weights[inner]
            inner += 1
        for other in range(entry, end):
            add_scaled(products, np.int64(patterns[other]) * BLOCK, weights[other], lanes, 0)


@njit(cache=True, nogil=True)
def collect(products, first, n_patterns, norms, at_least, at_most, similarities, left, right):
    """The pairs (p, q), p in the block, p < q, with similarity ≥ at_least or 0 < similarity ≤ at_most; returns how many."""
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
