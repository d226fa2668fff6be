"""P = AX and its transpose, the loss on pattern pairs, and AdaGrad: the hot loops of training.

Sums over words, patterns or instances run in a fixed order within one row, and rows are never shared between threads.
Dot products may be summed in the order that suits the machine's vectors; it is the same for every call.
"""

import math

import numpy as np
from numba import njit

from relrep.kernels.cooccurrence import moved

TANH, LOGISTIC, RELU = 0, 1, 2
LEAST = np.float32(1e-30)  # under a root: estimates of reciprocal roots want normal numbers
GUESS = 0x5F280000
MENDING = (np.float32(2.0187936), np.float32(-1.5591537), np.float32(0.54138774))
_REORDER = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True)
def transposed_rows(
    low, high, pair_starts, by_second, second_starts, starts, patterns, weights, sizes, place, n_places
):  # fmt: skip
    """Rows low ≤ x < high of Aᵀ: A[p, x] = (Σ_v f(p, x, v) − Σ_u f(p, u, x)) / |R(p)|.

    Pairs of first word x are pair_starts[x] … ; those of second word x are by_second[second_starts[x]] … . Patterns are
    numbered by place[pattern] (-1: left out). Returns (row starts, places, values), places rising.
    """
    sums = np.zeros(len(place), dtype=np.float64)
    touched = np.zeros(len(place), dtype=np.bool_)
    row_starts = np.zeros(high - low + 1, dtype=np.int64)
    room = 1 << 16
    columns = np.empty(room, dtype=np.int32)
    values = np.empty(room, dtype=np.float32)
    n = 0
    for word in range(low, high):
        if n + n_places > room:
            room = 2 * (n + n_places)
            columns, values = moved(columns, values, n, room)
        seen = False
        for pair in range(pair_starts[word], pair_starts[word + 1]):
            for entry in range(starts[pair], starts[pair + 1]):
                sums[patterns[entry]] += weights[entry]
                touched[patterns[entry]] = True
                seen = True
        for second in range(second_starts[word], second_starts[word + 1]):
            pair = by_second[second]
            for entry in range(starts[pair], starts[pair + 1]):
                sums[patterns[entry]] -= weights[entry]
                touched[patterns[entry]] = True
                seen = True
        if seen:
            for pattern in range(len(place)):
                if touched[pattern]:
                    if place[pattern] >= 0:
                        columns[n] = place[pattern]
                        values[n] = sums[pattern] / sizes[pattern]
                        n += 1
                    sums[pattern] = 0.0
                    touched[pattern] = False
        row_starts[word - low + 1] = n
    return row_starts, columns[:n].copy(), values[:n].copy()


@njit(cache=True, nogil=True)
def transpose(starts, columns, values, n_columns, out_starts, out_columns, out_values):
    """The transpose of a sparse matrix, rows in order."""
    counts = np.zeros(n_columns + 1, dtype=np.int64)
    for entry in range(len(columns)):
        counts[columns[entry] + 1] += 1
    for column in range(n_columns):
        counts[column + 1] += counts[column]
    out_starts[:] = counts
    for row in range(len(starts) - 1):
        for entry in range(starts[row], starts[row + 1]):
            at = counts[columns[entry]]
            out_columns[at] = row
            out_values[at] = values[entry]
            counts[columns[entry]] = at + 1


