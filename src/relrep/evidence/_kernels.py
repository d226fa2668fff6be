"""Kernels that read the corpus index when a question is asked: where two words meet, and what stands between them.

A pair belongs to its rarer word (the larger id). A word with few partners is merged with each of them, position by
position; for a word with many the text around its positions is looked at once for all of them. Either way only the
meetings are noted; the midfixes, few in comparison, are looked at afterwards, pair by pair.
"""

import numpy as np

from relrep.core.arrays import Doubles, Floats, Ints, Longs
from relrep.core.compiling import njit
from relrep.mining.bound import BIGRAM, KIND_SHIFT, MIDFIX, MIDFIX_MASK, OFFSET, PRIME, SEED, TOKEN_BITS, UNIGRAM
from relrep.text.encoded import SENTENCE_END

Positions = Ints | Longs

LOOK_AROUND, MERGE, MERGE_STEP = 30.0, 1.5, 1.0
"""Relative costs of one place of a word: looking around in the text (a cache miss); merging with one partner, and
more for each doubling of how much more frequent the partner is."""


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
def in_one_sentence(tokens: Ints, here: int, there: int) -> bool:
    """Whether no sentence ends between the two places, which both lie in the text."""
    low, high = min(here, there), max(here, there)
    if low < 0 or high >= len(tokens):
        return False
    for at in range(low, high):  # noqa: SIM110 (numba compiles the plain loop)
        if tokens[at] == SENTENCE_END:
            return False
    return True


@njit(cache=True, nogil=True)
def meetings(tokens: Ints, places: Positions, others: Positions, max_gap: int) -> Longs:
    """All (place, other place), two rows, with at most `max_gap` tokens between, in one sentence, either order.

    Sorted by place, then by other place; fastest where `places` is the shorter row.
    """
    found = np.empty((2, 64), dtype=np.int64)
    size, low = 0, 0
    for place in places:
        low = first_from(others, low, place - max_gap - 1)
        at = low
        while at < len(others) and others[at] <= place + max_gap + 1:
            if others[at] != place and in_one_sentence(tokens, place, others[at]):
                found = _with_room(found, size, size + 1)
                found[0, size] = place
                found[1, size] = others[at]
                size += 1
            at += 1
    return found[:, :size].copy()


@njit(cache=True, nogil=True)
def _with_room(values: Longs, size: int, needed: int) -> Longs:
    if needed <= values.shape[1]:
        return values
    larger = np.empty((values.shape[0], 2 * needed), dtype=np.int64)
    for row in range(values.shape[0]):
        for column in range(size):
            larger[row, column] = values[row, column]
    return larger


@njit(cache=True, nogil=True)
def sentence_around(tokens: Ints, begin: int, end: int, most: int) -> tuple[int, int]:
    """The bounds of the sentence that holds tokens[begin:end], at most `most` tokens further to each side."""
    low, high = begin, end
    while low > 0 and begin - low < most and tokens[low - 1] != SENTENCE_END:
        low -= 1
    while high < len(tokens) and high - end < most and tokens[high] != SENTENCE_END:
        high += 1
    return low, high


@njit(cache=True, nogil=True)
def midfix_keys(tokens: Ints, begin: int, end: int, backward: int, keys: Longs, size: int) -> int:
    """Writes the keys of the patterns of the midfix tokens[begin:end] behind keys[:size]; the new size.

    The patterns are the set of its unigrams, the set of its bigrams, and the whole. The key of a whole is
    its kind and 59 bits of a fingerprint of its tokens; the others hold their tokens. Unknown tokens
    are one token of their own.
    """
    first = size
    fingerprint = np.uint64(SEED)
    for at in range(begin, end):
        token = np.int64(tokens[at] + OFFSET)
        fingerprint = (fingerprint ^ np.uint64(token)) * np.uint64(PRIME)
        fingerprint ^= fingerprint >> np.uint64(29)
        key = (np.int64(UNIGRAM) << KIND_SHIFT) | (token << 1) | backward
        size = _append_new(keys, first, size, key)
        if at > begin:
            previous = np.int64(tokens[at - 1] + OFFSET)
            key = (np.int64(BIGRAM) << KIND_SHIFT) | (previous << (TOKEN_BITS + 1)) | (token << 1) | backward
            size = _append_new(keys, first, size, key)
    whole = np.int64(fingerprint & np.uint64(MIDFIX_MASK))
    keys[size] = (np.int64(MIDFIX) << KIND_SHIFT) | (whole << 1) | backward
    return size + 1


@njit(cache=True, nogil=True)
def _append_new(keys: Longs, first: int, size: int, key: int) -> int:
    for k in range(first, size):
        if keys[k] == key:
            return size
    keys[size] = key
    return size + 1


