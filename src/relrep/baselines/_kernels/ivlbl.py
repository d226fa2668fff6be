"""Noise-contrastive gradients of ivLBL for a segment of text, and the AdaGrad steps that apply them.

The current word r predicts the word q at each offset i of its window:

    s = (c_i ⊙ r) · q + b_q          P(text, not noise) = σ(s - log(k P_noise(q)))

The k noise words of an offset are shared by all words of the segment, so that noise costs matrix products (of
rows along the text) and not dot products. Biases are kept as b - log(k P_noise), which is what σ needs.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from relrep.baselines._kernels import total, triple_dot
from relrep.core.arrays import Doubles, Floats, Ints, Longs

STRIP = 96
"""Words of text handled at a time: a strip of all matrices fits the first-level cache."""


class Parameters(NamedTuple):
    """What is learnt, AdaGrad's sums of squares, or gradients: rows of words, contexts and offsets; biases as rows too.

    Parameters are those of one segment (or of several, along the first axis): `word` has a row for each of its words,
    `context` and `bias` have more behind them for its noise words.
    """

    word: Floats
    context: Floats
    bias: Floats
    weights: Floats


class Round(NamedTuple):
    """The segments of one round: their words (as many as `lengths` says), noise words and gradients, a row each."""

    words: Ints
    lengths: Longs
    noise_ids: Ints
    gradients: Parameters


@njit(cache=True, nogil=True)
def cut_segments(tokens: Ints, longest: int) -> Longs:
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
def random_bits(key: np.uint64, counter: np.uint64) -> np.uint64:
    """A random number for each place (splitmix64 of key and counter): no state, so any order gives the same."""
    x = key + counter * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def offset_of(position: int, window: int) -> int:
    """-window … -1, 1 … window."""
    return position - window if position < window else position - window + 1


@njit(cache=True, nogil=True)
def keep_words(tokens: Ints, begin: int, end: int, keep: Floats, key: np.uint64, words: Ints, sentences: Ints) -> int:
    """Copies the words of a segment that frequency sampling keeps, with the number of their sentence."""
    kept = 0
    sentence = 0
    for place in range(begin, end):
        word = tokens[place]
        if word == -1:
            sentence += 1
        elif word >= 0:
            chance = np.float32(random_bits(key, np.uint64(place)) >> np.uint64(40)) * np.float32(2.0**-24)
            if chance < keep[word]:
                words[kept] = word
                sentences[kept] = sentence
                kept += 1
    return kept


@njit(cache=True, nogil=True, error_model="numpy")
def add_product(left: Floats, right: Floats, out: Floats) -> None:
    """out += left @ right, four rows by four rows; `left` has a multiple of four rows and of four columns.

    (A BLAS would start threads of its own and sum in an order that depends on their number.)
    """
    for i in range(0, left.shape[0], 4):
        t0, t1, t2, t3 = out[i], out[i + 1], out[i + 2], out[i + 3]
        a, b, c, d = left[i], left[i + 1], left[i + 2], left[i + 3]
        for k in range(0, left.shape[1], 4):
            a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
            b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
            c0, c1, c2, c3 = c[k], c[k + 1], c[k + 2], c[k + 3]
            d0, d1, d2, d3 = d[k], d[k + 1], d[k + 2], d[k + 3]
            r0, r1, r2, r3 = right[k], right[k + 1], right[k + 2], right[k + 3]
            for j in range(t0.size):
                x0, x1, x2, x3 = r0[j], r1[j], r2[j], r3[j]
                t0[j] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                t1[j] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
                t2[j] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
                t3[j] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3


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
def text_gradients(valid: Floats, window: int, rows: Parameters, gradients: Parameters, with_loss: bool) -> float:
    """Adds the gradients of the true neighbours; `rows` has a row for each word of the segment."""
    # Taken out of the tuples first: inside the loops each look into a tuple would count its references.
    word, context, bias, weights = rows
    d_word, d_context, d_bias, d_weights = gradients
    loss = 0.0
    for j in range(word.shape[0]):
        r, d_r = word[j], d_word[j]
        for position in range(2 * window):
            if valid[position, j] == 0:
                continue
            other = j + offset_of(position, window)
            q, d_q = context[other], d_context[other]
            c, d_c = weights[position], d_weights[position]
            score = triple_dot(c, r, q) + bias[other, 0]
            if with_loss:
                loss += np.log1p(np.exp(-np.float64(score)))
            error = sigmoid(score) - np.float32(1)
            d_bias[other, 0] += error
            for k in range(r.size):
                r_k, q_k, slope = r[k], q[k], error * c[k]
                d_r[k] += slope * q_k
                d_q[k] += slope * r_k
                d_c[k] += error * r_k * q_k
    return loss


@njit(cache=True, nogil=True, error_model="numpy")
def noise_gradients(
    valid: Floats, rows: Parameters, noise: Floats, noise_biases: Floats, gradients: Parameters, with_loss: bool
) -> float:
    """Adds the gradients of the noise: the rows of `noise` belong to the offsets in turn, k to each."""
    word, weights = rows.word, rows.weights
    d_word, d_weights = gradients.word, gradients.weights
    loss = 0.0
    length, size = word.shape
    d_noise, d_noise_bias = gradients.context[length:], gradients.bias[length:]
    count = noise.shape[0]
    noise_words = count // weights.shape[0]
    padded = (count + 3) // 4 * 4
    weighted = np.zeros((padded, size), dtype=np.float32)
    for n in range(count):
        for k in range(size):
            weighted[n, k] = weights[n // noise_words, k] * noise[n, k]
    d_weighted = np.zeros((padded, size), dtype=np.float32)
    for begin in range(0, length, STRIP):
        end = min(begin + STRIP, length)
        width = (end - begin + 3) // 4 * 4
        strip = np.zeros((width, size), dtype=np.float32)
        mask = np.zeros((valid.shape[0], width), dtype=np.float32)
        for j in range(end - begin):
            for k in range(size):
                strip[j, k] = word[begin + j, k]
            for position in range(valid.shape[0]):
                mask[position, j] = valid[position, begin + j]
        errors = np.zeros((padded, width), dtype=np.float32)
        add_product(weighted, transposed(strip), errors)
        for n in range(count):
            m = mask[n // noise_words]
            e = errors[n]
            noise_bias = noise_biases[n, 0]
            if with_loss:
                for j in range(width):
                    loss += m[j] * np.log1p(np.exp(np.float64(e[j] + noise_bias)))
            for j in range(width):
                e[j] = m[j] * sigmoid(e[j] + noise_bias)
            d_noise_bias[n, 0] += total(e)
        add_product(errors, strip, d_weighted)
        d_strip = np.zeros((width, size), dtype=np.float32)
        add_product(transposed(errors), weighted, d_strip)
        for j in range(end - begin):
            for k in range(size):
                d_word[begin + j, k] += d_strip[j, k]
    for n in range(count):
        position = n // noise_words
        for k in range(size):
            d_noise[n, k] = weights[position, k] * d_weighted[n, k]
            d_weights[position, k] += noise[n, k] * d_weighted[n, k]
    return loss


@njit(cache=True, nogil=True)
def rows_of(ids: Ints, values: Floats) -> Floats:
    """The rows of some words, side by side."""
    rows = np.empty((ids.size, values.shape[1]), dtype=np.float32)
    for j in range(ids.size):
        for k in range(values.shape[1]):
            rows[j, k] = values[ids[j], k]
    return rows


@njit(cache=True, nogil=True)
def transposed(matrix: Floats) -> Floats:
    """Columns as rows."""
    rows = np.empty((matrix.shape[1], matrix.shape[0]), dtype=np.float32)
    for i in range(matrix.shape[0]):
        for k in range(matrix.shape[1]):
            rows[k, i] = matrix[i, k]
    return rows


@njit(cache=True, nogil=True)
def segment_gradients(
    words: Ints,
    sentences: Ints,
    noise_ids: Ints,
    window: int,
    model: Parameters,
    gradients: Parameters,
    with_loss: bool,
) -> tuple[float, float]:
    """All gradients of one segment, written to the first rows of `gradients`.

    Returns the loss (0 unless asked for) and the number of true neighbours.
    """
    length = words.size
    valid = np.zeros((2 * window, length), dtype=np.float32)
    pairs = 0.0
    for position in range(2 * window):
        offset = offset_of(position, window)
        for j in range(max(0, -offset), min(length, length - offset)):
            if sentences[j] == sentences[j + offset]:
                valid[position, j] = 1
                pairs += 1
    rows = Parameters(
        rows_of(words, model.word), rows_of(words, model.context), rows_of(words, model.bias), model.weights
    )
    noise, noise_biases = rows_of(noise_ids, model.context), rows_of(noise_ids, model.bias)
    gradients.word[:] = 0
    gradients.context[:] = 0
    gradients.bias[:] = 0
    gradients.weights[:] = 0
    loss = text_gradients(valid, window, rows, gradients, with_loss)
    loss += noise_gradients(valid, rows, noise, noise_biases, gradients, with_loss)
    return loss, pairs


@njit(cache=True, nogil=True)
def of_segment(gradients: Parameters, s: int) -> Parameters:
    """The gradients of one segment of a round."""
    return Parameters(gradients.word[s], gradients.context[s], gradients.bias[s], gradients.weights[s])


@njit(cache=True, nogil=True)
def round_gradients(
    tokens: Ints,
    segments: Longs,
    keep: Floats,
    key: np.uint64,
    window: int,
    model: Parameters,
    batch: Round,
    losses: Doubles,
    part: int,
    parts: int,
) -> None:
    """The gradients of the segments `part`, `part` + `parts`, … of a round; the model is only read.

    Row s of `segments` holds the bounds of segment s, and row s of the batch its words and gradients.
    The loss and the number of neighbours of the first segment stand for the round in `losses`.
    """
    words, lengths, noise_ids, gradients = batch
    sentences = np.empty(words.shape[1], dtype=np.int32)
    for s in range(part, segments.shape[0], parts):
        begin, end = segments[s]
        lengths[s] = keep_words(tokens, begin, end, keep, key, words[s], sentences)
        kept, own = words[s, : lengths[s]], of_segment(gradients, s)
        loss, pairs = segment_gradients(kept, sentences, noise_ids[s], window, model, own, s == 0)
        if s == 0:
            losses[0] += loss
            losses[1] += pairs


@njit(cache=True, nogil=True)
def apply_round(batch: Round, model: Parameters, squares: Parameters, rate: np.float32, part: int, parts: int) -> None:
    """Takes the AdaGrad steps of a round for the words whose id is `part` modulo `parts`.

    Every row gets its gradients in the order of the segments, whoever takes the steps.
    """
    words, lengths, noise_ids, gradients = batch
    offsets = np.arange(model.weights.shape[0]).astype(np.int32)
    for s in range(lengths.size):
        ids, own = words[s, : lengths[s]], of_segment(gradients, s)
        adagrad(ids, own.word, model.word, squares.word, rate, part, parts)
        adagrad(ids, own.context, model.context, squares.context, rate, part, parts)
        adagrad(ids, own.bias, model.bias, squares.bias, rate, part, parts)
        adagrad(noise_ids[s], own.context[ids.size :], model.context, squares.context, rate, part, parts)
        adagrad(noise_ids[s], own.bias[ids.size :], model.bias, squares.bias, rate, part, parts)
        adagrad(offsets, own.weights, model.weights, squares.weights, rate, part, parts)


@njit(cache=True, nogil=True, error_model="numpy")
def adagrad(
    ids: Ints, gradients: Floats, values: Floats, squares: Floats, rate: np.float32, part: int, parts: int
) -> None:
    """Takes the AdaGrad steps of those rows whose id is `part` modulo `parts`, in the order given."""
    for j in range(ids.size):
        row = ids[j]
        if row % parts != part:
            continue
        g = gradients[j]
        value = values[row]
        square = squares[row]
        for k in range(g.size):
            square[k] += g[k] * g[k]
            value[k] -= rate * g[k] / np.sqrt(square[k])
