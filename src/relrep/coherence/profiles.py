"""Profiles of pairs: which patterns join two words, weighted, and folded to a few dimensions by an SVD.

A pair has two orientations, and turning it round swaps the directions of its patterns. So the matrix of all
oriented pairs falls into an even part (f + b) / √2 and an odd part (f − b) / √2 whose singular vectors,
taken together, are those of the whole: half the work, and the two orientations of a pair
agree to the last bit: (u, v) has the profile [even, odd], (v, u) has [even, −odd].
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.coherence._kernels import split_by_direction
from relrep.core.arrays import Doubles, Floats, Ints, Longs
from relrep.core.csr import ROWS_A_TASK, row_numbers, sparse_product, take_rows, transpose
from relrep.core.linalg import product_over_rows, row_products, unit_rows
from relrep.mining.bound import DirectedCounts

OVERSAMPLING = 10
"""Directions beyond the wanted rank that subspace iteration carries along."""
BASIS_ROWS = 20_000
"""The directions are found on about this many pairs, evenly spread, and then serve all."""
DENSE_PAIRS, DENSE_PATTERN_PAIRS = 10_000, 20
"""Totals and directions of the relation table are learnt from so many pairs, and patterns that join so many of them."""
RANK, SVD_ITERATIONS, SEED = 100, 3, 1
"""Directions that profiles of the relation table are folded to, and how they are found."""
WHITENING = 0.25
"""The power of σ that whitened profiles keep."""
_LEAST_VARIANCE = 1e-12
_ROWS_AT_ONCE, _ENTRIES_AT_ONCE = 1 << 15, 1 << 22
Weighting = Literal["entropy", "ppmi"]


@dataclass(frozen=True, eq=False)
class FoldedProfiles:
    """One row a pair; [even, odd] has unit length, and so has [even, −odd], the pair turned round."""

    even: NDArray[np.floating]
    odd: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Basis:
    """The directions that profiles are folded to: one row a pattern, for even and for odd parts."""

    even: Floats
    odd: Floats


@dataclass(frozen=True, eq=False)
class PatternSpace:
    """What patterns say, learnt from all bound pairs, so that an answer never depends on what else is asked.

    `entropy_weights` is 1 − entropy over the pairs, `totals` the sum of a pattern's counts over the pairs that most is
    counted of (0: it joins too few of them to say anything under PPMI).
    """

    entropy_weights: Doubles
    totals: Doubles
    basis: Basis

    @classmethod
    def learn(cls, counts: DirectedCounts, rank: int = RANK, threads: int = 1) -> "PatternSpace":
        """Entropy from all pairs; totals and directions from the pairs that most is counted of, and their patterns."""
        dense = richest_rows(counts, DENSE_PAIRS)
        least = min(DENSE_PATTERN_PAIRS, max(2, dense.n_rows // 250))
        dense = dense.with_patterns(dense.pairs_per_pattern() >= least)
        totals = np.bincount(dense.keys >> 1, dense.counts, dense.n_patterns).astype(np.float64)
        empty = np.zeros((counts.n_patterns, 0), dtype=np.float32)
        space = cls(entropy_weights(counts), totals, Basis(empty, empty))
        if not len(dense.keys):
            return space
        basis = learn_basis(dense, space.weigh(dense, "ppmi"), rank, SVD_ITERATIONS, SEED, threads)
        return cls(space.entropy_weights, totals, basis)

    def weigh(self, counts: DirectedCounts, weighting: Weighting) -> Floats:
        """Counts g as weights, rows at unit length.

        "entropy": log(1 + g) · (1 − entropy of the pattern); "ppmi": max(0, log(g N / (g_pair g_pattern))), where
        g_pair sums over the pair's patterns, and N and g_pattern over all bound pairs.
        """
        if weighting == "entropy":
            return weigh(counts, self.entropy_weights)
        g = np.asarray(counts.counts, dtype=np.float64)
        row_of = row_numbers(counts.ends)
        of_row = np.bincount(row_of, weights=g, minlength=counts.n_rows)[row_of]
        shares = np.divide(self.totals.sum(), self.totals, out=np.zeros_like(self.totals), where=self.totals > 0)
        ratio = g * shares[counts.keys >> 1] / of_row
        return unit_weights(counts, np.log(np.maximum(ratio, 1)))

    def fold(self, counts: DirectedCounts, threads: int = 1) -> FoldedProfiles:
        """Profiles weighted by PPMI in the directions of the space."""
        return project(counts, self.weigh(counts, "ppmi"), self.basis, threads)

    def fold_all(self, counts: DirectedCounts, threads: int = 1) -> "tuple[Whitening, WhitenedProfiles]":
        """The same for very many pairs, some at a time: how they are whitened, and all of them so."""
        n_even, n_odd = self.basis.even.shape[1], self.basis.odd.shape[1]
        rows = np.empty((counts.n_rows, n_even + n_odd), dtype=np.float16)
        for low in range(0, counts.n_rows, _ROWS_AT_ONCE):
            some = slice(low, min(low + _ROWS_AT_ONCE, counts.n_rows))
            folded = self.fold(counts.row_range(some.start, some.stop), threads)
            rows[some, :n_even], rows[some, n_even:] = folded.even, folded.odd
        whitening = Whitening.learn(rows, n_even)
        return whitening, WhitenedProfiles.of(rows, whitening, n_even)


@dataclass(frozen=True, eq=False)
class Whitening:
    """x ← (x − mean) · scale, at unit length, for rows [even, odd]: no few directions outweigh the others."""

    mean: Floats
    scale: Floats

    @classmethod
    def learn(cls, rows: NDArray[np.float16], n_even: int) -> "Whitening":
        """Of the mean and the deviations σ over all oriented pairs: scale = σ^(WHITENING − 1)."""
        sums = np.zeros((2, rows.shape[1]))
        for low in range(0, len(rows), _ROWS_AT_ONCE):
            block = rows[low : low + _ROWS_AT_ONCE].astype(np.float64)
            sums += np.stack([block.sum(axis=0), (block**2).sum(axis=0)])
        mean, square = sums / max(1, len(rows))
        mean[n_even:] = 0  # a pair and its turned self cancel out
        sigma = np.sqrt(np.maximum(square - mean**2, _LEAST_VARIANCE))
        return cls(mean.astype(np.float32), (sigma ** (WHITENING - 1)).astype(np.float32))

    def __call__(self, rows: NDArray[np.floating]) -> Floats:
        """Whitened rows at unit length; a row of zeros, a pair without patterns, stays one."""
        whitened = (np.asarray(rows, dtype=np.float32) - self.mean) * self.scale
        return unit_rows(np.where((rows != 0).any(axis=1, keepdims=True), whitened, 0))


@dataclass(frozen=True, eq=False)
class WhitenedProfiles:
    """The whitened profiles of very many pairs, as the relation table keeps them: row = values · scales of the row.

    The first `n_even` columns are the even part; turning a pair round changes the sign of the others.
    """

    values: NDArray[np.int8]
    scales: Floats
    n_even: int

    @classmethod
    def of(cls, rows: NDArray[np.float16], whitening: Whitening, n_even: int) -> "WhitenedProfiles":
        """Folded profiles, whitened and rounded to a byte a number."""
        values, scales = np.zeros(rows.shape, dtype=np.int8), np.ones(len(rows), dtype=np.float32)
        for low in range(0, len(rows), _ROWS_AT_ONCE):
            block = whitening(rows[low : low + _ROWS_AT_ONCE])
            some = slice(low, low + len(block))
            largest = np.abs(block).max(axis=1, initial=0)
            scales[some] = np.where(largest == 0, 1, largest / 127)
            values[some] = np.rint(block / scales[some, None])
        return cls(values, scales, n_even)

    def row(self, row: int, turned: bool = False) -> Floats:
        """One pair's profile, or that of the pair turned round."""
        profile = self.values[row].astype(np.float32) * self.scales[row]
        if turned:
            profile[self.n_even :] *= -1
        return np.asarray(profile)

    def products(self, query: Floats, threads: int = 1) -> tuple[Floats, Floats]:
        """(even, odd) parts of the cosines of all pairs with a profile of unit length: e + o straight, e − o turned."""
        parts = np.zeros((2, len(query)), dtype=np.float32)
        parts[0, : self.n_even], parts[1, self.n_even :] = query[: self.n_even], query[self.n_even :]
        even, odd = row_products(self.values, parts, threads) * self.scales
        return even, odd


