"""Kernels that mine the pattern profiles of given pairs: first where they meet, then what stands between.

A pair belongs to its rarer word (the larger id). A word with few partners is merged with each of them, place by
place; for a word with many the text around its places is looked at once for all of them. Either way only the
meetings are noted; the midfixes, few in comparison, are looked at afterwards, pair by pair.
"""

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.encoded import SENTENCE_END
from relrep.kernels.compiling import njit
from relrep.kernels.index_occurrences import meetings
from relrep.kernels.pair_profiles import midfix_keys

Positions = NDArray[np.int32] | NDArray[np.int64]


LOOK_AROUND, MERGE, MERGE_STEP = 30.0, 1.5, 1.0
"""Relative costs of one place of a word: looking around in the text (a cache miss); merging with one partner, and
more for each doubling of how much more frequent the partner is."""


@njit(cache=True, nogil=True)
def meetings_of_pairs(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    positions: Positions,
    pair_word: NDArray[np.int32],
    pair_partner: NDArray[np.int32],
    max_gap: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """(pair, place of its word, place of its partner) for all meetings; the pairs are sorted by word."""
    n_pairs = len(pair_word)
    slot = np.full(len(starts) - 1, -1, dtype=np.int32)
    capacity, size = 1 << 12, 0
    met = np.empty(capacity, dtype=np.int32)
    here = np.empty(capacity, dtype=np.int64)
    there = np.empty(capacity, dtype=np.int64)
    begin = 0
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
                found, others = meetings(tokens, places, positions[starts[partner] : starts[partner + 1]], max_gap)
                if size + len(found) > capacity:
                    capacity = 2 * (size + len(found))
                    met, here, there = _grown(met, here, there, capacity)
                met[size : size + len(found)] = pair
                here[size : size + len(found)] = found
                there[size : size + len(found)] = others
                size += len(found)
            begin = end
            continue
        for pair in range(begin, end):
            slot[pair_partner[pair]] = pair
        for place in places:
            if place < 0 or place >= len(tokens):
                continue  # a damaged index: left out, never followed
            if size + 2 * max_gap + 2 > capacity:
                capacity *= 2
                met, here, there = _grown(met, here, there, capacity)
            for step in (-1, 1):
                for distance in range(1, max_gap + 2):
                    at = place + step * distance
                    if at < 0 or at >= len(tokens):
                        break
                    token = tokens[at]
                    if token == SENTENCE_END:
                        break
                    if 0 <= token < len(slot) and slot[token] >= 0:
                        met[size] = slot[token]
                        here[size] = place
                        there[size] = at
                        size += 1
        for pair in range(begin, end):
            slot[pair_partner[pair]] = -1
        begin = end
    return met[:size].copy(), here[:size].copy(), there[:size].copy()


@njit(cache=True, nogil=True)
def _grown(
    met: NDArray[np.int32], here: NDArray[np.int64], there: NDArray[np.int64], capacity: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    size = len(met)
    more_met = np.empty(capacity, dtype=np.int32)
    more_here = np.empty(capacity, dtype=np.int64)
    more_there = np.empty(capacity, dtype=np.int64)
    more_met[:size] = met
    more_here[:size] = here
    more_there[:size] = there
    return more_met, more_here, more_there


@njit(cache=True, nogil=True)
def patterns_of_meetings(
    tokens: NDArray[np.int32],
    met: NDArray[np.int32],
    here: NDArray[np.int64],
    there: NDArray[np.int64],
    n_pairs: int,
    max_gap: int,
    adjacent: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
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
    capacity, size = 1 << 12, 0
    out_keys = np.empty(capacity, dtype=np.int64)
    out_counts = np.empty(capacity, dtype=np.int32)
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
        if size + filled > capacity:
            capacity = 2 * (size + filled)
            more_keys = np.empty(capacity, dtype=np.int64)
            more_counts = np.empty(capacity, dtype=np.int32)
            more_keys[:size] = out_keys[:size]
            more_counts[:size] = out_counts[:size]
            out_keys, out_counts = more_keys, more_counts
        for r in range(filled):
            if r > 0 and row[r] == row[r - 1]:
                out_counts[size - 1] += 1
            else:
                out_keys[size] = row[r]
                out_counts[size] = 1
                size += 1
        row_ends[pair] = size
    return row_ends, out_keys[:size].copy(), out_counts[:size].copy()
