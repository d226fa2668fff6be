"""How are two words related? The patterns that join them in the corpus, examples, and pairs related alike."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.model import Model
from relrep.relations.evidence import Evidence, PairEvidence, gather_evidence
from relrep.relations.occurrences import Example
from relrep.relations.search import RelatedPair, SearchFilters, allowed_pairs, ids_of, merge_orders, search_pairs
from relrep.relations.space import best, space_of

LEAST_MEETINGS = 3
"""A pair that meets less often says too little about itself to look for pairs joined alike in the text."""
WEAK = 0.1
"""Where no inferred pattern joins so large a share of the pairs most alike, they are a weak guess, and said to be."""
ALIKE = 50
"""So many pairs most alike are asked whether they use an inferred pattern."""


@dataclass(frozen=True)
class InferredPattern:
    """A pattern whose vector points the way of u − v: what the two words' relation would sound like.

    `support` tells how sure that is: the share of the mined pairs most alike (by the vectors) that it really joins.
    """

    text: str
    kind: str
    label: str
    score: float
    support: float


@dataclass(frozen=True)
class Explanation:
    """All that the model says about how `first` and `second` are related.

    `forward` and `backward` tell what stands between the two in the corpus, first … second and second …
    first. `inferred` are the nearest patterns by the learnt vectors, cos(u − v, p); they were never read, which
    matters most where `seen` is False (without `has_text`, the corpus index: not mined). `mined` tells whether
    the pair passed the thresholds of training. `alike` are pairs with a similar difference of vectors,
    `alike_in_text` pairs with a similar row of f.
    """

    first: str
    second: str
    has_text: bool
    seen: bool
    mined: bool
    forward: Evidence
    backward: Evidence
    examples: tuple[Example, ...]
    inferred: tuple[InferredPattern, ...]
    alike: tuple[RelatedPair, ...]
    alike_in_text: tuple[RelatedPair, ...]


def explain(
    model: Model, first: str, second: str, n: int = 10, n_examples: int = 5, distinct: bool = True
) -> Explanation:
    """Explains the relation of any two words of the vocabulary, also below the mining thresholds.

    With the corpus index the evidence is read from the text on request; without, a mined pair's stored
    patterns are told. `distinct` leaves out alike pairs that share a word with this one.
    """
    (pair,) = ids_of(model, [(first, second)])
    relations = model.relations
    found = gather_evidence(model, *pair, n, n_examples)
    inferred: tuple[InferredPattern, ...] = ()
    alike: tuple[RelatedPair, ...] = ()
    alike_in_text: tuple[RelatedPair, ...] = ()
    mined = False
    if relations is not None and relations.n_pairs:
        filters = SearchFilters(distinct=distinct)
        mined = any(relations.pair_id(*p) is not None for p in (pair, pair[::-1]))
        inferred = nearest_patterns(model, space_of(model).difference(*pair), n)
        alike = search_pairs(model, [(first, second)], n, filters)
        alike_in_text = joined_alike(model, pair, found, n, distinct)
    return Explanation(
        first=first,
        second=second,
        has_text=model.index is not None,
        seen=found.forward.meetings + found.backward.meetings > 0,
        mined=mined,
        forward=found.forward,
        backward=found.backward,
        examples=found.examples,
        inferred=inferred,
        alike=alike,
        alike_in_text=alike_in_text,
    )


def nearest_patterns(model: Model, query: NDArray[np.float64], n: int) -> tuple[InferredPattern, ...]:
    """The `n` patterns with the highest cos(p, q) among those that pairs related alike use as often as others or more.

    A pattern's vector is a mean over thousands of pairs, so that some always point the way of a rare word by chance;
    what the most similar mined pairs are joined by tells these apart.
    """
    relations, space = model.require_relations(), space_of(model)
    relations.check_entries()
    alike = best(space.pair_cosines(query), ALIKE)
    entries = [relations.pattern[relations.indptr[row] : relations.indptr[row + 1]] for row in alike.tolist()]
    joined = np.bincount(np.concatenate(entries), minlength=relations.n_patterns) / max(1, len(alike))
    usual = relations.measured.pairs_per_pattern / relations.n_pairs
    scores = space.pattern_cosines(query)
    scores[(joined < usual) | (scores <= 0)] = -np.inf
    return tuple(
        InferredPattern(
            text=relations.texts[pattern],
            kind=relations.kinds[pattern],
            label=relations.label(pattern),
            score=float(scores[pattern]),
            support=float(joined[pattern]),
        )
        for pattern in best(scores, n).tolist()
    )


def joined_alike(
    model: Model, pair: tuple[int, int], evidence: PairEvidence, n: int, distinct: bool
) -> tuple[RelatedPair, ...]:
    """The mined pairs whose rows of f have the highest cosine with the pair's own: joined alike in the text."""
    relations = model.require_relations()
    meetings = [evidence.forward.meetings, evidence.backward.meetings]
    supported = sum(meetings) if relations.reversed.any() else meetings[1 if evidence.turned else 0]
    if not evidence.weights or supported < LEAST_MEETINGS:
        return ()
    row = np.zeros(relations.n_patterns)
    for pattern, weight in evidence.weights:
        if 0 <= pattern < len(row):  # a damaged file may name others
            row[pattern] = weight
    scores = space_of(model).row_cosines(row)
    scores[~allowed_pairs(model, [pair], SearchFilters(distinct=distinct))] = -np.inf
    rows = best(scores, 2 * n)
    return merge_orders(model, rows, -scores[rows] if evidence.turned else scores[rows], n)
