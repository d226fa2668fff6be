"""Bytes and numbers at an address of memory, which numba gives no public way to; and single bits.

Inner functions of a hot loop take addresses, not arrays: numba would count references to the arrays at every call. The
first byte in memory is the lowest of a number, as on all machines that numba compiles for.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from relrep.core.compiling import njit_now as njit

_ONES, _TWOS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_FOURS, _EIGHTS = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


def _loader(kind: Any) -> Any:
    @intrinsic
    def load(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(kind.bitwidth).as_pointer())
            return builder.load(pointer, align=1)

        return kind(types.intp), generate

    return load


def _storer(kind: Any) -> Any:
    @intrinsic
    def store(typing_context: Any, address: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(kind.bitwidth).as_pointer())
            builder.store(arguments[1], pointer, align=1)
            return context.get_dummy_value()

        return types.void(types.intp, kind), generate

    return store


byte_at = _loader(types.uint8)
eight_at = _loader(types.uint64)
int32_at = _loader(types.int32)
put_byte = _storer(types.uint8)
put_eight = _storer(types.uint64)


@intrinsic
def prefetch(typing_context: Any, address: Any) -> Any:
    """Asks for the memory at an address that will be written soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer_type, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer_type, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer_type], kind)
        to_write, keep_near, data = flag(1), flag(3), flag(1)
        builder.call(function, [builder.inttoptr(arguments[0], pointer_type), to_write, keep_near, data])
        return context.get_dummy_value()

    return types.void(types.intp), generate


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
