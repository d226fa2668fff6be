"""Bits: counting them and walking over the set ones; LLVM makes one machine instruction of each."""

import numpy as np
from numba import njit

_ONES, _TWOS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_FOURS, _EIGHTS = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@njit(cache=True, nogil=True, inline="always")
def count_bits(word):
    """How many bits of a uint64 are set, in the way that compilers know as a population count."""
    word = word - ((word >> np.uint64(1)) & _ONES)
    word = (word & _TWOS) + ((word >> np.uint64(2)) & _TWOS)
    word = (word + (word >> np.uint64(4))) & _FOURS
    return np.int64((word * _EIGHTS) >> np.uint64(56))


@njit(cache=True, nogil=True, inline="always")
def lowest_bit(word):
    """The place of the lowest set bit of a uint64 (64 where there is none)."""
    return count_bits(~word & (word - np.uint64(1)))


@njit(cache=True, nogil=True, inline="always")
def mark(bitmap, place):
    """Sets bit `place` of a bitmap of uint64 words."""
    bitmap[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
