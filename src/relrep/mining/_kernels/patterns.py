"""Patterns between the words of selected pairs: their totals, their places in the text, and the counts g(p, u, v).

`direction` is 1 where the pair's first word comes first; -1 where an occurrence v … u supports (u, v). From a base
position b (the pair's first word) the midfix of offset o is what lies strictly between b and b + direction · o; it
grows with o, so the patterns of all offsets come from one walk.
"""

import numpy as np
from numba import njit

from relrep.core.bits import count_bits, lowest_bit, mark
from relrep.mining._kernels.cooccurrence import BATCH, MAX_REACH, moved


@njit(cache=True, nogil=True)
def total_inner(tokens, low, high, masks, direction, unigram_totals, bigram_weights):
    """Occurrences of the inner unigrams, by word, and of the bigrams, by where in the text they begin.

    Bases low ≤ b < high, which must be whole sentences. A pattern counts once in an occurrence of a pair, however often
    it stands in the midfix.
    """
    for b in range(low, high):
        bits = np.uint64(masks[b])
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
def count_extensions(tokens, row_starts, row_positions, low, high, n, n_words, weights, masks, direction, is_frequent,
at_least ):  # fmt: skip
    """For the n-grams that begin with row low ≤ r < high (an (n - 1)-gram): how often they occur, and their weight.

    The weight is `weights[start]` summed (inner bigrams), or, where `weights` is empty, the number of selected pairs of
    which the n-gram is the whole midfix. Returns (row starts, last word, occurrences, weight), last words rising, of
    those where one or the other is `at_least`.
    """
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
                    summed[word] += (np.int64(masks[base]) >> n) & 1
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
def write_extensions(
    tokens, row_starts, row_positions, low, high, n, n_words, table_starts, table_words, table_ids, out
):
    """out[start] = the id that a table gives to the n-gram beginning at `start` (rows as in count_extensions)."""
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
                found = id_of[tokens[end]]
                if found >= 0:
                    out[start] = found
        for entry in range(table_starts[row], table_starts[row + 1]):
            id_of[table_words[entry]] = -1


@njit(cache=True, nogil=True)
def count_triples(
    tokens, starts, positions, low, high, pair_starts, pair_v, n_words, n_patterns, reach, no_events,
    forward_masks, forward_rooms, forward_unigrams, forward_bigrams, forward_midfixes,
    backward_masks, backward_rooms, backward_unigrams, backward_bigrams, backward_midfixes,
):  # fmt: skip
    """g(p, u, v) for the selected pairs of the words low ≤ u < high.

    `…_rooms[pair]` says how many events a pair has at most. `…_unigrams[word]`, `…_bigrams[start]` and `…_midfixes[n
    - 1, start]` give pattern ids (-1: none; an empty array: not wanted). `no_events` is an empty array of a type that
    holds a pattern id. Returns (row starts by pair, pattern, count), patterns rising within a pair.
    """
    first_pair = pair_starts[low]
    row_starts = np.zeros(pair_starts[high] - first_pair + 1, dtype=np.int64)
    room = 1 << 16
    out_patterns = np.empty(room, dtype=no_events.dtype)
    out_counts = np.empty(room, dtype=np.int32)
    n = 0
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
            if len(forward_masks):
                total += forward_rooms[pairs_low + local]
            if len(backward_masks):
                total += backward_rooms[pairs_low + local]
        begins[n_local] = total
        events = np.empty(total, dtype=no_events.dtype)  # room not used is never touched and takes no memory
        ends = begins.copy()
        if len(forward_masks):
            _gather(
                tokens, own, forward_masks, 1, reach, local_of, forward_unigrams, forward_bigrams, forward_midfixes,
                ends, events,
            )  # fmt: skip
        if len(backward_masks):
            _gather(
                tokens, own, backward_masks, -1, reach, local_of, backward_unigrams, backward_bigrams,
                backward_midfixes, ends, events,
            )  # fmt: skip
        for local in range(n_local):
            needed = n + min(ends[local] - begins[local], n_patterns)
            if needed > room:
                while room < needed:
                    room *= 2
                out_patterns, out_counts = moved(out_patterns, out_counts, n, room)
            n = _count_events(events, begins[local], ends[local], counts, bitmap, out_patterns, out_counts, n)
            row_starts[pairs_low - first_pair + local + 1] = n
        for pair in range(pairs_low, pairs_high):
            local_of[pair_v[pair]] = -1
    return row_starts, out_patterns[:n].copy(), out_counts[:n].copy()


@njit(cache=True, nogil=True)
def _gather_masks(own, first, n, masks, bases, bits):
    """The positions of a batch that have a selected neighbour with something in between, and their masks."""
    m = 0
    for e in range(n):
        b = own[first + e] >> 1
        bases[m] = b
        bits[m] = masks[b]
        m += 1 if bits[m] > 1 else 0
    return m


@njit(cache=True, nogil=True)
def _gather(tokens, own, masks, direction, reach, local_of, unigrams, bigrams, midfixes, ends, events):
    """Writes one event for each pattern of each occurrence of each pair of one word."""
    bases = np.empty(BATCH, dtype=np.int64)
    bits = np.empty(BATCH, dtype=np.uint64)
    windows = np.empty((BATCH, MAX_REACH), dtype=np.int32)
    bigram_windows = np.empty((BATCH, MAX_REACH), dtype=np.int32)
    found = np.empty(2 * MAX_REACH, dtype=np.int32)
    with_bigrams = len(bigrams) > 0
    with_unigrams = len(unigrams) > 0
    for first in range(0, len(own), BATCH):
        m = _gather_masks(own, first, min(BATCH, len(own) - first), masks, bases, bits)
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
    for group in range(len(bitmap)):
        bits = bitmap[group]
        if bits == 0:
            continue
        bitmap[group] = 0
        while bits:
            pattern = (group << 6) + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            out_patterns[n] = pattern
            out_counts[n] = counts[pattern]
            counts[pattern] = 0
            n += 1
    return n
