"""Measures that read the corpus at query time: what the text says of the very pairs that are compared.

PairPattern = cos of the two pairs' pattern profiles
PairMix     = (1 − α) PairBoth + α (s PairPattern + (1 − s) prior), s in [0, 1]: how much the text says of both pairs
CosMix      = CosAdd + α s PairPattern((a, b), (c, d)), over the best candidates of CosAdd
"""

import numpy as np

from relrep.analogy.measures import Measure, PairBoth, VectorMeasure
from relrep.analogy.terms import TermTable
from relrep.core.arrays import Doubles, Longs
from relrep.evidence.evidence import Evidence, NeighbourBackoff
from relrep.model.model import Model
from relrep.vectors.word_vectors import WordVectors


class PairPattern(Measure):
    """The evidence alone; 0 where one of the pairs has none."""

    name, title, reads_corpus = "pairpattern", "PairPattern", True

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def score(self, terms: TermTable, quadruples: Longs) -> Doubles:
        return self.evidence_of(terms, quadruples)[0]

    def evidence_of(self, terms: TermTable, quadruples: Longs) -> tuple[Doubles, Doubles]:
        """PairPattern of (a, b) and (c, d), and the confidence in it (0: one of them has no profile)."""
        rows, rows_of = np.unique(quadruples, return_inverse=True)
        ids = np.array([self.evidence.ids(terms.word(int(row))) for row in rows], dtype=np.int64)
        asked = ids[rows_of.reshape(quadruples.shape)]
        return self.evidence.similarity(asked[:, :2], asked[:, 2:])


class PairMix(PairPattern):
    """Evidence on top of PairBoth, for given pairs, as far as there is some.

    `prior` is what PairPattern is on average: as far as there is no confidence in a pair's evidence, it counts as that.
    """

    name, title = "pairmix", "PairMix"

    def __init__(self, evidence: Evidence, alpha: float = 0.5, prior: float = 0.27) -> None:
        self.evidence, self.alpha, self.prior = evidence, alpha, prior

    def score(self, terms: TermTable, quadruples: Longs) -> Doubles:
        both = PairBoth().score(terms, quadruples)
        pattern, confidence = self.evidence_of(terms, quadruples)
        shrunk = confidence * pattern + (1 - confidence) * self.prior
        return np.asarray((1 - self.alpha) * both + self.alpha * shrunk)


class CosMix(PairPattern):
    """Evidence on top of CosAdd, for open questions, as far as there is some."""

    name, title, reorders = "cosmix", "CosMix", "cosadd"

    def __init__(self, evidence: Evidence, alpha: float = 0.65) -> None:
        self.evidence, self.alpha = evidence, alpha

    def score(self, terms: TermTable, quadruples: Longs) -> Doubles:
        cosine = VectorMeasure("cosadd").score(terms, quadruples)
        return self.mixed(cosine, *self.evidence_of(terms, quadruples))

    def mixed(self, cosine: Doubles, pattern: Doubles, confidence: Doubles) -> Doubles:
        """CosAdd and, as far as there is confidence, PairPattern as one score."""
        return np.asarray(cosine + self.alpha * confidence * pattern)


def evidence_of_pairs(vectors: WordVectors, plain: Evidence) -> Evidence:
    """The evidence for given pairs: weighted by PPMI, folded, backing off to near words where two hardly meet.

    Near words are those of `vectors`, a row for each word of the corpus.
    """
    return plain.folded_with(NeighbourBackoff(vectors.vectors).counts)


def evidence_measures(model: Model, threads: int = 1) -> list[Measure]:
    """PairPattern, PairMix and CosMix with their recommended settings, for a model with relations and corpus index."""
    return measures_of(Evidence.of(model, threads), model.vectors)


def measures_of(plain: Evidence, vectors: WordVectors) -> list[Measure]:
    """The same for any evidence."""
    of_pairs = evidence_of_pairs(vectors, plain)
    return [PairPattern(of_pairs), PairMix(of_pairs), CosMix(plain)]
