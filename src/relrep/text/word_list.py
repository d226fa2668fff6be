"""All different words of a corpus, gathered block by block, and their ranking into a vocabulary."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from relrep.text._kernels.word_lists import fill_table, find, prefixes, unite
from relrep.text.encoded import UNKNOWN
from relrep.text.tokenizer import TokenBlock
from relrep.text.vocabulary import Vocabulary

Item = TypeVar("Item", bound=np.generic)
_PREFIX_BYTES = 16


class WordList:
    """Words numbered in the order they come, and how often each occurred."""

    def __init__(self) -> None:
        self._n_words = 0
        self._text = np.empty(1 << 16, dtype=np.uint8)
        self._starts = np.zeros((1 << 12) + 1, dtype=np.int64)
        self._keys = np.empty(1 << 12, dtype=np.uint64)
        self._counts = np.empty(1 << 12, dtype=np.int64)
        self._table = np.full(1 << 13, -1, dtype=np.int32)

    def __len__(self) -> int:
        return self._n_words

    def add(self, block: TokenBlock) -> NDArray[np.int32]:
        """Counts the words of a block; returns their numbers in this list."""
        words = self._n_words + len(block.counts)
        self._text = _with_room(self._text, int(self._starts[self._n_words]) + len(block.text))
        self._starts = _with_room(self._starts, words + 1)
        self._keys = _with_room(self._keys, words)
        self._counts = _with_room(self._counts, words)
        if 2 * words > len(self._table):
            self._table = np.full(1 << (3 * words).bit_length(), -1, dtype=np.int32)
            fill_table(self._keys[: self._n_words], self._table)
        number = np.empty(len(block.counts), dtype=np.int32)
        self._n_words = unite(
            block.text,
            block.starts,
            block.keys,
            block.counts,
            self._text,
            self._starts,
            self._keys,
            self._counts,
            self._n_words,
            self._table,
            number,
        )
        return number

    def numbers_of(self, block: TokenBlock) -> NDArray[np.int32]:
        """The numbers of a block's words in this list; UNKNOWN for those that it does not hold."""
        number = np.empty(len(block.counts), dtype=np.int32)
        find(block.text, block.starts, block.keys, self._text, self._starts, self._keys, self._table, number)
        return number

    def as_block(self) -> TokenBlock:
        """The words of this list in the order they came, with their counts."""
        n = self._n_words
        starts = self._starts[: n + 1]
        no_ids = np.empty(0, dtype=np.int32)
        return TokenBlock(no_ids, self._text[: starts[-1]], starts, self._counts[:n], self._keys[:n])

    def ranked(self, min_count: int, max_words: int) -> tuple[Vocabulary, NDArray[np.int32]]:
        """The vocabulary by falling frequency, ties by spelling; and the id of every word of this list (or UNKNOWN)."""
        counts = self._counts[: self._n_words]
        frequent = np.flatnonzero(counts >= min_count)
        beginnings = np.zeros((len(frequent), _PREFIX_BYTES), dtype=np.uint8)
        prefixes(self._text, self._starts, frequent, beginnings)
        first, second = beginnings.view(">u8").astype(np.uint64).T
        order = np.lexsort((second, first, -counts[frequent]))
        ranked = frequent[order]
        alike = (np.diff(counts[ranked]) == 0) & (np.diff(first[order]) == 0) & (np.diff(second[order]) == 0)
        self._sort_by_spelling(ranked, alike)
        if max_words:
            ranked = ranked[:max_words]
        new_ids = np.full(self._n_words, UNKNOWN, dtype=np.int32)
        new_ids[ranked] = np.arange(len(ranked), dtype=np.int32)
        return Vocabulary(self._words(ranked), counts[ranked]), new_ids

    def _words(self, numbers: NDArray[np.int64]) -> list[str]:
        text = self._text[: self._starts[self._n_words]].tobytes()
        bounds = zip(self._starts[numbers].tolist(), self._starts[numbers + 1].tolist(), strict=True)
        return [text[start:stop].decode() for start, stop in bounds]

    def _spelling(self, word: int) -> bytes:
        return self._text[self._starts[word] : self._starts[word + 1]].tobytes()

    def _sort_by_spelling(self, ranked: NDArray[np.int64], alike: NDArray[np.bool_]) -> None:
        """Sorts, in place, each run of words that are equally frequent and begin alike (`alike`: as the next one)."""
        edges = np.diff(np.concatenate([[0], alike.astype(np.int8), [0]]))
        for start, stop in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) + 1, strict=True):
            # The order of UTF-8 bytes is that of the characters.
            ranked[start:stop] = sorted(ranked[start:stop].tolist(), key=self._spelling)


def _with_room(array: NDArray[Item], size: int) -> NDArray[Item]:
    if size <= len(array):
        return array
    larger = np.empty(max(size, 2 * len(array)), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
