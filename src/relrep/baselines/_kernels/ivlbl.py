"""What ivLBL's gradients need beside matrix products: segments, scores and gradients of the true neighbours, steps."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class Parameters(NamedTuple):
    """What is learnt (or AdaGrad's sums of squares): rows of words, contexts and offsets; biases as rows too."""

    word: NDArray[np.float32]
    context: NDArray[np.float32]
    bias: NDArray[np.float32]
    weights: NDArray[np.float32]


@njit(cache=True, nogil=True)
def cut_segments(tokens: NDArray[np.int32], longest: int) -> NDArray[np.int64]:
    """Bounds of segments of at most `longest` places, cut behind sentence ends wherever possible."""
    bounds = [np.int64(0)]
    sentence = 0  # behind the last sentence end
    begin = 0
    for place in range(tokens.size):
        if place + 1 - begin > longest:
            begin = sentence if sentence > begin else place
            bounds.append(np.int64(begin))
        if tokens[place] == -1:
            sentence = place + 1
    bounds.append(np.int64(tokens.size))
    return np.array(bounds)


@njit(cache=True, nogil=True, inline="always")
def offset_of(position: int, window: int) -> int:
    """-window … -1, 1 … window."""
    return position - window if position < window else position - window + 1


@njit(cache=True, nogil=True)
def true_neighbours(sentences: NDArray[np.int32], window: int) -> NDArray[np.float32]:
    """1 for each offset (row) and word (column) where the neighbour stands in the word's sentence, otherwise 0."""
    length = sentences.size
    valid = np.zeros((2 * window, length), dtype=np.float32)
    for position in range(2 * window):
        offset = offset_of(position, window)
        for j in range(max(0, -offset), min(length, length - offset)):
            if sentences[j] == sentences[j + offset]:
                valid[position, j] = 1
    return valid


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def sigmoid(x: np.float32) -> np.float32:
    """1 / (1 + exp(-x)) to about 1e-6, without a call, so that loops over it use vector registers.

    σ(x) = ½ + ½ tanh(x / 2); tanh(x / 8) by Lambert's continued fraction, and twice tanh 2y = 2t / (1 + t²).
    """
    y = min(max(x, np.float32(-16)), np.float32(16)) * np.float32(0.125)
    y2 = y * y
    above = y * (np.float32(10395) + y2 * (np.float32(1260) + y2 * np.float32(21)))
    below = np.float32(10395) + y2 * (np.float32(4725) + y2 * (np.float32(210) + y2))
    t = above / below
    t = np.float32(2) * t / (np.float32(1) + t * t)
    t = np.float32(2) * t / (np.float32(1) + t * t)
    return np.float32(0.5) + np.float32(0.5) * t


@njit(cache=True, nogil=True, error_model="numpy")
def errors_of(scores: NDArray[np.float32], valid: NDArray[np.float32], label: int) -> NDArray[np.float32]:
    """σ(s) - label where there is a neighbour; row i of `valid` belongs to the i-th group of rows of `scores`."""
    errors = np.empty_like(scores)
    group = scores.shape[0] // valid.shape[0]
    for i in range(scores.shape[0]):
        s, mask, e = scores[i], valid[i // group], errors[i]
        for j in range(s.size):
            e[j] = mask[j] * (sigmoid(s[j]) - np.float32(label))
    return errors


@njit(cache=True, nogil=True, error_model="numpy")
def neighbour_scores(
    word: NDArray[np.float32], context: NDArray[np.float32], bias: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """s of each offset (row) and word: `word` and `context` have a column for each word, so that sums need no order."""
    size, length = word.shape
    window = weights.shape[0] // 2
    scores = np.zeros((2 * window, length), dtype=np.float32)
    for position in range(2 * window):
        offset = offset_of(position, window)
        begin = min(length, max(0, -offset))
        end = max(begin, min(length, length - offset))
        s = scores[position, begin:end]
        s[:] = bias[begin + offset : end + offset]
        for k in range(size):
            c, r, q = weights[position, k], word[k, begin:end], context[k, begin + offset : end + offset]
            for j in range(s.size):
                s[j] += c * r[j] * q[j]
    return scores


@njit(cache=True, nogil=True, error_model="numpy")
def add_neighbour_gradients(errors: NDArray[np.float32], rows: Parameters, gradients: Parameters) -> None:
    """Adds the gradients of the true neighbours; `rows` and `gradients` have a row for each word or offset."""
    word, context, _, weights = rows
    d_word, d_context, d_bias, d_weights = gradients
    window = weights.shape[0] // 2
    for j in range(word.shape[0]):
        r, d_r = word[j], d_word[j]
        for position in range(2 * window):
            error = errors[position, j]
            if error == 0:
                continue
            other = j + offset_of(position, window)
            q, d_q = context[other], d_context[other]
            c, d_c = weights[position], d_weights[position]
            d_bias[other, 0] += error
            for k in range(r.size):
                d_r[k] += error * c[k] * q[k]
            for k in range(r.size):
                d_q[k] += error * c[k] * r[k]
            for k in range(r.size):
                d_c[k] += error * r[k] * q[k]


@njit(cache=True, nogil=True, error_model="numpy")
def adagrad(
    ids: NDArray[np.int32],
    gradients: NDArray[np.float32],
    values: NDArray[np.float32],
    squares: NDArray[np.float32],
    rate: np.float32,
    part: int,
    parts: int,
) -> None:
    """Takes the AdaGrad steps of those rows whose id is `part` modulo `parts`, in the order given."""
    for j in range(ids.size):
        row = ids[j]
        if row % parts != part:
            continue
        g, value, square = gradients[j], values[row], squares[row]
        for k in range(g.size):
            square[k] += g[k] * g[k]
            value[k] -= rate * g[k] / np.sqrt(square[k])
