"""GloVe's kernels: windowed counts, and AdaGrad over a block of them.

Counts are exact integers, one word after the other, without hashing: a neighbour at distance k adds unit / k, and the
unit is divisible by every distance in the window, so that no split of the work over threads or passes changes a bit.
"""

from typing import NamedTuple

import numpy as np

from relrep.baselines._kernels import dot
from relrep.core.arrays import Floats, Ints, Longs
from relrep.core.compiling import njit_now as njit
from relrep.text.encoded import SENTENCE_END

BATCH = 256
"""Positions whose neighbours are fetched together."""


class CountedRun(NamedTuple):
    """The counts of the words first, first + 1, …, each with the words that are at least as frequent as itself.

    The neighbours of word `first + i` are columns[ends[i - 1] : ends[i]], and their counts, in units, are in sums.
    """

    first: int
    ends: Longs
    columns: Ints
    sums: Longs


class Entries(NamedTuple):
    """Counts in the order of training: the two words of each, and log x."""

    rarer: Ints
    other: Ints
    log_count: Floats


class Parameters(NamedTuple):
    """What is learnt: vectors of words and contexts, AdaGrad's sums of squares of both, and the biases.

    A row of `bias` is (word's bias, context's bias, and the sums of the squares of their gradients).
    """

    word: Floats
    context: Floats
    word_squares: Floats
    context_squares: Floats
    bias: Floats


@njit(cache=True, nogil=True)
def fill_positions(tokens: Ints, first: int, last: int, free: Longs, positions: Longs) -> None:
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
def gather_neighbours(tokens: Ints, positions: Longs, window: int, gathered: Ints) -> None:
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
    tokens: Ints,
    starts: Longs,
    positions: Longs,
    first: int,
    steps: Longs,
    total: Longs,
    touched: Ints,
    columns: Ints,
    sums: Longs,
    ends: Longs,
) -> int:
    """Counts the neighbours of the words first, first + 1, … that are at least as frequent as the word itself.

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


@njit(cache=True, nogil=True, error_model="numpy")
def train_block(
    entries: Entries, parameters: Parameters, log_x_max: np.float32, alpha: np.float32, learning_rate: np.float32
) -> float:
    """One AdaGrad step for each of the two directions of every entry; returns the loss before the steps.

    loss = 1/2 · min(1, (x / x_max)^alpha) · (w · c + b_w + b_c - log x)²
    """
    rarer, other, log_count = entries
    word, context, word_squares, context_squares, bias = parameters
    loss = 0.0
    size = word.shape[1]
    for entry in range(rarer.size):
        u = rarer[entry]
        v = other[entry]
        target = log_count[entry]
        weight = np.float32(1)
        if target < log_x_max:
            weight = np.exp(alpha * (target - log_x_max))
        for _ in range(2):
            w = word[u]
            c = context[v]
            w_squares = word_squares[u]
            c_squares = context_squares[v]
            error = dot(w, c) + (bias[u, 0] + bias[v, 1] - target)
            slope = weight * error
            loss += 0.5 * slope * error
            slope *= learning_rate
            for k in range(size):
                for_w = slope * c[k]
                for_c = slope * w[k]
                w[k] -= for_w / np.sqrt(w_squares[k])
                c[k] -= for_c / np.sqrt(c_squares[k])
                w_squares[k] += for_w * for_w
                c_squares[k] += for_c * for_c
            bias[u, 0] -= slope / np.sqrt(bias[u, 2])
            bias[v, 1] -= slope / np.sqrt(bias[v, 3])
            bias[u, 2] += slope * slope
            bias[v, 3] += slope * slope
            if u == v:
                break
            u, v = v, u
    return loss
