"""A corpus as token ids on disk: what every pass after the first reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.core.memory import let_go
from relrep.errors import RelrepError
from relrep.text.vocabulary import Vocabulary

SENTENCE_END = -1
"""Stands behind the last token of every sentence."""
UNKNOWN = -2
"""Stands for a token outside the vocabulary: it keeps its place, so that gaps stay true."""


@dataclass(frozen=True, eq=False)
class EncodedCorpus:
    """Token ids of all sentences in a row, each sentence closed by SENTENCE_END, and their vocabulary.

    >>> corpus = EncodedCorpus.from_sentences([["a", "cat"], ["a", "dog"]])
    >>> corpus.tokens.tolist()
    [0, 1, -1, 0, 2, -1]
    """

    tokens: NDArray[np.int32]
    vocabulary: Vocabulary

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sequence[str]], min_count: int = 1) -> "EncodedCorpus":
        """A small corpus in memory, for examples and tests."""
        held = [list(sentence) for sentence in sentences]
        frequency: dict[str, int] = {}
        for sentence in held:
            for word in sentence:
                frequency[word] = frequency.get(word, 0) + 1
        kept = sorted((w for w, n in frequency.items() if n >= min_count), key=lambda w: (-frequency[w], w))
        vocabulary = Vocabulary(kept, np.array([frequency[w] for w in kept], dtype=np.int64))
        tokens: list[int] = []
        for sentence in held:
            tokens.extend(vocabulary.id_of.get(word, UNKNOWN) for word in sentence)
            tokens.append(SENTENCE_END)
        return cls(np.array(tokens, dtype=np.int32), vocabulary)

    @classmethod
    def open(cls, folder: Path, vocabulary: Vocabulary | None = None) -> "EncodedCorpus":
        """The corpus that `encode` left in `folder`, tokens memory-mapped; its vocabulary is read unless at hand.

        Files that do not fit together are refused: the kernels trust every id.
        """
        path = folder / "tokens.i32"
        try:
            tokens = np.memmap(path, dtype=np.int32, mode="r")
        except (OSError, ValueError) as error:
            raise RelrepError(f"{path}: no token ids ({error}); read the corpus again") from None
        if vocabulary is not None:
            return cls(tokens, vocabulary)
        vocabulary = Vocabulary.read(folder / "vocab.txt")
        if tokens.min() < UNKNOWN or tokens.max() >= len(vocabulary) or tokens[-1] != SENTENCE_END:
            raise RelrepError(f"{path}: does not fit vocab.txt beside it; read the corpus again")
        let_go(tokens)
        return cls(tokens, vocabulary)


def open_ids(folder: Path, vocabulary: Vocabulary | None = None) -> EncodedCorpus:
    """The corpus in `folder`; without tokens where only its vocabulary was kept."""
    if (folder / "tokens.i32").exists():
        return EncodedCorpus.open(folder, vocabulary)
    return EncodedCorpus(np.empty(0, dtype=np.int32), vocabulary or Vocabulary.read(folder / "vocab.txt"))
