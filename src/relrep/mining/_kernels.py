"""Counting without hashing: word-major walks over an index word → positions.

All words with their positions are cut into ranges of words; a range is one task of a thread, and no two write the same
place. Counts are integers, so the result depends on nothing but the text.

`direction` is 1 where the pair's first word comes first; -1 where an occurrence v … u supports (u, v). From a base
position b (the pair's first word) the midfix of offset o is what lies strictly between b and b + direction · o; it
grows with o, so the patterns of all offsets come from one walk.

A counter that is passed on begins as np.int64(0): for a bare 0 numba would compile what it is passed to a second time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit_now as njit
from relrep.core.intrinsics import count_bits, lowest_bit, mark
from relrep.text.encoded import SENTENCE_END

PLAIN, STOP_WORD, NO_PAIR = 0, 1, 2
MAX_REACH = 16
"""The furthest a window can reach; texts are padded with as many sentence ends before and behind."""
BATCH = 256
FORWARD, BACKWARD = np.int64(1), np.int64(-1)
"""The directions."""
TALLY, ALL_BITS = np.int64(0xFFFFFFFF), np.int64(-1)
"""Where a count stands in its 64 bits: beside the sentence last seen in, or alone."""


class Positions(NamedTuple):
    """Where in a text each row (a word or an n-gram) stands: positions[starts[r]:starts[r + 1]] of `tokens`.

    An entry is 2 · position, plus 1 for the first occurrence of its word in its sentence.
    """

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    positions: NDArray[Any]


class PairList(NamedTuple):
    """The selected pairs, sorted: those of u are v[starts[u]:starts[u + 1]]; a pair's id is its place."""

    starts: NDArray[np.int64]
    v: NDArray[np.int32]


class Extensions(NamedTuple):
    """Which (n - 1)-gram and word make which n-gram: row r holds words[starts[r]:starts[r + 1]], numbered `ids`."""

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    ids: NDArray[np.int32]


class PatternIds(NamedTuple):
    """Which pattern begins where in a text, for one direction (empty arrays: none of that kind; -1: none there).

    `offset_bits` and `max_events` are as `mark_selected` leaves them; unigrams[word], bigrams[start] and
    midfixes[n - 1, start] give the ids of patterns.
    """

    offset_bits: NDArray[Any]
    max_events: NDArray[np.int64]
    unigrams: NDArray[np.int32]
    bigrams: NDArray[Any]
    midfixes: NDArray[Any]


@njit(cache=True, nogil=True)
def count_pairs(text, low, high, roles, reach, at_least, in_any_order):
    """Sentences in which each pair (u, v), low ≤ u < high, co-occurs, v at most `reach` tokens after u.

    `roles[word]` is NO_PAIR, STOP_WORD or PLAIN; two stop words make no pair. With `in_any_order` v stands on either
    side of u, and v < u: each pair is counted once, from its rarer word. Returns (row starts, v, count): for each u the
    v in rising order, those with `at_least` sentences (§ 3.1).
    """
    tokens, starts, positions = text
    n_words = len(roles)
    tallies = np.zeros(n_words, dtype=np.int64)  # the sentence last seen in, and how many so far: one access for both
    bitmap = np.zeros((n_words >> 6) + 1, dtype=np.uint64)
    windows = np.empty((2, BATCH, MAX_REACH), dtype=np.int32)
    row_starts = np.zeros(high - low + 1, dtype=np.int64)
    columns = np.empty(1 << 16, dtype=np.int32)
    values = np.empty(1 << 16, dtype=np.int32)
    n = np.int64(0)
    for u in range(low, high):
        if roles[u] != NO_PAIR:
            n_distinct = _tally_neighbours(
                tokens, positions[starts[u] : starts[u + 1]], u, roles, reach, in_any_order, windows, tallies, bitmap
            )
            columns, values = grown(columns, values, n, n + n_distinct)
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
        gather_windows(tokens, positions, first, n, FORWARD, reach, windows[0])
        if in_any_order:
            gather_windows(tokens, positions, first, n, BACKWARD, reach, windows[1])
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
def grown(columns, values, n, needed):
    """Both arrays, with their first n entries, or longer ones where `needed` entries do not fit."""
    size = len(columns)
    if needed <= size:
        return columns, values
    while size < needed:
        size *= 2
    new_columns = np.empty(size, dtype=columns.dtype)
    new_values = np.empty(size, dtype=values.dtype)
    for entry in range(n):  # not slices, whose errors would take numba seconds to compile
        new_columns[entry] = columns[entry]
        new_values[entry] = values[entry]
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
    n = np.int64(0)
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
def mark_selected(text, low, high, pairs, n_words, reach, direction, offset_bits, max_events):
    """Which neighbours of each position form a selected pair with it.

    Bit o - 1 of offset_bits[i] is set where (tokens[i], tokens[i + direction · o]) is selected, 1 ≤ o ≤ reach. With
    direction -1 an occurrence v … u supports the pair (u, v). To max_events[pair] is added how many patterns its
    occurrences can have at most.
    """
    tokens, starts, positions = text
    pair_starts, pair_v = pairs
    pair_of = np.full(n_words + 2, -1, dtype=np.int32)  # the marks -1 and -2 find the two last entries
    windows = np.empty((BATCH, MAX_REACH), dtype=np.int32)
    for u in range(low, high):
        if pair_starts[u] == pair_starts[u + 1]:
            continue
        for pair in range(pair_starts[u], pair_starts[u + 1]):
            pair_of[pair_v[pair]] = pair
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
                    pair = pair_of[v]
                    if pair >= 0:
                        bits |= 1 << offset
                        max_events[pair] += 2 * offset  # unigrams, bigrams and the whole midfix
                offset_bits[own[first + e] >> 1] = bits
        for pair in range(pair_starts[u], pair_starts[u + 1]):
            pair_of[pair_v[pair]] = -1


