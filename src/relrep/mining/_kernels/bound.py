"""Kernel that brings the two orders of a pair together."""

import numpy as np

from relrep.core.compiling import njit


@njit(cache=True, nogil=True)
def both_orders(ends, forward, backward, starts, columns, values, number_of):
    """(keys, counts) of rows ends[r] : ends[r + 1]: the patterns of row forward[r] and those of row backward[r].

    keys = 2 · number_of[pattern] + backward, rising within a row.
    """
    keys = np.empty(ends[-1], dtype=np.int32)
    counts = np.empty(ends[-1], dtype=np.int32)
    for row in range(len(forward)):
        at = ends[row]
        for entry in range(starts[forward[row]], starts[forward[row] + 1]):
            keys[at], counts[at] = 2 * number_of[columns[entry]], values[entry]
            at += 1
        for entry in range(starts[backward[row]], starts[backward[row] + 1]):
            keys[at], counts[at] = 2 * number_of[columns[entry]] + 1, values[entry]
            at += 1
        order = np.argsort(keys[ends[row] : at])
        keys[ends[row] : at] = keys[ends[row] : at][order]
        counts[ends[row] : at] = counts[ends[row] : at][order]
    return keys, counts
