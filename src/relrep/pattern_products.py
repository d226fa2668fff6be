"""All products of two patterns' weights but for those of the longest rows, a few patterns at a time.

Frequent patterns come in blocks, by vector instructions; the rare ones, which hardly ever share a pair with their
neighbours, one by one. Both sum over the pairs in order: which way is taken makes no difference to a bit.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from relrep.association import Association
from relrep.kernels.similarity import BLOCK, block_products, count_visits, list_visits
from relrep.kernels.similarity_rare import add_products, gather
from relrep.mapped import aligned, copied
from relrep.threads import run_in_threads, split_evenly

FREQUENT = 1024
"""So many patterns are frequent: a whole number of blocks."""
_ROOM = 25_000_000  # so many products of rare patterns are held at a time: never all of them, however many
_TILE = 1 << 21  # a tile's rows are about so long together, frequent patterns included
_PORTIONS = 8  # patterns are dealt out in about so many portions a thread

Span = tuple[int, int]
"""The first of some numbers that follow each other, and the one after the last."""
PartCallback = Callable[[float], None]
Task = TypeVar("Task")


@dataclass(frozen=True, eq=False)
class Products:
    """The products of patterns p from `first` on, as many as `places`, with q > p: at places[p − first] + step · q."""

    first: int
    values: NDArray[np.float32]
    places: NDArray[np.int64]
    step: int


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of f in memory, and which of them are left out."""

    starts: NDArray[np.int64]
    patterns: NDArray[Any]
    weights: NDArray[np.float32]
    left_out: NDArray[np.bool_]
    n_patterns: int

    @classmethod
    def of(cls, association: Association, left_out: NDArray[np.int64], threads: int) -> "Rows":
        """Those of an association, without the pairs left out."""
        starts, n_patterns = association.starts, association.n_patterns
        small = np.uint16 if n_patterns <= np.iinfo(np.uint16).max else np.int32
        columns = ((association.pattern, small), (association.weight, np.float32))
        patterns, weights = run_in_threads(lambda column: copied(*column), columns, threads)
        marked = np.zeros(len(starts) - 1, dtype=np.bool_)
        marked[left_out] = True
        return cls(starts, patterns, weights, marked, n_patterns)

    @property
    def n_frequent(self) -> int:
        return min(FREQUENT, self.n_patterns)