@njit(cache=True, nogil=True)
def deal_out(starts, columns, values, n_parts, out_starts, entries):
    """A sparse matrix cut by columns: row part · n_rows + row has the columns c of a row with c % n_parts = part.

    They are numbered c // n_parts, in order, and each makes an entry with its value's bits (values is uint32), as
    relrep.kernels.descent_lists wants it. `out_starts` is 0 everywhere before.
    """
    n_rows = len(starts) - 1
    for row in range(n_rows):
        for entry in range(starts[row], starts[row + 1]):
            out_starts[columns[entry] % n_parts * n_rows + row + 1] += 1
    for row in range(n_parts * n_rows):
        out_starts[row + 1] += out_starts[row]
    at = np.empty(n_parts, dtype=np.int64)
    for row in range(n_rows):
        for part in range(n_parts):
            at[part] = out_starts[part * n_rows + row]
        for entry in range(starts[row], starts[row + 1]):
            part = columns[entry] % n_parts
            entries[at[part]] = np.uint64(columns[entry] // n_parts) << np.uint64(32) | np.uint64(values[entry])
            at[part] += 1


@njit(cache=True, nogil=True)
def multiply(low, high, starts, columns, values, rows, vectors, out):
    """out[i] = Σ values · vectors[columns] of sparse row rows[i], low ≤ i < high."""
    dim = vectors.shape[1]
    for i in range(low, high):
        for k in range(dim):
            out[i, k] = np.float32(0)
        for entry in range(starts[rows[i]], starts[rows[i] + 1]):
            value = values[entry]
            x = columns[entry]
            for k in range(dim):
                out[i, k] += value * vectors[x, k]


@njit(cache=True, nogil=True, fastmath=_REORDER)
def _dot(a, i, b, j, dim):
    total = np.float32(0)
    for k in range(dim):
        total += a[i, k] * b[j, k]
    return total


@njit(cache=True, nogil=True)
def activate(sigma, score):
    """σ(score) and σ'(score)."""
    if sigma == TANH:
        value = math.tanh(score)
        return value, 1.0 - value * value
    if sigma == LOGISTIC:
        value = 1.0 / (1.0 + math.exp(-score)) if score >= 0 else math.exp(score) / (1.0 + math.exp(score))
        return value, value * (1.0 - value)
    return (score, 1.0) if score > 0 else (0.0, 0.0)


@njit(cache=True, nogil=True)
def judge(low, high, left, right, target, vectors, sigma, factors, losses, correct):
    """For the instances low ≤ i < high: σ' (σ − t) into factors, ½ (t − σ)² into losses, and is σ on t's side?"""
    dim = vectors.shape[1]
    for i in range(low, high):
        score = np.float64(_dot(vectors, left[i], vectors, right[i], dim))
        value, slope = activate(sigma, score)
        off = value - target[i]
        factors[i] = slope * off
        losses[i] = 0.5 * off * off
        correct[i] = abs(off) < 0.5


@njit(cache=True, nogil=True)
def pull(low, high, starts, instances, others, factors, vectors, out):
    """out[p] = ∂L/∂p = Σ factor · p' over the instances of pattern p, low ≤ p < high, in order."""
    dim = vectors.shape[1]
    for p in range(low, high):
        for k in range(dim):
            out[p, k] = np.float32(0)
        for entry in range(starts[p], starts[p + 1]):
            factor = np.float32(factors[instances[entry]])
            other = others[entry]
            for k in range(dim):
                out[p, k] += factor * vectors[other, k]


@njit(cache=True, nogil=True, inline="always")
def reciprocal_root(x):
    """1 / √x of a normal positive float32, to two parts in a hundred thousand: a guess from its bits, mended once.

    With g the guess, 1/√x = g · z^(-½), z = x g²; the polynomial is the best of degree two for the z that occur. Root
    and division would take most of AdaGrad's time, and approximate instructions differ between processors.
    """
    guess = np.int32(GUESS - (np.float32(x).view(np.int32) >> 1)).view(np.float32)
    z = x * guess * guess
    return guess * ((MENDING[2] * z + MENDING[1]) * z + MENDING[0])


@njit(cache=True, nogil=True)
def descend(low, high, gradient, words, rate, vectors, sums):
    """AdaGrad: x ← x − rate · g / √Σg² for the words words[i], low ≤ i < high."""
    dim = vectors.shape[1]
    for i in range(low, high):
        x = words[i]
        for k in range(dim):
            slope = gradient[i, k]
            total = sums[i, k] + slope * slope
            sums[i, k] = total
            vectors[x, k] -= rate * slope * reciprocal_root(max(total, LEAST))
