"""Profiles of any pairs of words, mined from the corpus on request and weighted: how alike are two pairs joined?"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.few_cosines import FEW, few_cosines
from relrep.analogy.pattern_space import PatternSpace
from relrep.kernels.pair_profiles_product import sparse_cosines
from relrep.model import Model
from relrep.progress import ProgressCallback, ignore
from relrep.relations.profiles import ProfileMiner
from relrep.training.pairs_profiles import DirectedCounts, project

_QUADRUPLES_AT_ONCE = 1 << 16
HALF_SURE = 5.0
"""A pair whose patterns were counted so often, all together, is half believed."""
Counted = Callable[[ProfileMiner, PatternSpace, NDArray[np.int64]], DirectedCounts]


@dataclass(frozen=True, eq=False)
class CorpusEvidence:
    """What the corpus says of the likeness of two pairs.

    `ids` gives the corpus id of a word, or −1. `weighting` tells how counts become weights (see PatternSpace),
    `folded` whether profiles are folded to the directions of the space: else patterns count only where both
    pairs have them. `counted` gives the patterns of pairs, (u, v) rows of ids, where they are not simply those of
    the text (stand-ins). The answer for two pairs never depends on what else is asked.
    """

    miner: ProfileMiner
    space: PatternSpace
    ids: Callable[[str], int]
    weighting: Literal["entropy", "ppmi"] = "entropy"
    folded: bool = False
    counted: Counted | None = None

    @classmethod
    def of(cls, model: Model, threads: int = 1, progress: ProgressCallback = ignore) -> "CorpusEvidence":
        """The plain evidence of a model that has its relations and its corpus index."""
        space = PatternSpace.of(model, threads, progress)
        miner = ProfileMiner(model.require_index(), threads=threads)
        return cls(miner, space, lambda word: model.vocabulary.id_of.get(word, -1))

    def folded_with(self, counted: Counted | None = None) -> "CorpusEvidence":
        """The same evidence for given pairs: by PPMI, folded, and with the counts of `counted`."""
        return replace(self, weighting="ppmi", folded=True, counted=counted)

    def counts(self, pairs: NDArray[np.int64]) -> DirectedCounts:
        """What joins pairs, rows (u, v) of ids, in terms of the patterns that count."""
        if self.counted is not None:
            return self.counted(self.miner, self.space, pairs)
        return self.space.counts_of(self.miner.mine(pairs))

    def similarity(
        self, left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The cosines of the profiles of left[i] and right[i], rows (u, v) of ids, and how sure they are.

        With n and n' the counts of all patterns of the two pairs, √( n / (n + HALF_SURE) · n' / (n' + HALF_SURE) ): 0
        where one of them has no profile, near 1 where both meet often.
        """
        distinct, flat = np.unique(np.vstack([left, right]), axis=0, return_inverse=True)
        places = flat.reshape(2, -1).astype(np.int64)
        counts = self.counts(distinct)
        weights = self.space.weigh(counts, self.weighting)
        result = np.zeros(len(left))
        if self.folded and self.space.basis is not None:
            folded = project(counts, weights, self.space.basis, self.miner.threads)
            rows = np.hstack([folded.even, folded.odd])
            for first in range(0, len(left), _QUADRUPLES_AT_ONCE):
                some = slice(first, first + _QUADRUPLES_AT_ONCE)
                result[some] = np.einsum("ij,ij->i", rows[places[0, some]], rows[places[1, some]])
        elif len(left) <= FEW:
            result = few_cosines(counts.ends, counts.keys, weights, *places)
        else:
            sparse_cosines(counts.ends, counts.keys, weights, *places, result)
        amounts = np.concatenate([[0.0], np.cumsum(counts.counts, dtype=np.float64)])[counts.ends]
        amount = np.diff(amounts)
        sure = np.sqrt(amount / (amount + HALF_SURE))
        return result, sure[places[0]] * sure[places[1]]
