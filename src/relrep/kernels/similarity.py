"""All pattern pairs' similarities, a block of patterns at a time: one vector instruction serves them all."""

import numpy as np
from numba import njit

from relrep.kernels.simd import LANES, add_row, outside, prefetch

BLOCK = LANES
_AHEAD = 12  # pairs are far from each other in memory: a row soon to come is asked for early
_LINES = 8
_SLACK = 1.0001  # sums in float32 may come out a little above their bound
_MORE, _LESS = 1 + 1e-5, 1 - 1e-5  # so that rounding to float32 never decides


@njit(cache=True, nogil=True)
def count_visits(starts, patterns, left_out, low, high, visits):
    """Adds to visits[block] the number of pairs low ≤ pair < high, not left out, that have a pattern of the block."""
    for pair in range(low, high):
        if left_out[pair]:
            continue
        last = -1
        for entry in range(starts[pair], starts[pair + 1]):
            block = patterns[entry] // BLOCK
            if block != last:
                visits[block] += 1
                last = block


@njit(cache=True, nogil=True)
def list_visits(starts, patterns, left_out, low, high, at, entries, lengths):
    """For each block the rows that reach it, in the order of their pairs: where, and how much of the row is left there.

    Those of a block are written from at[block] on.
    """
    for pair in range(low, high):
        if left_out[pair]:
            continue
        last = -1
        end = starts[pair + 1]
        for entry in range(starts[pair], end):
            block = patterns[entry] // BLOCK
            if block != last:
                entries[at[block]] = entry
                lengths[at[block]] = end - entry
                at[block] += 1
                last = block


@njit(cache=True, nogil=True)
def count_by_pattern(starts, patterns, pairs, counts):
    """Adds to counts[p + 1] the number of the given pairs that have pattern p."""
    for pair in pairs:
        for entry in range(starts[pair], starts[pair + 1]):
            counts[patterns[entry] + 1] += 1


@njit(cache=True, nogil=True)
def list_by_pattern(starts, patterns, weights, pairs, at, numbers, values, squares):
    """The rows of the given pairs, turned: for each pattern the numbers of its pairs and its weights there."""
    for number in range(len(pairs)):
        for entry in range(starts[pairs[number]], starts[pairs[number] + 1]):
            pattern = patterns[entry]
            numbers[at[pattern]] = number
            values[at[pattern]] = weights[entry]
            at[pattern] += 1
            squares[pattern] += np.float64(weights[entry]) * np.float64(weights[entry])


@njit(cache=True, nogil=True)
def block_products(patterns, weights, first, entries, lengths, lanes, products):
    """products[q · BLOCK + l] = Σ_pairs f(first + l, pair) · f(q, pair) for all patterns q ≥ first, l < BLOCK.

    `entries` and `lengths` are the block's visits. The sums run over the pairs in order, in float32. `products` and
    `lanes` should begin at a multiple of 64 bytes, so that no vector lies across two lines of the cache.
    """
    products[first * BLOCK :] = np.float32(0)
    last = first + BLOCK
    for visit in range(len(entries)):
        ahead = np.int64(entries[min(visit + _AHEAD, len(entries) - 1)])
        for line in range(_LINES):
            prefetch(weights, ahead + 16 * line)
        for line in range(_LINES // 2):
            prefetch(patterns, ahead + 32 * line)
        begin = np.int64(entries[visit])
        end = begin + np.int64(lengths[visit])
        lanes[:] = np.float32(0)
        entry = begin
        while entry < end and patterns[entry] < last:
            lanes[patterns[entry] - first] = weights[entry]
            entry += 1
        add_row(products, patterns, weights, begin, end, lanes)


@njit(cache=True, nogil=True)
def _product(row, starts, numbers, values, pattern):
    """The product of a row, held in full, with a pattern's; four sums, as an addition waits for the one before."""
    a = b = c = d = np.float32(0)
    entry, end = starts[pattern], starts[pattern + 1]
    while entry + 4 <= end:
        a += row[numbers[entry]] * values[entry]
        b += row[numbers[entry + 1]] * values[entry + 1]
        c += row[numbers[entry + 2]] * values[entry + 2]
        d += row[numbers[entry + 3]] * values[entry + 3]
        entry += 4
    while entry < end:
        a += row[numbers[entry]] * values[entry]
        entry += 1
    return (a + b) + (c + d)


@njit(cache=True, nogil=True)
def _find_undecided(products, first, n_patterns, norms, late_norms, at_least, at_most, lanes, undecided):
    """undecided[q], for q ≥ first: bit l says that (first + l, q) may be one of those that `collect` returns."""
    own, own_late = lanes[:BLOCK], lanes[BLOCK : 2 * BLOCK]
    for lane in range(min(BLOCK, n_patterns - first)):
        own[lane] = norms[first + lane]
        own_late[lane] = late_norms[first + lane]
    for q in range(first, n_patterns):
        low, high = np.float32(_MORE * at_most * norms[q]), np.float32(_LESS * at_least * norms[q])
        late = np.float32(_SLACK * late_norms[q])
        undecided[q] = outside(products, q * BLOCK, own, low, own, high, own_late, late)


@njit(cache=True, nogil=True)
def collect(
    products, first, n_patterns, norms, starts, numbers, values, late_norms, row, lanes, undecided, at_least, at_most,
    similarities, left, right,
):  # fmt: skip
    """The pairs (p, q), p in the block, p < q, with similarity ≥ at_least or in (0, at_most]; returns how many.

    `products` lacks the pairs whose rows stand, turned, in `starts`, `numbers` and `values`, and whose part of a
    pattern's length is `late_norms`. They are only added where it matters: no product is larger than that of the
    lengths, and none is below 0. `row` (one place for each of these pairs) is 0, and is left so; `lanes` is room for
    twice BLOCK numbers, `undecided` for a number a pattern.
    """
    _find_undecided(products, first, n_patterns, norms, late_norms, at_least, at_most, lanes, undecided)
    n = 0
    for lane in range(min(BLOCK, n_patterns - first)):
        p = first + lane
        filled = False
        for q in range(p + 1, n_patterns):
            if not undecided[q] >> lane & 1:
                continue
            if not filled:
                for entry in range(starts[p], starts[p + 1]):
                    row[numbers[entry]] = values[entry]
                filled = True
            product = np.float64(products[q * BLOCK + lane]) + np.float64(_product(row, starts, numbers, values, q))
            if product > 0:
                similarity = product / (norms[p] * norms[q])
                if similarity >= at_least or similarity <= at_most:
                    similarities[n] = similarity
                    left[n] = p
                    right[n] = q
                    n += 1
        if filled:
            for entry in range(starts[p], starts[p + 1]):
                row[numbers[entry]] = np.float32(0)
    return n
