"""Algorithm 1's inner loop: instance by instance, the words cut into parts that threads share out.

A thread sums up both pattern vectors over the words of its own parts, and moves those words. What threads tell each
other is these sums. They are added in the order of the parts, so the bits do not depend on who computed them.
"""

from functools import cache

import numpy as np
from numba import njit

from relrep.kernels.atomics import give_way, observe, publish
from relrep.kernels.simd import LANES, prefetch
from relrep.kernels.simd_descent import HALF, adagrad_step, weighted_sum
from relrep.kernels.training import LEAST, activate

MOST = 14 * HALF
"""So many coordinates of a word, with as many sums, fit the registers at once."""
_AHEAD = 6
_PATIENCE = 1000  # who waits so long lets others use the processor: the one waited for may need it


@njit(inline="always")
def _fetch_sums(words, row, row_size):
    """Asks for the sums of a word that is moved soon; its coordinates were read a moment ago."""
    for k in range(row_size // 2, row_size, LANES):
        prefetch(words, row + k)


@cache
def descent(size):
    """The loop for blocks of size · HALF coordinates, compiled for them alone."""

    @njit(cache=True, nogil=True)
    def descend(
        order, left, right, target, n_patterns, starts, columns, values, sigma, rate, words, n_parts, n_blocks, low,
        high, p, q, told, done,
    ):  # fmt: skip
        """Goes through the instances `order` with the parts low ≤ part < high of words[part, block, word, 2, k], flat.

        It holds the words' coordinates (0) and AdaGrad's sums (1), k < size · HALF. Row part · n_patterns + pattern of
        the sparse matrix holds the words of the part that are in the pattern, rising. `p` and `q` are room for pattern
        vectors, all blocks of them.

        A part tells its share of p and q in told[number % 2, part], flat like the rest; `done[8 · part]` counts what it
        has told and starts at 0. All parts must be under way at once. Returns the summed loss and the number of
        instances on the right side, each seen before its own update.
        """
        width = size * HALF
        row_size = 2 * width
        whole = n_blocks * width
        room = len(told) // (4 * n_parts)
        block_size = len(words) // (n_parts * n_blocks)
        zero = np.float32(0)
        loss = 0.0
        n_correct = 0
        for number in range(len(order)):
            i = order[number]
            for part in range(low, high):
                one, two = part * n_patterns + left[i], part * n_patterns + right[i]
                at = ((number & 1) * n_parts + part) * 2 * room
                for block in range(n_blocks):
                    first = (part * n_blocks + block) * block_size
                    weighted_sum(size, told, at, words, first, columns, values, starts[one], starts[one + 1])
                    weighted_sum(size, told, at + room, words, first, columns, values, starts[two], starts[two + 1])
                    at += width
                publish(done, 8 * part, number + 1)
            for k in range(whole):
                p[k] = q[k] = zero
            for part in range(n_parts):
                spins = 0
                while observe(done, 8 * part) <= number:
                    spins += 1
                    if spins % _PATIENCE == 0:
                        give_way()
                at = ((number & 1) * n_parts + part) * 2 * room
                for k in range(whole):
                    p[k] += told[at + k]
                    q[k] += told[at + room + k]
            score = zero
            for k in range(whole):
                score += p[k] * q[k]
            value, slope = activate(sigma, np.float64(score))
            off = value - target[i]
            loss += 0.5 * off * off
            n_correct += 1 if abs(off) < 0.5 else 0
            factor = np.float32(slope * off)
            if factor == 0:
                continue
            for part in range(high - 1, low - 1, -1):  # all in falling order: the cache still holds what was seen last
                one, two = part * n_patterns + left[i], part * n_patterns + right[i]
                for block in range(n_blocks):
                    first, at = (part * n_blocks + block) * block_size, block * width
                    # Each word of the two once.
                    e, e_end = starts[one + 1] - 1, starts[one]
                    f, f_end = starts[two + 1] - 1, starts[two]
                    while e >= e_end and f >= f_end:  # without branches: nobody could guess which comes next
                        x, y = columns[e], columns[f]
                        a, b = factor * values[e], factor * values[f]
                        row = first + np.int64(max(x, y)) * row_size
                        _fetch_sums(words, first + np.int64(columns[max(e - _AHEAD, e_end)]) * row_size, row_size)
                        _fetch_sums(words, first + np.int64(columns[max(f - _AHEAD, f_end)]) * row_size, row_size)
                        adagrad_step(
                            size, words, row, a if x >= y else zero, q, b if y >= x else zero, p, at, rate, LEAST
                        )
                        e -= np.int64(x >= y)
                        f -= np.int64(y >= x)
                    for entry in range(e, e_end - 1, -1):
                        row = first + np.int64(columns[entry]) * row_size
                        adagrad_step(size, words, row, factor * values[entry], q, zero, p, at, rate, LEAST)
                    for entry in range(f, f_end - 1, -1):
                        row = first + np.int64(columns[entry]) * row_size
                        adagrad_step(size, words, row, zero, q, factor * values[entry], p, at, rate, LEAST)
        return loss, n_correct

    return descend
