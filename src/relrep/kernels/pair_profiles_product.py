"""Kernels for products of a sparse matrix of profiles with a narrow dense one, bit for bit repeatable."""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit


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
    """result[first:last] = matrix[first:last] @ dense; row r of the matrix is ends[r] : ends[r + 1].

    Each row is summed in the order of its entries, so the split into rows does not show in the bits.
    """
    width = dense.shape[1]
    for row in range(first, last):
        total = result[row]
        total[:] = 0.0
        for entry in range(ends[row], ends[row + 1]):
            value = values[entry]
            source = dense[columns[entry]]
            for k in range(width):
                total[k] += value * source[k]


@njit(cache=True, nogil=True)
def transpose(
    ends: NDArray[np.int64], columns: NDArray[np.int32], values: NDArray[np.float32], n_columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The transposed matrix in the same form, by a counting sort."""
    head = np.zeros(n_columns + 1, dtype=np.int64)
    for column in columns:
        head[column + 1] += 1
    for column in range(n_columns):
        head[column + 1] += head[column]
    new_ends = head.copy()
    new_columns = np.empty(len(columns), dtype=np.int32)
    new_values = np.empty(len(values), dtype=np.float32)
    for row in range(len(ends) - 1):
        for entry in range(ends[row], ends[row + 1]):
            at = head[columns[entry]]
            head[columns[entry]] += 1
            new_columns[at] = row
            new_values[at] = values[entry]
    return new_ends, new_columns, new_values


@njit(cache=True, nogil=True)
def split_by_direction(
    ends: NDArray[np.int64], keys: NDArray[np.int32], weights: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """From directed to even and odd: (ends, patterns, (f + b) / √2, (f − b) / √2).

    keys = 2 · pattern + backward, rising within a row; f and b are the weights of the pattern's two
    directions. Turning a pair round leaves its even part and changes the sign of its odd part.
    """
    root = np.float32(np.sqrt(0.5))
    new_ends = np.zeros(len(ends), dtype=np.int64)
    patterns = np.empty(len(keys), dtype=np.int32)
    even = np.empty(len(keys), dtype=np.float32)
    odd = np.empty(len(keys), dtype=np.float32)
    size = 0
    for row in range(len(ends) - 1):
        entry = ends[row]
        while entry < ends[row + 1]:
            pattern = keys[entry] >> 1
            forward, backward = np.float32(0.0), np.float32(0.0)
            while entry < ends[row + 1] and keys[entry] >> 1 == pattern:
                if keys[entry] & 1:
                    backward = weights[entry]
                else:
                    forward = weights[entry]
                entry += 1
            patterns[size] = pattern
            even[size] = root * (forward + backward)
            odd[size] = root * (forward - backward)
            size += 1
        new_ends[row + 1] = size
    return new_ends, patterns[:size].copy(), even[:size].copy(), odd[:size].copy()


@njit(cache=True, nogil=True)
def sparse_cosines(
    ends: NDArray[np.int64],
    keys: NDArray[np.int32],
    weights: NDArray[np.float32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    result: NDArray[np.float64],
) -> None:
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
