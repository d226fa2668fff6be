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
from relrep.kernels.simd_descent import HALF, visit_two
from relrep.kernels.training import MENDING, activate

MOST = 14 * HALF
"""So many coordinates are written out at once."""
_AHEAD = 6
_PATIENCE = 1000  # who waits so long lets others use the processor: the one waited for may need it


@njit(inline="always")
def _list_word(word, of_left, of_right, number, last_in, due, factors, n, listed, weights):
    """Notes what is to be done with a word: the step that is due to it, and its part of both sums of this instance."""
    before = last_in[word]
    listed[2 * n], listed[2 * n + 1] = word, before
    weights[4 * n] = factors[before] * due[2 * word]
    weights[4 * n + 1] = factors[before] * due[2 * word + 1]
    weights[4 * n + 2], weights[4 * n + 3] = of_left, of_right
    last_in[word] = number
    due[2 * word], due[2 * word + 1] = of_left, of_right
    return n + 1


@njit(cache=True, nogil=True)
def _list_words(e, e_end, f, f_end, columns, values, number, last_in, due, factors, listed, weights):
    """The words of two rows of the matrix, rising, and what is to be done with them; an even number, filled up.

    What fills up is the part's last word, which is in no pattern.
    """
    zero = np.float32(0)
    n = 0
    while e < e_end and f < f_end:  # without branches: nobody could guess which comes next
        x, y = columns[e], columns[f]
        is_left, is_right = x <= y, y <= x
        n = _list_word(
            min(x, y), values[e] if is_left else zero, values[f] if is_right else zero, number, last_in, due, factors,
            n, listed, weights,
        )  # fmt: skip
        e += np.int64(is_left)
        f += np.int64(is_right)
    for entry in range(e, e_end):
        n = _list_word(columns[entry], values[entry], zero, number, last_in, due, factors, n, listed, weights)
    for entry in range(f, f_end):
        n = _list_word(columns[entry], zero, values[entry], number, last_in, due, factors, n, listed, weights)
    if n % 2:
        n = _list_word(len(last_in) - 1, zero, zero, number, last_in, due, factors, n, listed, weights)
    return n


@njit(cache=True, nogil=True)
def _list_all(last_in, due, factors, listed, weights):
    """All words of a part, with the steps that are still due to them; an even number, the last perhaps twice."""
    n = 0
    for word in range(len(last_in)):
        n = _list_word(word, np.float32(0), np.float32(0), 0, last_in, due, factors, n, listed, weights)
    if n % 2:
        n = _list_word(len(last_in) - 1, np.float32(0), np.float32(0), 0, last_in, due, factors, n, listed, weights)
    return n


@njit(inline="always")
def _walk(size, words, first, n, listed, weights, way, whole, begin, seen, mending, left, right):
    """Visits the listed words, two by two, from the first on (way = 1) or from the last (way = −1).

    Their rows begin at words[first]; the steps that are due are made of the coordinates `begin` … of patterns.
    """
    row_size = 2 * size * HALF
    left[:] = np.float32(0)
    right[:] = np.float32(0)
    for number in range(0, n, 2):
        at = number if way > 0 else n - 2 - number
        soon = min(max(at + way * _AHEAD, 0), n - 2)
        rows = (
            first + row_size * listed[2 * at],
            first + row_size * listed[2 * at + 2],
            first + row_size * listed[2 * soon],
            first + row_size * listed[2 * soon + 2],
        )
        places = (2 * whole * listed[2 * at + 1] + begin, 2 * whole * listed[2 * at + 3] + begin)
        w = weights[4 * at : 4 * at + 8]
        visit_two(
            size, words, rows, seen, places, whole, (w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]), mending,
            left, right,
        )  # fmt: skip


@cache
def descent(size):
    """The loop for blocks of size · HALF coordinates, compiled for them alone.

    It closes over nothing but a number: numba finds a function that closes over others again only in the same process.
    """

    @njit(cache=True, nogil=True)
    def descend(
        order, left, right, target, n_patterns, starts, columns, values, sigma, rate, words, n_parts, n_blocks, low,
        high, last_in, due, told, done,
    ):  # fmt: skip
        """Goes through the instances `order` with the parts low ≤ part < high of words[part, block, word, 2, k], flat.

        It holds the words' coordinates (0) and AdaGrad's sums (1), k < size · HALF; the last word of a part is in no
        pattern. Row part · n_patterns + pattern of the sparse matrix holds the words of the part that are in the
        pattern, rising. `last_in` (int32, a word) and `due` (two numbers a word), parts one after another, are room for
        what words still have to do.

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
        listed = np.empty(2 * (n_words + 1), dtype=np.int64)
        weights = np.empty(4 * (n_words + 1), dtype=np.float32)
        last_in[low * n_words : high * n_words] = 0
        due[2 * low * n_words : 2 * high * n_words] = np.float32(0)
        for number in range(1, len(order) + 1):
            i = order[number - 1]
            way = 1 if number & 1 else -1  # to and fro: each walk begins with what the cache still holds
            for step in range(high - low):
                part = low + step if way > 0 else high - 1 - step
                one, two = part * n_patterns + left[i], part * n_patterns + right[i]
                own = slice(part * n_words, (part + 1) * n_words)
                n = _list_words(
                    starts[one], starts[one + 1], starts[two], starts[two + 1], columns, values, number, last_in[own],
                    due[2 * part * n_words :], factors, listed, weights,
                )  # fmt: skip
                at = ((number & 1) * n_parts + part) * 2 * room
                for block in range(n_blocks):
                    first = (part * n_blocks + block) * block_size
                    _walk(size, words, first, n, listed, weights, way, whole, block * width, seen, mending, of_p, of_q)
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
            n = _list_all(last_in[own], due[2 * part * n_words :], factors, listed, weights)
            for block in range(n_blocks):
                first = (part * n_blocks + block) * block_size
                _walk(size, words, first, n, listed, weights, 1, whole, block * width, seen, mending, of_p, of_q)
        return loss, n_correct

    return descend
