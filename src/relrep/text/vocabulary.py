"""The vocabulary: words by falling frequency, ties by spelling; and words in a row, each with its place.

They are kept as the text they were read from until many of them are asked for: hundreds of thousands of strings and a
dictionary of them take a third of a second to make; a single question asks for a few dozen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.arrays import Flags, Longs
from relrep.errors import RelrepError

_TAB, _NEWLINE = ord("\t"), ord("\n")
_MOST_DIGITS = 18
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
    _begins: Longs
    _ends: Longs
    _closing: bytes

    def __init__(self, listed: list[str]) -> None:
        self.__dict__["listed"] = listed  # where cached_property keeps its value
        self._n_words = len(listed)
        self._searches = _FEW_SEARCHES

    @classmethod
    def of_text(cls, text: bytes, begins: Longs, ends: Longs, closing: bytes) -> "Words | None":
        """The words text[begins[i] : ends[i]] of a UTF-8 text; None where one of them is there twice.

        Each stands at the beginning of a line and has `closing` behind it, which no word holds. (Two words whose
        hashes are the same count as one that is there twice; that hardly ever happens.)
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

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice) or "listed" in self.__dict__:
            return self.listed[at]
        return self._text[self._begins[at] : self._ends[at]].decode()


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words and how often they occur; a word's id is its place."""

    words: Sequence[str]
    counts: Longs

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def id_of(self) -> dict[str, int]:
        """From a word to its id."""
        return self.words.places if isinstance(self.words, Words) else Words(list(self.words)).places

    def place(self, word: str) -> int | None:
        """The id of a word, None if it has none; for a few words, the dictionary of all is not made."""
        return self.words.place(word) if isinstance(self.words, Words) else self.id_of.get(word)

    @cached_property
    def is_punctuation(self) -> Flags:
        """True for tokens without a letter or digit: they may stand in patterns but not in pairs."""
        return np.array([not (word.isalnum() or any(map(str.isalnum, word))) for word in self.words], dtype=np.bool_)

    def write(self, path: Path) -> None:
        """Writes one `word<TAB>count` a line, so that a word's line number is its id."""
        for word in self.words:
            if not word or "\t" in word or "\n" in word:
                raise RelrepError(f"{path}: the word {word!r} cannot be written: it is empty or holds a tab or newline")
        lines = [f"{word}\t{count}\n" for word, count in zip(self.words, self.counts.tolist(), strict=True)]
        path.write_bytes("".join(lines).encode("utf-8"))

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """The vocabulary that `write` left at `path`; every line is checked."""
        try:
            raw = path.read_bytes()
            raw.decode("utf-8")
        except OSError as error:
            raise RelrepError(f"{path}: the vocabulary cannot be read ({error.strerror})") from None
        except UnicodeDecodeError as error:
            raise RelrepError(f"{path}: byte {error.start} is not UTF-8; write the vocabulary anew") from None
        found = _columns(raw)
        if found is not None:
            return cls(*found)
        words, counts = _checked_lines(path, raw.decode("utf-8"))
        if len(set(words)) < len(words):
            first = dict(zip(reversed(words), reversed(range(len(words))), strict=True))
            index = next(index for index, word in enumerate(words) if first[word] != index)
            raise RelrepError(
                f"{path}, line {index + 1}: the word {words[index]!r} stands in line {first[words[index]] + 1} already"
            )
        return cls(Words(words), counts)


def _columns(raw: bytes) -> tuple[Words, Longs] | None:
    """Words and counts of a sound file, all lines at once; None where anything is not as `write` leaves it."""
    characters = np.frombuffer(raw, dtype=np.uint8)
    marks = np.flatnonzero((characters == _TAB) | (characters == _NEWLINE))
    tabs, newlines = marks[::2], marks[1::2]
    if len(tabs) != len(newlines) or (raw and raw[-1] != _NEWLINE):
        return None
    if (characters[tabs] != _TAB).any() or (characters[newlines] != _NEWLINE).any():
        return None
    begins = np.append(0, newlines[:-1] + 1)[: len(tabs)]
    counts = _numbers(characters, tabs + 1, newlines)
    if counts is None or (begins == tabs).any():
        return None
    words = Words.of_text(raw, begins, tabs.copy(), b"\t")
    return None if words is None else (words, counts)


def _numbers(characters: NDArray[np.uint8], begins: Longs, ends: Longs) -> Longs | None:
    """The numbers that stand at begins[i] : ends[i]; None if one of them is none, or longer than can be."""
    sizes = ends - begins
    if not 1 <= sizes.min(initial=1) <= sizes.max(initial=1) <= _MOST_DIGITS:
        return None
    numbers = np.zeros(len(sizes), dtype=np.int64)
    rows = np.arange(len(sizes))
    for place in range(int(sizes.max(initial=0))):
        rows = rows[sizes[rows] > place]
        digits = characters[ends[rows] - 1 - place] - np.uint8(ord("0"))  # what is no digit is more than 9
        if (digits > 9).any():
            return None
        numbers[rows] += digits * np.int64(10**place)
    return numbers


def _checked_lines(path: Path, text: str) -> tuple[list[str], Longs]:
    """The same line by line; a RelrepError names the first that is wrong."""
    lines = text.split("\n")
    if lines.pop() != "":
        raise RelrepError(f"{path}, line {len(lines) + 1}: the last line is not closed; the file was cut off")
    words: list[str] = []
    counts = np.zeros(len(lines), dtype=np.int64)
    for index, line in enumerate(lines):
        word, tab, count = line.partition("\t")
        if not (word and tab and count.isascii() and count.isdigit() and len(count) <= _MOST_DIGITS):
            raise RelrepError(f"{path}, line {index + 1}: expected a word, a tab and a count, got {line[:80]!r}")
        words.append(word)
        counts[index] = int(count)
    return words, counts


def _different_hashes(text: bytes, begins: Longs, ends: Longs) -> bool:
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
