"""Mining on Spark, pass by pass: tasks count with the functions of the local engine, Spark sums, the driver selects."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.core.csr import row_ends, row_numbers
from relrep.mining._kernels import Extensions
from relrep.mining.chunks import Chunk
from relrep.mining.counts import column_type, count_chunk
from relrep.mining.ngrams import Level, count_level, next_level
from relrep.mining.pairs import Pairs, count_chunk_pairs, selected, word_roles
from relrep.mining.patterns import (
    BACKWARD,
    FORWARD,
    Candidates,
    Patterns,
    directions,
    inner_totals,
    kth_largest,
    most_frequent,
    pair_occurrences,
    whole_unigrams,
)
from relrep.mining.runs import Run, RunWriter
from relrep.mining.settings import Selection
from relrep.mining.spark.reading import ddl, numbered
from relrep.mining.spark.session import set_batch_rows, watched
from relrep.progress import ProgressCallback
from relrep.text.vocabulary import Vocabulary

SUMS = {"kind": "int", "row": "int", "column": "int", "count": "long"}
UNIGRAMS, BIGRAMS, MIDFIXES, OCCURRENCES = range(4)
PAIRS = COUNTS = 0
"""What is counted: a kind is 2 · this, plus 1 for the patterns of reversed occurrences."""
STEPS = {"pairs": "counting pairs", "patterns": "finding patterns", "counts": "counting patterns of pairs"}
_ROWS_AT_ONCE = 1 << 18
PIECES_AT_ONCE = 16  # some megabytes each

Batches = Iterable[pa.RecordBatch]
Runs = Iterator[tuple[int, Run]]


@dataclass(frozen=True, eq=False)
class Shared:
    """What every task of a pass is sent: the vocabulary (a broadcast of packed words), and how much it may hold."""

    vocabulary: Any
    n_words: int
    most_tokens: int

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """The text of a partition in chunks."""
        ids: list[NDArray[np.int32]] = []
        size = 0
        for pieces in numbered(batches, self.vocabulary.value):
            more = sum(len(piece.ids) for piece in pieces)
            if ids and size + more > self.most_tokens:
                yield Chunk(np.concatenate(ids), self.n_words, 1)
                ids, size = [], 0
            ids.extend(piece.ids for piece in pieces)
            size += more
        if ids:
            yield Chunk(np.concatenate(ids), self.n_words, 1)


class Summed(NamedTuple):
    """Sums of one kind, sorted by row and column."""

    kind: int
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.int64]

    @property
    def direction(self) -> int:
        return BACKWARD if self.kind % 2 else FORWARD


def kind_of(what: int, direction: int) -> int:
    """One number for what is counted and in which direction."""
    return 2 * what + (direction == BACKWARD)


class Passes:
    """The passes over the pieces of a corpus whose vocabulary is known."""

    def __init__(
        self, session: Any, pieces: Any, vocabulary: Vocabulary, shared: Shared, progress: ProgressCallback
    ) -> None:
        self._session, self._context = session, session.sparkContext
        self._pieces, self._progress = pieces, progress
        self._vocabulary, self._shared = vocabulary, shared

    def pairs(self, selection: Selection) -> Pairs:
        """The pairs that co-occur in enough sentences (§ 3.1)."""
        roles = self._context.broadcast(word_roles(self._vocabulary, selection))
        count = partial(pairs_in, shared=self._shared, roles=roles, selection=selection)
        sums = self._sums("pairs", count, selection.min_sentences)
        return selected(_joined(sums, len(self._vocabulary)), self._vocabulary, selection)

    def patterns(self, pairs: Pairs, selection: Selection) -> Patterns:
        """The most frequent patterns (§ 3.1)."""
        sent = self._context.broadcast(pairs)
        candidates: list[Candidates] = []
        if {"unigram", "bigram"} & set(selection.pattern_kinds):
            candidates += self._inner_patterns(sent, selection)
        if "midfix" in selection.pattern_kinds:
            candidates += self._midfixes(sent, selection, [inner.totals for inner in candidates])
        return most_frequent(candidates, self._vocabulary, selection)

    def _inner_patterns(self, pairs: Any, selection: Selection) -> Iterator[Candidates]:
        count = partial(inner_patterns_in, shared=self._shared, pairs=pairs, selection=selection)
        for part in self._sums("patterns", count, most=selection.n_patterns):
            if part.kind // 2 == BIGRAMS:
                ngrams = np.stack([part.rows, part.columns], axis=1)
                yield Candidates("bigram", part.direction, ngrams, part.values)
            else:
                yield Candidates("unigram", part.direction, part.columns[:, None], part.values)

    def _midfixes(self, pairs: Any, selection: Selection, totals: list[NDArray[np.int64]]) -> Iterator[Candidates]:
        """Length by length; an n-gram that occurs too seldom to be kept is not made longer."""
        count: Callable[[Batches], Runs] = partial(
            whole_words_in, shared=self._shared, pairs=pairs, selection=selection
        )
        for part in self._sums("midfixes-1", count, most=selection.n_patterns):
            yield Candidates("midfix", part.direction, part.columns[:, None], part.values)
            totals.append(part.values)
        tables: list[Extensions] = []
        shorter = np.arange(len(self._vocabulary), dtype=np.int32)[:, None]
        for n in range(2, selection.max_gap + 1):
            least = kth_largest(totals, selection.n_patterns)
            sent = self._context.broadcast(tables)
            count = partial(
                longer_midfixes_in, shared=self._shared, pairs=pairs, tables=sent, selection=selection
            )  # fmt: skip
            occurring = []
            for part in self._sums(f"midfixes-{n}", count, least, selection.n_patterns):
                if part.kind // 2 == OCCURRENCES:
                    occurring.append(part)
                    continue
                ngrams = np.concatenate([shorter[part.rows], part.columns[:, None]], axis=1)
                yield Candidates("midfix", part.direction, ngrams, part.values)
                totals.append(part.values)
            run = _joined(occurring, len(shorter))
            tables.append(Extensions(run.starts, run.columns, np.arange(len(run.columns), dtype=np.int32)))
            shorter = np.concatenate([shorter[row_numbers(run.starts)], run.columns[:, None]], axis=1)

    def counts(self, pairs: Pairs, patterns: Patterns, selection: Selection, folder: Path) -> Run:
        """g(p, u, v) in `folder`, written as the sums come, in the order of the pairs."""
        sent = self._context.broadcast((pairs, patterns))
        count = partial(patterns_of_pairs_in, shared=self._shared, mined=sent, selection=selection)
        small = column_type(len(patterns))
        sizes = np.zeros(len(pairs), dtype=np.int64)
        with RunWriter(folder) as writer:
            for part in self._sums("counts", count):
                sizes += np.bincount(part.rows, minlength=len(pairs))
                writer.append(row_ends(sizes[:0]), part.columns.astype(small), part.values.astype(np.int32))
            writer.append(row_ends(sizes), np.empty(0, dtype=small), np.empty(0, dtype=np.int32))
        return Run.open(folder)

    def _sums(self, name: str, count: Callable[[Batches], Runs], least: int = 1, most: int = 0) -> Iterator[Summed]:
        """One pass: the sums of at least `least` over all runs that `count` yields, by kind, row and column.

        Of patterns only the `most` largest come, with all ties (0: all of them).
        """
        from pyspark import StorageLevel

        rows = self._pieces.mapInArrow(partial(_counted, count=count), ddl(SUMS))
        sums = rows.groupBy("kind", "row", "column").sum("count").toDF(*SUMS).where(f"count >= {least}")
        set_batch_rows(self._session, PIECES_AT_ONCE)
        sums.persist(StorageLevel.DISK_ONLY)
        with watched(self._context, STEPS.get(name, f"finding patterns ({name})"), self._progress):
            if most:
                patterns = sums.where(f"kind < {2 * OCCURRENCES}").select("count")
                largest = patterns.orderBy("count", ascending=False).limit(most).toArrow().column("count").to_numpy()
                least = int(largest[-1]) if len(largest) == most else least
            else:
                sums.count()
        kept = sums.where(f"count >= {least} or kind >= {2 * OCCURRENCES}").orderBy("kind", "row", "column")
        set_batch_rows(self._session, _ROWS_AT_ONCE)
        packed = kept.mapInArrow(_as_bytes, ddl(dict.fromkeys(SUMS, "binary")))
        for packed_row in packed.toLocalIterator(prefetchPartitions=True):
            kinds, *columns = (np.frombuffer(packed_row[name], dtype=_DTYPES[SUMS[name]]) for name in SUMS)
            for kind in np.unique(kinds).tolist():
                own = slice(*np.searchsorted(kinds, [kind, kind + 1]))
                yield Summed(kind, *(column[own] for column in columns))
        sums.unpersist()


_DTYPES = {"int": np.int32, "long": np.int64}


def _counted(batches: Batches, count: Callable[[Batches], Runs]) -> Iterator[pa.RecordBatch]:
    """In a task: the runs that `count` yields, a row an entry."""
    for kind, run in count(batches):
        rows = row_numbers(run.starts)
        for low in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(low, low + _ROWS_AT_ONCE)
            arrays = np.full(len(rows[part]), kind), rows[part], run.columns[part], run.values[part]
            yield pa.record_batch(
                {name: array.astype(_DTYPES[SUMS[name]]) for name, array in zip(SUMS, arrays, strict=True)}
            )


def _as_bytes(batches: Batches) -> Iterator[pa.RecordBatch]:
    """In a task: many rows as one, whose columns come to the driver as they lie in memory."""
    for batch in batches:
        yield pa.record_batch({name: pa.array([batch.column(name).to_numpy().tobytes()]) for name in SUMS})


def _joined(parts: Iterable[Summed], n_rows: int) -> Run:
    """One run of sums that follow each other."""
    held = list(parts)
    rows, columns, values = (
        np.concatenate([np.empty(0, dtype=dtype), *(part[place] for part in held)])
        for place, dtype in ((1, np.int32), (2, np.int32), (3, np.int64))
    )
    return Run(np.searchsorted(rows, np.arange(n_rows + 1)).astype(np.int64), columns, values)


def pairs_in(batches: Batches, shared: Shared, roles: Any, selection: Selection) -> Runs:
    """All pairs of a partition with the number of sentences that hold them."""
    for chunk in shared.chunks(batches):
        yield kind_of(PAIRS, FORWARD), count_chunk_pairs(chunk, roles.value, selection, 1)


def inner_patterns_in(batches: Batches, shared: Shared, pairs: Any, selection: Selection) -> Runs:
    """Unigrams and bigrams between the words of selected pairs."""
    everything = np.ones(shared.n_words, dtype=np.bool_)
    no_bits = np.empty(0, dtype=np.uint8)
    for chunk in shared.chunks(batches):
        for way in directions(selection):
            offset_bits = pair_occurrences(chunk, pairs.value, selection, way).offset_bits
            totals, weights = inner_totals(chunk, offset_bits, way)
            if "unigram" in selection.pattern_kinds:
                yield kind_of(UNIGRAMS, way), _one_row(totals)
            if "bigram" in selection.pattern_kinds:
                _, counted = count_level(chunk, Level.words(chunk), weights, no_bits, way, everything)
                yield kind_of(BIGRAMS, way), counted


def whole_words_in(batches: Batches, shared: Shared, pairs: Any, selection: Selection) -> Runs:
    """Words that are the whole text between a selected pair."""
    for chunk in shared.chunks(batches):
        for way in directions(selection):
            offset_bits = pair_occurrences(chunk, pairs.value, selection, way).offset_bits
            yield kind_of(MIDFIXES, way), _one_row(whole_unigrams(chunk, offset_bits, way))


def longer_midfixes_in(batches: Batches, shared: Shared, pairs: Any, tables: Any, selection: Selection) -> Runs:
    """n-grams one word longer than those in the last table: as midfixes, and how often they occur at all."""
    everything = np.ones(shared.n_words, dtype=np.bool_)
    no_weights = np.empty(0, dtype=np.uint8)
    for chunk in shared.chunks(batches):
        level = Level.words(chunk)
        for table in tables.value:
            level = next_level(chunk, level, table, len(table.ids))
        for way in directions(selection):
            offset_bits = pair_occurrences(chunk, pairs.value, selection, way).offset_bits
            occurring, weighted = count_level(chunk, level, no_weights, offset_bits, way, everything)
            yield kind_of(MIDFIXES, way), weighted
            if way == FORWARD:
                yield kind_of(OCCURRENCES, way), occurring


def patterns_of_pairs_in(batches: Batches, shared: Shared, mined: Any, selection: Selection) -> Runs:
    """g(p, u, v) of a partition."""
    pairs, patterns = mined.value
    for chunk in shared.chunks(batches):
        parts = list(count_chunk(chunk, pairs, patterns, selection))
        yield kind_of(COUNTS, FORWARD), Run.joined(parts, len(pairs))


def _one_row(totals: NDArray[np.int64]) -> Run:
    """Totals by word as a run of a single row."""
    words = np.flatnonzero(totals)
    return Run(np.array([0, len(words)], dtype=np.int64), words.astype(np.int32), totals[words])
