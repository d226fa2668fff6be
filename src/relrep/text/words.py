"""Words in a row, each with its place: kept as the text they were read from until many of them are asked for.

Hundreds of thousands of strings and a dictionary of them take a third of a second to make; a single question asks for
a few dozen.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

_FEW_SEARCHES = 50
"""Looking for so many words in the text takes about as long as making the dictionary."""
_PRIME, _SHIFT = np.uint64(1099511628211), np.uint64(29)


class Words(Sequence[str]):
    """Different words in a row.

    >>> words = Words(["the", "cat"])
    >>> words[1], words.place("cat"), words.place("dog")
    ('cat', 1, None)
    """

    _text: bytes
    _begins: NDArray[np.int64]
    _ends: NDArray[np.int64]
    _closing: bytes

    def __init__(self, listed: list[str]) -> None:
        self.__dict__["listed"] = listed  # where cached_property keeps its value
        self._n_words = len(listed)
        self._searches = _FEW_SEARCHES

    @classmethod
    def of_text(cls, text: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64], closing: bytes) -> "Words | None":
        """The words text[begins[i] : ends[i]] of a UTF-8 text; None where one of them is there twice.

        Each stands at the beginning of a line and has `closing` behind it, which no word holds. (Two words whose
        hashes are the same count as one that is there twice; that hardly ever happens.)

        >>> words = Words.of_text(b"the 7 cat 2 ".replace(b" c", b"\\nc"), np.array([0, 6]), np.array([3, 9]), b" ")
        >>> words[1], words.place("cat"), words.place("he"), list(words)
        ('cat', 1, None, ['the', 'cat'])
        """
        if not _different_hashes(text, begins, ends):
            return None
        words = cls.__new__(cls)
        words._n_words, words._searches = len(begins), 0
        words._text, words._begins, words._ends, words._closing = text, begins, ends, closing
        return words

    @cached_property
    def listed(self) -> list[str]:
        """All of them."""
        bounds = zip(self._begins.tolist(), self._ends.tolist(), strict=True)
        return [self._text[begin:end].decode() for begin, end in bounds]

    @cached_property
    def places(self) -> dict[str, int]:
        """From each word to its place."""
        return dict(zip(self.listed, range(self._n_words), strict=True))

    def place(self, word: str) -> int | None:
        """Where a word stands; None if it is none of them."""
        if self._searches >= _FEW_SEARCHES:
            return self.places.get(word)
        self._searches += 1
        sought = word.encode("utf-8", "surrogatepass") + self._closing
        if b"\n" in sought[: -len(self._closing)] or self._closing in sought[: -len(self._closing)]:
            return None
        if self._text.startswith(sought):
            return 0
        before = self._text.find(b"\n" + sought)
        return int(np.searchsorted(self._begins, before + 1)) if before >= 0 else None

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.place(word) is not None

    def __len__(self) -> int:
        return self._n_words

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice) or "listed" in self.__dict__:
            return self.listed[at]
        return self._text[self._begins[at] : self._ends[at]].decode()


def _different_hashes(text: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> bool:
    """Whether all words have different hashes, which take in eight bytes at a time."""
    padded = text + bytes(8)
    eight = np.ndarray(len(text), dtype="<u8", buffer=padded, strides=(1,))
    hashes = (ends - begins).astype(np.uint64)
    rows, at, left = np.arange(len(begins)), begins, ends - begins
    while len(rows):
        beyond = (8 * np.maximum(8 - left, 0)).astype(np.uint64)
        mixed = (hashes[rows] ^ (eight[at] << beyond)) * _PRIME
        hashes[rows] = mixed ^ (mixed >> _SHIFT)
        longer = left > 8
        rows, at, left = rows[longer], at[longer] + 8, left[longer] - 8
    hashes.sort()
    return bool((hashes[1:] != hashes[:-1]).all())
