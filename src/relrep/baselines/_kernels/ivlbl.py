"""Noise-contrastive gradients of ivLBL for a segment of text, and the AdaGrad steps that apply them.

The current word r predicts the word q at each offset i of its window:

    s = (c_i ⊙ r) · q + b_q          P(text, not noise) = σ(s - log(k P_noise))

The k noise words of an offset are shared by all words of the segment, so that noise costs three matrix products a
segment and not dot products. Biases are kept as b - log(k P_noise), which is what σ needs. Products are BLAS's: whoever
calls holds it to one thread (`threadpoolctl`), so that the order of its sums never depends on their number.
"""

from typing import Any, NamedTuple

import numpy as np

from relrep.core.arrays import Doubles, Flags, Floats, Ints, Longs
from relrep.core.compiling import njit_now as njit

PAIRS_AT_ONCE = 64
"""True neighbours whose products r ⊙ q are held at a time: they stay in the first-level cache."""


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


class Text(NamedTuple):
    """The corpus as an epoch reads it: token ids, bounds of segments, how likely each word is kept, the noise's
    cumulative distribution, and two keys of random numbers, for keeping and for noise."""

    tokens: Ints
    bounds: Longs
    keep: Floats
    noise: Doubles
    keys: Any


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


@njit(cache=True, nogil=True)
def draw_noise(cumulative: Doubles, key: np.uint64, first: int, noise_ids: Ints) -> None:
    """Noise words, as likely as `cumulative` says; `first` numbers the first of all draws under this key."""
    for n in range(noise_ids.size):
        share = np.float64(random_bits(key, np.uint64(first + n)) >> np.uint64(11)) * np.float64(2.0**-53)
        noise_ids[n] = np.searchsorted(cumulative, share * cumulative[-1], side="right")


@njit(cache=True, nogil=True)
def neighbours_in_sentence(sentences: Ints, length: int, window: int) -> tuple[Flags, int]:
    """Whether the word at each offset (column) of each word (row) stands in its sentence, and how many do."""
    valid = np.empty((length, 2 * window), dtype=np.bool_)
    pairs = 0
    for j in range(length):
        for position in range(2 * window):
            other = j + offset_of(position, window)
            valid[j, position] = 0 <= other < length and sentences[other] == sentences[j]
            pairs += valid[j, position]
    return valid, pairs


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
def text_gradients(valid: Flags, window: int, rows: Parameters, gradients: Parameters, with_loss: bool) -> float:
    """Adds the gradients of the true neighbours; `rows` has a row for each word of the segment."""
    # Taken out of the tuples first: inside the loops each look into a tuple would count its references.
    word, context, bias, weights = rows
    d_word, d_context, d_bias, d_weights = gradients
    length, size = word.shape
    loss = 0.0
    products = np.empty((PAIRS_AT_ONCE, size), dtype=np.float32)
    errors = np.empty(PAIRS_AT_ONCE, dtype=np.float32)
    summed = np.empty(size, dtype=np.float32)
    places = np.empty(PAIRS_AT_ONCE, dtype=np.int64)
    for position in range(2 * window):
        offset = offset_of(position, window)
        c, d_c = weights[position], d_weights[position]
        j, end = max(0, -offset), min(length, length - offset)
        while j < end:
            n = np.int64(0)
            while j < end and n < PAIRS_AT_ONCE:
                if valid[j, position]:
                    r, q, product = word[j], context[j + offset], products[n]
                    for k in range(size):
                        product[k] = r[k] * q[k]
                    places[n] = j
                    n += 1
                j += 1
            if n == 0:
                continue
            np.dot(products[:n], c, errors[:n])
            for i in range(n):
                score = errors[i] + bias[places[i] + offset, 0]
                if with_loss:
                    loss += np.log1p(np.exp(-np.float64(score)))
                errors[i] = sigmoid(score) - np.float32(1)
            np.dot(errors[:n], products[:n], summed)
            for k in range(size):
                d_c[k] += summed[k]
            for i in range(n):
                here, error = places[i], errors[i]
                d_bias[here + offset, 0] += error
                r, q, d_r, d_q = word[here], context[here + offset], d_word[here], d_context[here + offset]
                for k in range(size):
                    slope = error * c[k]
                    d_r[k] += slope * q[k]
                    d_q[k] += slope * r[k]
    return loss


