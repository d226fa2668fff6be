"""Windowed, distance-weighted co-occurrence counts for GloVe, one word after the other, without hashing.

Counts are exact integers: a neighbour at distance k adds unit / k, and the unit is divisible by every
distance in the window, so that no split of the work over threads or passes can change a bit.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

SENTENCE_END = -1  # as in relrep.text.encoded; kernels take plain numbers
BATCH = 256
"""Positions whose neighbours are fetched together."""


@njit(cache=True, nogil=True)
def fill_positions(
    tokens: NDArray[np.int32], first: int, last: int, free: NDArray[np.int64], positions: NDArray[np.int64]
) -> None:
    """Counting sort: writes the positions of the words `first` … `last` - 1 in word order.

    `free[word - first]` is where the word's next position goes; it is moved on.
    """
    for place in range(tokens.size):
        token = tokens[place]
        if first <= token < last:
            slot = free[token - first]
            positions[slot] = place
            free[token - first] = slot + 1


@njit(cache=True, nogil=True)
def gather_neighbours(
    tokens: NDArray[np.int32], positions: NDArray[np.int64], window: int, gathered: NDArray[np.int32]
) -> None:
    """Copies the tokens beside each position: those before it, the nearest first, and then those behind it.

    A loop without branches, so that the waits for memory overlap; beyond the text there are sentence ends.
    """
    for e in range(positions.size):
        place = positions[e]
        if place < window or place + window >= tokens.size:
            for distance in range(1, window + 1):
                before, behind = place - distance, place + distance
                gathered[e, distance - 1] = tokens[before] if before >= 0 else SENTENCE_END
                gathered[e, window + distance - 1] = tokens[behind] if behind < tokens.size else SENTENCE_END
        else:
            for distance in range(1, window + 1):
                gathered[e, distance - 1] = tokens[place - distance]
                gathered[e, window + distance - 1] = tokens[place + distance]


@njit(cache=True, nogil=True)
def count_neighbours(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    positions: NDArray[np.int64],
    first: int,
    steps: NDArray[np.int64],
    total: NDArray[np.int64],
    touched: NDArray[np.int32],
    columns: NDArray[np.int32],
    sums: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Counts the neighbours of the words first, first + 1, … that are at least as frequent as the word
    itself.

    The matrix is symmetric, so the half seen from the rarer word (the larger id) is all of it. `starts` are
    the bounds of each word's `positions`; `steps[k]` is what distance k adds; `total` (all zero, a place
    for each word of the vocabulary) and `touched` (one place more) are scratch space. Writes the neighbours and
    their sums in the order of their first appearance, closes each word in `ends`, and returns how many were written.
    `columns` and `sums` must be large enough.
    """
    window = steps.size - 1
    gathered = np.empty((BATCH, 2 * window), dtype=np.int32)
    written = 0
    for index in range(starts.size - 1):
        word = np.uint32(first + index)
        found = 0
        for begin in range(starts[index], starts[index + 1], BATCH):
            end = min(begin + BATCH, starts[index + 1])
            gather_neighbours(tokens, positions[begin:end], window, gathered)
            for e in range(end - begin):
                for side in (0, window):
                    for k in range(window):
                        other = gathered[e, side + k]
                        if other == SENTENCE_END:
                            break
                        if np.uint32(other) <= word:  # unknown words are negative, that is, large
                            before = total[other]
                            touched[found] = other
                            found += before == 0
                            total[other] = before + steps[k + 1]
        for k in range(found):
            other = touched[k]
            columns[written] = other
            sums[written] = total[other]
            written += 1
            total[other] = 0
        ends[index] = written
    return written
