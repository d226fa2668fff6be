"""Mining on Spark, pass by pass: what is sent out, how the sums are cut into partitions, what is made of them."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.vocabulary import Vocabulary
from relrep.errors import RelrepError
from relrep.mining.counts import column_type
from relrep.mining.ngrams import Extensions
from relrep.mining.pairs import Pairs, too_few, word_roles
from relrep.mining.patterns import FORWARD, Candidates, Patterns, directions, kth_largest, most_frequent
from relrep.mining.runs import Run, RunWriter
from relrep.mining.settings import MiningSettings
from relrep.spark.counting import (
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
from relrep.spark.sums import Kept, Slots, Summed, run_of

Sums = Callable[..., Iterator[Summed]]
"""(name of the pass, what to count in a partition, slots, what to keep of each kind) → the sums, slot by slot."""


class Passes:
    """The passes over a corpus whose vocabulary is known."""

    def __init__(
        self, sums: Sums, broadcast: Any, keys: tuple[int, ...], vocabulary: Vocabulary, shared: Shared
    ) -> None:
        self._sums, self._broadcast, self._keys = sums, broadcast, keys
        self._vocabulary, self._shared = vocabulary, shared

    def pairs(self, settings: MiningSettings) -> Pairs:
        """The pairs that co-occur in enough sentences; a pair's slot is told by both its words."""
        roles = self._broadcast(word_roles(self._vocabulary, settings))
        least = settings.min_pair_sentences
        count = partial(pairs_in, shared=self._shared, roles=roles, reach=settings.reach)
        run = run_of(self._sums("pairs", count, Slots(self._keys), {ONLY: Kept(least)}), len(self._vocabulary))
        if not len(run.columns):
            raise RelrepError(too_few(least))
        return Pairs(run.starts, run.columns, run.values)

    def patterns(self, pairs: Pairs, settings: MiningSettings) -> Patterns:
        """The most frequent patterns."""
        sent = self._broadcast(pairs)
        candidates: list[Candidates] = []
        if {"unigram", "bigram"} & set(settings.pattern_kinds):
            candidates += self._inner_patterns(sent, settings)
        if "midfix" in settings.pattern_kinds:
            candidates += self._midfixes(sent, settings, [held.totals for held in candidates])
        return most_frequent(candidates, self._vocabulary, settings)

    def _inner_patterns(self, pairs: Any, settings: MiningSettings) -> Iterator[Candidates]:
        names = {UNIGRAMS: "unigram", BIGRAMS: "bigram"}
        kinds = {kind_of(what, way): (what, way) for what in names for way in directions(settings)}
        kept = {kind: Kept(1, settings.n_patterns) for kind in kinds}
        count = partial(inner_patterns_in, shared=self._shared, pairs=pairs, settings=settings)
        for held in self._sums("patterns", count, Slots(self._keys), kept):
            what, way = kinds[held.kind]
            ngrams = held.columns[:, None]
            if what == BIGRAMS:
                ngrams = np.stack([held.rows.astype(np.int32), held.columns], axis=1)
            yield Candidates(names[what], way, ngrams, held.values)

    def _midfixes(self, pairs: Any, settings: MiningSettings, totals: list[NDArray[np.int64]]) -> Iterator[Candidates]:
        """Length by length; an n-gram that occurs too seldom to be kept is not made longer."""
        ways = {kind_of(MIDFIXES, way): way for way in directions(settings)}
        most = settings.n_patterns
        count = partial(whole_words_in, shared=self._shared, pairs=pairs, settings=settings)
        for held in self._sums("midfixes-1", count, Slots(self._keys), {kind: Kept(1, most) for kind in ways}):
            yield Candidates("midfix", ways[held.kind], held.columns[:, None], held.values)
            totals.append(held.values)
        tables: list[Extensions] = []
        shorter = np.arange(len(self._vocabulary), dtype=np.int32)[:, None]
        for n in range(2, settings.max_gap + 1):
            least = kth_largest(totals, most)
            longer = partial(longer_midfixes_in, shared=self._shared, pairs=pairs, settings=settings)
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

    def counts(self, pairs: Pairs, patterns: Patterns, settings: MiningSettings, folder: Path) -> Run:
        """g(p, u, v) in `folder`. The slots follow each other by pairs, so that they are written as they come."""
        found = self._broadcast((pairs, patterns))
        slots = Slots(self._keys, ranges(pairs, len(self._keys)))
        count = partial(patterns_of_pairs_in, shared=self._shared, found=found, settings=settings)
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
