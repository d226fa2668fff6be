"""Counts by row and column as few bytes: sorted, as differences, cut by slots; and sums of such lists.

A list is sorted by row and column. Each entry is written as its distance from the one before it and its count, in
groups of seven bits: 2 · (distance of columns) in the same row, else 2 · (distance of rows) + 1 and the column.
"""

import numpy as np
from numba import njit

_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True, inline="always")
def _slot(row, column, n_slots):
    # The finaliser of splitmix64: every bit of the whole key counts, so that a frequent word's pairs go everywhere.
    code = (np.uint64(row) << np.uint64(32)) | np.uint64(column)
    code = (code ^ (code >> np.uint64(30))) * _MIX_1
    code = (code ^ (code >> np.uint64(27))) * _MIX_2
    return np.int64((code ^ (code >> np.uint64(31))) % np.uint64(n_slots))


@njit(cache=True, nogil=True, inline="always")
def _length(number):
    n = 1
    while number >= 128:
        number >>= 7
        n += 1
    return n


@njit(cache=True, nogil=True, inline="always")
def _put(out, at, number):
    while number >= 128:
        out[at] = (number & 127) | 128
        number >>= 7
        at += 1
    out[at] = number
    return at + 1


@njit(cache=True, nogil=True)
def pack(starts, columns, values, row_slots, n_slots):
    """The entries of a run, packed by slot: (bytes, where each slot's begin, how many entries each slot has).

    The slot is row_slots[row], or, where that is empty, told by a hash of row and column.
    """
    by_row = len(row_slots) > 0
    sizes = np.zeros(n_slots + 1, dtype=np.int64)
    entries = np.zeros(n_slots, dtype=np.int64)
    out = np.empty(0, dtype=np.uint8)
    at = np.zeros(n_slots, dtype=np.int64)
    for writes in (False, True):  # first how long, then the bytes themselves
        if writes:
            for slot in range(n_slots):
                sizes[slot + 1] += sizes[slot]
                at[slot] = sizes[slot]
            out = np.empty(sizes[n_slots], dtype=np.uint8)
        last_rows = np.zeros(n_slots, dtype=np.int64)
        last_columns = np.zeros(n_slots, dtype=np.int64)
        for row in range(len(starts) - 1):
            for k in range(starts[row], starts[row + 1]):
                column = np.int64(columns[k])
                slot = np.int64(row_slots[row]) if by_row else _slot(row, column, n_slots)
                value = np.int64(values[k])
                same = row == last_rows[slot]
                step = (column - last_columns[slot]) << 1 if same else ((row - last_rows[slot]) << 1) | 1
                if writes:
                    place = _put(out, at[slot], step)
                    if not same:
                        place = _put(out, place, column)
                    at[slot] = _put(out, place, value)
                else:
                    sizes[slot + 1] += _length(step) + _length(value) + (0 if same else _length(column))
                    entries[slot] += 1
                last_rows[slot] = row
                last_columns[slot] = column
    return out, sizes, entries


@njit(cache=True, nogil=True)
def unpack(data, n):
    """The n entries packed in `data`: (row · 2^32 + column, count)."""
    keys = np.empty(n, dtype=np.int64)
    values = np.empty(n, dtype=np.int64)
    at = 0
    row = column = np.int64(0)
    for k in range(n):
        step, at = _get(data, at)
        if step & 1:
            row += step >> 1
            column, at = _get(data, at)
        else:
            column += step >> 1
        values[k], at = _get(data, at)
        keys[k] = (row << 32) | column
    return keys, values


@njit(cache=True, nogil=True, inline="always")
def _get(data, at):
    number = np.int64(0)
    shift = 0
    while data[at] >= 128:
        number |= np.int64(data[at] & 127) << shift
        shift += 7
        at += 1
    return number | (np.int64(data[at]) << shift), at + 1


@njit(cache=True, nogil=True)
def add_sorted(keys_a, values_a, keys_b, values_b):
    """The sum of two lists of counts, each sorted by keys that differ."""
    keys = np.empty(len(keys_a) + len(keys_b), dtype=np.int64)
    values = np.empty(len(keys), dtype=np.int64)
    a = b = n = 0
    while a < len(keys_a) and b < len(keys_b):
        key_a, key_b = keys_a[a], keys_b[b]
        keys[n] = min(key_a, key_b)
        value = np.int64(0)
        if key_a <= key_b:
            value += values_a[a]
            a += 1
        if key_b <= key_a:
            value += values_b[b]
            b += 1
        values[n] = value
        n += 1
    while a < len(keys_a):
        keys[n], values[n] = keys_a[a], values_a[a]
        a += 1
        n += 1
    while b < len(keys_b):
        keys[n], values[n] = keys_b[b], values_b[b]
        b += 1
        n += 1
    return keys[:n], values[:n]
