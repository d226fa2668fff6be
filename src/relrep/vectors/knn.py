"""The rows of a matrix most similar to a vector, a block of rows at a time."""

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError

_BLOCK_ROWS = 16_384
_MARGIN = 1e-4
"""Far more than float32 products of unit vectors can differ by rounding."""


def row_norms(matrix: NDArray[np.floating]) -> NDArray[np.float64]:
    """The length of every row."""
    norms = np.empty(len(matrix), dtype=np.float64)
    for start in range(0, len(matrix), _BLOCK_ROWS):
        block = np.asarray(matrix[start : start + _BLOCK_ROWS], dtype=np.float64)
        norms[start : start + _BLOCK_ROWS] = np.sqrt((block * block).sum(axis=1))
    return norms


def nearest_rows(
    matrix: NDArray[np.floating],
    norms: NDArray[np.float64],
    query: NDArray[np.float64],
    count: int,
    excluded: set[int],
) -> list[tuple[int, float]]:
    """The `count` rows with the greatest cosine to `query`, with it; ties go to the lower row.

    A blocked product in the matrix's own precision finds the candidates; these are then scored again in double
    precision and one fixed order of summation, so that equal rows score equal wherever they stand.
    """
    if count < 1:
        raise RelrepError(f"topn is {count}; it must be at least 1")
    length = float(np.sqrt((query * query).sum()))
    unit = query / length if length > 0 else query
    scores = np.empty(len(matrix), dtype=np.float64)
    divisors = np.where(norms == 0, 1.0, norms)
    narrow: NDArray[np.floating] = unit.astype(_product_dtype(matrix, divisors))
    for start in range(0, len(matrix), _BLOCK_ROWS):
        stop = start + _BLOCK_ROWS
        scores[start:stop] = (matrix[start:stop].astype(narrow.dtype, copy=False) @ narrow) / divisors[start:stop]
    scores[list(excluded)] = -np.inf
    count = min(count, len(matrix) - len(excluded))
    if count <= 0:
        return []
    threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
    candidates = np.flatnonzero((scores >= threshold - _MARGIN) & np.isfinite(scores))
    exact = _exact_scores(matrix, divisors, unit, candidates)
    # Equal cosines of unequal rows may differ in the last bits; twelve digits make them equal again.
    order = np.lexsort((candidates, -np.round(exact, 12)))[:count]
    return [(int(candidates[at]), float(exact[at])) for at in order]


def _product_dtype(matrix: NDArray[np.floating], lengths: NDArray[np.float64]) -> type[np.floating]:
    """float32 where no product of it can overflow or vanish, float64 elsewhere."""
    if matrix.dtype == np.float64 or lengths.max() > 1e18 or lengths.min() < 1e-18:
        return np.float64
    return np.float32


def _exact_scores(
    matrix: NDArray[np.floating],
    divisors: NDArray[np.float64],
    unit: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    exact = np.empty(len(rows), dtype=np.float64)
    for start in range(0, len(rows), _BLOCK_ROWS):
        part = rows[start : start + _BLOCK_ROWS]
        products = np.asarray(matrix[part], dtype=np.float64) * unit
        exact[start : start + _BLOCK_ROWS] = products.sum(axis=1) / divisors[part]
    return np.clip(exact, -1.0, 1.0)
