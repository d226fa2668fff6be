"""Numbers that two threads pass to each other while their kernels run."""

import os

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_ALIGNMENT = 8

give_way = types.ExternalFunction("sched_yield" if os.name == "posix" else "SwitchToThread", types.int32())
"""Lets other threads use the processor first."""


def _pointer(context, builder, array_type, array, index):
    return cgutils.gep_inbounds(builder, context.make_array(array_type)(context, builder, array).data, index)


@intrinsic
def publish(typing_context, array, index, value):
    """array[index] = value for an int64 array: whoever reads it sees all that was written before."""

    def codegen(context, builder, signature, arguments):
        place = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store_atomic(arguments[2], place, "release", _ALIGNMENT)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


@intrinsic
def observe(typing_context, array, index):
    """array[index] of an int64 array, and with it all that its writer had written before."""

    def codegen(context, builder, signature, arguments):
        place = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        value = builder.load_atomic(place, "acquire", _ALIGNMENT)
        assert value.type == ir.IntType(64)
        return value

    return types.int64(array, types.int64), codegen