class _Visits:
    """For each block of frequent patterns, the rows that have one of them."""

    def __init__(self, rows: Rows, threads: int) -> None:
        n_blocks = -(-rows.n_frequent // BLOCK)
        parts = split_evenly(len(rows.left_out), threads)
        counts = np.zeros((n_blocks, len(parts)), dtype=np.int64)

        def count(number: int) -> None:
            own = np.zeros(n_blocks, dtype=np.int64)
            count_visits(rows.starts, rows.patterns, rows.left_out, *parts[number], own)
            counts[:, number] = own

        _run(count, range(len(parts)), threads)
        ends = np.cumsum(counts.ravel()).reshape(counts.shape)
        self.starts = np.concatenate([np.zeros(1, np.int64), ends[:, -1]])
        size = int(self.starts[-1])
        small = np.uint32 if len(rows.patterns) <= np.iinfo(np.uint32).max else np.int64
        self.entries = np.empty(size, dtype=small)
        self.lengths = np.empty(size, dtype=rows.patterns.dtype)  # no row is longer than there are patterns

        def fill(number: int) -> None:
            at = (ends - counts)[:, number].copy()
            list_visits(rows.starts, rows.patterns, rows.left_out, *parts[number], at, self.entries, self.lengths)

        _run(fill, range(len(parts)), threads)

    def of(self, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where rows reach the block, and how much of them is left there."""
        part = slice(self.starts[block], self.starts[block + 1])
        return self.entries[part], self.lengths[part]


def frequent_products(rows: Rows, threads: int, on_part: PartCallback) -> list[Products]:
    """The products of frequent patterns with all others, a block each. `on_part` is told which part has been made."""
    visits = _Visits(rows, threads)
    firsts = range(0, rows.n_frequent, BLOCK)

    def work(first: int) -> Products:
        products = aligned(rows.n_patterns * BLOCK)
        block_products(rows.patterns, rows.weights, first, *visits.of(first // BLOCK), aligned(BLOCK), products)
        return Products(first, products, np.arange(min(BLOCK, rows.n_frequent - first)), BLOCK)

    found = []
    for products in run_in_threads(work, firsts, threads):
        found.append(products)
        on_part(len(found) / len(firsts))
    return found


class _Tile:
    """What some pairs have of rare patterns, and for each pattern where."""

    def __init__(self, rows: Rows, size: int) -> None:
        self.rows = rows
        self.columns = np.empty(size, dtype=rows.patterns.dtype)
        self.values = np.empty(size, dtype=np.float32)
        self.entries, self.ends = np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint32)

    def fill(self, pairs: Span, patterns: Span) -> None:
        """Takes what a run of pairs has of the patterns, and of those that follow."""
        self.patterns, self.visits = patterns, np.empty(patterns[1] - patterns[0] + 1, dtype=np.int64)
        rows = self.rows
        gather(
            rows.starts, rows.patterns, rows.weights, rows.left_out, *pairs, patterns[0],
            self.columns, self.values, self.visits, self.entries, self.ends,
        )  # fmt: skip

    def add(self, places: NDArray[np.int64], sums: NDArray[np.float32], patterns: Span) -> None:
        """Adds the products of a run of patterns."""
        held = self.columns, self.values, self.patterns[0], self.visits, self.entries, self.ends
        add_products(*held, *patterns, self.rows.n_patterns, places, sums)


def rare_products(rows: Rows, threads: int, on_part: PartCallback) -> Iterator[list[Products]]:
    """The products of rare patterns with each other, as many at a time as there is room for, a few patterns each.

    `on_part` is told which part of them has been made.
    """
    tiles = _tiles(rows.starts)
    held = [_Tile(rows, _TILE + rows.n_patterns) for _ in range(min(threads, len(tiles)))]
    stripes = _stripes(rows.n_frequent, rows.n_patterns)
    for number, (first, last) in enumerate(stripes):
        lengths = rows.n_patterns - np.arange(first, last)
        places = np.cumsum(lengths) - lengths - np.arange(first, last)
        sums = np.zeros(int(lengths.sum()), dtype=np.float32)
        portions = [(first + low, first + high) for low, high in split_evenly(last - first, _PORTIONS * threads)]
        for done in range(0, len(tiles), threads):
            present = list(zip(held, tiles[done : done + threads], strict=False))
            _run(partial(_fill, (first, last)), present, threads)
            for tile, _ in present:
                _run(partial(tile.add, places, sums), portions, threads)
            on_part((number + (done + len(present)) / len(tiles)) / len(stripes))
        cuts = range(0, last - first, BLOCK)
        yield [Products(first + cut, sums, places[cut : cut + BLOCK], 1) for cut in cuts]


def _fill(patterns: Span, tile_and_pairs: tuple[_Tile, Span]) -> None:
    tile, pairs = tile_and_pairs
    tile.fill(pairs, patterns)


def _run(function: Callable[[Task], None], tasks: Iterable[Task], threads: int) -> None:
    for _ in run_in_threads(function, tasks, threads):
        pass


def _tiles(starts: NDArray[np.int64]) -> list[Span]:
    """Runs of pairs whose rows are about so long together that they make a tile."""
    bounds = np.searchsorted(starts, np.arange(0, starts[-1] + _TILE, _TILE))
    bounds = np.unique(np.concatenate([[0], np.minimum(bounds, len(starts) - 1), [len(starts) - 1]]))
    return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


def _stripes(first: int, n_patterns: int) -> list[Span]:
    """Runs of patterns from `first` on whose products there is room for, one at least."""
    stripes: list[Span] = []
    while first < n_patterns or not stripes:
        sizes = np.cumsum(np.arange(n_patterns - first, 0, -1))
        last = min(n_patterns, first + max(1, int(np.searchsorted(sizes, _ROOM, side="right"))))
        stripes.append((first, last))
        first = last
    return stripes
