"""Bits: counting them and walking over the set ones, in one machine instruction each."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def _cttz(typing_context, word):
    def codegen(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _ctpop(typing_context, word):
    def codegen(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), codegen


@njit(cache=True, nogil=True, inline="always")
def lowest_bit(word):
    """The place of the lowest set bit of a uint64 (which must have one)."""
    return np.int64(_cttz(word))


@njit(cache=True, nogil=True, inline="always")
def count_bits(word):
    """How many bits of a uint64 are set."""
    return np.int64(_ctpop(word))


@njit(cache=True, nogil=True, inline="always")
def mark(bitmap, place):
    """Sets bit `place` of a bitmap of uint64 words."""
    bitmap[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
