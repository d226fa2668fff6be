"""The most and the least similar pairs of patterns, found with little knowledge of nearly half of the products."""

import numpy as np
from numba import njit

BINS = 1 << 16
_SLACK = 1.0001  # sums in float32 may come out a little above their bound
_MORE, _LESS = 1 + 1e-5, 1 - 1e-5  # so that rounding to float32 never decides


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
def count_similarities(products, first, places, step, n_patterns, norms, counts):
    """Adds to counts[i] the number of pairs p < q with BINS · similarity in [i, i + 1), for products as in `collect`.

    Pairs of patterns without a product are not counted; the last i has all from there on.
    """
    for number in range(len(places)):
        p = first + number
        for q in range(p + 1, n_patterns):
            product = np.float64(products[places[number] + step * q])
            if product > 0:
                counts[min(np.int64(BINS * (product / (norms[p] * norms[q]))), BINS - 1)] += 1


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
def collect(
    products, first, places, step, n_patterns, norms, starts, numbers, values, late_norms, row, bounds, extremes,
    at_least, at_most, similarities, left, right,
):  # fmt: skip
    """The pairs p < q, first ≤ p, with similarity ≥ at_least or in (0, at_most]; returns how many.

    There are as many patterns p as `places`; the product of p and q is products[places[p − first] + step · q]. It lacks
    the pairs whose rows stand, turned, in `starts`, `numbers` and `values`, and whose part of a pattern's length is
    `late_norms`. They are only added where it matters: no product is larger than that of the lengths, and none is below
    0. `row` (one place for each of these pairs) is 0, and is left so. What is looked at is
    either only pairs whose similarity without these is outside bounds[0] ≤ s < bounds[1] (`extremes`) or only others.
    """
    n = 0
    for number in range(len(places)):
        p = first + number
        low, high = _MORE * at_most * norms[p], _LESS * at_least * norms[p]
        likely_low, likely_high = bounds[0] * norms[p], bounds[1] * norms[p]
        late = _SLACK * late_norms[p]
        filled = False
        for q in range(p + 1, n_patterns):
            known = np.float64(products[places[number] + step * q])
            if (known < likely_low * norms[q] or known >= likely_high * norms[q]) != extremes:
                continue
            if known > low * norms[q] and known + late * late_norms[q] < high * norms[q]:
                continue
            if not filled:
                for entry in range(starts[p], starts[p + 1]):
                    row[numbers[entry]] = values[entry]
                filled = True
            product = known + np.float64(_product(row, starts, numbers, values, q))
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
