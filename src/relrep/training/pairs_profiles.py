"""Profiles of pairs: which patterns join two words, weighted, and folded to a few dimensions by an SVD.

A pair has two orientations, and turning it round swaps the directions of its patterns. So the matrix of all
oriented pairs falls into an even part (f + b) / √2 and an odd part (f − b) / √2 whose singular vectors,
taken together, are those of the whole: half the work, and the two orientations of a pair
agree to the last bit: (u, v) has the profile [even, odd], (v, u) has [even, −odd].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.pair_profiles_product import multiply_rows, split_by_direction, transpose
from relrep.threads import run_in_threads, split_evenly

ROWS_A_TASK = 2048
OVERSAMPLING = 10
"""Directions beyond the wanted rank that subspace iteration carries along."""
ENTRIES_AT_ONCE = 1 << 21
BASIS_ROWS = 20_000
"""The directions are found on about this many pairs, evenly spread, and then serve all."""


@dataclass(frozen=True, eq=False)
class DirectedCounts:
    """How often each pattern stands between each pair: row r holds the entries ends[r] : ends[r + 1].

    keys = 2 · pattern + backward, rising within a row. `codes` are the patterns' own keys, without direction.
    """

    ends: NDArray[np.int64]
    keys: NDArray[np.int32]
    counts: NDArray[np.int32] | NDArray[np.float64]
    codes: NDArray[np.int64]

    @property
    def n_patterns(self) -> int:
        """How many patterns there are, whether or not a pair has them."""
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class FoldedProfiles:
    """One row a pair; [even, odd] has unit length, and so has [even, −odd], the pair turned round."""

    even: NDArray[np.float32]
    odd: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Basis:
    """The directions that profiles are folded to: one row a pattern, for even and for odd parts."""

    even: NDArray[np.float32]
    odd: NDArray[np.float32]


def number_patterns(
    ends: NDArray[np.int64], keys: NDArray[np.int64], counts: NDArray[np.int32], min_pairs: int
) -> DirectedCounts:
    """Numbers the patterns that stand between at least `min_pairs` pairs, in either direction; drops the rest.

    >>> number_patterns(np.array([0, 2, 4]), np.array([8, 13, 9, 13]), np.array([1, 2, 3, 4]), 2).keys.tolist()
    [0, 3, 1, 3]
    """
    first_of_row = np.ones(len(keys), dtype=np.bool_)  # the two directions of a pattern are one pair's
    first_of_row[1:] = keys[1:] ^ 1 != keys[:-1]
    first_of_row[ends[:-1][ends[:-1] < len(keys)]] = True
    in_order = keys[first_of_row] >> 1
    in_order.sort()
    bounds = np.flatnonzero(np.diff(in_order, prepend=-1, append=-1))
    kept = in_order[bounds[:-1]][np.diff(bounds) >= min_pairs]
    return number_as(ends, keys, counts, kept)


def number_as(
    ends: NDArray[np.int64], keys: NDArray[np.int64], counts: NDArray[np.int32], codes: NDArray[np.int64]
) -> DirectedCounts:
    """Numbers the patterns by their place in `codes` (rising); drops the others."""
    row_sizes = np.zeros(len(ends) - 1, dtype=np.int64)
    new_keys, new_counts = [np.empty(0, np.int32)], [counts[:0]]
    for low in range(0, len(keys), ENTRIES_AT_ONCE):
        high = min(low + ENTRIES_AT_ONCE, len(keys))
        patterns = keys[low:high] >> 1
        number = np.searchsorted(codes, patterns)
        kept = np.append(codes, -1)[number] == patterns
        new_keys.append((2 * number[kept] + (keys[low:high][kept] & 1)).astype(np.int32))
        new_counts.append(counts[low:high][kept])
        within: NDArray[np.int64] = np.clip(ends, low, high)
        row_of = np.repeat(np.arange(len(row_sizes)), within[1:] - within[:-1])
        row_sizes += np.bincount(row_of[kept], minlength=len(row_sizes))
    return DirectedCounts(
        ends=np.concatenate([[0], np.cumsum(row_sizes)]).astype(np.int64),
        keys=np.concatenate(new_keys),
        counts=np.concatenate(new_counts),
        codes=codes,
    )


def importance(counts: DirectedCounts) -> NDArray[np.float64]:
    """1 − entropy of each pattern over all oriented pairs, as a share of the largest possible.

    A pattern that stands everywhere alike says nothing and weighs nothing.
    """
    g = counts.counts.astype(np.float64)
    pattern = counts.keys >> 1
    share = g / np.bincount(pattern, weights=g, minlength=counts.n_patterns)[pattern]
    entropy = np.bincount(pattern, weights=-share * np.log(share), minlength=counts.n_patterns)
    return np.asarray(1.0 - entropy / np.log(max(2, 2 * (len(counts.ends) - 1))))


def weigh(counts: DirectedCounts, of_pattern: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
    """log(1 + g) · importance of the pattern (by default that in `counts`), rows at unit length."""
    of_pattern = importance(counts) if of_pattern is None else of_pattern
    return unit_weights(counts, np.log1p(counts.counts.astype(np.float64)) * of_pattern[counts.keys >> 1])


def unit_weights(counts: DirectedCounts, weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """The weights of all entries, scaled so that each pair's row has unit length."""
    n_rows = len(counts.ends) - 1
    row_of = np.repeat(np.arange(n_rows), np.diff(counts.ends))
    norms = np.sqrt(np.bincount(row_of, weights=weights * weights, minlength=n_rows))
    return np.asarray(weights / np.where(norms == 0, 1, norms)[row_of], dtype=np.float32)


