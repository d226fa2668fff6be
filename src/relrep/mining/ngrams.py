"""n-grams by number: an n-gram is an (n - 1)-gram and one more word, so that counting it needs no hashing either."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.threads import run_in_threads
from relrep.mining._kernels.cooccurrence import count_words, place_positions
from relrep.mining._kernels.patterns import count_extensions, write_extensions
from relrep.mining.chunks import Chunk
from relrep.mining.runs import Run

_TASKS = 64


@dataclass(frozen=True, eq=False)
class Level:
    """Where in a chunk the numbered n-grams of one length begin: positions by number, as Chunk has them by word."""

    n: int
    starts: NDArray[np.int64]
    positions: NDArray[np.int32]

    @classmethod
    def words(cls, chunk: Chunk) -> "Level":
        """The words themselves."""
        return cls(1, chunk.starts, chunk.positions)

    def ranges(self) -> list[tuple[int, int]]:
        """Ranges of numbers with about as many positions each."""
        stop = len(self.starts) - 1
        if not stop:
            return []
        bounds = np.searchsorted(self.starts, np.linspace(0, self.starts[-1], _TASKS + 1))
        bounds[0], bounds[-1] = 0, stop
        bounds = np.unique(bounds)
        return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Extensions:
    """Which (n - 1)-gram and word make which n-gram: row r holds words[starts[r]:starts[r + 1]], numbered `ids`."""

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    ids: NDArray[np.int32]


def count_level(
    chunk: Chunk,
    rows: Level,
    weights: NDArray[np.uint8],
    masks: NDArray[Any],
    direction: int,
    is_frequent: NDArray[np.bool_],
    at_least: int = 1,
) -> tuple[Run, Run]:
    """The n-grams one word longer than `rows`: how often they occur, and their weight (see the kernel)."""

    def work(
        numbers: tuple[int, int],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        result: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]] = count_extensions(
            chunk.tokens, rows.starts, rows.positions, *numbers, rows.n + 1, chunk.n_words, weights, masks, direction,
            is_frequent, at_least,
        )  # fmt: skip
        return result

    parts = list(run_in_threads(work, rows.ranges(), chunk.threads))
    n_rows = len(rows.starts) - 1
    occurrences = Run.joined([(starts, words, occurrences) for starts, words, occurrences, _ in parts], n_rows)
    weights_of = Run.joined([(starts, words, weight) for starts, words, _, weight in parts], n_rows)
    return occurrences, weights_of


def write_level(chunk: Chunk, rows: Level, table: Extensions, out: NDArray[Any]) -> None:
    """out[start] = the number that `table` gives to the n-gram beginning there, where it gives one."""

    def work(numbers: tuple[int, int]) -> None:
        write_extensions(
            chunk.tokens, rows.starts, rows.positions, *numbers, rows.n + 1, chunk.n_words, table.starts, table.words,
            table.ids, out,
        )  # fmt: skip

    for _ in run_in_threads(work, rows.ranges(), chunk.threads):
        pass


def next_level(chunk: Chunk, rows: Level, table: Extensions, n_ids: int) -> Level:
    """Where the n-grams of a table (numbered 0 … n_ids - 1) begin."""
    numbers = np.full(len(chunk.tokens), -1, dtype=np.int32)
    write_level(chunk, rows, table, numbers)
    counts = count_words(numbers, n_ids)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
    positions = np.empty(int(starts[-1]), dtype=np.int32)
    if n_ids:
        place_positions(numbers, 0, n_ids, starts, positions)
    return Level(rows.n + 1, starts, positions)


def table_of(pairs: list[tuple[int, int, int]], n_rows: int) -> Extensions:
    """Extensions from (row, word, id) triples."""
    ordered = sorted(pairs)
    rows = np.array([row for row, _, _ in ordered], dtype=np.int64)
    return Extensions(
        np.searchsorted(rows, np.arange(n_rows + 1)).astype(np.int64),
        np.array([word for _, word, _ in ordered], dtype=np.int32),
        np.array([number for _, _, number in ordered], dtype=np.int32),
    )


def walk_trie(chunk: Chunk, ngrams: dict[tuple[int, ...], int], write: Callable[[int], NDArray[Any]]) -> Iterator[int]:
    """Numbers the occurrences of the given n-grams (n ≥ 2) in a chunk: `write(n)` gives the array for each length n.

    Yields each length when its array is written.
    """
    longest = max((len(ngram) for ngram in ngrams), default=0)
    rows = Level.words(chunk)
    number_of: dict[tuple[int, ...], int] = {}
    for n in range(2, longest + 1):
        n_rows = len(rows.starts) - 1

        def row_of(ngram: tuple[int, ...], shorter: dict[tuple[int, ...], int] = number_of, n: int = n) -> int:
            return ngram[0] if n == 2 else shorter[ngram[: n - 1]]

        ended = [(row_of(ngram), ngram[n - 1], number) for ngram, number in ngrams.items() if len(ngram) == n]
        if ended:
            write_level(chunk, rows, table_of(ended, n_rows), write(n))
            yield n
        prefixes = sorted({ngram[:n] for ngram in ngrams if len(ngram) > n})
        if not prefixes:
            return
        following = {prefix: number for number, prefix in enumerate(prefixes)}
        table = table_of([(row_of(prefix), prefix[n - 1], number) for prefix, number in following.items()], n_rows)
        rows = next_level(chunk, rows, table, len(prefixes))
        number_of = following
