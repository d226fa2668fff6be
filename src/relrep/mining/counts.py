"""The counts g(p, u, v): how often each kept pattern stands between the words of each selected pair."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from relrep.core.files import DAMAGE, remove
from relrep.mining._kernels import PatternIds, count_triples
from relrep.mining.chunks import Chunk, Chunks
from relrep.mining.ngrams import number_ngrams
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import FORWARD, Patterns, directions, pair_occurrences
from relrep.mining.runs import Part, Run, merge, write_run
from relrep.mining.settings import Selection
from relrep.progress import Progress, ProgressCallback, ignore

STEP = "counting patterns of pairs"


def _id_type(n_patterns: int) -> Any:
    return np.int16 if n_patterns <= np.iinfo(np.int16).max else np.int32


def column_type(n_patterns: int) -> Any:
    """The type that pattern ids have in the counts."""
    return np.uint16 if n_patterns <= np.iinfo(np.uint16).max else np.int32


def no_pattern_ids(n_patterns: int) -> PatternIds:
    """For a direction that is not looked at."""
    small = _id_type(n_patterns)
    return PatternIds(
        np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, small),
        np.empty((0, 0), small),
    )  # fmt: skip


def pattern_ids(chunk: Chunk, pairs: Pairs, patterns: Patterns, selection: Selection, direction: int) -> PatternIds:
    """Finds the kept patterns of one direction in a chunk."""
    small = _id_type(len(patterns))
    length = len(chunk.tokens)
    found = no_pattern_ids(len(patterns))
    unigrams, bigrams, midfixes = found.unigrams, found.bigrams, found.midfixes
    if kept := patterns.of_kind("unigram", direction):
        unigrams = np.full(chunk.n_words, -1, dtype=np.int32)
        for (word,), number in kept.items():
            unigrams[word] = number
    if kept := patterns.of_kind("bigram", direction):
        bigrams = np.full(length, -1, dtype=small)
        number_ngrams(chunk, kept, {2: bigrams})
    if kept := patterns.of_kind("midfix", direction):
        midfixes = np.full((selection.max_gap, length), -1, dtype=small)
        by_word = np.full(chunk.n_words + 2, -1, dtype=small)  # marks find the two last entries
        for ngram, number in kept.items():
            if len(ngram) == 1:
                by_word[ngram[0]] = number
        midfixes[0] = by_word[chunk.tokens]
        longer = {ngram: number for ngram, number in kept.items() if len(ngram) > 1}
        number_ngrams(chunk, longer, {n: midfixes[n - 1] for n in range(2, selection.max_gap + 1)})
    occurrences = pair_occurrences(chunk, pairs, selection, direction)
    return PatternIds(occurrences.offset_bits, occurrences.max_events, unigrams, bigrams, midfixes)


def count_chunk(chunk: Chunk, pairs: Pairs, patterns: Patterns, selection: Selection) -> Iterator[Part]:
    """g of one chunk in parts that follow each other by pairs: (row starts, patterns, counts)."""
    forward = pattern_ids(chunk, pairs, patterns, selection, FORWARD)
    backward = no_pattern_ids(len(patterns))
    for way in directions(selection):
        if way != FORWARD:
            backward = pattern_ids(chunk, pairs, patterns, selection, way)
    no_events = np.empty(0, dtype=column_type(len(patterns)))

    def work(words: tuple[int, int]) -> Part:
        result: Part = count_triples(
            chunk.words,
            *words,
            pairs.listed,
            chunk.n_words,
            len(patterns),
            selection.reach,
            no_events,
            forward,
            backward,
        )
        return result

    yield from chunk.over_words(work, pairs.n_pair_words)


def count_patterns(
    chunks: Chunks,
    pairs: Pairs,
    patterns: Patterns,
    selection: Selection,
    folder: Path,
    work: Path,
    progress: ProgressCallback = ignore,
) -> Run:
    """g(p, u, v) on disk in `folder`, a row a pair; returned memory-mapped. Shards wait in `work` to be merged."""
    if len(chunks) == 1:
        return write_run(folder, _told(count_chunk(chunks[0], pairs, patterns, selection), pairs, 0, 1, progress))
    shards = [work / f"counts-{index:05}" for index in range(len(chunks))]
    runs = []
    for index, chunk in enumerate(chunks):
        try:
            runs.append(Run.open(shards[index]))  # left by an interrupted run
        except DAMAGE:
            parts = count_chunk(chunk, pairs, patterns, selection)
            runs.append(write_run(shards[index], _told(parts, pairs, index, len(chunks), progress)))
    merged = merge(runs, len(patterns), 1, chunks.memory, chunks.threads)
    small = runs[0].columns.dtype
    summed = ((part.starts, part.columns.astype(small), part.values.astype(np.int32)) for part in merged)
    counts = write_run(folder, _told(summed, pairs, 0, 1, progress))
    for shard in shards:
        remove(shard)
    return counts


def _told(parts: Iterator[Part], pairs: Pairs, chunk: int, n_chunks: int, progress: ProgressCallback) -> Iterator[Part]:
    done = 0
    for part in parts:
        yield part
        done += len(part[0]) - 1
        progress(Progress(STEP, chunk + done / max(1, len(pairs)), n_chunks))
