"""Kernels of the corpus index: a counting sort of token places by word."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit

PART_TOKENS = 1 << 22
"""Below two parts of this many tokens one thread is as fast as several."""


@njit(cache=True, nogil=True)
def count_words(tokens: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    """Adds to `counts` how often each word stands in `tokens` (negative ids are no words)."""
    for token in tokens:
        if token >= 0:
            counts[token] += 1


@njit(cache=True, nogil=True)
def place_words(tokens: NDArray[np.int32], first: int, heads: NDArray[np.int64], positions: NDArray[np.int32]) -> None:
    """Writes the place of each word, counted from `first`, where the word's head points; heads move on."""
    for place in range(len(tokens)):
        token = tokens[place]
        if token >= 0:
            positions[heads[token]] = first + place
            heads[token] += 1


def build_positions(
    tokens: NDArray[np.int32], n_words: int, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int32] | NDArray[np.int64]]:
    """The places of every word, in rising order: those of word x are positions[starts[x] : starts[x + 1]].

    Each thread takes one stretch of the text and knows beforehand where its words go, so the result is the
    same for any number of threads. Positions are int32 while the text is shorter than 2³¹ tokens.

    >>> starts, positions = build_positions(np.array([1, 0, -1, 1], dtype=np.int32), 2)
    >>> starts.tolist(), positions.tolist()
    ([0, 1, 3], [1, 0, 3])
    """
    if len(tokens) and int(tokens.max()) >= n_words:
        raise ValueError("tokens hold an id outside the vocabulary")
    n_parts = max(1, min(threads, len(tokens) // PART_TOKENS))
    bounds = [len(tokens) * part // n_parts for part in range(n_parts + 1)]
    counts = np.zeros((n_parts, n_words), dtype=np.int64)

    def count(part: int) -> None:
        count_words(tokens[bounds[part] : bounds[part + 1]], counts[part])

    with ThreadPoolExecutor(n_parts) as pool:
        list(pool.map(count, range(n_parts)))
    starts = np.zeros(n_words + 1, dtype=np.int64)
    np.cumsum(counts.sum(axis=0), out=starts[1:])
    heads = starts[:-1] + np.cumsum(counts, axis=0) - counts
    dtype = np.int32 if len(tokens) < 2**31 else np.int64
    positions: NDArray[Any] = np.empty(int(starts[-1]), dtype=dtype)

    def place(part: int) -> None:
        place_words(tokens[bounds[part] : bounds[part + 1]], bounds[part], heads[part], positions)

    with ThreadPoolExecutor(n_parts) as pool:
        list(pool.map(place, range(n_parts)))
    return starts, positions
