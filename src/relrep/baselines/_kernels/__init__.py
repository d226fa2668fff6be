"""Rows of float32 as our own trainers hold them, as long as whole registers, and sums over them in a fixed order.

A sum runs in eight lanes side by side, then over the lanes, whatever the compiler does with the rest.

With `fastmath` the compiler may order a sum as it likes, and does so differently where a function stands alone and
where it is part of its caller: the process that compiles and those that load from the cache would disagree.
"""

import numpy as np

from relrep.core.arrays import Floats
from relrep.core.compiling import njit_now as njit

LANES = 8


@njit(cache=True, nogil=True, inline="always")
def dot(a: Floats, b: Floats) -> np.float32:
    """Σ a b of rows whose length is a multiple of LANES."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0)
    for k in range(0, a.size, LANES):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
        s4 += a[k + 4] * b[k + 4]
        s5 += a[k + 5] * b[k + 5]
        s6 += a[k + 6] * b[k + 6]
        s7 += a[k + 7] * b[k + 7]
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


def padded_size(dim: int) -> int:
    """What is beyond `dim` is zero and stays zero."""
    return -(-dim // 8) * 8


def random_rows(random: np.random.Generator, words: int, dim: int) -> Floats:
    """Small vectors to begin with: evenly from -1/2 to 1/2, divided by `dim`."""
    rows = np.zeros((words, padded_size(dim)), dtype=np.float32)
    rows[:, :dim] = random.random((words, dim), dtype=np.float32)
    rows[:, :dim] -= np.float32(0.5)
    rows /= np.float32(dim)
    return rows
