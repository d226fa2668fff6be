"""Lexical patterns: the most frequent unigrams and bigrams (and whole midfixes) between the words of selected pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.csr import row_numbers
from relrep.core.files import written_whole
from relrep.core.threads import run_in_threads
from relrep.errors import RelrepError
from relrep.mining._kernels import Extensions, mark_selected, total_inner
from relrep.mining.chunks import Chunk
from relrep.mining.ngrams import Level, count_level, next_level
from relrep.mining.pairs import Pairs
from relrep.mining.runs import Counted, Run, Summing
from relrep.mining.settings import PATTERN_KINDS, Selection
from relrep.text.vocabulary import Vocabulary

STEP = "finding patterns"
FORWARD, BACKWARD = 1, -1
UNIGRAMS, BIGRAMS, MIDFIXES, OCCURRENCES = range(4)
"""What is counted: the kinds of patterns, and n-grams wherever they stand."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The kept patterns by falling number of occurrences, ties by spelling: a pattern's id is its place."""

    ngrams: list[tuple[int, ...]]
    kinds: list[str]
    reversed: NDArray[np.bool_]
    occurrences: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ngrams)

    def write(self, path: Path) -> None:
        """Leaves the patterns at `path`."""
        kinds = np.array([PATTERN_KINDS.index(kind) for kind in self.kinds], dtype=np.int8)
        with written_whole(path) as part, part.open("wb") as file:
            np.savez(file, ngrams=self.table(), kinds=kinds, reversed=self.reversed, occurrences=self.occurrences)

    @classmethod
    def read(cls, path: Path) -> "Patterns":
        """The patterns that `write` left."""
        with np.load(path, allow_pickle=False) as held:
            ngrams = [tuple(word for word in row if word >= 0) for row in held["ngrams"].tolist()]
            kinds = [PATTERN_KINDS[kind] for kind in held["kinds"].tolist()]
            return cls(ngrams, kinds, held["reversed"], held["occurrences"])

    def table(self) -> NDArray[np.int32]:
        """The n-grams as rows, -1 behind the last word of each."""
        longest = max((len(ngram) for ngram in self.ngrams), default=1)
        rows = [ngram + (-1,) * (longest - len(ngram)) for ngram in self.ngrams]
        return np.array(rows, dtype=np.int32).reshape(-1, longest)

    def texts(self, vocabulary: Vocabulary) -> list[str]:
        """The patterns as words."""
        return [" ".join(vocabulary.words[word] for word in ngram) for ngram in self.ngrams]

    def of_kind(self, kind: str, direction: int) -> dict[tuple[int, ...], int]:
        """From the words of each pattern of one kind and direction to its id."""
        backward = direction == BACKWARD
        return {
            ngram: number
            for number, (ngram, own, turned) in enumerate(zip(self.ngrams, self.kinds, self.reversed, strict=True))
            if own == kind and bool(turned) == backward
        }


@dataclass(frozen=True, eq=False)
class Candidates:
    """Patterns of one kind (see `kind_of`) and length, with how often they occur."""

    kind: int
    ngrams: NDArray[np.int32]  # a row a pattern
    totals: NDArray[np.int64]


def kind_of(what: int, direction: int) -> int:
    """One number for what is counted and in which direction."""
    return 2 * what + (direction == BACKWARD)


def directions(selection: Selection) -> tuple[int, ...]:
    """The directions in which occurrences support a pair."""
    return (FORWARD, BACKWARD) if selection.both_directions else (FORWARD,)


@dataclass(frozen=True, eq=False)
class PairOccurrences:
    """For every position of a chunk, which of its neighbours it forms a selected pair with (see `mark_selected`).

    `max_events` says for each pair how many pattern occurrences it can have at most.
    """

    pairs: Pairs
    offset_bits: NDArray[Any]
    max_events: NDArray[np.int64]


