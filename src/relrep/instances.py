"""Training instances: the most and the least similar pairs of patterns, found without ever holding all similarities."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from relrep.association import Association
from relrep.errors import RelrepError
from relrep.extremes import Extremes
from relrep.files import written_whole
from relrep.kernels.extremes import BINS, collect, count_by_pattern, count_similarities, list_by_pattern
from relrep.kernels.similarity import BLOCK
from relrep.pattern_products import Products, Rows, frequent_products, rare_products
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.threads import run_in_threads

STEP = "comparing patterns"
_LATE = 50
"""One in so many pairs, those with the longest rows, is looked at only where it can matter."""
_LIKELY = 1.5
"""So many times as many pattern pairs as are wanted are looked at first."""
_STEPS = 1000  # of progress


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


def select_instances(
    association: Association,
    settings: InstanceSettings,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Instances:
    """The `positives` most similar pattern pairs and the `negatives` least similar ones that have some similarity.

    A pair of patterns that is among both (of very few patterns) counts as similar.
    """
    late_pairs = _longest_rows(association.starts)
    rows = Rows.of(association, late_pairs, threads)
    search = _Search(rows, _Late(rows, late_pairs), association.norms, settings, threads)
    rare = 1 - rows.n_frequent / max(rows.n_patterns, 1)  # their part of the work, roughly

    def say(part: float) -> None:
        progress(Progress(STEP, int(part * _STEPS), _STEPS))

    say(0)  # all products of frequent patterns stay until the first of the others are there: bounds are better so
    frequent = frequent_products(rows, threads, lambda part: say(part * (1 - rare)))
    for products in rare_products(rows, threads, lambda part: say(1 - rare + part * rare)):
        search.among(frequent + products)
        frequent = []
    say(1)
    return _united(search.top, search.bottom, rows.n_patterns)


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

    def __init__(self, rows: Rows, pairs: NDArray[np.int64]) -> None:
        self.n_pairs = len(pairs)
        self.starts = np.zeros(rows.n_patterns + 1, dtype=np.int64)
        count_by_pattern(rows.starts, rows.patterns, pairs, self.starts)
        np.cumsum(self.starts, out=self.starts)
        self.numbers = np.empty(int(self.starts[-1]), dtype=np.uint16)
        self.values = np.empty(len(self.numbers), dtype=np.float32)
        squares, at = np.zeros(rows.n_patterns), self.starts[:-1].copy()
        list_by_pattern(rows.starts, rows.patterns, rows.weights, pairs, at, self.numbers, self.values, squares)
        self.norms = np.sqrt(squares)


class _Search:
    """The extremes among the pattern pairs whose products, but for those of the late pairs, were given so far."""

    def __init__(
        self, rows: Rows, late: _Late, norms: NDArray[np.float64], settings: InstanceSettings, threads: int
    ) -> None:
        self.rows, self.late, self.norms, self.threads = rows, late, norms, threads
        self.top, self.bottom = Extremes(settings.positives, 1.0), Extremes(settings.negatives, -1.0)
        self._one_at_a_time = Lock()

    def among(self, products: list[Products]) -> None:
        """Looks among pattern pairs first at what seems extreme without the late pairs: so bounds are good early."""
        counts = np.zeros(BINS, dtype=np.int64)
        for own in run_in_threads(self._count, products, self.threads):
            counts += own
        low = 1 + int(np.searchsorted(np.cumsum(counts), _LIKELY * self.bottom.most))
        high = BINS - 1 - int(np.searchsorted(np.cumsum(counts[::-1]), _LIKELY * self.top.most))
        bounds = low / BINS, max(low, high) / BINS
        for extremes in (True, False):
            self._collect_all(products, bounds, extremes)
            self.top.cut()
            self.bottom.cut()

    def _count(self, part: Products) -> NDArray[np.int64]:
        """How often each similarity occurs, as far as it is known without the late pairs."""
        counts = np.zeros(BINS, dtype=np.int64)
        count_similarities(part.values, part.first, part.places, part.step, self.rows.n_patterns, self.norms, counts)
        return counts

    def _collect_all(self, products: list[Products], bounds: tuple[float, float], extremes: bool) -> None:
        def strand(number: int) -> None:
            room = _Room(self.late.n_pairs, self.rows.n_patterns)
            for part in products[number :: self.threads]:
                self._collect(part, room, bounds, extremes)

        for _ in run_in_threads(strand, range(self.threads), self.threads):
            pass

    def _collect(self, part: Products, room: "_Room", bounds: tuple[float, float], extremes: bool) -> None:
        """Adds the pairs that may be extreme, of those within or of those outside the bounds."""
        late = self.late
        n = collect(
            part.values, part.first, part.places, part.step, self.rows.n_patterns, self.norms,
            late.starts, late.numbers, late.values, late.norms, room.row,
            bounds, extremes, self.top.bound, -self.bottom.bound, room.similarity, room.left, room.right,
        )  # fmt: skip
        with self._one_at_a_time:
            self.top.add(room.similarity[:n], room.left[:n], room.right[:n])
            self.bottom.add(room.similarity[:n], room.left[:n], room.right[:n])


class _Room:
    """Where a thread puts what it finds."""

    def __init__(self, n_late: int, n_patterns: int) -> None:
        self.row = np.zeros(n_late, dtype=np.float32)
        self.similarity = np.empty(BLOCK * n_patterns)
        self.left, self.right = np.empty((2, BLOCK * n_patterns), dtype=np.int32)


def _united(top: Extremes, bottom: Extremes, n_patterns: int) -> Instances:
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
