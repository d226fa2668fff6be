"""GloVe's counts, laid out so that threads never meet: blocks of groups of words, tiles for the cache.

    groups 0 … G-1;   a block joins two groups (or one with itself);   a round = blocks without a common group

The layout depends on the counts, the dimensionality and the seed, never on the number of threads.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.baselines._kernels.glove import fill_buckets, measure_buckets, shuffle_bucket
from relrep.baselines.cooccurrence import CountedRun
from relrep.core.files import reserve
from relrep.core.threads import run_in_threads

GROUPS = 16
"""Eight blocks can run at once; more groups would mean more threads and smaller blocks."""
TILE_BYTES = 1 << 20
"""What the more frequent words of the first tile of a block may take of a core's cache."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Counts in the order of training: the entries of block b are those from bounds[b] to bounds[b + 1]."""

    rarer: NDArray[np.int32]
    other: NDArray[np.int32]
    log_count: NDArray[np.float32]
    bounds: NDArray[np.int64]

    @property
    def non_zeros(self) -> int:
        """The number of non-zero counts of the whole, symmetric matrix."""
        return 2 * len(self.rarer) - int(np.count_nonzero(self.rarer == self.other))


def rounds(groups: int = GROUPS) -> list[list[int]]:
    """A round-robin tournament: every two groups meet once, and each group meets itself in the last round.

    >>> rounds(4)
    [[6, 4], [3, 7], [1, 8], [0, 2, 5, 9]]
    """
    order = list(range(groups))
    tournament = []
    for _ in range(groups - 1):
        pairs = zip(order[: groups // 2], reversed(order[groups // 2 :]), strict=True)
        tournament.append([_block(a, b) for a, b in pairs])
        order = [order[0], order[-1], *order[1:-1]]
    tournament.append([_block(group, group) for group in range(groups)])
    return tournament


def _block(a: int, b: int) -> int:
    a, b = min(a, b), max(a, b)
    return b * (b + 1) // 2 + a


@contextmanager
def arranged(
    runs: Iterable[CountedRun],
    words: int,
    unit: int,
    row_bytes: int,
    seed: int,
    threads: int,
    memory: int,
    scratch: Path | None,
) -> Iterator[Entries]:
    """Lays the counts out in blocks and tiles, shuffled; in memory, or in files of `scratch` if they are too many."""
    tile_words = max(16, TILE_BYTES // (4 * row_bytes))  # two groups, and room for what passes by
    tiles = 1
    while (tile_words << (tiles - 1)) * GROUPS < words:
        tiles += 1
    sizes = np.zeros(GROUPS * (GROUPS + 1) // 2 * tiles, dtype=np.int64)
    with TemporaryDirectory(prefix="scratch-glove-", dir=scratch) as folder:
        store = _RunStore(Path(folder), memory // 4)
        for run in runs:
            measure_buckets(run.first, run.ends, run.columns, GROUPS, tile_words, tiles, sizes)
            store.append(run)
        bounds = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        total = int(bounds[-1])
        on_disk = Path(folder) if 12 * total > memory // 2 else None
        rarer = _empty(total, np.int32, on_disk, "rarer")
        other = _empty(total, np.int32, on_disk, "other")
        log_count = _empty(total, np.float32, on_disk, "log_count")
        free = bounds[:-1].copy()
        for run in store.drain():
            fill_buckets(
                run.first,
                run.ends,
                run.columns,
                run.sums,
                unit,
                GROUPS,
                tile_words,
                tiles,
                free,
                rarer,
                other,
                log_count,
            )

        def shuffle(bucket: int) -> None:
            part = slice(int(bounds[bucket]), int(bounds[bucket + 1]))
            shuffle_bucket(seed * 1_000_003 + bucket, rarer[part], other[part], log_count[part])

        for _ in run_in_threads(shuffle, range(len(sizes)), threads):
            pass
        yield Entries(rarer, other, log_count, bounds[::tiles].copy())


def _empty(size: int, dtype: type, folder: Path | None, name: str) -> NDArray[Any]:
    if folder is None or size == 0:
        return np.empty(size, dtype=dtype)
    reserve(folder / name, size * np.dtype(dtype).itemsize)
    return np.memmap(folder / name, dtype=dtype, mode="r+", shape=(size,))


class _RunStore:
    """Keeps runs in memory up to a limit, and the rest in files."""

    def __init__(self, folder: Path, memory: int) -> None:
        self.folder = folder
        self.memory = memory
        self.held: list[CountedRun | Path] = []

    def append(self, run: CountedRun) -> None:
        size = run.columns.nbytes + run.sums.nbytes + run.ends.nbytes
        if size <= self.memory:
            self.memory -= size
            self.held.append(run)
            return
        path = self.folder / f"run-{len(self.held):06}.npz"
        np.savez(path, first=run.first, ends=run.ends, columns=run.columns, sums=run.sums)
        self.held.append(path)

    def drain(self) -> Iterator[CountedRun]:
        """All runs in order, each given away (its memory or file is free once it has been used)."""
        self.held.reverse()
        while self.held:
            held = self.held.pop()
            if isinstance(held, Path):
                with np.load(held, allow_pickle=False) as parts:
                    yield CountedRun(int(parts["first"]), parts["ends"], parts["columns"], parts["sums"])
                held.unlink()
            else:
                yield held
