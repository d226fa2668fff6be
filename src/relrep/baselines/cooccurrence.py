"""The counts GloVe learns from: who stands near whom, and how near, as exact integers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.baselines._kernels.glove_counting import count_neighbours, fill_positions
from relrep.core.threads import run_in_threads
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text._kernels.index import count_words
from relrep.text.encoded import EncodedCorpus

STEP_COUNT = "counting neighbours"
RUN_ENTRIES = 1 << 22
"""About how many counts a task may write at most."""


@dataclass(frozen=True, eq=False)
class CountedRun:
    """The counts of the words first, first + 1, …, each with the words that are at least as frequent as
    itself.

    The neighbours of word `first + i` are columns[ends[i - 1] : ends[i]], and their counts, in units, are
    in sums.
    """

    first: int
    ends: NDArray[np.int64]
    columns: NDArray[np.int32]
    sums: NDArray[np.int64]


def unit_of(window: int) -> int:
    """The integer that stands for one neighbour at distance 1; every k in the window divides it.

    >>> unit_of(10)
    2520
    """
    return math.lcm(*range(1, window + 1))


def count_cooccurrences(
    corpus: EncodedCorpus, window: int, threads: int, memory: int, progress: ProgressCallback = ignore
) -> Iterator[CountedRun]:
    """Counts all neighbours within `window` of each other in one sentence, run by run in the order of the
    words.

    Unknown words keep their place. The positions of as many words as half the memory holds are sorted at a
    time.

    >>> corpus = EncodedCorpus.from_sentences([["a", "b", "a"]])
    >>> [(run.columns.tolist(), run.sums.tolist()) for run in count_cooccurrences(corpus, 2, 1, 1 << 20)]
    [([0, 0], [2, 4])]
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


def _count_words(
    tokens: NDArray[np.int32], counts: NDArray[np.int64], first: int, last: int, window: int, threads: int
) -> Iterator[CountedRun]:
    """The counts of the words `first` … `last` - 1."""
    unit = unit_of(window)
    steps = np.array([0] + [unit // distance for distance in range(1, window + 1)], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts[first:last])])
    positions = np.empty(int(starts[-1]), dtype=np.int64 if len(tokens) >= 2**31 else np.int32)
    fill_positions(tokens, first, last, starts[:-1].copy(), positions)
    most_neighbours = np.minimum(2 * window * counts[first:last], np.arange(first + 1, last + 1))

    def count(task: tuple[int, int]) -> CountedRun:
        begin, end = task
        room = int(most_neighbours[begin:end].sum())
        columns = np.empty(room, dtype=np.int32)
        sums = np.empty(room, dtype=np.int64)
        ends = np.empty(end - begin, dtype=np.int64)
        total = np.zeros(first + end, dtype=np.int64)
        touched = np.empty(first + end + 1, dtype=np.int32)
        own_starts = starts[begin : end + 1]
        written = count_neighbours(
            tokens, own_starts, positions, first + begin, steps, total, touched, columns, sums, ends
        )
        return CountedRun(first + begin, ends, columns[:written].copy(), sums[:written].copy())

    yield from run_in_threads(count, _runs(most_neighbours, RUN_ENTRIES), threads)


def _runs(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Cuts a list of sizes into stretches whose sums stay below `most` (unless a single size exceeds it)."""
    begin = 0
    ends = np.cumsum(sizes)
    while begin < len(sizes):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin = end
