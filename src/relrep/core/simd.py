"""Vector instructions spelt out where the compiler does not find them itself."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16


def vector_type(lanes=LANES):
    """So many numbers that are computed with at once."""
    return ir.VectorType(ir.FloatType(), lanes)


def data_pointer(context, builder, array_type, array):
    """Where the numbers of a flat array begin."""
    return context.make_array(array_type)(context, builder, array).data


def vector_at(builder, data, index, lanes=LANES):
    """Where data[index : index + lanes] stands, as a vector."""
    return builder.bitcast(cgutils.gep_inbounds(builder, data, index), vector_type(lanes).as_pointer())


def vector_pointer(context, builder, array_type, array, index):
    """Where array[index : index + LANES] stands, for a flat array of float32."""
    return vector_at(builder, data_pointer(context, builder, array_type, array), index)


def everywhere(builder, value, lanes=LANES):
    """A vector of one number."""
    nothing = ir.Constant(vector_type(lanes), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes))


def constant(value, lanes=LANES):
    """A vector of one number known beforehand."""
    return ir.Constant(vector_type(lanes), [value] * lanes)


def fused(builder, a, b, c):
    """a · b + c, rounded once."""
    kind = ir.FunctionType(a.type, [a.type] * 3)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{a.type.count}f32"), [a, b, c])


def load(builder, pointer):
    """LANES numbers from anywhere."""
    return builder.load(pointer, align=4)


@intrinsic
def passes_filter(
    typing_context, differences, products, at, similarities, inverse_distance, row_at, shift, add, mult, diff
):
    """Which of LANES candidates pass the filter of an analogy measure, as bits (analogy._kernels.scores.any_above).

    `differences` and `products` are read from `at` on; `similarities` and `inverse_distance`, two-dimensional and
    contiguous, from the flat place `row_at` on.
    """

    def codegen(context, builder, signature, arguments):
        def lanes(array, index):
            return load(
                builder, vector_pointer(context, builder, signature.args[array], arguments[array], arguments[index])
            )

        difference, product, similarity, inverse = lanes(0, 2), lanes(1, 2), lanes(3, 5), lanes(4, 5)
        shifted = builder.fmul(builder.fsub(difference, everywhere(builder, arguments[6])), inverse)
        hits = builder.fcmp_ordered(">", builder.fadd(difference, similarity), everywhere(builder, arguments[7]))
        by_mult = builder.fcmp_ordered(">", builder.fmul(product, similarity), everywhere(builder, arguments[8]))
        by_diff = builder.fcmp_ordered(">", shifted, everywhere(builder, arguments[9]))
        hits = builder.or_(builder.or_(hits, by_mult), by_diff)
        return builder.zext(builder.bitcast(hits, ir.IntType(LANES)), ir.IntType(64))

    f32 = types.float32
    place = types.int64
    return (
        types.uint64(differences, products, place, similarities, inverse_distance, place, f32, f32, f32, f32),
        codegen,
    )
