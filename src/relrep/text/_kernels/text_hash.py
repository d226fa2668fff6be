"""A hash of text line by line, made so that the hash of two texts in a row follows from theirs."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.core.bits import lowest_bit
from relrep.text._kernels.raw_bytes import address_of, byte_at, eight_at, first_bytes

PRIME = (1 << 61) - 1
BASES = (0x1B873593CC9E2D51, 0x0E6546B64C2B2AE3)
"""Two bases below PRIME, so that two texts would have to collide twice."""
_FIRST_BASE, _SECOND_BASE = np.uint64(BASES[0]), np.uint64(BASES[1])
_PRIME = np.uint64(PRIME)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_LOWEST, _HIGHEST = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_31, _30 = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)


@njit(cache=True, nogil=True, inline="always")
def _fold(code, eight_bytes):
    code = (code ^ eight_bytes) * _FACTOR
    return code ^ (code >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def _reduced(value):
    value = (value >> np.uint64(61)) + (value & _PRIME)
    return value - _PRIME if value >= _PRIME else value


@njit(cache=True, nogil=True, inline="always")
def _times(a, b):
    # a · b modulo 2^61 - 1, in halves, so that nothing overflows 64 bits.
    a_high, a_low, b_high, b_low = a >> np.uint64(31), a & _31, b >> np.uint64(31), b & _31
    middle = a_low * b_high + a_high * b_low
    return _reduced(
        a_high * b_high * np.uint64(2)
        + (middle >> np.uint64(30))
        + ((middle & _30) << np.uint64(31))
        + a_low * b_low
    )  # fmt: skip


@njit(cache=True, nogil=True)
def hash_lines(text: NDArray[np.uint8]) -> tuple[np.int64, np.int64, int]:
    """Two polynomials in the hashes of the lines of `text`, which ends with a line break; and how many lines it has.

    Of lines a, b, c a polynomial is (a·r + b)·r + c: appending text of n lines multiplies it by r^n and adds theirs.
    """
    at = address_of(text)
    size = len(text)
    first = second = np.uint64(0)
    n_lines = start = i = 0
    code = _SEED
    while i < size:
        if i + 8 <= size:
            eight = eight_at(at + i)
            different = eight ^ _NEWLINES
            breaks = (different - _LOWEST) & ~different & _HIGHEST
            if breaks == np.uint64(0):
                code = _fold(code, eight)
                i += 8
                continue
            n = lowest_bit(breaks) >> 3
            rest = first_bytes(eight, n) if n else np.uint64(0)
        else:
            n = 0
            rest = np.uint64(0)
            while byte_at(at + i + n) != 10:
                rest |= np.uint64(byte_at(at + i + n)) << np.uint64(8 * n)
                n += 1
        code = _fold(_fold(code, rest), np.uint64(i + n - start))
        first = _reduced(_times(first, _FIRST_BASE) + (code >> np.uint64(4)))
        second = _reduced(_times(second, _SECOND_BASE) + (code & _PRIME))
        n_lines += 1
        i += n + 1
        start = i
        code = _SEED
    return np.int64(first), np.int64(second), n_lines
