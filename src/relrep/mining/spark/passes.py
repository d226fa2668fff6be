"""Mining on Spark, pass by pass: what is sent out, how the sums are cut into partitions, what is made of them."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.mining.counts import column_type
from relrep.mining.ngrams import Extensions
from relrep.mining.pairs import Pairs, selected, word_roles
from relrep.mining.patterns import FORWARD, Candidates, Patterns, directions, kth_largest, most_frequent
from relrep.mining.runs import Run, RunWriter
from relrep.mining.settings import Selection
from relrep.mining.spark.counting import (
    BIGRAMS,
    MIDFIXES,
    OCCURRENCES,
    ONLY,
    UNIGRAMS,
    Shared,
    inner_patterns_in,
    kind_of,
    longer_midfixes_in,
    pairs_in,
    patterns_of_pairs_in,
    whole_words_in,
)
from relrep.mining.spark.sums import Kept, Slots, Summed, run_of
from relrep.text.vocabulary import Vocabulary

Sums = Callable[..., Iterator[Summed]]
"""(name of the pass, what to count in a partition, slots, what to keep of each kind) → the sums, slot by slot."""


class Passes:
    """The passes over a corpus whose vocabulary is known."""

    def __init__(
        self, sums: Sums, broadcast: Any, keys: tuple[int, ...], vocabulary: Vocabulary, shared: Shared
    ) -> None:
        self._sums, self._broadcast, self._keys = sums, broadcast, keys
        self._vocabulary, self._shared = vocabulary, shared

    def pairs(self, selection: Selection) -> Pairs:
        """The pairs that co-occur in enough sentences; a pair's slot is told by both its words."""
        roles = self._broadcast(word_roles(self._vocabulary, selection))
        count = partial(pairs_in, shared=self._shared, roles=roles, selection=selection)
        run = run_of(
            self._sums("pairs", count, Slots(self._keys), {ONLY: Kept(selection.min_sentences)}), len(self._vocabulary)
        )
        return selected(run, self._vocabulary, selection)

    def patterns(self, pairs: Pairs, selection: Selection) -> Patterns:
        """The most frequent patterns."""
        sent = self._broadcast(pairs)
        candidates: list[Candidates] = []
        if {"unigram", "bigram"} & set(selection.pattern_kinds):
            candidates += self._inner_patterns(sent, selection)
        if "midfix" in selection.pattern_kinds:
            candidates += self._midfixes(sent, selection, [held.totals for held in candidates])
        return most_frequent(candidates, self._vocabulary, selection)

    def _inner_patterns(self, pairs: Any, selection: Selection) -> Iterator[Candidates]:
        names = {UNIGRAMS: "unigram", BIGRAMS: "bigram"}
        kinds = {kind_of(what, way): (what, way) for what in names for way in directions(selection)}
        kept = {kind: Kept(1, selection.n_patterns) for kind in kinds}
        count = partial(inner_patterns_in, shared=self._shared, pairs=pairs, selection=selection)
        for held in self._sums("patterns", count, Slots(self._keys), kept):
            what, way = kinds[held.kind]
            ngrams = held.columns[:, None]
            if what == BIGRAMS:
                ngrams = np.stack([held.rows.astype(np.int32), held.columns], axis=1)
            yield Candidates(names[what], way, ngrams, held.values)

    def _midfixes(self, pairs: Any, selection: Selection, totals: list[NDArray[np.int64]]) -> Iterator[Candidates]:
        """Length by length; an n-gram that occurs too seldom to be kept is not made longer."""
        ways = {kind_of(MIDFIXES, way): way for way in directions(selection)}
        most = selection.n_patterns
        count = partial(whole_words_in, shared=self._shared, pairs=pairs, selection=selection)
        for held in self._sums("midfixes-1", count, Slots(self._keys), {kind: Kept(1, most) for kind in ways}):
            yield Candidates("midfix", ways[held.kind], held.columns[:, None], held.values)
            totals.append(held.values)
        tables: list[Extensions] = []
        shorter = np.arange(len(self._vocabulary), dtype=np.int32)[:, None]
        for n in range(2, selection.max_gap + 1):
            least = kth_largest(totals, most)
            longer = partial(longer_midfixes_in, shared=self._shared, pairs=pairs, selection=selection)
            count = partial(longer, tables=self._broadcast(tables))
            occurring = kind_of(OCCURRENCES, FORWARD)
            kept = {**{kind: Kept(least, most) for kind in ways}, occurring: Kept(least)}
            going_on = []
            for held in self._sums(f"midfixes-{n}", count, Slots(self._keys), kept):
                if held.kind == occurring:
                    going_on.append(held)
                    continue
                ngrams = np.concatenate([shorter[held.rows], held.columns[:, None]], axis=1)
                yield Candidates("midfix", ways[held.kind], ngrams, held.values)
                totals.append(held.values)
            run = run_of(going_on, len(shorter))
            tables.append(Extensions(run.starts, run.columns, np.arange(len(run.columns), dtype=np.int32)))
            rows = np.repeat(np.arange(run.n_rows), np.diff(run.starts))
            shorter = np.concatenate([shorter[rows], run.columns[:, None]], axis=1)

    def counts(self, pairs: Pairs, patterns: Patterns, selection: Selection, folder: Path) -> Run:
        """g(p, u, v) in `folder`. The slots follow each other by pairs, so that they are written as they come."""
        found = self._broadcast((pairs, patterns))
        slots = Slots(self._keys, ranges(pairs, len(self._keys)))
        count = partial(patterns_of_pairs_in, shared=self._shared, found=found, selection=selection)
        small, done = column_type(len(patterns)), 0
        with RunWriter(folder) as writer:
            for held in self._sums("counts", count, slots, {}):
                if not len(held.keys):
                    continue
                last = int(held.rows[-1]) + 1  # rows are never cut
                starts = np.searchsorted(held.rows, np.arange(done, last + 1))
                writer.append(starts, held.columns.astype(small), held.values.astype(np.int32))
                done = last
            empty = np.zeros(len(pairs) - done + 1, dtype=np.int64)
            writer.append(empty, np.empty(0, dtype=small), np.empty(0, dtype=np.int32))
        return Run.open(folder)


def ranges(pairs: Pairs, n_slots: int) -> NDArray[np.int32]:
    """For each pair its slot: ranges of pairs that have about as many patterns.

    A pair of s sentences has about s^0.8 different patterns.
    """
    weights = np.cumsum(pairs.sentences.astype(np.float64) ** 0.8)
    slots: NDArray[np.int32] = np.minimum(weights * (n_slots / weights[-1]), n_slots - 1).astype(np.int32)
    return slots
