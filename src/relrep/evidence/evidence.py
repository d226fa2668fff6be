"""Evidence: what the text says of any pairs of words, mined when asked for: how alike are two pairs joined?

Back-off: where two words hardly meet, near words lend them what joins them (distributional smoothing).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from relrep.coherence.profiles import PatternSpace, Weighting, project
from relrep.core.arrays import Doubles, Flags, Floats, Longs
from relrep.core.linalg import unit_rows
from relrep.evidence._kernels import sparse_cosines
from relrep.evidence.profiles import PairProfiles, ProfileMiner
from relrep.mining.bound import DirectedCounts, number_as
from relrep.model.model import Model

_QUADRUPLES_AT_ONCE = 1 << 16
_WORDS_AT_ONCE = 64
SHRINKAGE = 5.0
"""A pair whose patterns were counted so often, all together, is half believed."""
Counted = Callable[["Evidence", Longs], DirectedCounts]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the corpus says of the likeness of two pairs.

    `codes` are the patterns that count, `ids` gives the corpus id of a word, or −1. `weighting` tells how counts become
    weights (see PatternSpace), `folded` whether profiles are folded to the directions of the space: else patterns count
    only where both pairs have them. `counted` gives the patterns of pairs, (u, v) rows of ids, where they are not
    simply those of the text (back-off). The answer for two pairs never depends on what else is asked.
    """

    miner: ProfileMiner
    space: PatternSpace
    codes: Longs
    ids: Callable[[str], int]
    weighting: Weighting = "entropy"
    folded: bool = False
    counted: Counted | None = None

    @classmethod
    def of(cls, model: Model, threads: int = 1) -> "Evidence":
        """The plain evidence of a model that has its relations and its corpus index."""
        table = model.require_relations()
        miner = ProfileMiner(model.require_index(), model.max_gap, threads)
        return cls(miner, table.space, table.patterns.codes, lambda word: model.vocabulary.id_of.get(word, -1))

    def folded_with(self, counted: Counted | None = None) -> "Evidence":
        """The same evidence for given pairs: by PPMI, folded, and with the counts of `counted`."""
        return replace(self, weighting="ppmi", folded=True, counted=counted)

    def counts_of(self, profiles: PairProfiles) -> DirectedCounts:
        """Profiles in terms of the patterns that count."""
        return number_as(profiles.indptr, profiles.keys, profiles.counts, self.codes)

    def counts(self, pairs: Longs) -> DirectedCounts:
        """What joins pairs, rows (u, v) of ids, in terms of the patterns that count."""
        if self.counted is not None:
            return self.counted(self, pairs)
        return self.counts_of(self.miner.mine(pairs))

    def similarity(self, left: Longs, right: Longs) -> tuple[Doubles, Doubles]:
        """The cosines of the profiles of left[i] and right[i], rows (u, v) of ids, and the confidence in them.

        With n and n' the counts of all patterns of the two pairs, √( n / (n + SHRINKAGE) · n' / (n' + SHRINKAGE) ): 0
        where one of them has no profile, near 1 where both meet often.
        """
        distinct, flat = np.unique(np.vstack([left, right]), axis=0, return_inverse=True)
        rows_of = flat.reshape(2, -1).astype(np.int64)
        counts = self.counts(distinct)
        weights = self.space.weigh(counts, self.weighting)
        cosines = np.zeros(len(left))
        if self.folded:
            folded = project(counts, weights, self.space.basis, self.miner.threads)
            rows = np.hstack([folded.even, folded.odd])
            for first in range(0, len(left), _QUADRUPLES_AT_ONCE):
                some = slice(first, first + _QUADRUPLES_AT_ONCE)
                cosines[some] = np.einsum("ij,ij->i", rows[rows_of[0, some]], rows[rows_of[1, some]])
        else:
            sparse_cosines(counts.ends, counts.keys, weights, *rows_of, cosines)
        totals = np.diff(np.concatenate([[0.0], np.cumsum(counts.counts, dtype=np.float64)])[counts.ends])
        confidence = np.sqrt(totals / (totals + SHRINKAGE))
        return cosines, confidence[rows_of[0]] * confidence[rows_of[1]]


@dataclass(frozen=True, eq=False)
class NeighbourBackoff:
    """The nearest words of each word of the corpus, found when asked for; a neighbour counts cos² / `discount`.

    `vectors` has one row a word of the corpus (zeros where there is none). Only the first
    `among` words lend: rarer ones have little to lend.
    """

    vectors: Floats
    n_words: int = 10
    discount: float = 5.0
    among: int = 60_000

    @cached_property
    def _unit(self) -> Floats:
        lenders = np.asarray(self.vectors[: self.among], dtype=np.float32)
        return unit_rows(lenders)

    def of(self, words: Longs) -> tuple[Longs, Doubles]:
        """For each word id its neighbours, nearest first, and their weights (0: none)."""
        near = np.zeros((len(words), self.n_words), dtype=np.int64)
        weight = np.zeros(near.shape)
        size = min(self.n_words + 1, len(self._unit))  # the word itself is nearest
        for first in range(0, len(words), _WORDS_AT_ONCE):
            some = words[first : first + _WORDS_AT_ONCE]
            asked = np.zeros((_WORDS_AT_ONCE, self.vectors.shape[1]), dtype=np.float32)
            asked[: len(some)] = self.vectors[some]  # always as many rows: the bits of a product depend on its shape
            cosines = unit_rows(asked) @ self._unit.T
            for row, word in enumerate(some.tolist()):
                least = np.partition(cosines[row], -size)[-size]
                close = np.flatnonzero(cosines[row] >= least)
                close = close[close != word]
                close = close[np.argsort(-cosines[row, close], kind="stable")][: self.n_words]
                near[first + row, : len(close)] = close
                weight[first + row, : len(close)] = np.maximum(cosines[row, close].astype(np.float64), 0) ** 2
        return near, weight / self.discount

    def counts(self, evidence: Evidence, pairs: Longs) -> DirectedCounts:
        """Of (u, v): g(u, v) + Σ weight · g(u', v) + Σ weight · g(u, v') for the neighbours u' of u and v' of v."""
        from scipy.sparse import csr_matrix  # here: open questions need no neighbours, and need not wait for it

        known: Flags = np.min(pairs, axis=1, initial=0) >= 0
        words, flat = np.unique(np.maximum(pairs, 0), return_inverse=True)
        near, weight = self.of(words)
        row_of = flat.reshape(pairs.shape)
        rows, asked, weights = [np.flatnonzero(known)], [pairs[known]], [np.ones(int(known.sum()))]
        for side in (0, 1):
            for k in range(self.n_words):
                lent = pairs.copy()
                lent[:, side] = near[row_of[:, side], k]
                use = known & (weight[row_of[:, side], k] > 0)
                rows.append(np.flatnonzero(use))
                asked.append(lent[use])
                weights.append(weight[row_of[use, side], k])
        distinct, at = np.unique(np.vstack(asked), axis=0, return_inverse=True)
        mined = evidence.counts_of(evidence.miner.mine(distinct))
        g = csr_matrix((mined.counts.astype(np.float64), mined.keys, mined.ends), (len(distinct), 2 * mined.n_patterns))
        mixing = csr_matrix((np.concatenate(weights), (np.concatenate(rows), at.ravel())), (len(pairs), len(distinct)))
        total = csr_matrix(mixing @ g)
        total.sort_indices()
        return replace(
            mined, ends=total.indptr.astype(np.int64), keys=total.indices.astype(np.int32), counts=total.data
        )
