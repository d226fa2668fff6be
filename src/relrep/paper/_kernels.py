"""The hot loops of the paper's method: f, cosines of patterns, P = AX, the loss, AdaGrad, Algorithm 1.

Sums over words, patterns, pairs or instances run in a fixed order within one row, and rows are never shared between
threads: no bit depends on how work is split or compiled.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.core.arrays import Floats, Longs
from relrep.core.compiling import njit

TANH, LOGISTIC, RELU = 0, 1, 2


class SparseRows(NamedTuple):
    """A sparse matrix by rows: row i holds columns[starts[i]:starts[i + 1]], rising, and their values."""

    starts: Longs
    columns: NDArray[Any]
    values: Floats

    @property
    def n_rows(self) -> int:
        return len(self.starts) - 1


PPMI, LLR, LMI = 0, 1, 2


@njit(cache=True, nogil=True)
def _term(k, a, b, total):
    return k * math.log(k * total / (a * b)) if k > 0 else 0.0


@njit(cache=True, nogil=True)
def weigh(starts, patterns, counts, low, high, pattern_totals, total, measure):
    """f of the rows (pairs) low ≤ i < high: (row starts, patterns, weights) of the entries above zero."""
    size = starts[high] - starts[low]
    row_starts = np.zeros(high - low + 1, dtype=np.int64)
    out_patterns = np.empty(size, dtype=np.int32)
    out_weights = np.empty(size, dtype=np.float32)
    n = 0
    for row in range(low, high):
        pair_total = 0
        for entry in range(starts[row], starts[row + 1]):
            pair_total += counts[entry - starts[low]]
        column = float(pair_total)
        for entry in range(starts[row], starts[row + 1]):
            pattern = patterns[entry - starts[low]]
            g = float(counts[entry - starts[low]])
            pattern_total = pattern_totals[pattern]
            if g * total <= pattern_total * column:
                continue
            pmi = math.log(g * total / (pattern_total * column))
            if measure == PPMI:
                weight = pmi
            elif measure == LMI:
                weight = g * pmi
            else:
                weight = 2.0 * (
                    _term(g, pattern_total, column, total)
                    + _term(pattern_total - g, pattern_total, total - column, total)
                    + _term(column - g, total - pattern_total, column, total)
                    + _term(total - pattern_total - column + g, total - pattern_total, total - column, total)
                )
            out_patterns[n] = pattern
            out_weights[n] = weight
            n += 1
        row_starts[row - low + 1] = n
    return row_starts, out_patterns[:n].copy(), out_weights[:n].copy()


@njit(cache=True, nogil=True)
def compare_patterns(low, high, by_pattern, by_pair, norms, at_least, at_most):
    """Cosines of the rows of f of patterns p and q, low ≤ p < high, p < q: those ≥ at_least or in (0, at_most].

    `by_pattern` holds f as patterns × pairs, `by_pair` as pairs × patterns. Returns (cosines, p, q).
    """
    pair_starts, pairs, pair_weights = by_pattern
    starts, patterns, weights = by_pair
    n_patterns = len(norms)
    products = np.zeros(n_patterns, dtype=np.float64)
    size = (high - low) * n_patterns
    cosines = np.empty(size, dtype=np.float64)
    left = np.empty(size, dtype=np.int32)
    right = np.empty(size, dtype=np.int32)
    n = 0
    for p in range(low, high):
        for of_pattern in range(pair_starts[p], pair_starts[p + 1]):
            pair, weight = pairs[of_pattern], np.float64(pair_weights[of_pattern])
            entry = starts[pair + 1] - 1
            while entry >= starts[pair] and patterns[entry] > p:  # from the end: only q > p
                products[patterns[entry]] += weight * np.float64(weights[entry])
                entry -= 1
        for q in range(p + 1, n_patterns):
            if products[q] > 0:
                cosine = products[q] / (norms[p] * norms[q])
                if cosine >= at_least or cosine <= at_most:
                    cosines[n], left[n], right[n] = cosine, p, q
                    n += 1
                products[q] = 0.0
    return cosines[:n].copy(), left[:n].copy(), right[:n].copy()


@njit(cache=True, nogil=True)
def transposed_rows(low, high, pair_starts, by_second, second_starts, f, sizes, row_of, n_rows):
    """Rows low ≤ x < high of Aᵀ: A[p, x] = H(p, x) / |R(p)|, H(p, x) = Σ_v f(p, x, v) − Σ_u f(p, u, x) (Eq. 14).

    Pairs of first word x are pair_starts[x] … ; those of second word x are by_second[second_starts[x]] … ; `f` are the
    rows of f by pair. Pattern p is row row_of[p] of A (-1: left out). Returns (row starts, rows of A, values).
    """
    starts, patterns, weights = f
    sums = np.zeros(len(row_of), dtype=np.float64)
    touched = np.zeros(len(row_of), dtype=np.bool_)
    row_starts = np.zeros(high - low + 1, dtype=np.int64)
    capacity = 1 << 16
    columns = np.empty(capacity, dtype=np.int32)
    values = np.empty(capacity, dtype=np.float32)
    n = 0
    for word in range(low, high):
        if n + n_rows > capacity:
            capacity = 2 * (n + n_rows)
            columns, values = grown(columns, values, n, capacity)
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
            for pattern in range(len(row_of)):
                if touched[pattern]:
                    if row_of[pattern] >= 0:
                        columns[n] = row_of[pattern]
                        values[n] = sums[pattern] / sizes[pattern]
                        n += 1
                    sums[pattern] = 0.0
                    touched[pattern] = False
        row_starts[word - low + 1] = n
    return row_starts, columns[:n].copy(), values[:n].copy()


@njit(cache=True, nogil=True)
def grown(columns, values, n, capacity):
    """The first n entries of both arrays, in arrays with more room."""
    new_columns = np.empty(capacity, dtype=columns.dtype)
    new_values = np.empty(capacity, dtype=values.dtype)
    new_columns[:n] = columns[:n]
    new_values[:n] = values[:n]
    return new_columns, new_values


@njit(cache=True, nogil=True)
def activate(sigma, score):
    """σ(score) (tanh: Eq. 6) and σ'(score)."""
    if sigma == TANH:
        value = math.tanh(score)
        return value, 1.0 - value * value
    if sigma == LOGISTIC:
        value = 1.0 / (1.0 + math.exp(-score)) if score >= 0 else math.exp(score) / (1.0 + math.exp(score))
        return value, value * (1.0 - value)
    return (score, 1.0) if score > 0 else (0.0, 0.0)


