"""GloVe's counts: who stands near whom and how near, as exact integers, laid out so that threads never meet.

    groups 0 … G-1;   a block joins two groups (or one with itself);   a round = blocks without a common group

Words are dealt into `groups` by frequency rank, back and forth, so that each group has as many frequent
words as any other. A block is a pair of groups: blocks without a common group touch different rows and can
run at once. Inside a block, a tile holds the entries whose more frequent word lies in one range of ranks:
these words stay in the cache while the rarer words pass by.

The layout depends on the counts, the dimensionality and the seed, never on the number of threads.
"""

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.baselines._kernels.glove import CountedRun, Entries, count_neighbours, fill_positions
from relrep.core.arrays import Ints, Longs
from relrep.core.csr import row_ends
from relrep.core.files import reserve
from relrep.core.threads import run_in_threads
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encoded import EncodedCorpus
from relrep.text.index import count_words

STEP_COUNT = "counting neighbours"
RUN_ENTRIES = 1 << 22
"""About how many counts a task may write at most."""
GROUPS = 16
"""Eight blocks can run at once; more groups would mean more threads and smaller blocks."""
TILE_BYTES = 1 << 20
"""What the more frequent words of the first tile of a block may take of a core's cache."""


class Blocks(NamedTuple):
    """All counts in the order of training: those of block b are the entries from bounds[b] to bounds[b + 1]."""

    entries: Entries
    bounds: Longs

    @property
    def non_zeros(self) -> int:
        """The number of non-zero counts of the whole, symmetric matrix."""
        rarer, other, _ = self.entries
        return 2 * len(rarer) - int(np.count_nonzero(rarer == other))

    def block(self, number: int) -> Entries:
        return part_of(self.entries, int(self.bounds[number]), int(self.bounds[number + 1]))


def part_of(entries: Entries, begin: int, end: int) -> Entries:
    """The entries from `begin` to `end`, as views."""
    return Entries(entries.rarer[begin:end], entries.other[begin:end], entries.log_count[begin:end])


def unit_of(window: int) -> int:
    """The integer that stands for one neighbour at distance 1; every k in the window divides it.

    >>> unit_of(10)
    2520
    """
    return math.lcm(*range(1, window + 1))