def entropy_weights(counts: DirectedCounts) -> Doubles:
    """1 − entropy of each pattern over all oriented pairs, as a share of the largest possible (log-entropy weighting).

    A pattern that stands everywhere alike says nothing and weighs nothing.
    """
    totals = np.bincount(counts.keys >> 1, counts.counts, counts.n_patterns)
    entropy = np.zeros(counts.n_patterns)
    for low in range(0, len(counts.keys), _ENTRIES_AT_ONCE):
        some = slice(low, low + _ENTRIES_AT_ONCE)
        pattern = counts.keys[some] >> 1
        share = counts.counts[some] / totals[pattern]
        entropy += np.bincount(pattern, weights=-share * np.log(share), minlength=counts.n_patterns)
    return np.asarray(1.0 - entropy / np.log(max(2, 2 * counts.n_rows)))


def weigh(counts: DirectedCounts, of_pattern: Doubles | None = None) -> Floats:
    """log(1 + g) · (1 − entropy of the pattern) (by default that in `counts`), rows at unit length."""
    of_pattern = entropy_weights(counts) if of_pattern is None else of_pattern
    return unit_weights(counts, np.log1p(counts.counts.astype(np.float64)) * of_pattern[counts.keys >> 1])


def unit_weights(counts: DirectedCounts, weights: Doubles) -> Floats:
    """The weights of all entries, scaled so that each pair's row has unit length."""
    row_of = row_numbers(counts.ends)
    norms = np.sqrt(np.bincount(row_of, weights=weights * weights, minlength=counts.n_rows))
    return np.asarray(weights / np.where(norms == 0, 1, norms)[row_of], dtype=np.float32)


