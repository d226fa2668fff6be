"""Stand-ins: where two words hardly meet, words of the same kind lend them what joins them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from relrep.analogy.evidence_space import PatternSpace
from relrep.relations.profiles import ProfileMiner
from relrep.training.pairs_profiles import DirectedCounts

_WORDS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class StandIns:
    """The nearest words of each word of the corpus, found when asked for; a stand-in counts cos² / `discount`.

    `vectors` has one row a word of the corpus (zeros where there is none).
    """

    vectors: NDArray[np.float32]
    n_words: int = 10
    discount: float = 5.0

    def of(self, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """For each word id its stand-ins, nearest first, and their weights (0: none)."""
        norms = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        unit = self.vectors / np.where(norms == 0, 1, norms)
        near = np.zeros((len(words), self.n_words), dtype=np.int64)
        weight = np.zeros(near.shape)
        for first in range(0, len(words), _WORDS_AT_ONCE):
            some = words[first : first + _WORDS_AT_ONCE]
            cosines = (unit[some] @ unit.T).astype(np.float64)
            cosines[np.arange(len(some)), some] = -1.0
            order = np.argsort(-cosines, axis=1, kind="stable")[:, : self.n_words]
            near[first : first + len(some), : order.shape[1]] = order
            found = np.maximum(np.take_along_axis(cosines, order, axis=1), 0)
            weight[first : first + len(some), : order.shape[1]] = found * found / self.discount
        return near, weight

    def counts(self, miner: ProfileMiner, space: PatternSpace, pairs: NDArray[np.int64]) -> DirectedCounts:
        """Of (u, v): g(u, v) + Σ weight · g(u', v) + Σ weight · g(u, v') for the stand-ins u' of u and v' of v."""
        known: NDArray[np.bool_] = np.min(pairs, axis=1, initial=0) >= 0
        words, flat_place = np.unique(np.maximum(pairs, 0), return_inverse=True)
        near, weight = self.of(words)
        place = flat_place.reshape(pairs.shape)
        rows, asked, weights = [np.flatnonzero(known)], [pairs[known]], [np.ones(int(known.sum()))]
        for side in (0, 1):
            for k in range(self.n_words):
                lent = pairs.copy()
                lent[:, side] = near[place[:, side], k]
                use = known & (weight[place[:, side], k] > 0)
                rows.append(np.flatnonzero(use))
                asked.append(lent[use])
                weights.append(weight[place[use, side], k])
        distinct, at = np.unique(np.vstack(asked), axis=0, return_inverse=True)
        mined = space.counts_of(miner.mine(distinct))
        g = csr_matrix((mined.counts.astype(np.float64), mined.keys, mined.ends), (len(distinct), 2 * len(space.codes)))
        mixing = csr_matrix((np.concatenate(weights), (np.concatenate(rows), at.ravel())), (len(pairs), len(distinct)))
        total = csr_matrix(mixing @ g)
        total.sort_indices()
        return replace(
            mined, ends=total.indptr.astype(np.int64), keys=total.indices.astype(np.int32), counts=total.data
        )
