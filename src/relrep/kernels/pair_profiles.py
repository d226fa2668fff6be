"""Kernels that count, for pairs of words, how often they meet and what stands between them.

All of them walk the places of one word after the other and count in dense arrays: no hash table, and a pair
is finished when its word is. A pair is unordered here and belongs to its rarer word (the larger id);
both directions are counted, and a pattern's direction is the lowest bit of its key.
"""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit

Positions = NDArray[np.int32] | NDArray[np.int64]

TOKEN_BITS = 28
"""Ids in a pattern key have this many bits; a vocabulary is smaller than 2²⁸ words."""
UNIGRAM, BIGRAM, MIDFIX = 1, 2, 3
"""Kinds of patterns, as they stand in the top bits of a key."""
KIND_SHIFT = 60
_MIDFIX_MASK = (1 << (KIND_SHIFT - 1)) - 1


@njit(cache=True, nogil=True)
def count_partners(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    positions: Positions,
    words: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    max_gap: int,
    min_count: int,
    min_pmi: float,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """For each of `words` its allowed partners of a smaller id met at most `max_gap` tokens away.

    Returned are word, partner and meetings n of the pairs with n ≥ min_count and
    log(n / chance) ≥ min_pmi, where chance = c(word) · c(partner) · 2 (max_gap + 1) / T is how often they would
    meet in a text of T words in any order.
    """
    total = float(starts[len(starts) - 1]) / (2 * (max_gap + 1))
    seen = np.zeros(len(starts) - 1, dtype=np.int64)
    touched = np.empty(len(starts) - 1, dtype=np.int32)
    capacity, size = 1 << 12, 0
    out_word = np.empty(capacity, dtype=np.int32)
    out_partner = np.empty(capacity, dtype=np.int32)
    out_count = np.empty(capacity, dtype=np.int64)
    for word in words:
        n_touched = 0
        for at in range(starts[word], starts[word + 1]):
            place = positions[at]
            for step in (-1, 1):
                for distance in range(1, max_gap + 2):
                    other = place + step * distance
                    if other < 0 or other >= len(tokens):
                        break
                    token = tokens[other]
                    if token == -1:
                        break
                    if token < 0 or token >= word or not allowed[token]:
                        continue
                    if seen[token] == 0:
                        touched[n_touched] = token
                        n_touched += 1
                    seen[token] += 1
        touched[:n_touched].sort()
        frequency = float(starts[word + 1] - starts[word])
        for t in range(n_touched):
            partner = touched[t]
            count = seen[partner]
            seen[partner] = 0
            if count < min_count:
                continue
            expected = frequency * float(starts[partner + 1] - starts[partner]) / total
            if np.log(count / expected) < min_pmi:
                continue
            if size == capacity:
                capacity *= 2
                out_word = _grown(out_word, capacity)
                out_partner = _grown(out_partner, capacity)
                larger = np.empty(capacity, dtype=np.int64)
                larger[:size] = out_count
                out_count = larger
            out_word[size] = word
            out_partner[size] = partner
            out_count[size] = count
            size += 1
    return out_word[:size].copy(), out_partner[:size].copy(), out_count[:size].copy()


@njit(cache=True, nogil=True)
def _grown(values: NDArray[np.int32], capacity: int) -> NDArray[np.int32]:
    larger = np.empty(capacity, dtype=np.int32)
    larger[: len(values)] = values
    return larger


@njit(cache=True, nogil=True)
def midfix_keys(
    tokens: NDArray[np.int32], begin: int, end: int, backward: int, keys: NDArray[np.int64], size: int
) -> int:
    """Writes the keys of the patterns of the midfix tokens[begin:end] behind keys[:size]; the new size.

    The patterns are the set of its unigrams, the set of its bigrams, and the whole. The key of a whole is
    its kind and 59 bits of a fingerprint of its tokens; the others hold their tokens. Unknown tokens
    are one token of their own.
    """
    first = size
    fingerprint = np.uint64(1469598103934665603)
    for place in range(begin, end):
        token = np.int64(tokens[place] + 3)
        fingerprint = (fingerprint ^ np.uint64(token)) * np.uint64(1099511628211)
        fingerprint ^= fingerprint >> np.uint64(29)
        key = (np.int64(UNIGRAM) << KIND_SHIFT) | (token << 1) | backward
        size = _append_new(keys, first, size, key)
        if place > begin:
            previous = np.int64(tokens[place - 1] + 3)
            key = (np.int64(BIGRAM) << KIND_SHIFT) | (previous << (TOKEN_BITS + 1)) | (token << 1) | backward
            size = _append_new(keys, first, size, key)
    whole = np.int64(fingerprint & np.uint64(_MIDFIX_MASK))
    keys[size] = (np.int64(MIDFIX) << KIND_SHIFT) | (whole << 1) | backward
    return size + 1


@njit(cache=True, nogil=True)
def _append_new(keys: NDArray[np.int64], first: int, size: int, key: int) -> int:
    for k in range(first, size):
        if keys[k] == key:
            return size
    keys[size] = key
    return size + 1


@njit(cache=True, nogil=True)
def gather_patterns(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    positions: Positions,
    pair_word: NDArray[np.int32],
    pair_partner: NDArray[np.int32],
    pair_count: NDArray[np.int64],
    max_gap: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """The patterns of pairs sorted by word: (row ends, keys rising within a row, how often each).

    A pattern is forward where the partner (the smaller id) stands before the word.
    """
    n_words, n_pairs = len(starts) - 1, len(pair_word)
    slot = np.full(n_words, -1, dtype=np.int64)
    row_ends = np.empty(n_pairs, dtype=np.int64)
    capacity, size = max(1 << 12, 8 * n_pairs), 0
    out_keys = np.empty(capacity, dtype=np.int64)
    out_counts = np.empty(capacity, dtype=np.int32)
    most_keys = 2 * max_gap + 1
    begin = 0
    while begin < n_pairs:
        word = pair_word[begin]
        end = begin
        room = np.int64(0)
        while end < n_pairs and pair_word[end] == word:
            slot[pair_partner[end]] = end
            room += pair_count[end] * most_keys
            end += 1
        buffer = np.empty(room, dtype=np.int64)
        filled = np.empty(end - begin, dtype=np.int64)
        at = np.int64(0)
        for pair in range(begin, end):
            filled[pair - begin] = at
            at += pair_count[pair] * most_keys
        for index in range(starts[word], starts[word + 1]):
            place = positions[index]
            for backward in (0, 1):
                step = 1 if backward else -1
                for distance in range(1, max_gap + 2):
                    other = place + step * distance
                    if other < 0 or other >= len(tokens):
                        break
                    token = tokens[other]
                    if token == -1:
                        break
                    if token < 0:
                        continue
                    pair = slot[token]
                    if pair < 0:
                        continue
                    low, high = min(place, other), max(place, other)
                    k = pair - begin
                    filled[k] = midfix_keys(tokens, low + 1, high, backward, buffer, filled[k])
        at = np.int64(0)
        for pair in range(begin, end):
            row = buffer[at : filled[pair - begin]]
            row.sort()
            at += pair_count[pair] * most_keys
            if size + len(row) > capacity:
                capacity = 2 * (size + len(row))
                larger = np.empty(capacity, dtype=np.int64)
                larger[:size] = out_keys[:size]
                out_keys = larger
                out_counts = _grown(out_counts[:size], capacity)
            for r in range(len(row)):
                if r > 0 and row[r] == row[r - 1]:
                    out_counts[size - 1] += 1
                else:
                    out_keys[size] = row[r]
                    out_counts[size] = 1
                    size += 1
            row_ends[pair] = size
            slot[pair_partner[pair]] = -1
        begin = end
    return row_ends, out_keys[:size].copy(), out_counts[:size].copy()
