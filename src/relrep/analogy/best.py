"""The best candidates of a question, and the exact search for them among a few words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.measures import VectorMeasure
from relrep.analogy.terms import TermTable


@dataclass(frozen=True)
class Best:
    """The best candidates of each question, by falling score, ties by vocabulary order.

    `rows` and `scores` are question × measure × k; rows of −1 stand where there are fewer than k candidates.
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def best_among(
    terms: TermTable, question: NDArray[np.int64], candidates: NDArray[np.int64], measures: Sequence[str], k: int
) -> Best:
    """The `k` best candidates (rows of `terms`, rising, none of a, b, c) of one question a, b, c under each measure.

    >>> from relrep.vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> best_among(TermTable(vectors), np.array([0, 1, 2]), np.array([3]), ["cosadd", "pairdiff"], 1).rows.tolist()
    [[[3], [3]]]
    """
    quadruples = np.column_stack([np.tile(question, (len(candidates), 1)), candidates])
    shape = (1, len(measures), min(k, len(candidates)))
    best = Best(np.empty(shape, dtype=np.int64), np.empty(shape))
    for number, name in enumerate(measures):
        scores = VectorMeasure(name).score(terms, quadruples)
        order = np.argsort(-scores, kind="stable")[:k]
        best.rows[0, number], best.scores[0, number] = candidates[order], scores[order]
    return best
