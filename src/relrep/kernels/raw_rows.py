"""Rows that lie scattered in a buffer of bytes, brought together."""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit


@njit(cache=True, nogil=True)
def gather_rows(data: NDArray[np.uint8], offsets: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
    """Copies the bytes of data[offsets[i]:] into row i of `out`, as many as a row holds."""
    for row in range(len(offsets)):
        offset = offsets[row]
        for at in range(out.shape[1]):
            out[row, at] = data[offset + at]