def fold(
    counts: DirectedCounts, weights: Floats, rank: int, iterations: int, seed: int, threads: int = 1
) -> FoldedProfiles:
    """The profiles in the `rank` directions with the largest singular values, even and odd together."""
    return project(counts, weights, learn_basis(counts, weights, rank, iterations, seed, threads), threads)


def richest_rows(counts: DirectedCounts, n: int) -> DirectedCounts:
    """The `n` pairs with the most counts, all patterns together; ties by row."""
    chosen = np.zeros(counts.n_rows, dtype=np.bool_)
    chosen[np.argsort(-counts.totals(), kind="stable")[:n]] = True
    return counts.rows(chosen)


def learn_basis(
    counts: DirectedCounts, weights: Floats, rank: int, iterations: int, seed: int, threads: int = 1
) -> Basis:
    """The right singular vectors with the `rank` largest singular values."""
    ends, patterns, even, odd = split_by_direction(counts.ends, counts.keys, weights)
    wide = min(-(-2 * rank // 3), len(ends) - 1, counts.n_patterns)  # neither part takes much more than half
    (even_basis, even_sizes), (odd_basis, odd_sizes) = (
        randomized_svd(ends, patterns, values, counts.n_patterns, wide, iterations, seed, threads)
        for values in (even, odd)
    )
    limit = np.sort(np.concatenate([even_sizes, odd_sizes]))[::-1][:rank][-1]
    return Basis(
        np.ascontiguousarray(even_basis[:, even_sizes >= limit]), np.ascontiguousarray(odd_basis[:, odd_sizes >= limit])
    )


def project(counts: DirectedCounts, weights: Floats, basis: Basis, threads: int = 1) -> FoldedProfiles:
    """The profiles in the directions of `basis`, at unit length (a pair without patterns is zero)."""
    ends, patterns, even, odd = split_by_direction(counts.ends, counts.keys, weights)
    even_rows = sparse_product(ends, patterns, even, basis.even, threads)
    odd_rows = sparse_product(ends, patterns, odd, basis.odd, threads)
    squares = np.einsum("ij,ij->i", even_rows, even_rows) + np.einsum("ij,ij->i", odd_rows, odd_rows)
    norms = np.sqrt(squares)[:, None]
    norms[norms == 0] = 1
    return FoldedProfiles(even_rows / norms, odd_rows / norms)


def randomized_svd(
    ends: Longs, columns: Ints, values: Floats, n_columns: int, rank: int, iterations: int, seed: int, threads: int
) -> tuple[Floats, Doubles]:
    """V and Σ of the leading singular triples: randomised SVD by subspace iteration from a seeded start."""
    n_rows = len(ends) - 1
    width = min(rank + OVERSAMPLING, n_rows, n_columns)
    sampled = np.zeros(n_rows, dtype=np.bool_)
    sampled[:: max(1, n_rows // BASIS_ROWS)] = True
    sample_ends, (sample_columns, sample_values) = take_rows(ends, sampled, columns, values)
    sample = (sample_ends, sample_columns, sample_values)
    back_ends, back_columns, back_values = transpose(*sample, n_columns)
    generator = np.random.default_rng(seed)
    basis = _orthonormal(generator.standard_normal((n_columns, width)).astype(np.float32))
    for _ in range(iterations):
        image = sparse_product(*sample, basis, threads)
        basis = _orthonormal(sparse_product(back_ends, back_columns, back_values, image, threads))
    image = sparse_product(*sample, basis, threads)
    sizes, rotation = np.linalg.eigh(product_over_rows(image, image, ROWS_A_TASK))
    order = np.argsort(-sizes, kind="stable")[:rank]
    return _blocked_product(basis, rotation[:, order].astype(np.float32)), np.sqrt(np.maximum(sizes[order], 0))


def _blocked_product(rows: Floats, square: Floats) -> Floats:
    result = np.empty((len(rows), square.shape[1]), dtype=np.float32)
    for first in range(0, len(rows), ROWS_A_TASK):
        result[first : first + ROWS_A_TASK] = rows[first : first + ROWS_A_TASK] @ square
    return result


def _orthonormal(rows: Floats) -> Floats:
    """The same column space with orthonormal columns (directions of no weight left are zero)."""
    sizes, rotation = np.linalg.eigh(product_over_rows(rows, rows, ROWS_A_TASK))
    usable = sizes > max(float(sizes[-1]), 1e-30) * 1e-9
    scale = np.where(usable, 1 / np.sqrt(np.where(usable, sizes, 1)), 0)
    return _blocked_product(rows, (rotation * scale).astype(np.float32))
