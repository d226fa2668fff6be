"""Algorithm 1's inner loop: instance by instance, the dimensions cut into slices that threads share out.

A thread computes both pattern vectors and moves the words in its own slices; all that threads tell each other is
their part of each dot product. The parts are added in the order of the slices, so the bits do not depend on who
computed them.
"""

import numpy as np
from numba import njit

from relrep.kernels.atomics import observe, publish
from relrep.kernels.simd import LANES
from relrep.kernels.simd_descent import adagrad_step, weighted_sum
from relrep.kernels.training import LEAST, activate

MOST = 4 * LANES
"""So wide is a slice at most."""


@njit(cache=True, nogil=True)
def _combine(out, starts, columns, values, pattern, words, first, width, at):
    """A pattern's vector in one slice, which begins at words[first]: the weighted sum of its words, in out[at:]."""
    low, high = starts[pattern], starts[pattern + 1]
    if width == LANES:
        weighted_sum(1, out, at, words, first, columns, values, low, high)
    elif width == 2 * LANES:
        weighted_sum(2, out, at, words, first, columns, values, low, high)
    elif width == 3 * LANES:
        weighted_sum(3, out, at, words, first, columns, values, low, high)
    else:
        weighted_sum(4, out, at, words, first, columns, values, low, high)


@njit(cache=True, nogil=True)
def _part_of_product(p, q, width, at):
    total = np.float32(0)
    for k in range(at, at + width):
        total += p[k] * q[k]
    return total


@njit(inline="always")
def _move_word(words, row, a, q, b, p, at, rate, width):
    if width == LANES:
        adagrad_step(1, words, row, a, q, b, p, at, rate, LEAST)
    elif width == 2 * LANES:
        adagrad_step(2, words, row, a, q, b, p, at, rate, LEAST)
    elif width == 3 * LANES:
        adagrad_step(3, words, row, a, q, b, p, at, rate, LEAST)
    else:
        adagrad_step(4, words, row, a, q, b, p, at, rate, LEAST)


@njit(cache=True, nogil=True)
def _move_words(p, q, factor, left, right, starts, columns, values, rate, words, first, width, at):
    """Updates the words of both patterns, each once, in falling order: the cache still holds those seen last."""
    zero = np.float32(0)
    e, e_end = starts[left + 1] - 1, starts[left]
    f, f_end = starts[right + 1] - 1, starts[right]
    while e >= e_end and f >= f_end:  # without branches: nobody could guess which comes next
        x, y = columns[e], columns[f]
        a, b = factor * values[e], factor * values[f]
        row = first + np.int64(max(x, y)) * 2 * width
        _move_word(words, row, a if x >= y else zero, q, b if y >= x else zero, p, at, rate, width)
        e -= np.int64(x >= y)
        f -= np.int64(y >= x)
    for entry in range(e, e_end - 1, -1):
        row = first + np.int64(columns[entry]) * 2 * width
        _move_word(words, row, factor * values[entry], q, zero, p, at, rate, width)
    for entry in range(f, f_end - 1, -1):
        row = first + np.int64(columns[entry]) * 2 * width
        _move_word(words, row, zero, q, factor * values[entry], p, at, rate, width)


@njit(cache=True, nogil=True)
def descend_slices(
    order, left, right, target, starts, columns, values, sigma, rate, words, n_slices, width, low, high, p, q, parts,
    done,
):  # fmt: skip
    """Goes through the instances `order` in the slices low ≤ s < high of the flat array words[s, word, 2, k].

    It holds the words' coordinates (0) and AdaGrad's sums (1). `width`, the length of a slice, is LANES, or up to four
    times that. `p` and `q` (n_slices · width) are room for pattern vectors.

    `done[8 · s]` counts the products that slice s has told, in parts[number % 2, s]; it starts at 0. All slices must be
    under way at once. Returns the summed loss and the number of instances on the right side, each seen before its own
    update.
    """
    slice_size = len(words) // n_slices
    loss = 0.0
    n_correct = 0
    for number in range(len(order)):
        i = order[number]
        for slice_ in range(low, high):
            first, at = slice_ * slice_size, slice_ * width
            _combine(p, starts, columns, values, left[i], words, first, width, at)
            _combine(q, starts, columns, values, right[i], words, first, width, at)
            parts[number & 1, slice_] = _part_of_product(p, q, width, at)
            publish(done, 8 * slice_, number + 1)
        score = 0.0
        for slice_ in range(n_slices):
            while observe(done, 8 * slice_) <= number:
                pass
            score += parts[number & 1, slice_]
        value, slope = activate(sigma, score)
        off = value - target[i]
        loss += 0.5 * off * off
        n_correct += 1 if abs(off) < 0.5 else 0
        factor = np.float32(slope * off)
        if factor != 0:
            for slice_ in range(low, high):
                _move_words(
                    p, q, factor, left[i], right[i], starts, columns, values, rate, words, slice_ * slice_size, width,
                    slice_ * width,
                )  # fmt: skip
    return loss, n_correct
