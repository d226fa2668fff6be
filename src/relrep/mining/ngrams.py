"""n-grams by number: an n-gram is an (n - 1)-gram and one more word, so that counting it needs no hashing either."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.threads import run_in_threads
from relrep.mining._kernels import Extensions, Positions, count_extensions, write_extensions
from relrep.mining.chunks import Chunk, row_ranges
from relrep.mining.runs import Run
from relrep.text.index import build_positions


@dataclass(frozen=True, eq=False)
class Level:
    """Where in a chunk the numbered n-grams of one length begin."""

    n: int
    rows: Positions

    @classmethod
    def words(cls, chunk: Chunk) -> "Level":
        """The words themselves."""
        return cls(1, chunk.words)

    def ranges(self) -> list[tuple[int, int]]:
        """Ranges of numbers with about as many positions each."""
        return row_ranges(self.rows.starts, self.n_rows)

    @property
    def n_rows(self) -> int:
        """How many n-grams are numbered."""
        return len(self.rows.starts) - 1


def count_level(
    chunk: Chunk,
    level: Level,
    weights: NDArray[np.uint8],
    offset_bits: NDArray[Any],
    direction: int,
    is_frequent: NDArray[np.bool_],
    at_least: int = 1,
) -> tuple[Run, Run]:
    """The n-grams one word longer than those of `level`: how often they occur, and their weight (see the kernel)."""

    def work(numbers: tuple[int, int]) -> tuple[NDArray[Any], ...]:
        result: tuple[NDArray[Any], ...] = count_extensions(
            level.rows, *numbers, level.n + 1, chunk.n_words, weights, offset_bits, direction, is_frequent, at_least
        )
        return result

    parts = list(run_in_threads(work, level.ranges(), chunk.threads))
    occurrences = Run.joined([(starts, words, occurrences) for starts, words, occurrences, _ in parts], level.n_rows)
    return occurrences, Run.joined([(starts, words, weight) for starts, words, _, weight in parts], level.n_rows)


def write_level(chunk: Chunk, level: Level, table: Extensions, out: NDArray[Any]) -> None:
    """out[start] = the number that `table` gives to the n-gram beginning there, where it gives one."""

    def work(numbers: tuple[int, int]) -> None:
        write_extensions(level.rows, *numbers, level.n + 1, chunk.n_words, table, out)

    for _ in run_in_threads(work, level.ranges(), chunk.threads):
        pass


def next_level(chunk: Chunk, level: Level, table: Extensions, n_ids: int) -> Level:
    """Where the n-grams of a table (numbered 0 … n_ids - 1) begin."""
    numbers = np.full(len(chunk.tokens), -1, dtype=np.int32)
    write_level(chunk, level, table, numbers)
    starts, positions = build_positions(numbers, n_ids, [(0, len(numbers))], flagged=True)
    return Level(level.n + 1, Positions(chunk.tokens, starts, positions))


def table_of(pairs: list[tuple[int, int, int]], n_rows: int) -> Extensions:
    """Extensions from (row, word, id) triples."""
    ordered = sorted(pairs)
    rows = np.array([row for row, _, _ in ordered], dtype=np.int64)
    return Extensions(
        np.searchsorted(rows, np.arange(n_rows + 1)).astype(np.int64),
        np.array([word for _, word, _ in ordered], dtype=np.int32),
        np.array([number for _, _, number in ordered], dtype=np.int32),
    )


def number_ngrams(chunk: Chunk, ngrams: dict[tuple[int, ...], int], out: dict[int, NDArray[Any]]) -> None:
    """Writes where the given n-grams (n ≥ 2) begin in a chunk: out[n][start] = the number of the one of n words."""
    longest = max((len(ngram) for ngram in ngrams), default=0)
    level = Level.words(chunk)
    number_of: dict[tuple[int, ...], int] = {}
    for n in range(2, longest + 1):

        def row_of(ngram: tuple[int, ...], shorter: dict[tuple[int, ...], int] = number_of, n: int = n) -> int:
            return ngram[0] if n == 2 else shorter[ngram[: n - 1]]

        ended = [(row_of(ngram), ngram[n - 1], number) for ngram, number in ngrams.items() if len(ngram) == n]
        if ended:
            write_level(chunk, level, table_of(ended, level.n_rows), out[n])
        prefixes = sorted({ngram[:n] for ngram in ngrams if len(ngram) > n})
        if not prefixes:
            return
        following = {prefix: number for number, prefix in enumerate(prefixes)}
        triples = [(row_of(prefix), prefix[n - 1], number) for prefix, number in following.items()]
        level = next_level(chunk, level, table_of(triples, level.n_rows), len(prefixes))
        number_of = following