@njit(cache=True, nogil=True)
def dot(a, b):
    """aᵀb in double precision, summed in the order of the dimensions."""
    total = 0.0
    for k in range(len(a)):
        total += np.float64(a[k]) * np.float64(b[k])
    return total


@njit(cache=True, nogil=True)
def forward_loss(low, high, instances, patterns, sigma, factors, losses, correct):
    """For the instances low ≤ i < high: ½ (t − σ)² (Eq. 5) into losses, σ' (σ − t) (Eq. 13) into factors, and is σ on
    t's side?"""
    left, right, target = instances
    for i in range(low, high):
        value, slope = activate(sigma, dot(patterns[left[i]], patterns[right[i]]))
        off = value - target[i]
        factors[i] = slope * off
        losses[i] = 0.5 * off * off
        correct[i] = abs(off) < 0.5


@njit(cache=True, nogil=True)
def pattern_gradient(low, high, starts, instances, others, factors, patterns, gradient):
    """gradient[p] = ∂L/∂p = Σ factor · p' (Eq. 8, 9) over the instances of pattern p, low ≤ p < high, in order."""
    dim = patterns.shape[1]
    for p in range(low, high):
        gradient[p, :] = np.float32(0)
        for entry in range(starts[p], starts[p + 1]):
            factor = np.float32(factors[instances[entry]])
            other = patterns[others[entry]]
            for k in range(dim):
                gradient[p, k] += factor * other[k]


@njit(cache=True, nogil=True, error_model="numpy")
def adagrad_step(low, high, gradient, rate, vectors, sums):
    """AdaGrad: x ← x − rate · g / √Σg² (Algorithm 1, line 8) for the words low ≤ x < high."""
    dim = vectors.shape[1]
    for x in range(low, high):
        for k in range(dim):
            slope = gradient[x, k]
            sums[x, k] += slope * slope
            if sums[x, k] > 0:  # not so where all squares so far are too small for float32
                vectors[x, k] -= rate * slope / np.sqrt(sums[x, k])


@njit(cache=True, nogil=True)
def pattern_vector(row_words, row_values, vectors, out):
    """p = Σ_x A[p, x] x (Eq. 4), over the words of one row of A."""
    out[:] = np.float32(0)
    for entry in range(len(row_words)):
        value, x = row_values[entry], vectors[row_words[entry]]
        for k in range(len(out)):
            out[k] += value * x[k]


@njit(cache=True, nogil=True, error_model="numpy")
def sgd_pass(order, instances, rows, vectors, sums, sigma, rate):
    """Algorithm 1, lines 5 to 9: one pass over the instances in `order`; returns (summed loss, how many were right).

    Delayed updates: a pattern's vector is computed only when an instance needs it, from its row of A, the index of its
    words. A word of both patterns moves once, by the sum of both gradients.
    """
    left, right, target = instances
    starts, words, values = rows
    dim = vectors.shape[1]
    p1, p2 = np.empty(dim, dtype=np.float32), np.empty(dim, dtype=np.float32)
    loss, n_correct = 0.0, 0
    for i in order:  # line 5
        a, last_a = starts[left[i]], starts[left[i] + 1]
        b, last_b = starts[right[i]], starts[right[i] + 1]
        pattern_vector(words[a:last_a], values[a:last_a], vectors, p1)  # line 4, delayed
        pattern_vector(words[b:last_b], values[b:last_b], vectors, p2)
        value, slope = activate(sigma, dot(p1, p2))  # Eq. 6
        off = value - target[i]
        loss += 0.5 * off * off  # Eq. 5
        n_correct += 1 if abs(off) < 0.5 else 0
        factor = slope * off  # λ, Eq. 13
        while a < last_a or b < last_b:  # line 7: the words of both patterns, each once
            x = min(words[a] if a < last_a else words[b], words[b] if b < last_b else words[a])
            of_first, of_second = np.float32(0), np.float32(0)
            if a < last_a and words[a] == x:
                of_first = np.float32(factor * values[a])
                a += 1
            if b < last_b and words[b] == x:
                of_second = np.float32(factor * values[b])
                b += 1
            vector, squares = vectors[x], sums[x]
            for k in range(dim):  # line 8, AdaGrad
                gradient = of_first * p2[k] + of_second * p1[k]  # Eq. 12
                squares[k] += gradient * gradient
                if squares[k] > 0:
                    vector[k] -= rate * gradient / np.sqrt(squares[k])
    return loss, n_correct
