"""Chunks: as much text as memory allows, with an index from each word to its positions."""

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from relrep.core.memory import let_go
from relrep.core.threads import run_in_threads, split_evenly
from relrep.mining._kernels.cooccurrence import MAX_REACH, count_words, place_positions
from relrep.text.encoded import SENTENCE_END, EncodedCorpus

BYTES_PER_TOKEN = 23
"""Tokens and positions (4 each), masks, weights, bigram ids, and a share of the results: 21 were measured."""
_BYTES_BESIDES = 320_000_000
"""Python with all its libraries, and the vocabulary; where memory is little, a third of it."""
_MIN_CHUNK_TOKENS = 1 << 12
_MAX_CHUNK_TOKENS = 1 << 29  # positions fit an int32 with their flag
_TASKS_PER_CHUNK = 64

Result = TypeVar("Result")


class Chunk:
    """Some whole sentences in memory, padded with sentence ends on both sides so that no window leaves them."""

    def __init__(self, tokens: NDArray[np.int32], n_words: int, threads: int) -> None:
        self.tokens = np.empty(len(tokens) + 2 * MAX_REACH, dtype=np.int32)
        self.tokens[:MAX_REACH] = self.tokens[-MAX_REACH:] = SENTENCE_END
        self.n_words = n_words
        self.threads = threads

        def copy(part: tuple[int, int]) -> None:
            self.tokens[MAX_REACH + part[0] : MAX_REACH + part[1]] = tokens[slice(*part)]

        for _ in run_in_threads(copy, split_evenly(len(tokens), threads), threads):
            pass
        let_go(tokens)
        self.marked: dict[int, object] = {}
        """By direction: where the selected pairs are (see `relrep.mining.patterns.selected_masks`)."""

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where in `positions` each word's begin."""
        parts = split_evenly(len(self.tokens), self.threads)
        counted = run_in_threads(lambda part: count_words(self.tokens[slice(*part)], self.n_words), parts, self.threads)
        counts = np.sum(list(counted), axis=0)
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])

    @cached_property
    def positions(self) -> NDArray[np.int32]:
        """The positions of each word: 2 · position, plus 1 where it is the word's first in its sentence."""
        positions = np.empty(int(self.starts[-1]), dtype=np.int32)

        def place(words: tuple[int, int]) -> None:
            place_positions(self.tokens, words[0], words[1], self.starts, positions)

        for _ in run_in_threads(place, self.word_ranges(self.n_words, self.threads), self.threads):
            pass
        return positions

    def word_ranges(self, stop: int, parts: int = _TASKS_PER_CHUNK) -> list[tuple[int, int]]:
        """Cuts the words before `stop` into ranges with about as many occurrences each."""
        bounds = np.searchsorted(self.starts[: stop + 1], np.linspace(0, self.starts[stop], parts + 1))
        bounds[0], bounds[-1] = 0, stop
        bounds = np.unique(bounds)
        return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))

    def text_ranges(self) -> list[tuple[int, int]]:
        """Cuts the text into ranges of whole sentences."""
        bounds = [0]
        for cut in np.linspace(0, len(self.tokens), 2 * self.threads + 1)[1:-1].astype(np.int64).tolist():
            while cut < len(self.tokens) and self.tokens[cut] != SENTENCE_END:
                cut += 1
            bounds.append(max(bounds[-1], cut))
        bounds.append(len(self.tokens))
        return [(low, high) for low, high in itertools.pairwise(bounds) if low < high]

    def over_words(self, work: Callable[[tuple[int, int]], Result], stop: int) -> Iterator[Result]:
        """Runs `work` on the ranges of the words before `stop`, in threads; results in order."""
        return run_in_threads(work, self.word_ranges(stop), self.threads)


class Chunks:
    """A corpus cut into chunks of whole sentences, so that a chunk and what is made of it stay under `memory` bytes.

    `most_tokens` says instead how many tokens a chunk holds.

    The chunk last used is kept: a corpus of one chunk is read and indexed once.
    """

    def __init__(self, corpus: EncodedCorpus, memory: int, threads: int, most_tokens: int | None = None) -> None:
        self.corpus = corpus
        self.threads = threads
        self.bounds = _sentence_bounds(corpus.tokens, most_tokens or chunk_tokens(memory))
        self._held: tuple[int, Chunk] | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __iter__(self) -> Iterator[Chunk]:
        for index in range(len(self)):
            yield self[index]

    def __getitem__(self, index: int) -> Chunk:
        if self._held is None or self._held[0] != index:
            self._held = None  # let go of the old one before the new one is made
            tokens = self.corpus.tokens[self.bounds[index] : self.bounds[index + 1]]
            self._held = (index, Chunk(tokens, len(self.corpus.vocabulary), self.threads))
        return self._held[1]


def chunk_tokens(memory: int) -> int:
    """How many tokens a chunk holds at most."""
    fitting = (memory - min(_BYTES_BESIDES, memory // 3)) // BYTES_PER_TOKEN
    return min(max(fitting, _MIN_CHUNK_TOKENS), _MAX_CHUNK_TOKENS)


def _sentence_bounds(tokens: NDArray[np.int32], most: int) -> list[int]:
    """Cuts behind sentence ends, at most `most` tokens apart (more where one sentence is longer)."""
    bounds = [0]
    while bounds[-1] + most < len(tokens):
        low = bounds[-1]
        ends = np.flatnonzero(tokens[low : low + most] == SENTENCE_END)
        if len(ends):
            cut = low + int(ends[-1]) + 1
        else:
            later = np.flatnonzero(tokens[low + most :] == SENTENCE_END)
            cut = low + most + int(later[0]) + 1 if len(later) else len(tokens)
        bounds.append(cut)
    if bounds[-1] < len(tokens):
        bounds.append(len(tokens))
    return bounds