def count_cooccurrences(
    corpus: EncodedCorpus, window: int, threads: int, memory: int, progress: ProgressCallback = ignore
) -> Iterator[CountedRun]:
    """Counts all neighbours within `window` of each other in one sentence, run by run in the order of the words.

    Unknown words keep their place. The positions of as many words as half the memory holds are sorted at a time.
    """
    counts = np.zeros(len(corpus.vocabulary), dtype=np.int64)
    count_words(corpus.tokens, counts)
    total = int(counts.sum())
    done = 0
    progress(Progress(STEP_COUNT, 0, total or None, "tokens"))
    for first, last in _runs(counts, max(1, memory // 16)):  # at most 8 bytes a position
        for run in _count_words(corpus.tokens, counts, first, last, window, threads):
            yield run
            done += int(counts[run.first : run.first + len(run.ends)].sum())
            progress(Progress(STEP_COUNT, done, total, "tokens"))


def _count_words(tokens: Ints, counts: Longs, first: int, last: int, window: int, threads: int) -> Iterator[CountedRun]:
    """The counts of the words `first` … `last` - 1."""
    unit = unit_of(window)
    steps = np.array([0] + [unit // distance for distance in range(1, window + 1)], dtype=np.int64)
    starts = row_ends(counts[first:last])
    positions = np.empty(int(starts[-1]), dtype=np.int64 if len(tokens) >= 2**31 else np.int32)
    fill_positions(tokens, first, last, starts[:-1].copy(), positions)
    most_neighbours = np.minimum(2 * window * counts[first:last], np.arange(first + 1, last + 1))

    def count(task: tuple[int, int]) -> CountedRun:
        begin, end = task
        most = int(most_neighbours[begin:end].sum())
        columns = np.empty(most, dtype=np.int32)
        sums = np.empty(most, dtype=np.int64)
        ends = np.empty(end - begin, dtype=np.int64)
        total = np.zeros(first + end, dtype=np.int64)
        touched = np.empty(first + end + 1, dtype=np.int32)
        own_starts = starts[begin : end + 1]
        written = count_neighbours(
            tokens, own_starts, positions, first + begin, steps, total, touched, columns, sums, ends
        )
        return CountedRun(first + begin, ends, columns[:written].copy(), sums[:written].copy())

    yield from run_in_threads(count, _runs(most_neighbours, RUN_ENTRIES), threads)


def _runs(sizes: Longs, most: int) -> Iterator[tuple[int, int]]:
    """Cuts a list of sizes into ranges whose sums stay below `most` (unless a single size exceeds it)."""
    begin = 0
    ends = np.cumsum(sizes)
    while begin < len(sizes):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin = end


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


def words_of(run: CountedRun) -> Ints:
    """The rarer word of each count of a run."""
    sizes = np.diff(run.ends, prepend=0)
    return np.repeat(np.arange(run.first, run.first + len(sizes), dtype=np.int32), sizes)


def groups_of(words: Ints) -> Ints:
    """The groups of words: 0 1 2 … G-1 G-1 … 2 1 0 0 1 2 …"""
    turn, place = np.divmod(words, np.int32(GROUPS))
    return np.where(turn % 2 == 0, place, GROUPS - 1 - place)


def buckets_of(rarer: Ints, other: Ints, tile_words: int, tiles: int) -> NDArray[np.int16]:
    """The place of each entry in the order (block, tile); tiles have T, T, 2T, 4T, … words of a group.

    The rarer the words, the less a cache can help.
    """
    a, b = groups_of(rarer), groups_of(other)
    low, high = np.minimum(a, b), np.maximum(a, b)
    tile = np.searchsorted(tile_words * 2 ** np.arange(tiles - 1), other // np.int32(GROUPS), side="right")
    return np.asarray((high * (high + 1) // 2 + low) * tiles + tile, dtype=np.int16)


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
) -> Iterator[Blocks]:
    """Lays the counts out in blocks and tiles, shuffled; in memory, or in files of `scratch` if they are too many."""
    tile_words = max(16, TILE_BYTES // (4 * row_bytes))  # two groups, and space for what passes by
    tiles = 1
    while (tile_words << (tiles - 1)) * GROUPS < words:
        tiles += 1
    buckets = partial(buckets_of, tile_words=tile_words, tiles=tiles)
    sizes = np.zeros(GROUPS * (GROUPS + 1) // 2 * tiles, dtype=np.int64)
    with TemporaryDirectory(prefix="scratch-glove-", dir=scratch) as folder:
        held: list[CountedRun] = []
        room = memory // 4
        for run in runs:
            sizes += np.bincount(buckets(words_of(run), run.columns), minlength=len(sizes))
            room -= run.columns.nbytes + run.sums.nbytes
            held.append(run if room >= 0 else _on_disk(run, Path(folder)))
        bounds = row_ends(sizes)
        total = int(bounds[-1])
        on_disk = Path(folder) if 12 * total > memory // 2 else None
        entries = Entries(
            _empty(total, np.int32, on_disk, "rarer"),
            _empty(total, np.int32, on_disk, "other"),
            _empty(total, np.float32, on_disk, "log_count"),
        )
        free = bounds[:-1].copy()
        held.reverse()
        while held:
            run = held.pop()  # its memory is free once it has been used
            rarer = words_of(run)
            bucket = buckets(rarer, run.columns)
            order = np.argsort(bucket, kind="stable")
            own_sizes = np.bincount(bucket, minlength=len(sizes))
            slots = np.arange(len(order)) + np.repeat(free - row_ends(own_sizes)[:-1], own_sizes)
            free += own_sizes
            entries.rarer[slots], entries.other[slots] = rarer[order], run.columns[order]
            entries.log_count[slots] = np.log(run.sums[order] / unit)

        def shuffle(bucket: int) -> None:
            own = part_of(entries, int(bounds[bucket]), int(bounds[bucket + 1]))
            shuffle_bucket(np.random.default_rng([seed, bucket]), own)

        for _ in run_in_threads(shuffle, range(len(sizes)), threads):
            pass
        yield Blocks(entries, bounds[::tiles].copy())


def shuffle_bucket(random: np.random.Generator, entries: Entries) -> None:
    """Shuffles a bucket in place: the rarer words among each other, and the entries of each of them.

    The entries of one rarer word stay together, so that its row is fetched once.
    """
    word_of = np.cumsum(np.diff(entries.rarer, prepend=entries.rarer[:1]) != 0)  # rarer words rise within a bucket
    ranks = random.permutation(len(entries.rarer))  # of which the first ones are as random as any
    order = np.argsort(ranks[word_of] + random.random(len(word_of)))
    for column in entries:
        column[:] = column[order]


def _empty(size: int, dtype: type, folder: Path | None, name: str) -> NDArray[Any]:
    if folder is None or size == 0:
        return np.empty(size, dtype=dtype)
    reserve(folder / name, size * np.dtype(dtype).itemsize)
    return np.memmap(folder / name, dtype=dtype, mode="r+", shape=(size,))


def _on_disk(run: CountedRun, folder: Path) -> CountedRun:
    """The same run, its large arrays mapped from files."""
    path = folder / f"run-{run.first}"
    np.save(f"{path}-columns.npy", run.columns)
    np.save(f"{path}-sums.npy", run.sums)
    columns, sums = (np.load(f"{path}-{name}.npy", mmap_mode="r") for name in ("columns", "sums"))
    return CountedRun(run.first, run.ends, columns, sums)
