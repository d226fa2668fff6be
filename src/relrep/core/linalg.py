"""Dense linear algebra that several packages share."""

import numpy as np
from numpy.typing import NDArray

from relrep.core.threads import run_in_threads

_ROWS_IN_CACHE = 4096


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors at unit length; a row of zeros stays one.

    >>> unit_rows(np.array([[0, 2], [0, 0]], dtype=np.float32)).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms == 0, 1, norms), dtype=np.float32)


def top_rows(scores: NDArray[np.floating], n: int) -> NDArray[np.int64]:
    """The rows of the `n` highest scores above −∞, the highest first, ties by row.

    >>> top_rows(np.array([0.5, 0.9, 0.5, -np.inf]), 2).tolist()
    [1, 0]
    """
    n = max(0, min(n, len(scores)))
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    least = np.partition(scores, len(scores) - n)[len(scores) - n]
    rows = np.flatnonzero((scores >= least) & (scores > -np.inf))
    return rows[np.argsort(-scores[rows], kind="stable")][:n]


def row_products(rows: NDArray[np.generic], queries: NDArray[np.float32], threads: int = 1) -> NDArray[np.float32]:
    """queries · rowsᵀ: some rows at a time, so that they are read once, and a vector at a time, as BLAS likes it.

    >>> row_products(np.array([[1, 2], [3, 4]], dtype=np.int8), np.array([[1, 0]], dtype=np.float32)).tolist()
    [[1.0, 3.0]]
    """
    products = np.empty((len(queries), len(rows)), dtype=np.float32)

    def multiply(low: int) -> None:
        block = rows[low : low + _ROWS_IN_CACHE].astype(np.float32, copy=False)
        for number, query in enumerate(queries):
            np.dot(block, query, out=products[number, low : low + len(block)])

    for _ in run_in_threads(multiply, range(0, len(rows), _ROWS_IN_CACHE), threads):
        pass
    return products


def product_over_rows(
    left: NDArray[np.float32], right: NDArray[np.float32], rows_at_once: int = 4096
) -> NDArray[np.float64]:
    """leftᵀ right in double precision, in blocks of rows added in order, whose size is fixed whatever the machine.

    >>> product_over_rows(np.ones((3, 1), dtype=np.float32), np.full((3, 1), 2, dtype=np.float32)).tolist()
    [[6.0]]
    """
    total = np.zeros((left.shape[1], right.shape[1]))
    for low in range(0, len(left), rows_at_once):
        some = slice(low, low + rows_at_once)
        block = left[some].astype(np.float64)
        total += block.T @ (block if right is left else right[some].astype(np.float64))
    return total
