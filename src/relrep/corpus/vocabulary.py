"""The vocabulary: words by falling frequency, ties by spelling."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words and how often they occur; a word's id is its place.

    >>> vocabulary = Vocabulary(["the", "cat"], np.array([7, 2]))
    >>> vocabulary.id_of["cat"]
    1
    """

    words: Sequence[str]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def id_of(self) -> dict[str, int]:
        """From a word to its id."""
        return {word: index for index, word in enumerate(self.words)}

    @cached_property
    def is_punctuation(self) -> NDArray[np.bool_]:
        """True for tokens without a letter or digit: they may stand in patterns but not in pairs."""
        return np.array([not any(c.isalnum() for c in word) for word in self.words], dtype=np.bool_)
