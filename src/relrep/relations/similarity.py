"""Two given pairs held against each other: by the vectors, by the text, and by both."""

from dataclasses import dataclass

import numpy as np

from relrep.analogy.measures import PairBoth, VectorMeasure
from relrep.analogy.terms import TermTable
from relrep.evidence.evidence import Evidence
from relrep.evidence.measures import PairMix, evidence_of_pairs
from relrep.evidence.rerank import SharedPattern, shared_patterns
from relrep.model.model import Model
from relrep.relations.search import ids_of


@dataclass(frozen=True)
class PairSimilarity:
    """Two pairs under the measures for given pairs; PairPattern is None where the text says nothing of one of them."""

    first: tuple[str, str]
    second: tuple[str, str]
    pairdiff: float
    pairboth: float
    pairpattern: float | None
    pairmix: float
    shared: tuple[SharedPattern, ...]


def compare_pairs(model: Model, first: tuple[str, str], second: tuple[str, str], threads: int = 1) -> PairSimilarity:
    """How alike the relations of two pairs are."""
    one, other = ids_of(model, [first, second])
    plain = Evidence.of(model, threads)
    of_pairs, terms, quadruple = evidence_of_pairs(model, plain), TermTable(model.vectors), np.array([[*one, *other]])
    pattern, confidence = of_pairs.similarity(quadruple[:, :2], quadruple[:, 2:])
    return PairSimilarity(
        first,
        second,
        float(VectorMeasure("pairdiff").score(terms, quadruple)[0]),
        float(PairBoth().score(terms, quadruple)[0]),
        float(pattern[0]) if confidence[0] else None,
        float(PairMix(of_pairs).score(terms, quadruple)[0]),
        shared_patterns(model, plain, one, [other])[0],
    )
