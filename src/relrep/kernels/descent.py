"""Algorithm 1's inner loop: instance by instance, the words cut into parts that threads share out.

A thread sums up both pattern vectors over the words of its own parts, and moves those words. What threads tell each
other is these sums. They are added in the order of the parts, so the bits do not depend on who computed them.

Words are moved as late as possible: when an instance needs a word, it first gets the step that is due from the last
instance that it was in, and then adds to the sums of this one. So every word of an instance comes from memory once.
"""

from functools import cache

import numpy as np
from numba import njit

from relrep.kernels.atomics import give_way, observe, publish
from relrep.kernels.descent_lists import LOW, ONE, SHIFT, list_all, list_words
from relrep.kernels.simd_descent import HALF, visit_two
from relrep.kernels.training import MENDING, activate

MOST = 14 * HALF
"""So many coordinates are written out at once."""
_AHEAD = 6
_PATIENCE = 1000  # who waits so long lets others use the processor: the one waited for may need it


@njit(inline="always")
def _weights_of(at, weights, factor):
    """What makes up the step that is due to a listed word, and its weights in both sums of this instance."""
    k = np.uint64(4) * at  # places without a sign, as in relrep.kernels.descent_lists
    one, two, three = k + ONE, k + np.uint64(2), k + np.uint64(3)
    return factor * weights[k], factor * weights[one], weights[two], weights[three]


@njit(inline="always")
def _walk(size, words, first, n, listed, weights, factors, way, whole, begin, seen, mending, left, right):
    """Visits the listed words, two by two, from the first on (way = 1) or from the last (way = −1).

    Their rows begin at words[first]; the steps that are due are made of the coordinates `begin` … of patterns.
    """
    row_size = 2 * size * HALF
    left[:] = np.float32(0)
    right[:] = np.float32(0)
    for number in range(0, n, 2):
        at = number if way > 0 else n - 2 - number
        here, soon = np.uint64(at), np.uint64(min(max(at + way * _AHEAD, 0), n - 2))
        one, two, three, four = listed[here], listed[here + ONE], listed[soon], listed[soon + ONE]
        rows = (
            first + row_size * np.int64(one & LOW),
            first + row_size * np.int64(two & LOW),
            first + row_size * np.int64(three & LOW),
            first + row_size * np.int64(four & LOW),
        )
        before, before_two = one >> SHIFT, two >> SHIFT
        places = (2 * whole * np.int64(before) + begin, 2 * whole * np.int64(before_two) + begin)
        visit_two(
            size, words, rows, seen, places, whole,
            _weights_of(here, weights, factors[before]) + _weights_of(here + ONE, weights, factors[before_two]),
            mending, left, right,
        )  # fmt: skip


@cache
def descent(size):
    """The loop for blocks of size · HALF coordinates, compiled for them alone.

    It closes over nothing but a number: numba finds a function that closes over others again only in the same process.
    """

    @njit(cache=True, nogil=True)
    def descend(
        order, left, right, target, n_patterns, starts, entries, sigma, rate, words, n_parts, n_blocks, low,
        high, last_in, due, told, done,
    ):  # fmt: skip
        """Goes through the instances `order` with the parts low ≤ part < high of words[part, block, word, 2, k], flat.

        It holds the words' coordinates (0) and AdaGrad's sums (1), k < size · HALF; the last word of a part is in no
        pattern. The `entries` (see relrep.kernels.descent_lists) from starts[part · n_patterns + pattern] on are the
        words of the part that are in the pattern, rising. `last_in` (uint32) and `due` (uint64), parts one after
        another, are room for what words still have to do.

        A part tells its share of p and q in told[number % 2, part], flat like the rest; `done[8 · part]` counts what it
        has told and starts at 0. All parts must be under way at once. Returns the summed loss and the number of
        instances on the right side, each seen before its own update.
        """
        width = size * HALF
        whole = n_blocks * width
        room = len(told) // (4 * n_parts)
        block_size = len(words) // (n_parts * n_blocks)
        n_words = block_size // (2 * width)
        mending = (-rate * MENDING[0], -rate * MENDING[1], -rate * MENDING[2])
        loss = 0.0
        n_correct = 0
        factors = np.zeros(len(order) + 1, dtype=np.float32)  # of none, of the first instance, …
        seen = np.zeros(len(factors) * 2 * whole, dtype=np.float32)  # their p and q
        of_p, of_q = np.empty(width, dtype=np.float32), np.empty(width, dtype=np.float32)
        listed = np.empty(n_words + 1, dtype=np.uint64)
        of_words = np.empty(2 * (n_words + 1), dtype=np.uint64)
        weights = of_words.view(np.float32)
        last_in[low * n_words : high * n_words] = 0
        due[low * n_words : high * n_words] = 0
        for number in range(1, len(order) + 1):
            i = order[number - 1]
            way = 1 if number & 1 else -1  # to and fro: each walk begins with what the cache still holds
            for step in range(high - low):
                part = low + step if way > 0 else high - 1 - step
                one, two = part * n_patterns + left[i], part * n_patterns + right[i]
                own = slice(part * n_words, (part + 1) * n_words)
                n = list_words(
                    starts[one], starts[one + 1], starts[two], starts[two + 1], entries, number, last_in[own],
                    due[own], listed, of_words,
                )  # fmt: skip
                at = ((number & 1) * n_parts + part) * 2 * room
                for block in range(n_blocks):
                    first = (part * n_blocks + block) * block_size
                    _walk(
                        size, words, first, n, listed, weights, factors, way, whole, block * width, seen, mending,
                        of_p, of_q,
                    )  # fmt: skip
                    told[at : at + width] = of_p
                    told[at + room : at + room + width] = of_q
                    at += width
                publish(done, 8 * part, number)
            p = seen[number * 2 * whole : (number * 2 + 1) * whole]
            q = seen[(number * 2 + 1) * whole : (number + 1) * 2 * whole]
            for part in range(n_parts):
                spins = 0
                while observe(done, 8 * part) < number:
                    spins += 1
                    if spins % _PATIENCE == 0:
                        give_way()
                at = ((number & 1) * n_parts + part) * 2 * room
                for k in range(whole):
                    p[k] += told[at + k]
                    q[k] += told[at + room + k]
            score = np.float32(0)
            for k in range(whole):
                score += p[k] * q[k]
            value, slope = activate(sigma, np.float64(score))
            off = value - target[i]
            loss += 0.5 * off * off
            n_correct += 1 if abs(off) < 0.5 else 0
            factors[number] = slope * off
        for part in range(low, high):  # what is still due
            own = slice(part * n_words, (part + 1) * n_words)
            n = list_all(last_in[own], due[own], listed, of_words)
            for block in range(n_blocks):
                first = (part * n_blocks + block) * block_size
                _walk(
                    size, words, first, n, listed, weights, factors, 1, whole, block * width, seen, mending, of_p, of_q,
                )  # fmt: skip
        return loss, n_correct

    return descend
