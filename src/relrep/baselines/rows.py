"""Rows of vectors as our own trainers hold them: float32, as long as whole vector registers."""

import numpy as np
from numpy.typing import NDArray


def padded_size(dim: int) -> int:
    """What is beyond `dim` is zero and stays zero.

    >>> padded_size(100)
    104
    """
    return -(-dim // 8) * 8


def random_rows(random: np.random.Generator, words: int, dim: int) -> NDArray[np.float32]:
    """Small vectors to begin with: evenly from -1/2 to 1/2, divided by `dim`."""
    rows = np.zeros((words, padded_size(dim)), dtype=np.float32)
    rows[:, :dim] = random.random((words, dim), dtype=np.float32)
    rows[:, :dim] -= np.float32(0.5)
    rows /= np.float32(dim)
    return rows