def pair_occurrences(chunk: Chunk, pairs: Pairs, selection: Selection, direction: int) -> PairOccurrences:
    """Finds the selected pairs of one direction in a chunk; they are found once."""
    earlier = chunk.marked.get(direction)
    if isinstance(earlier, PairOccurrences) and earlier.pairs is pairs:
        return earlier
    reach = selection.reach
    offset_bits = np.zeros(len(chunk.tokens), dtype=np.uint8 if reach <= 8 else np.uint16)
    max_events = np.zeros(len(pairs), dtype=np.int64)

    def work(words: tuple[int, int]) -> None:
        mark_selected(chunk.words, *words, pairs.listed, chunk.n_words, reach, direction, offset_bits, max_events)

    for _ in chunk.over_words(work, pairs.n_pair_words):
        pass
    chunk.marked[direction] = occurrences = PairOccurrences(pairs, offset_bits, max_events)
    return occurrences


def inner_totals(
    chunk: Chunk, pairs: Pairs, selection: Selection, direction: int
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Occurrences of inner unigrams by word, and of inner bigrams by where they begin."""
    offset_bits = pair_occurrences(chunk, pairs, selection, direction).offset_bits
    bigram_weights = np.zeros(len(chunk.tokens), dtype=np.uint8)

    def work(text: tuple[int, int]) -> NDArray[np.int64]:
        totals = np.zeros(chunk.n_words, dtype=np.int64)
        total_inner(chunk.tokens, *text, offset_bits, direction, totals, bigram_weights)
        return totals

    totals = sum(run_in_threads(work, chunk.text_ranges(2 * chunk.threads), chunk.threads))
    return totals, bigram_weights  # type: ignore[return-value]


def whole_unigrams(chunk: Chunk, offset_bits: NDArray[Any], direction: int) -> NDArray[np.int64]:
    """How often each word is the whole midfix of a selected pair."""
    is_whole = (offset_bits >> 1) & 1 == 1
    words = np.roll(chunk.tokens, -direction)[is_whole]  # the word behind (before) the base
    return np.bincount(words[words >= 0], minlength=chunk.n_words)


def kth_largest(totals: list[NDArray[np.int64]], k: int) -> int:
    """A pattern needs at least so many occurrences to be among the first k (1 where there are fewer than k)."""
    held = np.concatenate(totals) if totals else np.empty(0, dtype=np.int64)
    if len(held) < k:
        return 1
    return max(1, int(np.partition(held, len(held) - k)[len(held) - k]))


def inner_patterns_in(chunk: Chunk, pairs: Pairs, selection: Selection) -> Counted:
    """Unigrams and bigrams between the words of selected pairs."""
    found = {way: inner_totals(chunk, pairs, selection, way) for way in directions(selection)}
    least = 1
    if chunk.is_whole_text and "unigram" in selection.pattern_kinds:
        # A bigram occurs no more often than each of its words does.
        least = kth_largest([totals for totals, _ in found.values()], selection.n_patterns)
    for way, (totals, weights) in found.items():
        if "unigram" in selection.pattern_kinds:
            yield kind_of(UNIGRAMS, way), _one_row(totals)
        if "bigram" in selection.pattern_kinds:
            no_bits, level = np.empty(0, dtype=np.uint8), Level.words(chunk)
            _, counted = count_level(chunk, level, weights, no_bits, way, totals >= least, least)
            yield kind_of(BIGRAMS, way), counted


def midfixes_in(chunk: Chunk, pairs: Pairs, selection: Selection, tables: list[Extensions] | None) -> Counted:
    """n-grams one word longer than those in the last table (None: words) as midfixes, and how often they occur."""
    level = Level.words(chunk)
    for table in tables or ():
        level = next_level(chunk, level, table, len(table.ids))
    everything = np.ones(chunk.n_words, dtype=np.bool_)
    for way in directions(selection):
        offset_bits = pair_occurrences(chunk, pairs, selection, way).offset_bits
        if tables is None:
            yield kind_of(MIDFIXES, way), _one_row(whole_unigrams(chunk, offset_bits, way))
            continue
        occurring, weighted = count_level(chunk, level, np.empty(0, np.uint8), offset_bits, way, everything)
        yield kind_of(MIDFIXES, way), weighted
        if way == FORWARD:
            yield kind_of(OCCURRENCES, way), occurring


def _one_row(totals: NDArray[np.int64]) -> Run:
    """Totals by word as a run of a single row."""
    words = np.flatnonzero(totals)
    return Run(np.array([0, len(words)], dtype=np.int64), words.astype(np.int32), totals[words])


def select_patterns(sums: Summing, vocabulary: Vocabulary, pairs: Pairs, selection: Selection) -> Patterns:
    """The `n_patterns` patterns with the most occurrences, summed over the selected pairs (§ 3.1)."""
    candidates: list[Candidates] = []
    if {"unigram", "bigram"} & set(selection.pattern_kinds):
        for part in sums(STEP, inner_patterns_in, pairs, selection, most=selection.n_patterns):
            several = part.kind // 2 == BIGRAMS
            ngrams = np.stack([part.rows, part.columns], axis=1) if several else part.columns[:, None]
            candidates.append(Candidates(part.kind, ngrams, part.values))
    if "midfix" in selection.pattern_kinds:
        candidates += _midfixes(sums, len(vocabulary), pairs, selection, [inner.totals for inner in candidates])
    return most_frequent(candidates, vocabulary, selection)


def _midfixes(
    sums: Summing, n_words: int, pairs: Pairs, selection: Selection, totals: list[NDArray[np.int64]]
) -> Iterator[Candidates]:
    """Whole midfixes, length by length; an n-gram that occurs too seldom to be kept is not made longer."""
    tables: list[Extensions] | None = None
    shorter = np.empty((1, 0), dtype=np.int32)
    for n in range(1, selection.max_gap + 1):
        least, most = kth_largest(totals, selection.n_patterns), selection.n_patterns
        occurring = []
        for part in sums(f"{STEP} of {n} words", midfixes_in, pairs, selection, tables, least=least, most=most):
            if part.kind // 2 == OCCURRENCES:
                occurring.append(part)
                continue
            ngrams = np.concatenate([shorter[part.rows], part.columns[:, None]], axis=1)
            yield Candidates(part.kind, ngrams, part.values)
            totals.append(part.values)
        if tables is None:
            tables, shorter = [], np.arange(n_words, dtype=np.int32)[:, None]
            continue
        run = Run.of(occurring, len(shorter))
        tables = [*tables, Extensions(run.starts, run.columns, np.arange(len(run.columns), dtype=np.int32))]
        shorter = np.concatenate([shorter[row_numbers(run.starts)], run.columns[:, None]], axis=1)


def most_frequent(candidates: list[Candidates], vocabulary: Vocabulary, selection: Selection) -> Patterns:
    """The first `n_patterns` of all candidates, by falling number of occurrences, ties by spelling (§ 3.1)."""
    least = kth_largest([held.totals for held in candidates], selection.n_patterns)
    entries: list[tuple[int, str, int, int, tuple[int, ...]]] = []
    for held in candidates:
        kind, turned = divmod(held.kind, 2)
        for place in np.flatnonzero(held.totals >= least):
            ngram = tuple(held.ngrams[place].tolist())
            text = " ".join(vocabulary.words[word] for word in ngram)
            entries.append((-int(held.totals[place]), text, kind, turned, ngram))
    entries.sort()
    entries = entries[: selection.n_patterns]
    if selection.pairs == "sentences" and len(entries) < 2:
        raise RelrepError(
            "fewer than two patterns stand between the words of the selected pairs; "
            "give more text or a smaller min_pair_sentences"
        )
    return Patterns(
        [ngram for *_, ngram in entries],
        [PATTERN_KINDS[kind] for _, _, kind, _, _ in entries],
        np.array([turned == 1 for _, _, _, turned, _ in entries], dtype=np.bool_),
        np.array([-total for total, *_ in entries], dtype=np.int64),
    )
