"""Profiles of any pairs of words, mined from the corpus on request and weighted: how alike are two pairs joined?"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.pair_profiles_product import sparse_cosines
from relrep.model import Model
from relrep.relations.profiles import PairProfiles, ProfileMiner
from relrep.training.pairs_profiles import (
    Basis,
    DirectedCounts,
    importance,
    learn_basis,
    number_as,
    number_patterns,
    project,
    weigh,
)

BACKGROUND_PAIRS = 20_000
"""The weights of patterns are learnt from about so many mined pairs of the model, evenly spread."""
MIN_PATTERN_PAIRS = 3
SVD_ITERATIONS, SEED = 3, 1
_QUADRUPLES_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class PatternSpace:
    """The patterns that count, how much each says, and (with a rank) the directions that profiles are folded to."""

    codes: NDArray[np.int64]
    importance: NDArray[np.float64]
    basis: Basis | None = None

    @classmethod
    def learn(cls, miner: ProfileMiner, pairs: NDArray[np.integer], rank: int = 0) -> "PatternSpace":
        """From background pairs, (u, v) rows: what a pattern says is judged by how unevenly it is spread over them."""
        stride = max(1, len(pairs) // BACKGROUND_PAIRS)
        mined = miner.mine(pairs[::stride])
        counts = number_patterns(mined.indptr, mined.keys, mined.counts, MIN_PATTERN_PAIRS)
        weights = importance(counts)
        basis = None
        if rank and counts.n_patterns:
            basis = learn_basis(counts, weigh(counts, weights), rank, SVD_ITERATIONS, SEED, miner.threads)
        return cls(counts.codes, weights, basis)

    def counts_of(self, profiles: PairProfiles) -> DirectedCounts:
        """Profiles in terms of the patterns that count."""
        return number_as(profiles.indptr, profiles.keys, profiles.counts, self.codes)


class CorpusEvidence:
    """What the corpus says of the likeness of two pairs.

    `ids` gives the corpus id of a word, or −1; `counted` the patterns of pairs, (u, v) rows of ids, where they are
    not simply those of the text (stand-ins). The answer for two pairs never depends on what else is asked.
    """

    def __init__(
        self,
        miner: ProfileMiner,
        space: PatternSpace,
        ids: Callable[[str], int],
        counted: Callable[[ProfileMiner, PatternSpace, NDArray[np.int64]], DirectedCounts] | None = None,
    ) -> None:
        self.miner, self.space, self.ids, self.counted = miner, space, ids, counted

    @classmethod
    def of(cls, model: Model, rank: int = 0, threads: int = 1) -> "CorpusEvidence":
        """The evidence of a model that has its relations and its corpus index."""
        relations = model.require_relations()
        miner = ProfileMiner(model.require_index(), threads=threads)
        space = PatternSpace.learn(miner, np.column_stack([relations.u, relations.v]), rank)
        known = model.vocabulary.id_of
        return cls(miner, space, lambda word: known.get(word, -1))

    def unfolded(self) -> "CorpusEvidence":
        """The same evidence, its profiles as they are: patterns count only where both pairs have them."""
        return CorpusEvidence(self.miner, replace(self.space, basis=None), self.ids)

    def similarity(
        self, left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The cosines of the profiles of left[i] and right[i], rows (u, v) of ids, and whether both have a profile."""
        distinct, places = np.unique(np.vstack([left, right]), axis=0, return_inverse=True)
        places = places.reshape(2, -1).astype(np.int64)
        if self.counted is None:
            counts = self.space.counts_of(self.miner.mine(distinct))
        else:
            counts = self.counted(self.miner, self.space, distinct)
        weights = weigh(counts, self.space.importance)
        result = np.zeros(len(left))
        if self.space.basis is None:
            sparse_cosines(counts.ends, counts.keys, weights, places[0], places[1], result)
        else:
            folded = project(counts, weights, self.space.basis, self.miner.threads)
            rows = np.hstack([folded.even, folded.odd])
            for first in range(0, len(left), _QUADRUPLES_AT_ONCE):
                some = slice(first, first + _QUADRUPLES_AT_ONCE)
                result[some] = np.einsum("ij,ij->i", rows[places[0, some]], rows[places[1, some]])
        has_profile = np.diff(counts.ends) > 0
        return result, has_profile[places[0]] & has_profile[places[1]]
