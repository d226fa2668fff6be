"""Lexical patterns: the most frequent unigrams and bigrams (and whole midfixes) between the words of selected pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.csr import row_numbers
from relrep.core.files import remove, written_whole
from relrep.core.threads import run_in_threads
from relrep.errors import RelrepError
from relrep.mining._kernels import Extensions, mark_selected, total_inner
from relrep.mining.chunks import Chunk, Chunks
from relrep.mining.ngrams import Level, count_level, next_level
from relrep.mining.pairs import Pairs
from relrep.mining.runs import Run, merge_all
from relrep.mining.settings import PATTERN_KINDS, Selection
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.vocabulary import Vocabulary

STEP = "finding patterns"
FORWARD, BACKWARD = 1, -1


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
    """Patterns of one kind, length and direction, with how often they occur."""

    kind: str
    direction: int
    ngrams: NDArray[np.int32]  # a row a pattern
    totals: NDArray[np.int64]


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
    chunk: Chunk, offset_bits: NDArray[Any], direction: int
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Occurrences of inner unigrams by word, and of inner bigrams by where they begin."""
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


def select_patterns(
    chunks: Chunks, pairs: Pairs, selection: Selection, work: Path, progress: ProgressCallback = ignore
) -> Patterns:
    """The `n_patterns` patterns with the most occurrences, summed over the selected pairs (§ 3.1)."""
    candidates = list(_inner_candidates(chunks, pairs, selection, work, progress))
    if "midfix" in selection.pattern_kinds:
        totals = [inner.totals for inner in candidates]
        candidates.extend(_whole_candidates(chunks, pairs, selection, work, totals, progress))
    return most_frequent(candidates, chunks.corpus.vocabulary, selection)


def _inner_candidates(
    chunks: Chunks, pairs: Pairs, selection: Selection, work: Path, progress: ProgressCallback
) -> Iterator[Candidates]:
    if not {"unigram", "bigram"} & set(selection.pattern_kinds):
        return
    n_words = len(chunks.corpus.vocabulary)
    ways = directions(selection)
    unigrams = {way: np.zeros(n_words, dtype=np.int64) for way in ways}
    bigrams: dict[int, list[Run]] = {way: [] for way in ways}
    progress(Progress(STEP, 0, len(chunks)))
    for index, chunk in enumerate(chunks):
        weights = {}
        for way in ways:
            totals, weights[way] = inner_totals(chunk, pair_occurrences(chunk, pairs, selection, way).offset_bits, way)
            unigrams[way] += totals
        if "bigram" in selection.pattern_kinds:
            for way in ways:
                # With all text at hand: a bigram occurs no more often than each of its words does.
                least = kth_largest(list(unigrams.values()), selection.n_patterns)
                if len(chunks) > 1 or "unigram" not in selection.pattern_kinds:
                    least = 1
                frequent = unigrams[way] >= least if len(chunks) == 1 else np.ones(n_words, dtype=np.bool_)
                no_bits = np.empty(0, dtype=np.uint8)
                _, counted = count_level(chunk, Level.words(chunk), weights[way], no_bits, way, frequent, least)
                bigrams[way].append(_kept(counted, work / f"bigrams-{index:05}-{way}", len(chunks)))
        progress(Progress(STEP, index + 1, len(chunks)))
    for way in ways:
        if "unigram" in selection.pattern_kinds:
            words = np.flatnonzero(unigrams[way]).astype(np.int32)
            yield Candidates("unigram", way, words[:, None], unigrams[way][words])
        if "bigram" in selection.pattern_kinds:
            yield _extended("bigram", way, np.arange(n_words, dtype=np.int32)[:, None], bigrams[way], chunks)
            for index in range(len(chunks)):
                remove(work / f"bigrams-{index:05}-{way}")


def _kept(run: Run, folder: Path, n_chunks: int) -> Run:
    """A run in memory where it is the only one, else on disk."""
    if n_chunks == 1:
        return run
    run.write(folder)
    return Run.open(folder)


