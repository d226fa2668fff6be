"""Counting in an executor: token ids of a partition to runs, by the functions of the local engine."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.mining.chunks import Chunk
from relrep.mining.counts import count_chunk
from relrep.mining.ngrams import Extensions, Level, count_level, next_level
from relrep.mining.pairs import Pairs, count_chunk_pairs
from relrep.mining.patterns import FORWARD, Patterns, directions, inner_totals, selected_masks, whole_unigrams
from relrep.mining.runs import Run
from relrep.mining.settings import Selection
from relrep.mining.spark.segments import numbered

Batches = Iterable[pa.RecordBatch]
Runs = Iterator[tuple[int, Run]]
ONLY = 0
"""The kind of runs where there is but one."""
UNIGRAMS, BIGRAMS, MIDFIXES, OCCURRENCES = range(4)


def kind_of(what: int, way: int) -> int:
    """One number for what is counted and in which direction."""
    return 2 * what + (way != FORWARD)


@dataclass(frozen=True, eq=False)
class Shared:
    """What every task of a pass is sent: the vocabulary (a broadcast of packed words), and how much it may hold."""

    vocabulary: Any
    n_words: int
    most_tokens: int

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """The text of a partition in chunks."""
        held: list[NDArray[np.int32]] = []
        size = 0
        for pieces in numbered(batches, self.vocabulary.value):
            more = sum(len(piece.ids) for piece in pieces)
            if held and size + more > self.most_tokens:
                yield Chunk(np.concatenate(held), self.n_words, 1)
                held, size = [], 0
            held.extend(piece.ids for piece in pieces)
            size += more
        if held:
            yield Chunk(np.concatenate(held), self.n_words, 1)


def pairs_in(batches: Batches, shared: Shared, roles: Any, selection: Selection) -> Runs:
    """All pairs of a partition with the number of sentences that hold them."""
    for chunk in shared.chunks(batches):
        yield ONLY, count_chunk_pairs(chunk, roles.value, selection, 1)


def inner_patterns_in(batches: Batches, shared: Shared, pairs: Any, selection: Selection) -> Runs:
    """Unigrams and bigrams between the words of selected pairs."""
    everything = np.ones(shared.n_words, dtype=np.bool_)
    no_masks = np.empty(0, dtype=np.uint8)
    for chunk in shared.chunks(batches):
        for way in directions(selection):
            masks = selected_masks(chunk, pairs.value, selection.reach, way).masks
            totals, weights = inner_totals(chunk, masks, way)
            if "unigram" in selection.pattern_kinds:
                yield kind_of(UNIGRAMS, way), one_row(totals)
            if "bigram" in selection.pattern_kinds:
                _, counted = count_level(chunk, Level.words(chunk), weights, no_masks, way, everything)
                yield kind_of(BIGRAMS, way), counted


def whole_words_in(batches: Batches, shared: Shared, pairs: Any, selection: Selection) -> Runs:
    """Words that are the whole text between a selected pair."""
    for chunk in shared.chunks(batches):
        for way in directions(selection):
            masks = selected_masks(chunk, pairs.value, selection.reach, way).masks
            yield kind_of(MIDFIXES, way), one_row(whole_unigrams(chunk, masks, way))


def longer_midfixes_in(batches: Batches, shared: Shared, pairs: Any, tables: Any, selection: Selection) -> Runs:
    """n-grams one word longer than those in the last table: as midfixes, and how often they occur at all."""
    everything = np.ones(shared.n_words, dtype=np.bool_)
    no_weights = np.empty(0, dtype=np.uint8)
    held: list[Extensions] = tables.value
    for chunk in shared.chunks(batches):
        rows = Level.words(chunk)
        for table in held:
            rows = next_level(chunk, rows, table, len(table.ids))
        for way in directions(selection):
            masks = selected_masks(chunk, pairs.value, selection.reach, way).masks
            occurring, weighted = count_level(chunk, rows, no_weights, masks, way, everything)
            yield kind_of(MIDFIXES, way), weighted
            if way == FORWARD:
                yield kind_of(OCCURRENCES, way), occurring


def patterns_of_pairs_in(batches: Batches, shared: Shared, found: Any, selection: Selection) -> Runs:
    """g(p, u, v) of a partition."""
    pairs: Pairs
    patterns: Patterns
    pairs, patterns = found.value
    for chunk in shared.chunks(batches):
        yield ONLY, Run.joined(list(count_chunk(chunk, pairs, patterns, selection)), len(pairs))


def one_row(totals: NDArray[np.int64]) -> Run:
    """Totals by word as a run of a single row."""
    words = np.flatnonzero(totals)
    return Run(np.array([0, len(words)], dtype=np.int64), words.astype(np.int32), totals[words])
