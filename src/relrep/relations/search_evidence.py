"""Relational search with the corpus: found pairs reordered by PairMix, and two given pairs held against each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.evidence import PairMix, evidence_of_pairs
from relrep.analogy.evidence_space import CorpusEvidence
from relrep.analogy.measures import PairBoth, VectorMeasure, likeness_of_words
from relrep.analogy.terms import TermTable
from relrep.model import Model
from relrep.progress import ProgressCallback, ignore
from relrep.relations.search import RelatedPair, ids_of
from relrep.relations.shared_patterns import SharedPattern, shared_patterns

REORDERED_PAIRS = 100
"""How many of the pairs that the vectors find are read about in the corpus."""


@dataclass(frozen=True)
class MovedPair:
    """A found pair after the corpus was read: its PairMix, its place by the vectors alone, and the evidence.

    `evidence` is PairPattern with the query, the mean over its pairs (None: the text says nothing of one of
    them), and `shared` the patterns between the words of both, with the first pair of the query.
    """

    first: str
    second: str
    score: float
    place_before: int
    cosine: float
    evidence: float | None
    shared: tuple[SharedPattern, ...]


@dataclass(frozen=True)
class Likeness:
    """Two pairs under the measures for given pairs; PairPattern is None where the text says nothing of one of them."""

    first: tuple[str, str]
    second: tuple[str, str]
    pairdiff: float
    pairboth: float
    pairpattern: float | None
    pairmix: float
    shared: tuple[SharedPattern, ...]


def reorder_pairs(
    model: Model,
    query: Sequence[tuple[str, str]],
    found: Sequence[RelatedPair],
    n: int,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> tuple[MovedPair, ...]:
    """The `n` best of the found pairs (by falling cosine with the query) under PairMix, and the evidence for each."""
    if not found:
        return ()
    plain = CorpusEvidence.of(model, threads, progress)
    asked, pairs = ids_of(model, query), ids_of(model, [(each.first, each.second) for each in found])
    quadruples = np.array([[*one, *other] for one in asked for other in pairs], dtype=np.int64)
    pattern, sure = _mean_evidence(evidence_of_pairs(model, plain), quadruples, len(pairs))
    likeness = likeness_of_words(TermTable(model.vectors), quadruples).reshape(-1, len(pairs)).mean(axis=0)
    cosines = np.array([each.score for each in found])
    scores = PairMix(plain).mixed(PairBoth().mixed(cosines, likeness), pattern, sure)
    order = np.argsort(-scores, kind="stable")[:n].tolist()
    shared = shared_patterns(model, plain, asked[0], [pairs[at] for at in order])
    return tuple(
        MovedPair(
            first=found[at].first,
            second=found[at].second,
            score=float(scores[at]),
            place_before=at + 1,
            cosine=float(cosines[at]),
            evidence=float(pattern[at]) if sure[at] else None,
            shared=patterns,
        )
        for at, patterns in zip(order, shared, strict=True)
    )


def _mean_evidence(
    evidence: CorpusEvidence, quadruples: NDArray[np.int64], n_pairs: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """PairPattern of each of `n_pairs` pairs, the mean over those of the query as far as each is sure; how sure it is.

    `quadruples` are all pairs beside the query's first pair, then beside its second, …
    """
    found = evidence.similarity(quadruples[:, :2], quadruples[:, 2:])
    pattern, sure = (each.reshape(-1, n_pairs) for each in found)
    total = sure.sum(axis=0)
    return (pattern * sure).sum(axis=0) / np.where(total == 0, 1, total), sure.mean(axis=0)


def hold_against(
    model: Model,
    first: tuple[str, str],
    second: tuple[str, str],
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Likeness:
    """How alike the relations of two pairs are: by the vectors, by the text, and by both."""
    one, other = ids_of(model, [first, second])
    plain = CorpusEvidence.of(model, threads, progress)
    of_pairs, terms, quadruple = evidence_of_pairs(model, plain), TermTable(model.vectors), np.array([[*one, *other]])
    pattern, sure = of_pairs.similarity(quadruple[:, :2], quadruple[:, 2:])
    difference = VectorMeasure("pairdiff").score(terms, quadruple)
    return Likeness(
        first,
        second,
        float(difference[0]),
        float(PairBoth().score(terms, quadruple)[0]),
        float(pattern[0]) if sure[0] else None,
        float(PairMix(of_pairs).score(terms, quadruple)[0]),
        shared_patterns(model, plain, one, [other])[0],
    )