def _extended(kind: str, way: int, shorter: NDArray[np.int32], runs: list[Run], chunks: Chunks) -> Candidates:
    """The merged counts of n-grams that extend the rows `shorter` by one word."""
    merged = merge_all(runs, len(chunks.corpus.vocabulary), 1, chunks.memory, chunks.threads)
    ngrams = np.concatenate([shorter[row_numbers(merged.starts)], merged.columns[:, None]], axis=1)
    return Candidates(kind, way, ngrams, merged.values.astype(np.int64))


def _whole_candidates(
    chunks: Chunks,
    pairs: Pairs,
    selection: Selection,
    work: Path,
    totals: list[NDArray[np.int64]],
    progress: ProgressCallback,
) -> Iterator[Candidates]:
    """Whole midfixes, length by length; an n-gram that occurs too seldom to be kept is not made longer."""
    n_words = len(chunks.corpus.vocabulary)
    ways = directions(selection)
    for way in ways:
        counts = sum(whole_unigrams(c, pair_occurrences(c, pairs, selection, way).offset_bits, way) for c in chunks)
        words = np.flatnonzero(counts).astype(np.int32)
        yield Candidates("midfix", way, words[:, None], np.asarray(counts)[words])
        totals.append(np.asarray(counts)[words])
    tables: list[Extensions] = []
    shorter = np.arange(n_words, dtype=np.int32)[:, None]
    for n in range(2, selection.max_gap + 1):
        least = kth_largest(totals, selection.n_patterns)
        occurrences: list[Run] = []
        weights: dict[int, list[Run]] = {way: [] for way in ways}
        folders: list[Path] = []
        for index, chunk in enumerate(chunks):
            level = Level.words(chunk)
            for table in tables:
                level = next_level(chunk, level, table, len(table.ids))
            everything = np.ones(n_words, dtype=np.bool_)
            for way in ways:
                offset_bits = pair_occurrences(chunk, pairs, selection, way).offset_bits
                no_weights = np.empty(0, dtype=np.uint8)
                occurring, weighted = count_level(chunk, level, no_weights, offset_bits, way, everything)
                folders.append(work / f"midfixes-{n}-{index:05}-{way}")
                weights[way].append(_kept(weighted, folders[-1], len(chunks)))
                if way == FORWARD:
                    folders.append(work / f"ngrams-{n}-{index:05}")
                    occurrences.append(_kept(occurring, folders[-1], len(chunks)))
            progress(Progress(f"{STEP} of {n} words", index + 1, len(chunks)))
        for way in ways:
            extended = _extended("midfix", way, shorter, weights[way], chunks)
            kept = extended.totals >= least
            yield Candidates("midfix", way, extended.ngrams[kept], extended.totals[kept])
            totals.append(extended.totals[kept])
        going_on = merge_all(occurrences, n_words, least, chunks.memory, chunks.threads)
        tables.append(Extensions(going_on.starts, going_on.columns, np.arange(len(going_on.columns), dtype=np.int32)))
        shorter = np.concatenate([shorter[row_numbers(going_on.starts)], going_on.columns[:, None]], axis=1)
        for folder in folders:
            remove(folder)


def most_frequent(candidates: list[Candidates], vocabulary: Vocabulary, selection: Selection) -> Patterns:
    """The first `n_patterns` of all candidates, by falling number of occurrences, ties by spelling (§ 3.1)."""
    least = kth_largest([held.totals for held in candidates], selection.n_patterns)
    entries: list[tuple[int, str, int, int, tuple[int, ...]]] = []
    for held in candidates:
        kind = PATTERN_KINDS.index(held.kind)
        for place in np.flatnonzero(held.totals >= least):
            ngram = tuple(held.ngrams[place].tolist())
            text = " ".join(vocabulary.words[word] for word in ngram)
            entries.append((-int(held.totals[place]), text, kind, int(held.direction == BACKWARD), ngram))
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
