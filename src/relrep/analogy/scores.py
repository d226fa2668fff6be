"""The three measures in double precision, sums taken in the order of the dimensions.

These are the bits that decide. The kernel that searches for many questions (`relrep.analogy._kernels.scores`) computes
the same ones; one question does without it, as loading it takes longer than the answer.
"""

import numpy as np
from numpy.typing import NDArray

COSADD, COSMULT, PAIRDIFF = 0, 1, 2
EPSILON = 1e-5
"""The ε of CosMult."""
_AT_ONCE = 2048


def normalise_rows(rows: NDArray[np.float64]) -> None:
    """Divides each row by its length, in place; a zero row stays zero.

    >>> rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    >>> normalise_rows(rows)
    >>> rows.tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        squares = _sum_in_order(some * some)
        some /= np.where(squares > 0, np.sqrt(squares), 1)[:, None]


def score_quadruples(measure: int, units: NDArray[np.float64], quadruples: NDArray[np.int64]) -> NDArray[np.float64]:
    """The scores of many a : b :: c : d, given as rows of `units`; 0 where a cosine with a zero vector is asked for.

    >>> units = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> score_quadruples(PAIRDIFF, units, np.array([[0, 1, 0, 1], [0, 0, 0, 1]])).round(9).tolist()
    [1.0, 0.0]
    """
    scores = np.empty(len(quadruples))
    for first in range(0, len(quadruples), _AT_ONCE):
        a, b, c, d = (units[rows] for rows in quadruples[first : first + _AT_ONCE].T)
        scores[first : first + _AT_ONCE] = _MEASURES[measure](a, b, c, d)
    return scores


_Rows = NDArray[np.float64]


def _cosadd(a: _Rows, b: _Rows, c: _Rows, d: _Rows) -> NDArray[np.float64]:
    target = (b - a) + c
    return _ratio(_sum_in_order(target * d), np.sqrt(_sum_in_order(target * target)))


def _cosmult(a: _Rows, b: _Rows, c: _Rows, d: _Rows) -> NDArray[np.float64]:
    to_a, to_b, to_c = ((_sum_in_order(word * d) + 1.0) / 2.0 for word in (a, b, c))
    return np.asarray(to_b * to_c / (to_a + EPSILON))


def _pairdiff(a: _Rows, b: _Rows, c: _Rows, d: _Rows) -> NDArray[np.float64]:
    first, second = b - a, d - c
    lengths = np.sqrt(_sum_in_order(first * first)) * np.sqrt(_sum_in_order(second * second))
    return _ratio(_sum_in_order(first * second), lengths)


_MEASURES = {COSADD: _cosadd, COSMULT: _cosmult, PAIRDIFF: _pairdiff}


def _ratio(products: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(lengths > 0, products / np.where(lengths > 0, lengths, 1), 0.0)


def _sum_in_order(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of each row from its first number to its last; `sum` would add in an order of its own."""
    return np.asarray(np.add.accumulate(rows, axis=1)[:, -1] + 0.0)  # + 0.0: a sum that begins at 0 is never −0
