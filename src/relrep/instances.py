"""Training instances: the most and the least similar pairs of patterns, found without ever holding all similarities."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.association import Association
from relrep.errors import RelrepError
from relrep.files import written_whole
from relrep.kernels.similarity import (
    BLOCK,
    block_products,
    collect,
    count_by_pattern,
    count_visits,
    list_by_pattern,
    list_visits,
)
from relrep.mapped import aligned, copied
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.threads import run_in_threads, split_evenly

STEP = "comparing patterns"
_LATE = 50
"""One in so many pairs, those with the longest rows, is looked at only where it can matter."""


@dataclass(frozen=True)
class InstanceSettings:
    """How many pairs of patterns training looks at."""

    positives: int = field(default=50_000, metadata={"help": "so many most similar pattern pairs (t = 1)"})
    negatives: int = field(default=50_000, metadata={"help": "so many least similar pattern pairs (t = 0)"})

    def __post_init__(self) -> None:
        for name in ("positives", "negatives"):
            if getattr(self, name) < 1:
                raise RelrepError(f"{name} is {getattr(self, name)}; give 1 or more")


@dataclass(frozen=True, eq=False)
class Instances:
    """Pairs of patterns left[i] < right[i] with their target (1: similar, 0: dissimilar) and similarity."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    target: NDArray[np.float32]
    similarity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.left)

    def write(self, path: Path) -> None:
        """Leaves the instances at `path`."""
        with written_whole(path) as part, part.open("wb") as file:
            np.savez(file, left=self.left, right=self.right, target=self.target, similarity=self.similarity)

    @classmethod
    def read(cls, path: Path) -> "Instances":
        """The instances that `write` left."""
        with np.load(path, allow_pickle=False) as held:
            return cls(held["left"], held["right"], held["target"], held["similarity"])


class _Extremes:
    """The pairs of patterns with the largest keys so far (key, then ids, decide: a total order)."""

    def __init__(self, most: int, sign: float) -> None:
        self.most = most
        self.sign = sign
        self.bound = -np.inf
        self.held: list[tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]] = []
        self.size = 0

    def add(self, similarity: NDArray[np.float64], left: NDArray[np.int32], right: NDArray[np.int32]) -> None:
        wanted = self.sign * similarity >= self.bound
        self.held.append((similarity[wanted], left[wanted], right[wanted]))
        self.size += len(self.held[-1][0])
        if self.size > self.most + self.most // 4:
            self.cut()  # early, as the bound spares work

    def cut(self) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
        if not self.held:
            return np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)
        similarity, left, right = (np.concatenate(column) for column in zip(*self.held, strict=True))
        order = np.lexsort((right, left, -self.sign * similarity))[: self.most]
        kept = similarity[order], left[order], right[order]
        self.held, self.size = [kept], len(order)
        if len(order) == self.most:
            self.bound = float(self.sign * kept[0][-1])
        return kept


