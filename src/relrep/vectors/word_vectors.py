"""WordVectors: words and their vectors, with the names gensim users know."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class WordVectors:
    """An immutable table from words to vectors.

    >>> vectors = WordVectors(["cat", "dog"], np.eye(2, dtype=np.float32))
    >>> vectors["dog"].tolist()
    [0.0, 1.0]
    """

    def __init__(self, words: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self.index_to_key = list(words)
        self.key_to_index = {word: index for index, word in enumerate(self.index_to_key)}
        self.vectors = vectors

    @property
    def vector_size(self) -> int:
        """The dimensionality."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, word: object) -> bool:
        return word in self.key_to_index

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        return self.vectors[self.key_to_index[word]]

    @cached_property
    def normalised(self) -> NDArray[np.float32]:
        """The vectors at unit length (a zero vector stays zero)."""
        norms = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return np.asarray(self.vectors / np.where(norms == 0, 1, norms), dtype=np.float32)
