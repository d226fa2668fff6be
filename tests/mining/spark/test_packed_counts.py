"""Packed runs come out as they went in, cut by slots; sums of sorted lists against plain dictionaries."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from relrep.mining.spark.packed_counts import add_sorted, pack, unpack

entries = st.dictionaries(
    st.tuples(st.integers(0, 400), st.integers(0, (1 << 31) - 1)), st.integers(1, 1 << 40), max_size=60
)


def as_run(counts: dict[tuple[int, int], int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ordered = sorted(counts)
    n_rows = max((row for row, _ in ordered), default=0) + 1
    starts = np.searchsorted([row for row, _ in ordered], np.arange(n_rows + 1)).astype(np.int64)
    columns = np.array([column for _, column in ordered], dtype=np.int32)
    return starts, columns, np.array([counts[key] for key in ordered], dtype=np.int64)


@given(entries, st.integers(1, 5), st.booleans())
def test_packed_runs_come_out_as_they_went_in(counts, n_slots, by_row):
    starts, columns, values = as_run(counts)
    row_slots = (np.arange(len(starts) - 1) % n_slots).astype(np.int32) if by_row else np.empty(0, np.int32)
    data, places, sizes = pack(starts, columns, values, row_slots, n_slots)
    found = {}
    for slot in range(n_slots):
        keys, own = unpack(data[places[slot] : places[slot + 1]], sizes[slot])
        assert (np.diff(keys) > 0).all()
        for key, value in zip(keys.tolist(), own.tolist(), strict=True):
            row, column = key >> 32, key & 0xFFFFFFFF
            assert not by_row or row % n_slots == slot
            found[row, column] = value
    assert found == counts


def test_the_pairs_of_one_word_go_to_all_slots():
    columns = np.arange(10_000, dtype=np.int32)
    starts = np.array([0, len(columns)], dtype=np.int64)
    _, _, sizes = pack(starts, columns, np.ones(len(columns), np.int32), np.empty(0, np.int32), 8)
    assert sizes.max() < 1.1 * sizes.mean() and sizes.sum() == len(columns)


@given(entries, entries)
def test_sums_of_sorted_lists(one, two):
    lists = []
    for counts in (one, two):
        ordered = sorted((row << 32 | column, value) for (row, column), value in counts.items())
        lists += [np.array([each[place] for each in ordered], dtype=np.int64) for place in (0, 1)]
    keys, values = add_sorted(*lists)
    expected = Counter({row << 32 | column: value for (row, column), value in one.items()})
    expected.update({row << 32 | column: value for (row, column), value in two.items()})
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(expected.items())
