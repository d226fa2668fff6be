"""Bytes by address, one or eight at a time, and tests of eight bytes of ASCII text in one 64-bit number.

Inner functions of a hot loop take addresses, not arrays: numba would count references to the arrays at every call.
The first byte in memory is the lowest of the number, as on all machines that numba compiles for.
"""

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy import int64, uint64

_EACH = 0x0101010101010101
_HIGH_BITS = uint64(0x80 * _EACH)
_LOW_BITS = uint64(0x7F * _EACH)
LOWERCASE = uint64(0x20 * _EACH)
"""The bits that tell small letters from capitals."""
# Added to a byte below 0x80, these set its high bit where the byte is that character or a later one.
_FROM_A = uint64((0x80 - ord("a")) * _EACH)
_BEYOND_Z = uint64((0x80 - ord("z") - 1) * _EACH)
_FROM_0 = uint64((0x80 - ord("0")) * _EACH)
_BEYOND_9 = uint64((0x80 - ord("9") - 1) * _EACH)


def _loader(kind: Any) -> Any:
    @intrinsic
    def load(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(kind.bitwidth).as_pointer())
            value = builder.load(pointer)
            value.align = 1
            return value

        return kind(types.intp), generate

    return load


def _storer(kind: Any) -> Any:
    @intrinsic
    def store(typing_context: Any, address: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(kind.bitwidth).as_pointer())
            done = builder.store(arguments[1], pointer)
            done.align = 1
            return context.get_dummy_value()

        return types.void(types.intp, kind), generate

    return store


byte_at = _loader(types.uint8)
eight_at = _loader(types.uint64)
int32_at = _loader(types.int32)
put_byte = _storer(types.uint8)
put_eight = _storer(types.uint64)


@intrinsic
def address_of(typing_context: Any, array: Any) -> Any:
    """Where in memory the array begins; the array must be held as long as its address is used."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        held = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        return builder.ptrtoint(held.data, context.get_value_type(types.intp))

    return types.intp(array), generate


@intrinsic
def prefetch(typing_context: Any, address: Any) -> Any:
    """Asks for the memory at an address that will be needed soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer_type = ir.IntType(8).as_pointer()
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer_type, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        to_write, keep_near, data = flag(1), flag(3), flag(1)
        builder.call(function, [builder.inttoptr(arguments[0], pointer_type), to_write, keep_near, data])
        return context.get_dummy_value()

    return types.void(types.intp), generate


@intrinsic
def _trailing_zeros(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True, inline="always")
def eight_before(address: int, end: int) -> Any:
    """The eight bytes at `address`, with zeros for those at `end` and behind it."""
    if address + 8 <= end:
        return eight_at(address)
    value = uint64(0)
    for i in range(end - address):
        value |= uint64(byte_at(address + i)) << uint64(8 * i)
    return value


@njit(cache=True, nogil=True, inline="always")
def fold_ascii(eight: Any, case_bits: Any) -> Any:
    """The same eight bytes, ASCII letters lower-cased; and how many of the first are ASCII letters or digits.

    `case_bits` is LOWERCASE, or 0 to leave letters as they are.
    """
    low = eight & _LOW_BITS
    small = low | LOWERCASE
    letters = (small + _FROM_A) & ~(small + _BEYOND_Z) & ~eight & _HIGH_BITS
    digits = (low + _FROM_0) & ~(low + _BEYOND_9) & ~eight
    others = _HIGH_BITS & ~(letters | digits)
    return eight | ((letters >> uint64(2)) & case_bits), int64(_trailing_zeros(others) >> uint64(3))


@njit(cache=True, nogil=True, inline="always")
def first_bytes(eight: Any, count: int) -> Any:
    """The first `count` (fewer than eight) of these bytes, the others zero."""
    return eight & ((uint64(1) << uint64(8 * count)) - uint64(1))
