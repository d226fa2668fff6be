"""Kernels that find where two words meet, from the places of the rarer one.

Places and ids that cannot be (a damaged index) are left out, never followed.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.corpus.encoded import SENTENCE_END

Positions = NDArray[np.int32] | NDArray[np.int64]


@njit(cache=True, nogil=True)
def meetings(
    tokens: NDArray[np.int32], places: Positions, other: int, max_gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All (place, place of `other`) with at most `max_gap` tokens between, in one sentence, either order.

    Sorted by the place of the walked word, then from the farthest left to the farthest right.
    """
    size, capacity = 0, 64
    here = np.empty(capacity, dtype=np.int64)
    there = np.empty(capacity, dtype=np.int64)
    for place in places:
        if place < 0 or place >= len(tokens):
            continue
        low = place
        while low > 0 and place - low <= max_gap and tokens[low - 1] != SENTENCE_END:
            low -= 1
        for at in range(low, min(place + max_gap + 2, len(tokens))):
            token = tokens[at]
            if token == SENTENCE_END:
                break
            if token != other or at == place:
                continue
            if size == capacity:
                capacity *= 2
                here = _grown(here, capacity)
                there = _grown(there, capacity)
            here[size] = place
            there[size] = at
            size += 1
    return here[:size].copy(), there[:size].copy()


@njit(cache=True, nogil=True)
def _grown(values: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    larger = np.empty(capacity, dtype=np.int64)
    larger[: len(values)] = values
    return larger


@njit(cache=True, nogil=True)
def sentence_around(tokens: NDArray[np.int32], begin: int, end: int, most: int) -> tuple[int, int]:
    """The bounds of the sentence that holds tokens[begin:end], at most `most` tokens further to each side."""
    low, high = begin, end
    while low > 0 and begin - low < most and tokens[low - 1] != SENTENCE_END:
        low -= 1
    while high < len(tokens) and high - end < most and tokens[high] != SENTENCE_END:
        high += 1
    return low, high
