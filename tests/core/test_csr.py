"""Sparse rows against dictionaries."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from relrep.core.csr import multiply_rows, row_ends, transpose
from relrep.reference import arrays as reference

MATRICES = st.lists(st.dictionaries(st.integers(0, 4), st.integers(-9, 9), max_size=5), max_size=7)


def as_arrays(rows: list[dict[int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    entries = [sorted(row.items()) for row in rows]
    columns = np.array([column for row in entries for column, _ in row], dtype=np.int32)
    values = np.array([value for row in entries for _, value in row], dtype=np.float32)
    return row_ends(np.array([len(row) for row in rows], dtype=np.int64)), columns, values


@given(MATRICES)
def test_transpose_equals_the_reference(rows):
    ends, columns, values = transpose(*as_arrays(rows), 5)
    for column, expected in enumerate(reference.transpose(rows, 5)):
        some = slice(int(ends[column]), int(ends[column + 1]))
        assert dict(zip(columns[some].tolist(), values[some].tolist(), strict=True)) == expected
        assert (np.diff(columns[some]) > 0).all()


@given(MATRICES)
def test_products_equal_the_reference(rows):
    dense = np.arange(15, dtype=np.float32).reshape(5, 3)
    result = np.full((len(rows), 3), 7, dtype=np.float32)
    multiply_rows(0, len(rows), *as_arrays(rows), dense, result)
    assert result.tolist() == reference.multiply(rows, dense.tolist())
