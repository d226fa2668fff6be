"""Evidence: what the text says of any pairs of words, mined when asked for: how alike are two pairs joined?"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from relrep.coherence.profiles import PatternSpace, Weighting, project
from relrep.evidence._kernels import sparse_cosines
from relrep.evidence.profiles import PairProfiles, ProfileMiner
from relrep.mining.bound import DirectedCounts, number_as
from relrep.model.model import Model

_QUADRUPLES_AT_ONCE = 1 << 16
SHRINKAGE = 5.0
"""A pair whose patterns were counted so often, all together, is half believed."""
Counted = Callable[["Evidence", NDArray[np.int64]], DirectedCounts]


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
    codes: NDArray[np.int64]
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

    def counts(self, pairs: NDArray[np.int64]) -> DirectedCounts:
        """What joins pairs, rows (u, v) of ids, in terms of the patterns that count."""
        if self.counted is not None:
            return self.counted(self, pairs)
        return self.counts_of(self.miner.mine(pairs))

    def similarity(
        self, left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
