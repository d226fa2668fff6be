"""Back-off: where two words hardly meet, near words lend them what joins them (distributional smoothing)."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from relrep.core.linalg import unit_rows
from relrep.evidence.evidence import Evidence
from relrep.mining.bound import DirectedCounts

_WORDS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class NeighbourBackoff:
    """The nearest words of each word of the corpus, found when asked for; a neighbour counts cos² / `discount`.

    `vectors` has one row a word of the corpus (zeros where there is none). Only the first
    `among` words lend: rarer ones have little to lend.
    """

    vectors: NDArray[np.float32]
    n_words: int = 10
    discount: float = 5.0
    among: int = 60_000

    @cached_property
    def _unit(self) -> NDArray[np.float32]:
        lenders = np.asarray(self.vectors[: self.among], dtype=np.float32)
        return unit_rows(lenders)

    def of(self, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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

    def counts(self, evidence: Evidence, pairs: NDArray[np.int64]) -> DirectedCounts:
        """Of (u, v): g(u, v) + Σ weight · g(u', v) + Σ weight · g(u, v') for the neighbours u' of u and v' of v."""
        from scipy.sparse import csr_matrix  # here: open questions need no neighbours, and need not wait for it

        known: NDArray[np.bool_] = np.min(pairs, axis=1, initial=0) >= 0
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
