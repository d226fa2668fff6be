"""Cosines of a few sparse rows: the bits of the kernel."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from relrep.analogy.few_cosines import few_cosines
from relrep.kernels.pair_profiles_product import sparse_cosines


@given(st.lists(st.sets(st.integers(0, 60), max_size=40), min_size=1, max_size=6), st.data())
def test_the_same_bits_as_the_kernel(rows: list[set[int]], data: st.DataObject) -> None:
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    keys = np.array([key for row in rows for key in sorted(row)], dtype=np.int32)
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal(len(keys)).astype(np.float32)
    row = st.integers(0, len(rows) - 1)
    asked = np.array(data.draw(st.lists(st.tuples(row, row), max_size=8)), dtype=np.int64).reshape(-1, 2)
    left, right = np.ascontiguousarray(asked.T)
    expected = np.zeros(len(asked))
    sparse_cosines(ends, keys, weights, left, right, expected)
    assert few_cosines(ends, keys, weights, left, right).tobytes() == expected.tobytes()
