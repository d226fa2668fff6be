"""Counting without hashing: word-major walks over an index word → positions.

All words with their positions are cut into ranges of words; a range is one task of a thread, and no two write the same
place. Counts are integers, so the result depends on nothing but the text.
"""

import numpy as np
from numba import njit

from relrep.core.bits import lowest_bit, mark

SENTENCE_END = -1
PLAIN, STOP_WORD, NO_PAIR = 0, 1, 2
MAX_REACH = 16
"""The furthest a window can reach; texts are padded with as many sentence ends before and behind."""
BATCH = 256
TALLY, ALL_BITS = np.int64(0xFFFFFFFF), np.int64(-1)
"""Where a count stands in its 64 bits: beside the sentence last seen in, or alone."""


@njit(cache=True, nogil=True)
def count_words(tokens, n_words):
    """How often each word occurs in `tokens`."""
    counts = np.zeros(n_words, dtype=np.int64)
    for k in range(len(tokens)):
        if tokens[k] >= 0:
            counts[tokens[k]] += 1
    return counts


@njit(cache=True, nogil=True)
def place_positions(tokens, low, high, starts, positions):
    """The positions of the words low ≤ w < high, sorted by word and position, into positions[starts[w]:].

    An entry is 2 · position, plus 1 for the first occurrence of its word in its sentence.
    """
    at = starts[low:high].copy()
    last_sentence = np.full(high - low, -1, dtype=np.int32)
    sentence = np.int32(0)
    for k in range(len(tokens)):
        word = tokens[k]
        if word >= low and word < high:
            place = word - low
            first = np.int32(1) if last_sentence[place] != sentence else np.int32(0)
            last_sentence[place] = sentence
            positions[at[place]] = (k << 1) | first
            at[place] += 1
        elif word == SENTENCE_END:
            sentence += np.int32(1)


@njit(cache=True, nogil=True)
def count_pairs(tokens, starts, positions, low, high, roles, reach, at_least, in_any_order):
    """Sentences in which each pair (u, v), low ≤ u < high, co-occurs, v at most `reach` tokens after u.

    `roles[word]` is NO_PAIR, STOP_WORD or PLAIN; two stop words make no pair. With `in_any_order` v stands on either
    side of u, and v < u: each pair is counted once, from its rarer word. Returns (row starts, v, count): for each u the
    v in rising order, those with `at_least` sentences.
    """
    n_words = len(roles)
    tallies = np.zeros(n_words, dtype=np.int64)  # the sentence last seen in, and how many so far: one access for both
    bitmap = np.zeros((n_words >> 6) + 1, dtype=np.uint64)
    windows = np.empty((2, BATCH, MAX_REACH), dtype=np.int32)
    row_starts = np.zeros(high - low + 1, dtype=np.int64)
    room = 1 << 16
    columns = np.empty(room, dtype=np.int32)
    values = np.empty(room, dtype=np.int32)
    n = 0
    for u in range(low, high):
        if roles[u] != NO_PAIR:
            n_distinct = _tally_neighbours(
                tokens, positions[starts[u] : starts[u + 1]], u, roles, reach, in_any_order, windows, tallies, bitmap
            )
            if n + n_distinct > room:
                while room < n + n_distinct:
                    room *= 2
                columns, values = moved(columns, values, n, room)
            n = _read_out(tallies, bitmap, TALLY, at_least, columns, values, n)
        row_starts[u - low + 1] = n
    return row_starts, columns[:n].copy(), values[:n].copy()


@njit(cache=True, nogil=True)
def gather_windows(tokens, positions, first, n, direction, reach, windows):
    """Copies the `reach` tokens beside each of n positions: a loop without branches, so that cache misses overlap."""
    for e in range(n):
        i = positions[first + e] >> 1
        for offset in range(reach):
            windows[e, offset] = tokens[i + direction * (offset + 1)]