@njit(cache=True, nogil=True)
def total_inner(tokens, low, high, offset_bits, direction, unigram_totals, bigram_weights):
    """Occurrences of the inner unigrams, by word, and of the bigrams, by where in the text they begin.

    Bases low ≤ b < high, which must be whole sentences. A pattern counts once in an occurrence of a pair, however often
    it stands in the midfix.
    """
    for b in range(low, high):
        bits = np.uint64(offset_bits[b])
        if bits <= 1:  # no selected neighbour with anything in between
            continue
        a = 1
        while bits >> np.uint64(a):
            weight = count_bits(bits >> np.uint64(a))  # the occurrences whose midfix reaches this far
            k = b + direction * a
            word = tokens[k]
            if word >= 0:
                again = False
                for earlier in range(1, a):
                    if tokens[b + direction * earlier] == word:
                        again = True
                        break
                if not again:
                    unigram_totals[word] += weight
            if a >= 2:
                start = k - 1 if direction == 1 else k
                left, right = tokens[start], tokens[start + 1]
                if left >= 0 and right >= 0:
                    again = False
                    for earlier in range(2, a):
                        other = b + direction * earlier
                        if direction == 1:
                            other -= 1
                        if tokens[other] == left and tokens[other + 1] == right:
                            again = True
                            break
                    if not again:
                        bigram_weights[start] += weight
            a += 1


