"""Vector instructions spelt out where the compiler does not find them itself."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _vector_pointer(context, builder, array_type, array, index):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(cgutils.gep_inbounds(builder, data, index), _VECTOR.as_pointer())


@intrinsic
def add_scaled(typing_context, out, at, weight, lanes, lanes_at):
    """out[at : at + LANES] += weight * lanes[lanes_at : lanes_at + LANES]: flat arrays and a weight in float32."""

    def codegen(context, builder, signature, arguments):
        out_type, _, _, lanes_type, _ = signature.args
        target = _vector_pointer(context, builder, out_type, arguments[0], arguments[1])
        source = _vector_pointer(context, builder, lanes_type, arguments[3], arguments[4])
        scale = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        scale = builder.shuffle_vector(scale, ir.Constant(_VECTOR, ir.Undefined), everywhere)
        product = builder.fmul(scale, builder.load(source, align=4))
        builder.store(builder.fadd(builder.load(target, align=4), product), target, align=4)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.float32, lanes, types.int64), codegen
