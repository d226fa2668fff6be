"""Kernels of relational search: cosines of word differences, without ever storing a difference.

(u − v)·q = u·q − v·q, so a query needs one product per word and then two look-ups per pair; the lengths
|u − v| do not depend on the query. All sums run in a fixed order, so that the bits do not depend on threads.
"""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def project(unit: NDArray[np.float32], queries: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """out[q, x] = x·q for every word and query: the words, which are many, are read once for all queries.

    The compiler may take the numbers of a sum several at a time, in an order that is the same for every word.
    """
    dim = unit.shape[1]
    for word in range(len(unit)):
        for query in range(len(queries)):
            total = 0.0
            for k in range(dim):
                total += np.float64(unit[word, k]) * queries[query, k]
            out[query, word] = total


@njit(cache=True, nogil=True)
def distance(x: NDArray[np.float32], y: NDArray[np.float32]) -> float:
    """|x − y|."""
    dim = len(x)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    k = 0
    while k + 4 <= dim:
        e, f, g, h = x[k] - y[k], x[k + 1] - y[k + 1], x[k + 2] - y[k + 2], x[k + 3] - y[k + 3]
        a += e * e
        b += f * f
        c += g * g
        d += h * h
        k += 4
    while k < dim:
        e = x[k] - y[k]
        a += e * e
        k += 1
    return float(np.sqrt((a + b) + (c + d)))


@njit(cache=True, nogil=True)
def pair_lengths(
    unit: NDArray[np.float32], u: NDArray[np.int32], v: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """out[i] = |u − v| for every pair."""
    for pair in range(len(u)):
        out[pair] = distance(unit[u[pair]], unit[v[pair]])


@njit(cache=True, nogil=True)
def pair_cosines(
    projected: NDArray[np.float64],
    u: NDArray[np.int32],
    v: NDArray[np.int32],
    lengths: NDArray[np.float32],
    query_length: float,
    out: NDArray[np.float32],
) -> None:
    """out[i] = cos(u − v, q); 0 where either has no length."""
    for pair in range(len(u)):
        scale = lengths[pair] * query_length
        out[pair] = (projected[u[pair]] - projected[v[pair]]) / scale if scale > 0 else 0.0


@njit(cache=True, nogil=True)
def slot_cosines(
    unit: NDArray[np.float32],
    projected: NDArray[np.float64],
    fixed: int,
    fixed_projected: float,
    words: NDArray[np.int64],
    query_length: float,
    out: NDArray[np.float32],
) -> None:
    """out[i] = cos(fixed − words[i], q) for one fixed word; its negative is cos(words[i] − fixed, q)."""
    for i in range(len(words)):
        scale = distance(unit[fixed], unit[words[i]]) * query_length
        out[i] = (fixed_projected - projected[words[i]]) / scale if scale > 0 else 0.0


@njit(cache=True, nogil=True)
def pattern_sums(
    unit: NDArray[np.float32],
    u: NDArray[np.int32],
    v: NDArray[np.int32],
    indptr: NDArray[np.int64],
    pattern: NDArray[np.int32],
    weight: NDArray[np.float32],
    first_dim: int,
    last_dim: int,
    out: NDArray[np.float64],
) -> None:
    """Adds f(p,u,v) (u − v) to out[p] for every entry of f, in the dimensions first_dim : last_dim."""
    difference = np.empty(last_dim - first_dim, dtype=np.float64)
    for pair in range(len(u)):
        x, y = unit[u[pair]], unit[v[pair]]
        for k in range(first_dim, last_dim):
            difference[k - first_dim] = np.float64(x[k]) - np.float64(y[k])
        for entry in range(indptr[pair], indptr[pair + 1]):
            row, w = out[pattern[entry]], np.float64(weight[entry])
            for k in range(first_dim, last_dim):
                row[k] += w * difference[k - first_dim]


@njit(cache=True, nogil=True)
def best_places(scores: NDArray[np.float32], n: int) -> NDArray[np.int64]:
    """The places of the `n` highest scores above −∞, the highest first, ties by place: one pass with a heap.

    The root of the heap is the worst that is kept: the lowest score, of equal ones the last place.
    """
    values, places = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.int64)
    size = 0
    for place in range(len(scores) if n > 0 else 0):
        score = scores[place]
        if not score > -np.inf or (size == n and not score > values[0]):
            continue
        if size < n:
            at = size
            size += 1
            while at > 0 and values[(at - 1) >> 1] >= score:  # an equal one before it is better
                values[at], places[at] = values[(at - 1) >> 1], places[(at - 1) >> 1]
                at = (at - 1) >> 1
            values[at], places[at] = score, place
        else:
            _sink(values, places, size, score, place)
    found = np.empty(size, dtype=np.int64)
    for last in range(size - 1, -1, -1):
        found[last] = places[0]
        _sink(values, places, last, values[last], places[last])
    return found


@njit(cache=True, nogil=True)
def _sink(values: NDArray[np.float32], places: NDArray[np.int64], size: int, score: float, place: int) -> None:
    """Puts an entry in the place of the root of a heap of so many entries, and restores its order."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _is_worse(values[child + 1], places[child + 1], values[child], places[child]):
            child += 1
        if not _is_worse(values[child], places[child], score, place):
            break
        values[at], places[at] = values[child], places[child]
        at = child
    values[at], places[at] = score, place


@njit(cache=True, nogil=True, inline="always")
def _is_worse(score: float, place: int, other_score: float, other_place: int) -> bool:
    return score < other_score or (score == other_score and place > other_place)