@njit(cache=True, nogil=True, error_model="numpy")
def noise_gradients(
    valid: Flags, rows: Parameters, noise: Floats, noise_biases: Floats, gradients: Parameters, with_loss: bool
) -> float:
    """The gradients of the noise: the rows of `noise` belong to the offsets in turn, k to each.

    Those of words are written, those of offsets added.
    """
    word, weights = rows.word, rows.weights
    d_word, d_weights = gradients.word, gradients.weights
    loss = 0.0
    length, size = word.shape
    d_noise, d_noise_bias = gradients.context[length:], gradients.bias[length:]
    count, offsets = noise.shape[0], weights.shape[0]
    noise_words = count // offsets
    weighted = np.empty((count, size), dtype=np.float32)
    for n in range(count):
        for k in range(size):
            weighted[n, k] = weights[n // noise_words, k] * noise[n, k]
    errors = np.empty((length, count), dtype=np.float32)
    np.dot(word, weighted.T, errors)
    for j in range(length):
        e = errors[j]
        if with_loss:
            for n in range(count):
                if valid[j, n // noise_words]:
                    loss += np.log1p(np.exp(np.float64(e[n] + noise_biases[n, 0])))
        for n in range(count):
            e[n] = sigmoid(e[n] + noise_biases[n, 0])
        for position in range(offsets):
            if not valid[j, position]:
                for n in range(position * noise_words, (position + 1) * noise_words):
                    e[n] = np.float32(0)
        for n in range(count):
            d_noise_bias[n, 0] += e[n]
    np.dot(errors, weighted, d_word[:length])
    d_weighted = np.empty((count, size), dtype=np.float32)
    np.dot(errors.T, word, d_weighted)
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
    valid, pairs = neighbours_in_sentence(sentences, words.size, window)
    rows = Parameters(
        rows_of(words, model.word), rows_of(words, model.context), rows_of(words, model.bias), model.weights
    )
    noise, noise_biases = rows_of(noise_ids, model.context), rows_of(noise_ids, model.bias)
    gradients.context[:] = 0
    gradients.bias[:] = 0
    gradients.weights[:] = 0
    loss = noise_gradients(valid, rows, noise, noise_biases, gradients, with_loss)
    loss += text_gradients(valid, window, rows, gradients, with_loss)
    return loss, float(pairs)


@njit(cache=True, nogil=True)
def of_segment(gradients: Parameters, s: int) -> Parameters:
    """The gradients of one segment of a round."""
    return Parameters(gradients.word[s], gradients.context[s], gradients.bias[s], gradients.weights[s])


@njit(cache=True, nogil=True)
def round_gradients(
    text: Text, chosen: Longs, window: int, model: Parameters, batch: Round, losses: Doubles, part: int, parts: int
) -> None:
    """The gradients of the segments `part`, `part` + `parts`, … of a round; the model is only read.

    `chosen` are the numbers of the segments; row s of the batch gets the words and gradients of the s-th of them. The
    loss and the number of neighbours of the first segment stand for the round in `losses`.
    """
    words, lengths, noise_ids, gradients = batch
    sentences = np.empty(words.shape[1], dtype=np.int32)
    for s in range(part, chosen.size, parts):
        begin, end = text.bounds[chosen[s]], text.bounds[chosen[s] + 1]
        lengths[s] = keep_words(text.tokens, begin, end, text.keep, text.keys[0], words[s], sentences)
        draw_noise(text.noise, text.keys[1], chosen[s] * noise_ids.shape[1], noise_ids[s])
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