@njit(cache=True, nogil=True)
def _tally_neighbours(tokens, positions, u, roles, reach, in_any_order, windows, tallies, bitmap):
    most = PLAIN if roles[u] == STOP_WORD else STOP_WORD
    end = u if in_any_order else len(roles)
    n_sides = 2 if in_any_order else 1
    sentence = np.int64(0)
    n_distinct = 0
    for first in range(0, len(positions), BATCH):
        n = min(BATCH, len(positions) - first)
        gather_windows(tokens, positions, first, n, 1, reach, windows[0])
        if in_any_order:
            gather_windows(tokens, positions, first, n, -1, reach, windows[1])
        for e in range(n):
            sentence += positions[first + e] & 1  # in a new sentence every pair counts again
            for side in range(n_sides):
                for offset in range(reach):
                    v = windows[side, e, offset]
                    if v < 0:
                        if v == SENTENCE_END:
                            break
                        continue
                    if roles[v] > most or v == u or v >= end:
                        continue
                    tally = tallies[v]
                    if tally >> 32 != sentence:
                        if tally == 0:
                            mark(bitmap, v)
                            n_distinct += 1
                        tallies[v] = (sentence << 32) | ((tally & TALLY) + 1)
    return n_distinct


@njit(cache=True, nogil=True)
def moved(columns, values, n, room):
    """The first n entries of both arrays, in arrays with more room."""
    new_columns = np.empty(room, dtype=columns.dtype)
    new_values = np.empty(room, dtype=values.dtype)
    new_columns[:n] = columns[:n]
    new_values[:n] = values[:n]
    return new_columns, new_values


@njit(cache=True, nogil=True)
def _read_out(counts, bitmap, mask, at_least, columns, values, n):
    """Appends the touched entries in rising order, those of `at_least` by the bits in `mask`; clears all touched."""
    for word in range(len(bitmap)):
        bits = bitmap[word]
        if bits == 0:
            continue
        bitmap[word] = 0
        while bits:
            column = (word << 6) + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            count = counts[column] & mask
            counts[column] = 0
            if count >= at_least:
                columns[n] = column
                values[n] = count
                n += 1
    return n


@njit(cache=True, nogil=True)
def merge_rows(run_starts, columns, values, n_columns, at_least):
    """Sums sorted runs row by row: run r holds row i in [run_starts[r, i], run_starts[r, i + 1]).

    Returns (row starts, columns, sums), columns rising within a row, sums of `at_least` only.
    """
    n_runs, n_rows = run_starts.shape[0], run_starts.shape[1] - 1
    sums = np.zeros(n_columns, dtype=np.int64)
    bitmap = np.zeros((n_columns >> 6) + 1, dtype=np.uint64)
    row_starts = np.zeros(n_rows + 1, dtype=np.int64)
    out_columns = np.empty(len(columns), dtype=np.int32)
    out_values = np.empty(len(columns), dtype=np.int64)
    n = 0
    for row in range(n_rows):
        for run in range(n_runs):
            for entry in range(run_starts[run, row], run_starts[run, row + 1]):
                column = columns[entry]
                mark(bitmap, column)
                sums[column] += values[entry]
        n = _read_out(sums, bitmap, ALL_BITS, at_least, out_columns, out_values, n)
        row_starts[row + 1] = n
    return row_starts, out_columns[:n].copy(), out_values[:n].copy()


@njit(cache=True, nogil=True)
def mark_selected(tokens, starts, positions, low, high, pair_starts, pair_v, n_words, reach, direction, masks, rooms
):  # fmt: skip
    """Which neighbours of each position form a selected pair with it.

    Bit o - 1 of masks[i] is set where (tokens[i], tokens[i + direction · o]) is selected, 1 ≤ o ≤ reach. With
    direction -1 an occurrence v … u supports the pair (u, v). To rooms[pair] is added how many patterns its occurrences
    can have at most.
    """
    place = np.full(n_words + 2, -1, dtype=np.int32)  # the marks -1 and -2 find the two last entries
    windows = np.empty((BATCH, MAX_REACH), dtype=np.int32)
    for u in range(low, high):
        if pair_starts[u] == pair_starts[u + 1]:
            continue
        for pair in range(pair_starts[u], pair_starts[u + 1]):
            place[pair_v[pair]] = pair
        own = positions[starts[u] : starts[u + 1]]
        for first in range(0, len(own), BATCH):
            n = min(BATCH, len(own) - first)
            gather_windows(tokens, own, first, n, direction, reach, windows)
            for e in range(n):
                bits = 0
                for offset in range(reach):
                    v = windows[e, offset]
                    if v == SENTENCE_END:
                        break
                    pair = place[v]
                    if pair >= 0:
                        bits |= 1 << offset
                        rooms[pair] += 2 * offset  # unigrams, bigrams and the whole midfix
                masks[own[first + e] >> 1] = bits
        for pair in range(pair_starts[u], pair_starts[u + 1]):
            place[pair_v[pair]] = -1
