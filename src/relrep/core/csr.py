"""Sparse rows (CSR): the entries of row r stand at row_ends[r] : row_ends[r + 1] of the columns beside it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit
from relrep.core.threads import run_in_threads, split_evenly

ROWS_A_TASK = 2048
"""Rows of a product that are one piece of work."""


def row_ends(sizes: NDArray[Any]) -> NDArray[np.int64]:
    """The row pointer of rows with so many entries each.

    >>> row_ends(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    ends = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends


def row_numbers(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each entry the row that it is of.

    >>> row_numbers(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))


def take_rows(
    ends: NDArray[np.int64], chosen: NDArray[np.bool_], *columns: NDArray[Any]
) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """The chosen rows alone: their row pointer, and what stands in each column.

    >>> ends, (values,) = take_rows(np.array([0, 2, 3]), np.array([False, True]), np.array([5, 6, 7]))
    >>> ends.tolist(), values.tolist()
    ([0, 1], [7])
    """
    sizes = np.diff(ends)
    entries = np.repeat(chosen, sizes)
    return row_ends(sizes[chosen]), [column[entries] for column in columns]


@njit(cache=True, nogil=True)
def transpose(
    ends: NDArray[np.int64], columns: NDArray[np.int32], values: NDArray[Any], n_columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """The transposed matrix in the same form, by a counting sort."""
    head = np.zeros(n_columns + 1, dtype=np.int64)
    for entry in range(len(columns)):
        head[columns[entry] + 1] += 1
    for column in range(n_columns):
        head[column + 1] += head[column]
    new_ends = head.copy()
    new_columns = np.empty(len(columns), dtype=np.int32)
    new_values = np.empty_like(values)
    for row in range(len(ends) - 1):
        for entry in range(ends[row], ends[row + 1]):
            at = head[columns[entry]]
            head[columns[entry]] += 1
            new_columns[at] = row
            new_values[at] = values[entry]
    return new_ends, new_columns, new_values


@njit(cache=True, nogil=True)
def multiply_rows(
    first: int,
    last: int,
    ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    dense: NDArray[np.float32],
    result: NDArray[np.float32],
) -> None:
    """result[first:last] = matrix[first:last] @ dense, each row summed in the order of its entries."""
    width = dense.shape[1]
    for row in range(first, last):
        total = result[row]
        total[:] = 0.0
        for entry in range(ends[row], ends[row + 1]):
            value = values[entry]
            source = dense[columns[entry]]
            for k in range(width):
                total[k] += value * source[k]


def sparse_product(
    ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    dense: NDArray[np.float32],
    threads: int = 1,
) -> NDArray[np.float32]:
    """matrix @ dense, each row by one thread.

    >>> ends, columns = np.array([0, 1, 1]), np.array([1], dtype=np.int32)
    >>> dense = np.array([[1, 2], [3, 4]], dtype=np.float32)
    >>> sparse_product(ends, columns, np.array([2], dtype=np.float32), dense).tolist()
    [[6.0, 8.0], [0.0, 0.0]]
    """
    n_rows = len(ends) - 1
    result = np.empty((n_rows, dense.shape[1]), dtype=np.float32)
    tasks = split_evenly(n_rows, max(1, n_rows // ROWS_A_TASK))

    def one(task: tuple[int, int]) -> None:
        multiply_rows(task[0], task[1], ends, columns, values, dense, result)

    for _ in run_in_threads(one, tasks, threads):
        pass
    return result
