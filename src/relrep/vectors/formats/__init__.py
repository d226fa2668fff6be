"""What all formats share: what a reader is asked for, the table that grows while it reads, words as bytes."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from relrep.core.memory import all_finite
from relrep.errors import RelrepError, shown

logger = logging.getLogger(__name__)

DTYPES = (np.float16, np.float32, np.float64)
_ASCII_SPACES = " \t\n\r\x0b\x0c"


@dataclass(frozen=True)
class Request:
    """Which words to read (all, or those in `words`; at most `limit`, the first ones), and as what.

    With `skip_bad`, entries that cannot be used are left out and counted instead of ending the reading.
    """

    limit: int | None = None
    words: frozenset[str] | None = None
    dtype: DTypeLike = np.float32
    skip_bad: bool = False

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise RelrepError(f"limit is {self.limit}; it must be at least 1, or None for all words")
        try:
            known = np.dtype(self.dtype) in DTYPES
        except TypeError:
            known = False
        if not known:
            raise RelrepError(f"dtype is {self.dtype!r}; it must be float16, float32 or float64")

    @property
    def parsed_dtype(self) -> Any:
        """The dtype that text is parsed to: float16 goes through float32."""
        return np.float64 if np.dtype(self.dtype) == np.float64 else np.float32


class VectorTable:
    """Words and vectors in the order of the file.

    Memory follows what was read, never what a header promised: the matrix grows by a quarter at a time.
    `entry` is what the file consists of ("line" or "word"), for messages.
    """

    def __init__(self, path: Path, request: Request, entry: str) -> None:
        self.path = path
        self.request = request
        self.words: list[str] = []
        self.n_bad = 0
        self._entry = entry
        self._number_of: dict[str, int] = {}
        self._matrix: NDArray[Any] = np.empty((0, 0), dtype=request.parsed_dtype)

    @property
    def full(self) -> bool:
        return self.full_with(0)

    def full_with(self, n_more: int) -> bool:
        """Whether the limit is reached once `n_more` words are added."""
        return self.request.limit is not None and len(self.words) + n_more >= self.request.limit

    def wants(self, word: str) -> bool:
        """Whether the request names this word."""
        return self.request.words is None or word in self.request.words

    def is_new(self, word: str, number: int) -> bool:
        """Notes the word; a word that is there already is bad."""
        if word not in self._number_of:
            self._number_of[word] = number
            return True
        first = f"{self._entry} {self._number_of[word]}"
        self.bad(f"the word {shown(word)} stands here again, first in {first}; remove one of the two", number)
        return False

    def bad(self, complaint: str, number: int) -> None:
        """Ends the reading with one sentence; with `skip_bad`, counts."""
        if not self.request.skip_bad:
            raise RelrepError(
                f"{self.path}, {self._entry} {number}: {complaint},"
                " or leave such entries out with relrep convert --skip-bad"
            )
        self.n_bad += 1
        if self.n_bad == 1:
            logger.warning("%s, %s %d: %s; left out", self.path, self._entry, number, complaint)

    def add(self, words: Sequence[str], rows: NDArray[Any], numbers: Sequence[int]) -> None:
        """Adds those words that are wanted and new, with their vectors, up to the limit; `numbers` are theirs."""
        kept: list[int] = []
        for at, word in enumerate(words):
            if self.full_with(len(kept)):
                break
            if self.wants(word) and self.is_new(word, numbers[at]):
                kept.append(at)
        self.append([words[at] for at in kept], rows if len(kept) == len(rows) else rows[kept])

    def append(self, words: Sequence[str], rows: NDArray[Any]) -> None:
        used = len(self.words)
        needed = used + len(words)
        if self._matrix.shape[1] != rows.shape[1]:
            self._matrix = np.empty((0, rows.shape[1]), dtype=self._matrix.dtype)
        if needed > len(self._matrix):
            self._matrix.resize((max(needed, used + used // 4), rows.shape[1]), refcheck=False)
        self._matrix[used:needed] = rows
        self.words.extend(words)

    def finish(self) -> tuple[list[str], NDArray[Any]]:
        """The words and the matrix; none at all is an error."""
        if self.n_bad:
            logger.warning("%s: %d entries left out", self.path, self.n_bad)
        if not self.words:
            if self.request.words is not None:
                raise RelrepError(f"{self.path}: holds none of the words asked for; check their spelling")
            raise RelrepError(f"{self.path}: holds no words; give a file of word vectors")
        self._matrix.resize((len(self.words), self._matrix.shape[1]), refcheck=False)
        return self.words, in_dtype(self.path, self._matrix, self.request.dtype)


def in_dtype(path: Path, matrix: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """The matrix in the dtype asked for, unchanged where it is that already."""
    if matrix.dtype == dtype:
        return matrix
    with np.errstate(over="ignore"):
        converted = matrix.astype(dtype)
    if not all_finite(converted):
        raise RelrepError(f"{path}: holds numbers too large for {np.dtype(dtype)}; load it as float32")
    return converted


def encoded_words(path: Path, words: Sequence[str]) -> list[bytes]:
    """The words in UTF-8; a word that no text or word2vec file can hold is a RelrepError."""
    encoded = []
    for word in words:
        if not word or any(space in word for space in _ASCII_SPACES):
            raise RelrepError(
                f"{path}: the word {shown(word)} is empty or holds a space, which this format cannot keep;"
                " save as .safetensors, or with underscores (relrep convert --underscores)"
            )
        encoded.append(utf8(path, word))
    return encoded


def utf8(path: Path, word: str) -> bytes:
    """The word in UTF-8; half a surrogate pair is a RelrepError."""
    try:
        return word.encode("utf-8")
    except UnicodeEncodeError:
        raise RelrepError(f"{path}: the word {shown(word)} is not valid Unicode; remove it") from None
