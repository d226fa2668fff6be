"""Text to tokens: sentences of words, as numbers local to one block of text."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.text._kernels import tokenise as kernel
from relrep.text.abbreviations import abbreviation_table
from relrep.text.characters import class_table, lower_table
from relrep.text.settings import CorpusSettings

MAX_WORD_BYTES = 200
"""A longer token is noise (encoded data, a missing space a page long): it keeps its place but is no word."""
_FIRST_SLOTS = 1 << 19
"""A block of usual text has about a hundred thousand different words."""


@dataclass(frozen=True, eq=False)
class TokenBlock:
    """One block of text as local ids: `ids` numbers the words of this block; sentences are closed by -1.

    The spelling of word i is `text[starts[i]:starts[i + 1]]`; it occurs `counts[i]` times; `keys[i]` is its hash.
    """

    ids: NDArray[np.int32]
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    keys: NDArray[np.uint64]

    def words(self) -> list[str]:
        """The spellings, by local id."""
        data = self.text.tobytes()
        return [data[a:b].decode() for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def sentences(self) -> list[list[str]]:
        """The sentences as words; a token too long to be a word is an empty string."""
        words = self.words()
        result: list[list[str]] = [[]]
        for local in self.ids.tolist():
            if local == -1:
                result.append([])
            else:
                result[-1].append(words[local] if local >= 0 else "")
        return result[:-1]


class Tokeniser:
    """Tokenises blocks one after the other in the same memory: a result holds until the next call."""

    def __init__(self, settings: CorpusSettings) -> None:
        self._classes = class_table()
        self._lower = lower_table(settings.lowercase)
        self._punctuation = settings.punctuation
        self._abbreviations = abbreviation_table()
        self._table = np.zeros(0, dtype=np.uint64)
        self._make_room(1 << 10)

    def _make_room(self, size: int) -> None:
        # For the worst case (a letter may be longer in lower case); what is not written to takes no memory.
        self._size = size
        self._ids = np.empty(2 * size + 2, dtype=np.int32)
        self._text = np.empty(2 * size + 16, dtype=np.uint8)
        self._starts = np.empty(size + 2, dtype=np.int64)
        self._keys = np.empty(size + 2, dtype=np.uint64)
        self._counts = np.empty(size + 2, dtype=np.int64)

    def __call__(self, data: bytes | memoryview) -> TokenBlock:
        """The tokens of a block of valid UTF-8 text that ends with a line break."""
        block = np.frombuffer(data, dtype=np.uint8)
        if len(block) > self._size:
            self._make_room(len(block))
        slots = min(_FIRST_SLOTS, 1 << (2 * len(block)).bit_length())
        while True:
            if len(self._table) < 2 * slots:
                self._table = np.zeros(2 * slots, dtype=np.uint64)
            table = self._table[: 2 * slots]
            table[:] = 0
            n_ids, n_words = kernel.tokenise(
                block,
                self._classes,
                self._lower,
                self._punctuation,
                *self._abbreviations,
                MAX_WORD_BYTES,
                self._ids,
                self._text,
                self._starts,
                self._keys,
                self._counts,
                table,
            )
            if n_words >= 0:
                break
            slots *= 4
        return TokenBlock(
            self._ids[:n_ids],
            self._text[: self._starts[n_words]],
            self._starts[: n_words + 1],
            self._counts[:n_words],
            self._keys[:n_words],
        )


def tokenise(text: str, settings: CorpusSettings) -> TokenBlock:
    """The tokens of a piece of text.

    >>> tokenise("Dr. Ó Briain's well-known cat sat. It left.", CorpusSettings()).sentences()
    [['dr', 'ó', "briain's", 'well-known', 'cat', 'sat'], ['it', 'left']]
    """
    return Tokeniser(settings)(text.encode("utf-8", errors="replace") + b"\n")
