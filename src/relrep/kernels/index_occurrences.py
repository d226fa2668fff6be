"""Kernels that find where two words meet, by merging their places.

The places of a word rise and lie side by side in memory, so that skipping through two such rows is much faster
than looking around in the text at every place of one word. Places that cannot be (a damaged index) are
left out, never followed.
"""

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.encoded import SENTENCE_END
from relrep.kernels.compiling import njit

Positions = NDArray[np.int32] | NDArray[np.int64]


@njit(cache=True, nogil=True)
def first_from(places: Positions, begin: int, value: int) -> int:
    """The first i ≥ begin with places[i] ≥ value: in doubling steps, then by halving, near ones come at once."""
    end = len(places)
    if begin >= end or places[begin] >= value:
        return begin
    step, low = 1, begin  # places[low] < value
    while low + step < end and places[low + step] < value:
        low += step
        step *= 2
    high = min(low + step, end)
    while high - low > 1:
        middle = (low + high) // 2
        if places[middle] < value:
            low = middle
        else:
            high = middle
    return high


@njit(cache=True, nogil=True)
def in_one_sentence(tokens: NDArray[np.int32], here: int, there: int) -> bool:
    """Whether no sentence ends between the two places, which both lie in the text."""
    low, high = min(here, there), max(here, there)
    if low < 0 or high >= len(tokens):
        return False
    for at in range(low, high):  # noqa: SIM110 (numba compiles the plain loop)
        if tokens[at] == SENTENCE_END:
            return False
    return True


@njit(cache=True, nogil=True)
def meetings(
    tokens: NDArray[np.int32], places: Positions, others: Positions, max_gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All (place, other place) with at most `max_gap` tokens between, in one sentence, either order.

    Sorted by place, then by other place; fastest where `places` is the shorter row.
    """
    size, capacity = 0, 64
    here = np.empty(capacity, dtype=np.int64)
    there = np.empty(capacity, dtype=np.int64)
    low = 0
    for place in places:
        low = first_from(others, low, place - max_gap - 1)
        at = low
        while at < len(others) and others[at] <= place + max_gap + 1:
            if others[at] != place and in_one_sentence(tokens, place, others[at]):
                if size == capacity:
                    capacity *= 2
                    here = _grown(here, capacity)
                    there = _grown(there, capacity)
                here[size] = place
                there[size] = others[at]
                size += 1
            at += 1
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
