"""Cosines of a few sparse rows in NumPy, to the bit those of the kernel `sparse_cosines`, which serves many."""

import numpy as np
from numpy.typing import NDArray

FEW = 100
"""Up to so many cosines: a question has 30, and loading the kernel would take longer than all of its answer."""


def few_cosines(
    ends: NDArray[np.int64],
    keys: NDArray[np.int32],
    weights: NDArray[np.float32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The products of the rows left[i] and right[i], whose keys rise; cosines, if rows have unit length.

    >>> ends, keys = np.array([0, 2, 4]), np.array([3, 5, 5, 9], dtype=np.int32)
    >>> few_cosines(ends, keys, np.array([0.5, 2, 3, 1], dtype=np.float32), np.array([0]), np.array([1])).tolist()
    [6.0]
    """
    sizes = np.diff(ends)
    width = int(keys.max(initial=0)) + 1
    places = np.repeat(np.arange(len(sizes)), sizes) * width + keys  # row and key as one number, rising
    asked = np.repeat(np.arange(len(right)), sizes[right])
    skipped = np.repeat(ends[right] - np.cumsum(sizes[right]) + sizes[right], sizes[right])
    entry = np.arange(len(asked)) + skipped
    other = np.searchsorted(places, left[asked] * width + keys[entry])
    shared = np.append(places, -1)[other] == left[asked] * width + keys[entry]
    products = weights[entry[shared]].astype(np.float64) * weights[other[shared]]
    # bincount adds in the order of the entries, which is that of the keys, as in the kernel
    return np.bincount(asked[shared], products, len(left)).astype(np.float64)
