"""Algorithm 1's inner loop: instance by instance, the dimensions cut into slices that threads share out.

A thread computes both pattern vectors and moves the words in its own slices; all that threads tell each other is
their part of each dot product. The parts are added in the order of the slices, so the bits do not depend on who
computed them.
"""

import numpy as np
from numba import njit

from relrep.kernels.atomics import observe, publish
from relrep.kernels.simd import LANES, adagrad_step, add_scaled
from relrep.kernels.training import LEAST, activate

_NO_WORD = np.int32(2147483647)


@njit(cache=True, nogil=True)
def _combine(out, starts, columns, values, pattern, vectors, n_words, width, slice_):
    """A pattern's vector in one slice: the weighted sum of its words."""
    begin = slice_ * width
    out[begin : begin + width] = np.float32(0)
    for entry in range(starts[pattern], starts[pattern + 1]):
        row = (slice_ * n_words + np.int64(columns[entry])) * width
        for k in range(0, width, LANES):
            add_scaled(out, begin + k, values[entry], vectors, row + k)


@njit(cache=True, nogil=True)
def _part_of_product(p, q, width, slice_):
    total = np.float32(0)
    for k in range(slice_ * width, (slice_ + 1) * width):
        total += p[k] * q[k]
    return total


@njit(cache=True, nogil=True)
def _move_words(p, q, factor, left, right, starts, columns, values, rate, vectors, sums, n_words, width, slice_):
    """Updates the words of both patterns, each once, in rising order."""
    e, e_end = starts[left], starts[left + 1]
    f, f_end = starts[right], starts[right + 1]
    while e < e_end or f < f_end:
        x = columns[e] if e < e_end else _NO_WORD
        y = columns[f] if f < f_end else _NO_WORD
        a = np.float32(0)
        b = np.float32(0)
        word = min(x, y)
        if x == word:
            a = factor * values[e]
            e += 1
        if y == word:
            b = factor * values[f]
            f += 1
        row = (slice_ * n_words + np.int64(word)) * width
        for k in range(0, width, LANES):
            adagrad_step(vectors, sums, row + k, a, q, b, p, slice_ * width + k, rate, LEAST)


@njit(cache=True, nogil=True)
def descend_slices(
    order, left, right, target, starts, columns, values, sigma, rate, vectors, sums, n_slices, width, low, high, p, q,
    parts, done,
):  # fmt: skip
    """Goes through the instances `order` in the slices low ≤ s < high of the flat array vectors[s, word, k].

    `width`, the length of a slice, is a multiple of LANES. `p` and `q` (n_slices · width) are room for pattern vectors.

    `done[8 · s]` counts the products that slice s has told, in parts[number % 2, s]; it starts at 0. All slices must be
    under way at once. Returns the summed loss and the number of instances on the right side, each seen before its own
    update.
    """
    n_words = len(vectors) // (n_slices * width)
    loss = 0.0
    n_correct = 0
    for number in range(len(order)):
        i = order[number]
        for slice_ in range(low, high):
            _combine(p, starts, columns, values, left[i], vectors, n_words, width, slice_)
            _combine(q, starts, columns, values, right[i], vectors, n_words, width, slice_)
            parts[number & 1, slice_] = _part_of_product(p, q, width, slice_)
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
                    p, q, factor, left[i], right[i], starts, columns, values, rate, vectors, sums, n_words, width,
                    slice_,
                )  # fmt: skip
    return loss, n_correct