@njit(cache=True, nogil=True)
def meetings_of_pairs(
    tokens: Ints, starts: Longs, positions: Positions, pair_word: Ints, pair_partner: Ints, max_gap: int
) -> Longs:
    """(pair, place of its word, place of its partner), three rows, for all meetings; the pairs are sorted by word."""
    n_pairs = len(pair_word)
    slot = np.full(len(starts) - 1, -1, dtype=np.int32)
    met = np.empty((3, 1 << 12), dtype=np.int64)
    size, begin = 0, 0
    while begin < n_pairs:
        word = pair_word[begin]
        places = positions[starts[word] : starts[word + 1]]
        end, merging = begin, 0.0
        while end < n_pairs and pair_word[end] == word:
            partner = pair_partner[end]
            ratio = (starts[partner + 1] - starts[partner] + 1) / (len(places) + 1)
            merging += MERGE + MERGE_STEP * np.log2(max(1.0, ratio))
            end += 1
        if merging <= LOOK_AROUND:
            for pair in range(begin, end):
                partner = pair_partner[pair]
                found = meetings(tokens, places, positions[starts[partner] : starts[partner + 1]], max_gap)
                end_of_found = size + found.shape[1]
                met = _with_room(met, size, end_of_found)
                for at in range(size, end_of_found):
                    met[0, at] = pair
                    met[1, at] = found[0, at - size]
                    met[2, at] = found[1, at - size]
                size = end_of_found
            begin = end
            continue
        for pair in range(begin, end):
            slot[pair_partner[pair]] = pair
        for place in places:
            if place < 0 or place >= len(tokens):
                continue  # a damaged index: left out, never followed
            met = _with_room(met, size, size + 2 * max_gap + 2)
            for step in (-1, 1):
                for distance in range(1, max_gap + 2):
                    at = place + step * distance
                    if at < 0 or at >= len(tokens):
                        break
                    token = tokens[at]
                    if token == SENTENCE_END:
                        break
                    if 0 <= token < len(slot) and slot[token] >= 0:
                        met[0, size] = slot[token]
                        met[1, size] = place
                        met[2, size] = at
                        size += 1
        for pair in range(begin, end):
            slot[pair_partner[pair]] = -1
        begin = end
    return met[:, :size].copy()


@njit(cache=True, nogil=True)
def patterns_of_meetings(
    tokens: Ints, met: Longs, here: Longs, there: Longs, n_pairs: int, max_gap: int, adjacent: bool
) -> tuple[Longs, Longs, Ints]:
    """(row ends, pattern keys rising within a row, how often each); backward where the word stands first.

    The two words side by side have no pattern, or, with `adjacent`, the empty midfix as the only one.
    """
    first = np.zeros(n_pairs + 1, dtype=np.int64)
    for pair in met:
        first[pair + 1] += 1
    first = np.cumsum(first)
    by_pair = np.empty(len(met), dtype=np.int64)  # the meetings, counting-sorted by pair
    heads = first.copy()
    for meeting in range(len(met)):
        by_pair[heads[met[meeting]]] = meeting
        heads[met[meeting]] += 1
    row_ends = np.empty(n_pairs, dtype=np.int64)
    most = len(met) * (2 * max_gap + 1)  # what is not written takes no memory
    out_keys = np.empty(most, dtype=np.int64)
    out_counts = np.empty(most, dtype=np.int32)
    size = 0
    for pair in range(n_pairs):
        row = np.empty((first[pair + 1] - first[pair]) * (2 * max_gap + 1), dtype=np.int64)
        filled = 0
        for at in range(first[pair], first[pair + 1]):
            word, partner = here[by_pair[at]], there[by_pair[at]]
            if adjacent or abs(word - partner) > 1:
                backward = 1 if word < partner else 0
                low, high = min(word, partner), max(word, partner)
                filled = midfix_keys(tokens, low + 1, high, backward, row, filled)
        row = row[:filled]
        row.sort()
        for r in range(filled):
            if r > 0 and row[r] == row[r - 1]:
                out_counts[size - 1] += 1
            else:
                out_keys[size] = row[r]
                out_counts[size] = 1
                size += 1
        row_ends[pair] = size
    return row_ends, out_keys[:size].copy(), out_counts[:size].copy()


@njit(cache=True, nogil=True)
def sparse_cosines(ends: Longs, keys: Ints, weights: Floats, left: Longs, right: Longs, result: Doubles) -> None:
    """result[i] = the product of the rows left[i] and right[i], whose keys rise; cosines, if rows have unit length."""
    for i in range(len(left)):
        a, last_a = ends[left[i]], ends[left[i] + 1]
        b, last_b = ends[right[i]], ends[right[i] + 1]
        total = 0.0
        while a < last_a and b < last_b:
            if keys[a] == keys[b]:
                total += np.float64(weights[a]) * np.float64(weights[b])
                a += 1
                b += 1
            elif keys[a] < keys[b]:
                a += 1
            else:
                b += 1
        result[i] = total
