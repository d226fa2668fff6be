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


def copied(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """A copy in memory, made block by block, so that array and copy are never there both as a whole.

    >>> copied(np.arange(3, dtype=np.int32), np.uint16).dtype
    dtype('uint16')
    """
    copy = np.empty(len(array), dtype=dtype)
    for low in range(0, len(array), _BLOCK):
        copy[low : low + _BLOCK] = array[low : low + _BLOCK]
        let_go(array)
    return copy


def aligned(size: int) -> NDArray[np.float32]:
    """Room for `size` numbers, all 0, that begins at a line of the cache.

    >>> aligned(3).ctypes.data % 64
    0
    """
    room = np.zeros(size + 15, dtype=np.float32)
    skipped = -room.ctypes.data // room.itemsize % 16
    return room[skipped : skipped + size]


def all_finite(array: NDArray[np.floating[Any]]) -> bool:
    """Whether there is no infinity and no NaN: one of them anywhere shows in the sum, so no copy is made.

    >>> all_finite(np.ones(2)), all_finite(np.array([np.inf, -np.inf]))
    (True, False)
    """
    with np.errstate(invalid="ignore"):  # the answer says it all
        return bool(np.isfinite(array.sum(dtype=np.float64)))
