"""All different words of a corpus, gathered block by block, and their ranking into a vocabulary."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from relrep.text._kernels.words import fill_table, find, prefixes, unite
from relrep.text.encoded import UNKNOWN
from relrep.text.tokenizer import TokenBlock
from relrep.text.vocabulary import Vocabulary

Item = TypeVar("Item", bound=np.generic)
_PREFIX_BYTES = 16


class WordList:
    """Words numbered in the order they come, and how often each occurred."""

    def __init__(self) -> None:
        self._n_words = 0
        self._words = TokenBlock(
            ids=np.empty(0, dtype=np.int32),
            text=np.empty(1 << 16, dtype=np.uint8),
            starts=np.zeros((1 << 12) + 1, dtype=np.int64),
            counts=np.empty(1 << 12, dtype=np.int64),
            keys=np.empty(1 << 12, dtype=np.uint64),
        )
        self._table = np.full(1 << 13, -1, dtype=np.int32)

    def __len__(self) -> int:
        return self._n_words

    def add(self, block: TokenBlock) -> NDArray[np.int32]:
        """Counts the words of a block; returns their numbers in this list."""
        ids, text, starts, counts, keys = self._words
        n_words = self._n_words + len(block.counts)
        self._words = TokenBlock(
            ids,
            _grown(text, int(starts[self._n_words]) + len(block.text)),
            _grown(starts, n_words + 1),
            _grown(counts, n_words),
            _grown(keys, n_words),
        )
        if 2 * n_words > len(self._table):
            self._table = np.full(1 << (3 * n_words).bit_length(), -1, dtype=np.int32)
            fill_table(self._words.keys[: self._n_words], self._table)
        number = np.empty(len(block.counts), dtype=np.int32)
        self._n_words = unite(block, self._words, self._n_words, self._table, number)
        return number

    def numbers_of(self, block: TokenBlock) -> NDArray[np.int32]:
        """The numbers of a block's words in this list; UNKNOWN for those that it does not hold."""
        number = np.empty(len(block.counts), dtype=np.int32)
        find(block, self._words, self._table, number)
        return number

    def as_block(self) -> TokenBlock:
        """The words of this list in the order they came, with their counts."""
        n, (ids, text, starts, counts, keys) = self._n_words, self._words
        return TokenBlock(ids, text[: starts[n]], starts[: n + 1], counts[:n], keys[:n])

    def ranked(self, min_count: int, max_words: int) -> tuple[Vocabulary, NDArray[np.int32]]:
        """The vocabulary by falling frequency, ties by spelling; and the id of every word of this list (or UNKNOWN)."""
        text, starts, counts = self._words.text, self._words.starts, self._words.counts[: self._n_words]
        frequent = np.flatnonzero(counts >= min_count)
        beginnings = np.zeros((len(frequent), _PREFIX_BYTES), dtype=np.uint8)
        prefixes(text, starts, frequent, beginnings)
        first, second = beginnings.view(">u8").astype(np.uint64).T
        order = np.lexsort((second, first, -counts[frequent]))
        ranked = frequent[order]
        alike = (np.diff(counts[ranked]) == 0) & (np.diff(first[order]) == 0) & (np.diff(second[order]) == 0)
        self._sort_by_spelling(ranked, alike)
        if max_words:
            ranked = ranked[:max_words]
        new_ids = np.full(self._n_words, UNKNOWN, dtype=np.int32)
        new_ids[ranked] = np.arange(len(ranked), dtype=np.int32)
        data = text[: starts[self._n_words]].tobytes()
        bounds = zip(starts[ranked].tolist(), starts[ranked + 1].tolist(), strict=True)
        return Vocabulary([data[start:stop].decode() for start, stop in bounds], counts[ranked]), new_ids

    def _spelling(self, word: int) -> bytes:
        return self._words.text[self._words.starts[word] : self._words.starts[word + 1]].tobytes()

    def _sort_by_spelling(self, ranked: NDArray[np.int64], alike: NDArray[np.bool_]) -> None:
        """Sorts, in place, each run of words that are equally frequent and begin alike (`alike`: as the next one)."""
        edges = np.diff(np.concatenate([[0], alike.astype(np.int8), [0]]))
        for start, stop in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) + 1, strict=True):
            # The order of UTF-8 bytes is that of the characters.
            ranked[start:stop] = sorted(ranked[start:stop].tolist(), key=self._spelling)


def _grown(array: NDArray[Item], size: int) -> NDArray[Item]:
    if size <= len(array):
        return array
    larger = np.empty(max(size, 2 * len(array)), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