@njit(cache=True, nogil=True)
def count_extensions(rows, low, high, n, n_words, weights, offset_bits, direction, is_frequent, at_least):
    """For the n-grams that begin with row low ≤ r < high (an (n - 1)-gram): how often they occur, and their weight.

    The weight is `weights[start]` summed (inner bigrams), or, where `weights` is empty, the number of selected pairs of
    which the n-gram is the whole midfix. Returns (row starts, last word, occurrences, weight), last words rising, of
    those where one or the other is `at_least`.
    """
    tokens, row_starts, row_positions = rows
    occurrences = np.zeros(n_words, dtype=np.int64)
    summed = np.zeros(n_words, dtype=np.int64)
    bitmap = np.zeros((n_words >> 6) + 1, dtype=np.uint64)
    out_starts = np.zeros(high - low + 1, dtype=np.int64)
    most = row_starts[high] - row_starts[low]
    out_words = np.empty(most, dtype=np.int32)
    out_occurrences = np.empty(most, dtype=np.int64)
    out_weights = np.empty(most, dtype=np.int64)
    length = len(tokens)
    count = 0
    for row in range(low, high):
        for entry in row_positions[row_starts[row] : row_starts[row + 1]]:
            start = entry >> 1
            end = start + n - 1
            if end >= length:
                continue
            word = tokens[end]
            if word < 0 or not is_frequent[word]:
                continue
            if len(weights):
                if weights[start] == 0:
                    continue
                summed[word] += weights[start]
            else:
                base = start - 1 if direction == 1 else end + 1
                if base >= 0 and base < length:
                    summed[word] += (np.int64(offset_bits[base]) >> n) & 1
            mark(bitmap, word)
            occurrences[word] += 1
        for group in range(len(bitmap)):
            bits = bitmap[group]
            if bits == 0:
                continue
            bitmap[group] = 0
            while bits:
                word = (group << 6) + lowest_bit(bits)
                bits &= bits - np.uint64(1)
                if occurrences[word] >= at_least or summed[word] >= at_least:
                    out_words[count] = word
                    out_occurrences[count] = occurrences[word]
                    out_weights[count] = summed[word]
                    count += 1
                occurrences[word] = 0
                summed[word] = 0
        out_starts[row - low + 1] = count
    return out_starts, out_words[:count].copy(), out_occurrences[:count].copy(), out_weights[:count].copy()


@njit(cache=True, nogil=True)
def write_extensions(rows, low, high, n, n_words, table, out):
    """out[start] = the id that a table gives to the n-gram beginning at `start` (rows as in count_extensions)."""
    tokens, row_starts, row_positions = rows
    table_starts, table_words, table_ids = table
    id_of = np.full(n_words, -1, dtype=np.int32)
    length = len(tokens)
    for row in range(low, high):
        if table_starts[row] == table_starts[row + 1]:
            continue
        for entry in range(table_starts[row], table_starts[row + 1]):
            id_of[table_words[entry]] = table_ids[entry]
        for position in row_positions[row_starts[row] : row_starts[row + 1]]:
            start = position >> 1
            end = start + n - 1
            if end < length and tokens[end] >= 0:
                number = id_of[tokens[end]]
                if number >= 0:
                    out[start] = number
        for entry in range(table_starts[row], table_starts[row + 1]):
            id_of[table_words[entry]] = -1


@njit(cache=True, nogil=True)
def count_triples(text, low, high, pairs, n_words, n_patterns, reach, no_events, forward, backward):
    """g(p, u, v) for the selected pairs of the words low ≤ u < high, by the PatternIds of both directions.

    `no_events` is an empty array of a type that holds a pattern id. Returns (row starts by pair, pattern, count),
    patterns rising within a pair.
    """
    tokens, starts, positions = text
    pair_starts, pair_v = pairs
    first_pair = pair_starts[low]
    row_starts = np.zeros(pair_starts[high] - first_pair + 1, dtype=np.int64)
    out_patterns = np.empty(1 << 16, dtype=no_events.dtype)
    out_counts = np.empty(1 << 16, dtype=np.int32)
    n = np.int64(0)
    local_of = np.full(n_words, -1, dtype=np.int32)
    counts = np.zeros(n_patterns, dtype=np.int32)
    bitmap = np.zeros((n_patterns >> 6) + 1, dtype=np.uint64)
    for u in range(low, high):
        pairs_low, pairs_high = pair_starts[u], pair_starts[u + 1]
        n_local = pairs_high - pairs_low
        if n_local == 0:
            continue
        for pair in range(pairs_low, pairs_high):
            local_of[pair_v[pair]] = pair - pairs_low
        own = positions[starts[u] : starts[u + 1]]
        begins = np.empty(n_local + 1, dtype=np.int64)
        total = np.int64(0)
        for local in range(n_local):
            begins[local] = total
            if len(forward.offset_bits):
                total += forward.max_events[pairs_low + local]
            if len(backward.offset_bits):
                total += backward.max_events[pairs_low + local]
        begins[n_local] = total
        events = np.empty(total, dtype=no_events.dtype)  # what is never touched takes no memory
        ends = begins.copy()
        if len(forward.offset_bits):
            _gather(tokens, own, forward, FORWARD, reach, local_of, ends, events)
        if len(backward.offset_bits):
            _gather(tokens, own, backward, BACKWARD, reach, local_of, ends, events)
        for local in range(n_local):
            needed = n + min(ends[local] - begins[local], n_patterns)
            out_patterns, out_counts = grown(out_patterns, out_counts, n, needed)
            n = _count_events(events, begins[local], ends[local], counts, bitmap, out_patterns, out_counts, n)
            row_starts[pairs_low - first_pair + local + 1] = n
        for pair in range(pairs_low, pairs_high):
            local_of[pair_v[pair]] = -1
    return row_starts, out_patterns[:n].copy(), out_counts[:n].copy()


