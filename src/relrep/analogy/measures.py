"""Measures of analogy: how well a : b :: c : d holds.

The three of the paper read nothing but vectors. Others, which may read a corpus at query time, stand beside them by
having the same few attributes (`Measure`): they score given quadruples, and in open questions they reorder the best
candidates of one of the three.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.protocol import GIVEN_MEASURES, MEASURES, READS_CORPUS
from relrep.analogy.scores import COSADD, COSMULT, PAIRDIFF, score_quadruples
from relrep.analogy.terms import TermTable

REORDERED = 30
"""How many candidates a measure that reorders looks at."""
CODES = {"cosadd": COSADD, "cosmult": COSMULT, "pairdiff": PAIRDIFF}


class Measure(Protocol):
    """What a measure beside the three must offer."""

    @property
    def name(self) -> str:
        """In options and JSON."""

    @property
    def title(self) -> str:
        """In tables."""

    @property
    def reads_corpus(self) -> bool:
        """Whether it reads a corpus at query time: tables mark such measures."""

    @property
    def reorders(self) -> str | None:
        """Which of the three finds its candidates in open questions; None: it is for given pairs only."""

    def score(self, terms: TermTable, quadruples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Scores of a : b :: c : d, given as an n × 4 array of rows of `terms`."""


@dataclass(frozen=True)
class VectorMeasure:
    """One of the three measures of the paper.

    >>> from relrep.vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> quadruple = np.array([[0, 1, 2, 3]])
    >>> {name: round(float(VectorMeasure(name).score(TermTable(vectors), quadruple)[0]), 3) for name in CODES}
    {'cosadd': 0.988, 'cosmult': 2.062, 'pairdiff': 0.851}
    """

    name: str

    @property
    def title(self) -> str:
        """As the paper writes it."""
        return MEASURES[self.name]

    @property
    def reads_corpus(self) -> bool:
        """Never."""
        return False

    @property
    def reorders(self) -> str | None:
        """It looks at every candidate itself."""
        return None

    def score(self, terms: TermTable, quadruples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Scores of a : b :: c : d, rows of `terms`, on unit vectors in float64."""
        distinct, places = np.unique(quadruples, return_inverse=True)
        quadruple_places = places.reshape(quadruples.shape).astype(np.int64)
        return score_quadruples(CODES[self.name], terms.units(distinct), quadruple_places)


@dataclass(frozen=True)
class PairBoth:
    """The differences of two pairs and the likeness of their words: (1 − γ) PairDiff + γ ½ (cos(a, c) + cos(b, d)).

    For given pairs only, from vectors alone: pairs of one relation are often made of words of the same kinds, which
    their differences forget.

    >>> from relrep.vectors import WordVectors
    >>> vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 3]], dtype=np.float32))
    >>> round(float(PairBoth(gamma=1).score(TermTable(vectors), np.array([[0, 1, 2, 3]]))[0]), 3)
    0.828
    """

    gamma: float = 0.65
    name: str = "pairboth"
    title: str = GIVEN_MEASURES["pairboth"]
    reads_corpus: bool = False
    reorders: str | None = None

    def score(self, terms: TermTable, quadruples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Scores of a : b :: c : d, rows of `terms`, on unit vectors in float64."""
        return self.mixed(VectorMeasure("pairdiff").score(terms, quadruples), likeness_of_words(terms, quadruples))

    def mixed(self, difference: NDArray[np.float64], likeness: NDArray[np.float64]) -> NDArray[np.float64]:
        """PairDiff and the likeness of words as one score."""
        return np.asarray((1 - self.gamma) * difference + self.gamma * likeness)


def likeness_of_words(terms: TermTable, quadruples: NDArray[np.int64]) -> NDArray[np.float64]:
    """½ (cos(a, c) + cos(b, d)): how alike the words are that stand in the same place."""
    distinct, places = np.unique(quadruples, return_inverse=True)
    a, b, c, d = (terms.units(distinct)[column] for column in places.reshape(quadruples.shape).T)
    return np.asarray((np.einsum("ij,ij->i", a, c) + np.einsum("ij,ij->i", b, d)) / 2)


def vector_measure(name: str) -> Measure:
    """The measure of vectors alone with this name."""
    return PairBoth() if name == PairBoth.name else VectorMeasure(name)


def shown_title(measure: Measure) -> str:
    """The title for tables, which mark what reads a corpus at query time."""
    return f"{measure.title} {READS_CORPUS}" if measure.reads_corpus else measure.title