def select_instances(
    association: Association,
    settings: InstanceSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Instances:
    """The `positives` most similar pattern pairs and the `negatives` least similar ones that have some similarity.

    A pair of patterns that is among both (of very few patterns) counts as similar.
    """
    n_patterns, starts, norms = association.n_patterns, association.starts, association.norms
    small = np.uint16 if n_patterns <= np.iinfo(np.uint16).max else np.int32
    columns = ((association.pattern, small), (association.weight, np.float32))
    patterns, weights = run_in_threads(lambda column: copied(*column), columns, threads)
    longest = _longest_rows(starts)
    late = _Late(starts, patterns, weights, longest, n_patterns)
    visits = _Visits(starts, patterns, longest, n_patterns, threads)
    firsts = range(0, n_patterns, BLOCK)
    top, bottom = _Extremes(settings.positives, 1.0), _Extremes(settings.negatives, -1.0)
    done, one_at_a_time = 0, Lock()

    def strand(number: int) -> None:
        nonlocal done
        products, lanes, row = aligned(n_patterns * BLOCK), aligned(2 * BLOCK), aligned(len(longest))
        undecided = np.empty(n_patterns, dtype=np.uint16)
        room = BLOCK * n_patterns
        similarity = np.empty(room)
        left, right = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        for first in firsts[number::threads]:
            block_products(patterns, weights, first, *visits.of(first // BLOCK), lanes[:BLOCK], products)
            n = collect(
                products, first, n_patterns, norms, late.starts, late.numbers, late.values, late.norms, row, lanes,
                undecided, top.bound, -bottom.bound, similarity, left, right,
            )  # fmt: skip
            with one_at_a_time:
                top.add(similarity[:n], left[:n], right[:n])
                bottom.add(similarity[:n], left[:n], right[:n])
                done += 1
                progress(Progress(STEP, done, len(firsts)))

    progress(Progress(STEP, 0, len(firsts)))
    for _ in run_in_threads(strand, range(threads), threads):
        pass
    return _united(top, bottom, n_patterns)


def _longest_rows(starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs that are looked at last, rising."""
    lengths = np.diff(starts)
    many = min(len(lengths) // _LATE, np.iinfo(np.uint16).max)
    return np.sort(np.argsort(-lengths, kind="stable")[:many])


class _Late:
    """The few pairs with the longest rows: nearly half of all products, but a small part of the patterns' lengths.

    So nearly all pattern pairs are known, from the other pairs alone, to be neither among the most similar nor among
    the least similar ones. For the rest, these rows are held by pattern.
    """

    def __init__(
        self,
        starts: NDArray[np.int64],
        patterns: NDArray[Any],
        weights: NDArray[np.float32],
        pairs: NDArray[np.int64],
        n_patterns: int,
    ) -> None:
        self.starts = np.zeros(n_patterns + 1, dtype=np.int64)
        count_by_pattern(starts, patterns, pairs, self.starts)
        np.cumsum(self.starts, out=self.starts)
        self.numbers = np.empty(int(self.starts[-1]), dtype=np.uint16)
        self.values = np.empty(len(self.numbers), dtype=np.float32)
        squares = np.zeros(n_patterns)
        list_by_pattern(starts, patterns, weights, pairs, self.starts[:-1].copy(), self.numbers, self.values, squares)
        self.norms = np.sqrt(squares)


class _Visits:
    """For each block of patterns, the rows that have one of them, but for those of the pairs left out."""

    def __init__(
        self,
        starts: NDArray[np.int64],
        patterns: NDArray[Any],
        pairs_left_out: NDArray[np.int64],
        n_patterns: int,
        threads: int,
    ) -> None:
        left_out = np.zeros(len(starts) - 1, dtype=np.bool_)
        left_out[pairs_left_out] = True
        n_blocks = -(-n_patterns // BLOCK)
        parts = split_evenly(len(left_out), threads)
        counts = np.zeros((n_blocks, len(parts)), dtype=np.int64)

        def count(number: int) -> None:
            own = np.zeros(n_blocks, dtype=np.int64)
            count_visits(starts, patterns, left_out, *parts[number], own)
            counts[:, number] = own

        for _ in run_in_threads(count, range(len(parts)), threads):
            pass
        ends = np.cumsum(counts.ravel()).reshape(counts.shape)
        self.starts = np.concatenate([np.zeros(1, np.int64), ends[:, -1]])
        size = int(self.starts[-1])
        small = np.uint32 if len(patterns) <= np.iinfo(np.uint32).max else np.int64
        self.entries = np.empty(size, dtype=small)
        self.lengths = np.empty(size, dtype=patterns.dtype)  # no row is longer than there are patterns

        def fill(number: int) -> None:
            at = (ends - counts)[:, number].copy()
            list_visits(starts, patterns, left_out, *parts[number], at, self.entries, self.lengths)

        for _ in run_in_threads(fill, range(len(parts)), threads):
            pass

    def of(self, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where rows reach the block, and how much of them is left there."""
        part = slice(self.starts[block], self.starts[block + 1])
        return self.entries[part], self.lengths[part]


def _united(top: _Extremes, bottom: _Extremes, n_patterns: int) -> Instances:
    similarity, left, right = top.cut()
    low_similarity, low_left, low_right = bottom.cut()
    keys = left.astype(np.int64) * n_patterns + right
    new = ~np.isin(low_left.astype(np.int64) * n_patterns + low_right, keys)
    if not len(left):
        raise RelrepError("no two patterns share a word pair; give more text or a smaller min_pair_sentences")
    return Instances(
        np.concatenate([left, low_left[new]]),
        np.concatenate([right, low_right[new]]),
        np.concatenate([np.ones(len(left), np.float32), np.zeros(int(new.sum()), np.float32)]),
        np.concatenate([similarity, low_similarity[new]]),
    )
