"""Chunks: as much text as memory allows, with an index from each word to its positions."""

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from relrep.core.memory import let_go
from relrep.core.threads import run_in_threads
from relrep.mining._kernels import MAX_REACH, Positions
from relrep.text.encoded import SENTENCE_END, EncodedCorpus
from relrep.text.index import build_positions

BYTES_PER_TOKEN = 23
"""Tokens and positions (4 each), offset bits, weights, bigram ids, and a share of the results: 21 were measured."""
_BYTES_BESIDES = 320_000_000
"""Python with all its libraries, and the vocabulary; where memory is little, a third of it."""
_MIN_CHUNK_TOKENS = 1 << 12
_MAX_CHUNK_TOKENS = 1 << 29  # positions fit an int32 with their flag
_TASKS_PER_CHUNK = 64

Result = TypeVar("Result")


class Chunk:
    """Some whole sentences in memory, padded with sentence ends on both sides so that no window leaves them.

    Of a chunk that is the whole text, what is too rare to be kept need not be handed on.
    """

    def __init__(self, tokens: NDArray[np.int32], n_words: int, threads: int, is_whole_text: bool = False) -> None:
        self.tokens = np.empty(len(tokens) + 2 * MAX_REACH, dtype=np.int32)
        self.tokens[:MAX_REACH] = self.tokens[-MAX_REACH:] = SENTENCE_END
        self.tokens[MAX_REACH:-MAX_REACH] = tokens
        let_go(tokens)
        self.n_words, self.threads, self.is_whole_text = n_words, threads, is_whole_text
        self.marked: dict[int, object] = {}
        """By direction: where the selected pairs are (see `relrep.mining.patterns.pair_occurrences`)."""

    @cached_property
    def words(self) -> Positions:
        """Where each word stands."""
        parts = self.text_ranges(self.threads)
        return Positions(self.tokens, *build_positions(self.tokens, self.n_words, parts, flagged=True))

    def text_ranges(self, parts: int) -> list[tuple[int, int]]:
        """Cuts the text into at most so many ranges of whole sentences."""
        bounds = [0]
        for cut in np.linspace(0, len(self.tokens), parts + 1)[1:-1].astype(np.int64).tolist():
            while cut < len(self.tokens) and self.tokens[cut] != SENTENCE_END:
                cut += 1
            bounds.append(max(bounds[-1], cut))
        bounds.append(len(self.tokens))
        return [(low, high) for low, high in itertools.pairwise(bounds) if low < high]

    def over_words(self, work: Callable[[tuple[int, int]], Result], stop: int) -> Iterator[Result]:
        """Runs `work` on the ranges of the words before `stop`, in threads; results in order."""
        return run_in_threads(work, row_ranges(self.words.starts, stop), self.threads)


def row_ranges(starts: NDArray[np.int64], stop: int) -> list[tuple[int, int]]:
    """Cuts the rows before `stop` into ranges with about as many entries each: the tasks of threads."""
    if not stop:
        return []
    bounds = np.searchsorted(starts[: stop + 1], np.linspace(0, starts[stop], _TASKS_PER_CHUNK + 1))
    bounds[0], bounds[-1] = 0, stop
    return list(itertools.pairwise(np.unique(bounds).tolist()))


class Chunks:
    """A corpus cut into chunks of whole sentences, so that a chunk and what is made of it stay under `memory` bytes.

    `most_tokens` says instead how many tokens a chunk holds.

    The chunk last used is kept: a corpus of one chunk is read and indexed once.
    """

    def __init__(self, corpus: EncodedCorpus, memory: int, threads: int, most_tokens: int | None = None) -> None:
        self.corpus, self.memory, self.threads = corpus, memory, threads
        self.bounds = _sentence_bounds(corpus.tokens, most_tokens or chunk_tokens(memory))
        self._last: tuple[int, Chunk] | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __iter__(self) -> Iterator[Chunk]:
        for index in range(len(self)):
            yield self[index]

    def __getitem__(self, index: int) -> Chunk:
        if self._last is None or self._last[0] != index:
            self._last = None  # let go of the old one before the new one is made
            tokens = self.corpus.tokens[self.bounds[index] : self.bounds[index + 1]]
            self._last = (index, Chunk(tokens, len(self.corpus.vocabulary), self.threads, len(self) == 1))
        return self._last[1]


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
