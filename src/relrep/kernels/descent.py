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
from relrep.kernels.simd_descent import HALF, visit
from relrep.kernels.training import activate

MOST = 14 * HALF
"""So many coordinates are written out at once."""
_AHEAD = 6
_PATIENCE = 1000  # who waits so long lets others use the processor: the one waited for may need it


@cache
def descent(size):
    """The loop for blocks of size · HALF coordinates, compiled for them alone."""

    @njit(inline="always")
    def touch(
        words, first, word, soon, later, of_left, of_right, number, last_in, due, factors, seen, block, ends, rate,
        left, right,
    ):  # fmt: skip
        """The step that is due to a word, then its part of both sums of instance `number`.

        With the last block of its coordinates it is remembered what will be due. `soon` and `later` are words to come.
        """
        width = size * HALF
        whole = len(seen) // (2 * len(factors))
        before = last_in[word]
        p_at = np.int64(before) * 2 * whole + block * width
        a, b = factors[before] * due[2 * word], factors[before] * due[2 * word + 1]
        row = first + np.int64(word) * 2 * width
        soon_row, later_row = first + np.int64(soon) * 2 * width, first + np.int64(later) * 2 * width
        visit(
            size, words, row, soon_row, later_row, a, p_at + whole, b, p_at, seen, rate, of_left, left, of_right, right
        )
        if ends:
            last_in[word] = number
            due[2 * word] = of_left
            due[2 * word + 1] = of_right

    @njit(cache=True, nogil=True)
    def descend(
        order, left, right, target, n_patterns, starts, columns, values, sigma, rate, words, n_parts, n_blocks, low,
        high, last_in, due, told, done,
    ):  # fmt: skip
        """Goes through the instances `order` with the parts low ≤ part < high of words[part, block, word, 2, k], flat.

        It holds the words' coordinates (0) and AdaGrad's sums (1), k < size · HALF. Row part · n_patterns + pattern of
        the sparse matrix holds the words of the part that are in the pattern, rising. `last_in` (int32, a word)
        and `due` (two numbers a word), parts one after another, are room for what words still have to do.

        A part tells its share of p and q in told[number % 2, part], flat like the rest; `done[8 · part]` counts what it
        has told and starts at 0. All parts must be under way at once. Returns the summed loss and the number of
        instances on the right side, each seen before its own update.
        """
        width = size * HALF
        row_size = 2 * width
        whole = n_blocks * width
        room = len(told) // (4 * n_parts)
        block_size = len(words) // (n_parts * n_blocks)
        n_words = block_size // row_size
        zero = np.float32(0)
        loss = 0.0
        n_correct = 0
        factors = np.zeros(len(order) + 1, dtype=np.float32)  # of none, of the first instance, …
        seen = np.zeros(len(factors) * 2 * whole, dtype=np.float32)  # their p and q
        of_p, of_q = np.empty(width, dtype=np.float32), np.empty(width, dtype=np.float32)
        last_in[low * n_words : high * n_words] = 0
        due[2 * low * n_words : 2 * high * n_words] = zero
        for number in range(1, len(order) + 1):
            i = order[number - 1]
            way = 1 if number & 1 else -1  # to and fro: each walk begins with what the cache still holds
            for step in range(high - low):
                part = low + step if way > 0 else high - 1 - step
                one, two = part * n_patterns + left[i], part * n_patterns + right[i]
                own_last, own_due = last_in[part * n_words :], due[2 * part * n_words :]
                at = ((number & 1) * n_parts + part) * 2 * room
                for block in range(n_blocks):
                    first = (part * n_blocks + block) * block_size
                    ends = block == n_blocks - 1
                    of_p[:] = zero
                    of_q[:] = zero
                    e_low, e_high = starts[one], starts[one + 1] - 1
                    f_low, f_high = starts[two], starts[two + 1] - 1
                    e, e_end = (e_low, e_high + 1) if way > 0 else (e_high, e_low - 1)
                    f, f_end = (f_low, f_high + 1) if way > 0 else (f_high, f_low - 1)
                    while e != e_end and f != f_end:  # without branches: nobody could guess which comes next
                        x, y = columns[e], columns[f]
                        soon = columns[min(max(e + way * _AHEAD, e_low), e_high)]
                        later = columns[min(max(f + way * _AHEAD, f_low), f_high)]
                        is_left, is_right = way * x <= way * y, way * y <= way * x
                        touch(
                            words, first, x if is_left else y, soon, later, values[e] * np.float32(is_left),
                            values[f] * np.float32(is_right), number, own_last, own_due, factors, seen, block,
                            ends, rate, of_p, of_q,
                        )  # fmt: skip
                        e += way * np.int64(is_left)
                        f += way * np.int64(is_right)
                    while e != e_end:
                        x = columns[e]
                        touch(
                            words, first, x, x, x, values[e], zero, number, own_last, own_due, factors, seen, block,
                            ends, rate, of_p, of_q,
                        )  # fmt: skip
                        e += way
                    while f != f_end:
                        x = columns[f]
                        touch(
                            words, first, x, x, x, zero, values[f], number, own_last, own_due, factors, seen, block,
                            ends, rate, of_p, of_q,
                        )  # fmt: skip
                        f += way
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
            score = zero
            for k in range(whole):
                score += p[k] * q[k]
            value, slope = activate(sigma, np.float64(score))
            off = value - target[i]
            loss += 0.5 * off * off
            n_correct += 1 if abs(off) < 0.5 else 0
            factors[number] = slope * off
        for part in range(low, high):  # what is still due
            own_last, own_due = last_in[part * n_words :], due[2 * part * n_words :]
            for block in range(n_blocks):
                first = (part * n_blocks + block) * block_size
                for word in range(n_words):
                    touch(
                        words, first, word, word, word, zero, zero, 0, own_last, own_due, factors, seen, block, False,
                        rate, of_p, of_q,
                    )  # fmt: skip
        return loss, n_correct

    return descend
