"""Measures of analogy: how well a : b :: c : d holds.

The three of the paper read nothing but vectors. Others, which may read a corpus at query time, stand beside them by
being a `Measure`: they score given quadruples, and in open questions they reorder the best
candidates of one of the three.

Scores are computed in double precision, sums taken in the order of the dimensions: these are the bits that decide. The
kernel that searches for many questions (`relrep.analogy._kernels`) computes the same ones; one question does without
it, as loading it takes longer than the answer.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.terms import TermTable, sum_in_order
from relrep.core.arrays import Doubles, Longs

MEASURES = {"cosadd": "CosAdd", "cosmult": "CosMult", "pairdiff": "PairDiff"}
"""The measures that read nothing but the vectors, and how they are written."""
GIVEN_MEASURES = {"pairboth": "PairBoth"}
"""Those that read nothing but the vectors, too, but are for given pairs only (SAT, SemEval)."""
ALL_MEASURES = {**MEASURES, **GIVEN_MEASURES}
READS_CORPUS = "†"
"""Marks the titles of measures that read a corpus at query time."""
REORDERED = 30
"""How many candidates a measure that reorders looks at."""
COSADD, COSMULT, PAIRDIFF = 0, 1, 2
CODES = {"cosadd": COSADD, "cosmult": COSMULT, "pairdiff": PAIRDIFF}
EPSILON = 1e-5
"""The ε of CosMult."""
_AT_ONCE = 2048


def cosadd(a: Doubles, b: Doubles, c: Doubles, d: Doubles) -> Doubles:
    """Eq. 15: cos(b − a + c, d), row by row of unit vectors; 0 where b − a + c is zero."""
    target = (b - a) + c
    return _ratio(sum_in_order(target * d), np.sqrt(sum_in_order(target * target)))


def cosmult(a: Doubles, b: Doubles, c: Doubles, d: Doubles) -> Doubles:
    """Eq. 16: s(b, d) s(c, d) / (s(a, d) + ε) with s = (cos + 1)/2, row by row of unit vectors."""
    to_a, to_b, to_c = ((sum_in_order(word * d) + 1.0) / 2.0 for word in (a, b, c))
    return np.asarray(to_b * to_c / (to_a + EPSILON))


def pairdiff(a: Doubles, b: Doubles, c: Doubles, d: Doubles) -> Doubles:
    """Eq. 17: cos(b − a, d − c), row by row of unit vectors; 0 where a difference is zero."""
    first, second = b - a, d - c
    lengths = np.sqrt(sum_in_order(first * first)) * np.sqrt(sum_in_order(second * second))
    return _ratio(sum_in_order(first * second), lengths)


def _ratio(products: Doubles, lengths: Doubles) -> Doubles:
    return np.where(lengths > 0, products / np.where(lengths > 0, lengths, 1), 0.0)


_FORMULAS = {COSADD: cosadd, COSMULT: cosmult, PAIRDIFF: pairdiff}


def score_quadruples(measure: int, units: Doubles, quadruples: Longs) -> Doubles:
    """The scores of many a : b :: c : d, given as rows of `units`; 0 where a cosine with a zero vector is asked for.

    >>> units = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> score_quadruples(PAIRDIFF, units, np.array([[0, 1, 0, 1], [0, 0, 0, 1]])).round(9).tolist()
    [1.0, 0.0]
    """
    scores = np.empty(len(quadruples))
    for first in range(0, len(quadruples), _AT_ONCE):
        a, b, c, d = (units[rows] for rows in quadruples[first : first + _AT_ONCE].T)
        scores[first : first + _AT_ONCE] = _FORMULAS[measure](a, b, c, d)
    return scores


def scores_by_cosines(cosines: NDArray[Any], shift: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """What orders candidates d as CosAdd, CosMult and PairDiff do, from their cosines with a, b and c (first axis).

    `shift` is (b − a)·c; |d − c|² = 2 − 2 cos(c, d). Near d = c and d = −a rounding errors are large.

    >>> [score.round(3).tolist() for score in scores_by_cosines(np.array([[0.0], [1.0], [0.5]]), 0.0)]
    [[1.5], [1.5], [1.0]]
    """
    to_a, to_b, to_c = cosines
    similar_a, similar_b, similar_c = (cosines + 1) / 2
    difference = to_b - to_a
    distance = np.sqrt(np.maximum(2 - 2 * to_c, 1e-6))
    products = similar_b * similar_c / np.maximum(similar_a + EPSILON, EPSILON)
    return difference + to_c, products, (difference - shift) / distance


class Measure:
    """A measure: `name` is for options and JSON, `title` for tables.

    `reads_corpus`: it reads a corpus at query time, and tables mark it. `reorders`: which of the three finds its
    candidates in open questions; None: it is one of the three, or for given pairs only.
    """

    name: str
    title: str
    reads_corpus: bool = False
    reorders: str | None = None

    def score(self, terms: TermTable, quadruples: Longs) -> Doubles:
        """Scores of a : b :: c : d, given as an n × 4 array of rows of `terms`."""
        raise NotImplementedError


class VectorMeasure(Measure):
    """One of the three measures of the paper, on unit vectors in float64.

    >>> from relrep.vectors.word_vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> quadruple = np.array([[0, 1, 2, 3]])
    >>> {name: round(float(VectorMeasure(name).score(TermTable(vectors), quadruple)[0]), 3) for name in CODES}
    {'cosadd': 0.988, 'cosmult': 2.062, 'pairdiff': 0.851}
    """

    def __init__(self, name: str) -> None:
        self.name, self.title = name, MEASURES[name]

    def score(self, terms: TermTable, quadruples: Longs) -> Doubles:
        return score_quadruples(CODES[self.name], *_distinct_units(terms, quadruples))


class PairBoth(Measure):
    """The differences of two pairs and the likeness of their words: (1 − γ) PairDiff + γ ½ (cos(a, c) + cos(b, d)).

    For given pairs only, from vectors alone: pairs of one relation are often made of words of the same kinds, which
    their differences forget.

    >>> from relrep.vectors.word_vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> round(float(PairBoth(gamma=1).score(TermTable(vectors), np.array([[0, 1, 2, 3]]))[0]), 3)
    0.828
    """

    name, title = "pairboth", GIVEN_MEASURES["pairboth"]

    def __init__(self, gamma: float = 0.65) -> None:
        self.gamma = gamma

    def score(self, terms: TermTable, quadruples: Longs) -> Doubles:
        units, rows = _distinct_units(terms, quadruples)
        a, b, c, d = (units[column] for column in rows.T)
        likeness = (np.einsum("ij,ij->i", a, c) + np.einsum("ij,ij->i", b, d)) / 2
        difference = score_quadruples(PAIRDIFF, units, rows)
        return np.asarray((1 - self.gamma) * difference + self.gamma * likeness)


def _distinct_units(terms: TermTable, quadruples: Longs) -> tuple[Doubles, Longs]:
    """The unit vectors of all words in the quadruples, and the quadruples as rows of these."""
    distinct, inverse = np.unique(quadruples, return_inverse=True)
    return terms.units(distinct), inverse.reshape(quadruples.shape).astype(np.int64)


def vector_measure(name: str) -> Measure:
    """The measure of vectors alone with this name."""
    return PairBoth() if name == PairBoth.name else VectorMeasure(name)


def shown_title(measure: Measure) -> str:
    """The title for tables, which mark what reads a corpus at query time."""
    return f"{measure.title} {READS_CORPUS}" if measure.reads_corpus else measure.title
