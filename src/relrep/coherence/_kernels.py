"""Kernels of the coherence of pairs: the best neighbours of every pair, and the steps of the words."""

import numpy as np

from relrep.core.arrays import Doubles, Flags, Floats, Ints, Longs
from relrep.core.compiling import njit


@njit(cache=True, nogil=True)
def keep_best(
    even: Floats,
    odd: Floats,
    first_row: int,
    first_column: int,
    word: Ints,
    partner: Ints,
    best_score: Floats,
    best_pair: Ints,
    orientations: int = 2,
) -> None:
    """Lets the pairs of one block compete for the places among the neighbours of the block's rows.

    The score of row and column is even + odd, and even − odd with the column turned round. best_pair holds
    2 · pair + turned by falling score, ties in the order of arrival; pairs that share a word stay out. With one
    orientation no column is turned round.
    """
    k = best_score.shape[1]
    for row in range(even.shape[0]):
        pair = first_row + row
        scores, pairs = best_score[pair], best_pair[pair]
        a, b = word[pair], partner[pair]
        threshold = scores[k - 1]
        for column in range(even.shape[1]):
            if even[row, column] + abs(odd[row, column]) <= threshold:
                continue
            other = first_column + column
            c, d = word[other], partner[other]
            if a == c or a == d or b == c or b == d:
                continue
            for turned in range(orientations):
                score = even[row, column] - odd[row, column] if turned else even[row, column] + odd[row, column]
                if score <= threshold:
                    continue
                at = k - 1
                while at > 0 and scores[at - 1] < score:
                    scores[at] = scores[at - 1]
                    pairs[at] = pairs[at - 1]
                    at -= 1
                scores[at] = score
                pairs[at] = 2 * other + turned
                threshold = scores[k - 1]


@njit(cache=True, nogil=True)
def agree(
    first: int,
    last: int,
    vectors: Floats,
    word: Ints,
    partner: Ints,
    neighbours: tuple[Ints, Flags, Floats],
    weight: Floats,
    coherence_power: float,
    target: Floats,
    confidence: Floats,
) -> None:
    """What the neighbours of the pairs first:last say of their differences, and how far they agree.

    With w the weights and d the neighbours' differences: target r = Σ w d / Σ w; coherence
    c = |r| / (Σ w |d| / Σ w); confidence = mean(w) · c ^ coherence_power. A difference is partner − word.
    """
    neighbour, turned, _ = neighbours
    size = vectors.shape[1]
    total = np.empty(size, dtype=np.float64)
    for pair in range(first, last):
        total[:] = 0.0
        weights, lengths, n = 0.0, 0.0, 0
        for k in range(neighbour.shape[1]):
            other = neighbour[pair, k]
            if other < 0:
                continue
            n += 1
            w = np.float64(weight[pair, k])
            sign = -1.0 if turned[pair, k] else 1.0
            head, tail = vectors[partner[other]], vectors[word[other]]
            square = 0.0
            for i in range(size):
                difference = np.float64(head[i]) - np.float64(tail[i])
                square += difference * difference
                total[i] += w * sign * difference
            weights += w
            lengths += w * np.sqrt(square)
        confidence[pair] = 0.0
        if weights <= 0.0 or lengths <= 0.0:
            for i in range(size):
                target[pair, i] = vectors[partner[pair], i] - vectors[word[pair], i]
            continue
        square = 0.0
        for i in range(size):
            square += total[i] * total[i]
            target[pair, i] = total[i] / weights
        confidence[pair] = weights / n * (np.sqrt(square) / lengths) ** coherence_power


@njit(cache=True, nogil=True)
def add_steps(
    vectors: Floats, word: Ints, partner: Ints, target: Floats, confidence: Floats, step: Doubles, evidence: Doubles
) -> None:
    """For both words of a pair adds k · ± (target − (partner − word)) to `step`, and k (confidence) to `evidence`."""
    size = vectors.shape[1]
    for pair in range(len(word)):
        u, v, k = partner[pair], word[pair], np.float64(confidence[pair])
        if k <= 0.0:
            continue
        for i in range(size):
            pull = k * (np.float64(target[pair, i]) - (np.float64(vectors[u, i]) - np.float64(vectors[v, i])))
            step[u, i] += pull
            step[v, i] -= pull
        evidence[u] += k
        evidence[v] += k


@njit(cache=True, nogil=True)
def split_by_direction(ends: Longs, keys: Ints, weights: Floats) -> tuple[Longs, Ints, Floats, Floats]:
    """From directed to even and odd: (ends, patterns, (f + b) / √2, (f − b) / √2).

    keys = 2 · pattern + backward, rising within a row; f and b are the weights of the pattern's two
    directions. Turning a pair round leaves its even part and changes the sign of its odd part.
    """
    root = np.float32(np.sqrt(0.5))
    new_ends = np.zeros(len(ends), dtype=np.int64)
    patterns = np.empty(len(keys), dtype=np.int32)
    even = np.empty(len(keys), dtype=np.float32)
    odd = np.empty(len(keys), dtype=np.float32)
    size = 0
    for row in range(len(ends) - 1):
        entry = ends[row]
        while entry < ends[row + 1]:
            pattern = keys[entry] >> 1
            forward, backward = np.float32(0.0), np.float32(0.0)
            while entry < ends[row + 1] and keys[entry] >> 1 == pattern:
                if keys[entry] & 1:
                    backward = weights[entry]
                else:
                    forward = weights[entry]
                entry += 1
            patterns[size] = pattern
            even[size] = root * (forward + backward)
            odd[size] = root * (forward - backward)
            size += 1
        new_ends[row + 1] = size
    return new_ends, patterns[:size].copy(), even[:size].copy(), odd[:size].copy()