def fold(
    counts: DirectedCounts, weights: NDArray[np.float32], rank: int, iterations: int, seed: int, threads: int = 1
) -> FoldedProfiles:
    """The profiles in the `rank` directions with the largest singular values, even and odd together."""
    return project(counts, weights, learn_basis(counts, weights, rank, iterations, seed, threads), threads)


def learn_basis(
    counts: DirectedCounts, weights: NDArray[np.float32], rank: int, iterations: int, seed: int, threads: int = 1
) -> Basis:
    """The right singular vectors with the `rank` largest singular values."""
    ends, patterns, even, odd = split_by_direction(counts.ends, counts.keys, weights)
    wide = min(-(-2 * rank // 3), len(ends) - 1, counts.n_patterns)  # neither part takes much more than half
    (even_basis, even_sizes), (odd_basis, odd_sizes) = (
        _leading_directions(ends, patterns, values, counts.n_patterns, wide, iterations, seed, threads)
        for values in (even, odd)
    )
    limit = np.sort(np.concatenate([even_sizes, odd_sizes]))[::-1][:rank][-1]
    return Basis(
        np.ascontiguousarray(even_basis[:, even_sizes >= limit]), np.ascontiguousarray(odd_basis[:, odd_sizes >= limit])
    )


def project(counts: DirectedCounts, weights: NDArray[np.float32], basis: Basis, threads: int = 1) -> FoldedProfiles:
    """The profiles in the directions of `basis`, at unit length (a pair without patterns is zero)."""
    ends, patterns, even, odd = split_by_direction(counts.ends, counts.keys, weights)
    even_rows = sparse_product(ends, patterns, even, basis.even, threads)
    odd_rows = sparse_product(ends, patterns, odd, basis.odd, threads)
    squares = np.einsum("ij,ij->i", even_rows, even_rows) + np.einsum("ij,ij->i", odd_rows, odd_rows)
    norms = np.sqrt(squares)[:, None]
    norms[norms == 0] = 1
    return FoldedProfiles(even_rows / norms, odd_rows / norms)


def _leading_directions(
    ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    n_columns: int,
    rank: int,
    iterations: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """V and Σ of the leading singular triples, by subspace iteration from a seeded start."""
    n_rows = len(ends) - 1
    width = min(rank + OVERSAMPLING, n_rows, n_columns)
    sample = _some_rows(ends, columns, values, max(1, n_rows // BASIS_ROWS))
    back_ends, back_columns, back_values = transpose(*sample, n_columns)
    generator = np.random.default_rng(seed)
    basis = _orthonormal(generator.standard_normal((n_columns, width)).astype(np.float32))
    for _ in range(iterations):
        image = sparse_product(*sample, basis, threads)
        basis = _orthonormal(sparse_product(back_ends, back_columns, back_values, image, threads))
    sizes, rotation = np.linalg.eigh(_gram(sparse_product(*sample, basis, threads)))
    order = np.argsort(-sizes, kind="stable")[:rank]
    return _blocked_product(basis, rotation[:, order].astype(np.float32)), np.sqrt(np.maximum(sizes[order], 0))


def _some_rows(
    ends: NDArray[np.int64], columns: NDArray[np.int32], values: NDArray[np.float32], stride: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Every stride-th row of a sparse matrix."""
    if stride == 1:
        return ends, columns, values
    sizes = np.diff(ends)
    taken = np.zeros(len(sizes), dtype=np.bool_)
    taken[::stride] = True
    entries = np.repeat(taken, sizes)
    return np.concatenate([[0], np.cumsum(sizes[taken])]), columns[entries], values[entries]


def sparse_product(
    ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    dense: NDArray[np.float32],
    threads: int = 1,
) -> NDArray[np.float32]:
    """matrix @ dense, each row by one thread."""
    n_rows = len(ends) - 1
    result = np.empty((n_rows, dense.shape[1]), dtype=np.float32)
    tasks = split_evenly(n_rows, max(1, n_rows // ROWS_A_TASK))

    def one(task: tuple[int, int]) -> None:
        multiply_rows(task[0], task[1], ends, columns, values, dense, result)

    for _ in run_in_threads(one, tasks, threads):
        pass
    return result


def _gram(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """rowsᵀ rows, in blocks of fixed size added in order."""
    total = np.zeros((rows.shape[1], rows.shape[1]))
    for first in range(0, len(rows), ROWS_A_TASK):
        block = rows[first : first + ROWS_A_TASK].astype(np.float64)
        total += block.T @ block
    return total


def _blocked_product(rows: NDArray[np.float32], square: NDArray[np.float32]) -> NDArray[np.float32]:
    result = np.empty((len(rows), square.shape[1]), dtype=np.float32)
    for first in range(0, len(rows), ROWS_A_TASK):
        result[first : first + ROWS_A_TASK] = rows[first : first + ROWS_A_TASK] @ square
    return result


def _orthonormal(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same column space with orthonormal columns (directions of no weight left are zero)."""
    sizes, rotation = np.linalg.eigh(_gram(rows))
    usable = sizes > max(float(sizes[-1]), 1e-30) * 1e-9
    scale = np.where(usable, 1 / np.sqrt(np.where(usable, sizes, 1)), 0)
    return _blocked_product(rows, (rotation * scale).astype(np.float32))
