"""Neighbours of pairs: the pairs of other words that the text joins in the same way, words of the same types first."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relrep.coherence._kernels import keep_best
from relrep.coherence.profiles import FoldedProfiles
from relrep.core.arrays import Flags, Floats, Ints
from relrep.core.linalg import unit_rows
from relrep.core.threads import run_in_threads
from relrep.progress import Progress, ProgressCallback, ignore

ROWS_A_BLOCK, COLUMNS_A_BLOCK = 512, 4096
"""Fixed, whatever the number of threads: the bits of a product may depend on its shape."""


class Neighbours(NamedTuple):
    """For each pair its best others: pair numbers (−1: none), whether turned round, and E, the cosine of profiles."""

    pair: Ints
    turned: Flags
    similarity: Floats


@dataclass(frozen=True, eq=False)
class JoinedPairs:
    """Pairs joined by one kind of evidence ("text", "spelling"), their neighbours, and how much each neighbour weighs.

    `coherence_power` is the power to which coherence is believed, `step` the share of its way that a word moves.
    """

    kind: str
    word: Ints
    partner: Ints
    neighbours: Neighbours
    weight: Floats
    coherence_power: float
    step: float

    @classmethod
    def none(cls, kind: str) -> "JoinedPairs":
        """No pairs at all."""
        nobody = np.zeros((0, 1), dtype=np.int32)
        nothing = nobody.astype(np.float32)
        neighbours = Neighbours(nobody, nobody.astype(np.bool_), nothing)
        return cls(kind, nobody[:, 0], nobody[:, 0], neighbours, nothing, 1.0, 0.0)


def nearest_pairs(
    profiles: FoldedProfiles,
    word: Ints,
    partner: Ints,
    vectors: Floats,
    n_neighbours: int,
    type_weight: float,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Neighbours:
    """The pairs (u', v') sharing no word with (u, v) with the largest E + type_weight · (cos(u, u') + cos(v, v')).

    Both sums over words are products of u + v and u − v, which go with the even and the odd part of the profile:
    cos(u, u') + cos(v, v') = ½ (u + v)(u' + v') + ½ (u − v)(u' − v').
    """
    unit = unit_rows(vectors)
    scale = np.float32(np.sqrt(type_weight / 2))
    u, v = unit[partner], unit[word]
    even = np.ascontiguousarray(np.hstack([profiles.even, scale * (u + v)]))
    odd = np.ascontiguousarray(np.hstack([profiles.odd, scale * (u - v)]))
    n_pairs = len(word)
    score = np.full((n_pairs, n_neighbours), -np.inf, dtype=np.float32)
    best = np.full((n_pairs, n_neighbours), -2, dtype=np.int32)

    def one_block(first: int) -> int:
        rows = slice(first, min(n_pairs, first + ROWS_A_BLOCK))
        for column in range(0, n_pairs, COLUMNS_A_BLOCK):
            columns = slice(column, min(n_pairs, column + COLUMNS_A_BLOCK))
            even_block, odd_block = even[rows] @ even[columns].T, odd[rows] @ odd[columns].T
            keep_best(even_block, odd_block, first, column, word, partner, score, best)
        return rows.stop

    for done in run_in_threads(one_block, range(0, n_pairs, ROWS_A_BLOCK), threads):
        progress(Progress("neighbours of pairs", done, n_pairs, "pairs"))
    pair, turned = best >> 1, (best & 1).astype(np.bool_)
    return Neighbours(pair, turned, _profile_cosines(profiles, pair, turned))


def _profile_cosines(profiles: FoldedProfiles, pair: Ints, turned: Flags) -> Floats:
    """E of each pair with each of its neighbours; 0 where there is none."""
    similarity = np.zeros(pair.shape, dtype=np.float32)
    for k in range(pair.shape[1]):
        other = np.maximum(pair[:, k], 0)
        even = np.einsum("ij,ij->i", profiles.even, profiles.even[other])
        odd = np.einsum("ij,ij->i", profiles.odd, profiles.odd[other])
        similarity[:, k] = np.where(pair[:, k] < 0, 0, even + np.where(turned[:, k], -odd, odd))
    return similarity
