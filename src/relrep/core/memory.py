"""Arrays where they should lie: mapped files read through without staying in memory, room at the lines of the cache."""

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 22


def let_go(*arrays: NDArray[Any]) -> None:
    """Tells the system that the pages of memory-mapped arrays are not needed for now; they stay readable."""
    for array in arrays:
        base: Any = array
        while base is not None and not isinstance(base, mmap.mmap):
            base = getattr(base, "_mmap", None) or getattr(base, "base", None)
        if base is not None and hasattr(base, "madvise"):
            base.madvise(mmap.MADV_DONTNEED)


def all_finite(array: NDArray[np.floating[Any]]) -> bool:
    """Whether there is no infinity and no NaN: one of them anywhere shows in the sum, so no copy is made.

    >>> all_finite(np.ones(2)), all_finite(np.array([np.inf, -np.inf])), all_finite(np.full(2, 1e308))
    (True, False, True)
    """
    with np.errstate(invalid="ignore", over="ignore"):  # the answer says it all
        if np.isfinite(array.sum(dtype=np.float64)):
            return True
    if array.dtype != np.float64:
        return False
    # The sum of huge but finite numbers may be infinite.
    step = max(1, _BLOCK * len(array) // max(1, array.size))
    return all(bool(np.isfinite(array[low : low + step]).all()) for low in range(0, len(array), step))
