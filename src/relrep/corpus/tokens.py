"""Text to tokens: sentences of words, as numbers local to one block of text."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.abbreviations import abbreviation_table
from relrep.corpus.characters import class_table, lower_table
from relrep.corpus.settings import CorpusSettings
from relrep.kernels import tokenise as kernel

MAX_WORD_BYTES = 200
"""A longer token is noise (encoded data, a missing space a page long): it keeps its place but is no word."""


@dataclass(frozen=True, eq=False)
class TokenBlock:
    """One block of text as local ids: `ids` numbers the words of this block; sentences are closed by -1.

    The spelling of word i is `text[starts[i]:starts[i + 1]]`; it occurs `counts[i]` times.
    """

    ids: NDArray[np.int32]
    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    def words(self) -> list[str]:
        """The spellings, by local id."""
        data = self.text.tobytes()
        return [data[a:b].decode() for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def sentences(self) -> list[list[str]]:
        """The sentences as words (None of a token too long is shown as an empty string)."""
        words = self.words()
        result: list[list[str]] = [[]]
        for local in self.ids.tolist():
            if local == -1:
                result.append([])
            else:
                result[-1].append(words[local] if local >= 0 else "")
        return result[:-1]


def tokenise(data: bytes, settings: CorpusSettings) -> TokenBlock:
    """The tokens of a block of valid UTF-8 text.

    >>> tokenise("Dr. Ó Briain's well-known cat sat. It left.".encode(), CorpusSettings()).sentences()
    [['dr', 'ó', "briain's", 'well-known', 'cat', 'sat'], ['it', 'left']]
    """
    abbreviations = abbreviation_table()
    block = np.frombuffer(data, dtype=np.uint8)
    # Room for the worst case; what is not written to takes no memory.
    ids = np.empty(2 * len(block) + 2, dtype=np.int32)
    text = np.empty(3 * len(block) + MAX_WORD_BYTES, dtype=np.uint8)
    starts = np.empty(len(block) + 2, dtype=np.int64)
    hashes = np.empty(len(block) + 2, dtype=np.uint64)
    counts = np.empty(len(block) + 2, dtype=np.int64)
    table_size = 1 << 18
    while True:
        table = np.full(table_size, -1, dtype=np.int32)
        n_ids, n_words = kernel.tokenise(
            block,
            class_table(),
            lower_table(settings.lowercase),
            settings.punctuation,
            *abbreviations,
            MAX_WORD_BYTES,
            ids,
            text,
            starts,
            hashes,
            counts,
            table,
        )
        if n_words >= 0:
            break
        table_size *= 4
    return TokenBlock(
        ids[:n_ids].copy(),
        text[: starts[n_words]].copy(),
        starts[: n_words + 1].copy(),
        counts[:n_words].copy(),
    )
