"""Kernels of relational search: cosines of word differences, without ever storing a difference.

(u − v)·q = u·q − v·q, so a query needs one product per word and then two look-ups per pair; the lengths
|u − v| do not depend on the query. All sums run in a fixed order, so that the bits never change; four sums
side by side keep the processor busy.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def project(unit: NDArray[np.float32], query: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """out[x] = x·q for every word."""
    dim = unit.shape[1]
    for word in range(len(unit)):
        row = unit[word]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        k = 0
        while k + 4 <= dim:
            a += row[k] * query[k]
            b += row[k + 1] * query[k + 1]
            c += row[k + 2] * query[k + 2]
            d += row[k + 3] * query[k + 3]
            k += 4
        while k < dim:
            a += row[k] * query[k]
            k += 1
        out[word] = (a + b) + (c + d)


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