@njit(cache=True, nogil=True)
def _gather_bits(own, first, n, offset_bits, bases, bits):
    """The positions of a batch that have a selected neighbour with something in between, and their bits."""
    m = 0
    for e in range(n):
        b = own[first + e] >> 1
        bases[m] = b
        bits[m] = offset_bits[b]
        m += 1 if bits[m] > 1 else 0
    return m


@njit(cache=True, nogil=True)
def _gather(tokens, own, patterns, direction, reach, local_of, ends, events):
    """Writes one event for each pattern of each occurrence of each pair of one word."""
    offset_bits, _, unigrams, bigrams, midfixes = patterns
    bases = np.empty(BATCH, dtype=np.int64)
    bits = np.empty(BATCH, dtype=np.uint64)
    windows = np.empty((BATCH, MAX_REACH), dtype=np.int32)
    bigram_windows = np.empty((BATCH, MAX_REACH), dtype=np.int32)
    found = np.empty(2 * MAX_REACH, dtype=np.int32)
    with_bigrams = len(bigrams) > 0
    with_unigrams = len(unigrams) > 0
    for first in range(0, len(own), BATCH):
        m = _gather_bits(own, first, min(BATCH, len(own) - first), offset_bits, bases, bits)
        for e in range(m):  # loops without branches first, so that cache misses overlap
            for a in range(reach):
                windows[e, a] = tokens[bases[e] + direction * (a + 1)]
        if with_bigrams:
            for e in range(m):
                # The bigram that offset a + 1 completes begins one token before it, seen from the left.
                begin = bases[e] if direction == 1 else bases[e] - 1
                for a in range(reach):
                    bigram_windows[e, a] = bigrams[begin + direction * a]
        for e in range(m):
            n_found = 0
            seen = np.uint64(0)
            a = 1
            while bits[e] >> np.uint64(a):
                word = windows[e, a - 1]
                if word >= 0:
                    if with_unigrams:
                        n_found, seen = _add(unigrams[word], found, n_found, seen)
                    if a >= 2 and with_bigrams:
                        n_found, seen = _add(bigram_windows[e, a - 1], found, n_found, seen)
                if (bits[e] >> np.uint64(a)) & np.uint64(1):  # the pair at offset a + 1 is selected
                    local = local_of[windows[e, a]]
                    end = ends[local]
                    for f in range(n_found):
                        events[end + f] = found[f]
                    end += n_found
                    if midfixes.shape[0]:
                        whole = midfixes[a - 1, bases[e] + 1 if direction == 1 else bases[e] - a]
                        if whole >= 0:
                            events[end] = whole
                            end += 1
                    ends[local] = end
                a += 1


@njit(cache=True, nogil=True, inline="always")
def _add(pattern, found, n_found, seen):
    """Adds a pattern unless it was found before; `seen`, a bit for every 64th pattern, mostly tells at once."""
    if pattern < 0:
        return n_found, seen
    bit = np.uint64(1) << np.uint64(pattern & 63)
    if seen & bit:
        for e in range(n_found):
            if found[e] == pattern:
                return n_found, seen
    found[n_found] = pattern
    return n_found + 1, seen | bit


@njit(cache=True, nogil=True)
def _count_events(events, begin, end, counts, bitmap, out_patterns, out_counts, n):
    for e in range(begin, end):
        pattern = events[e]
        if counts[pattern] == 0:
            mark(bitmap, pattern)
        counts[pattern] += 1
    return _read_out(counts, bitmap, ALL_BITS, 1, out_patterns, out_counts, n)
