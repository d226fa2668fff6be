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


def _everywhere(builder, value):
    """A vector of one number."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _constant(value):
    return ir.Constant(_VECTOR, [value] * LANES)


def _load(builder, pointer):
    return builder.load(pointer, align=4)


@intrinsic
def add_scaled(typing_context, out, at, weight, lanes, lanes_at):
    """out[at : at + LANES] += weight * lanes[lanes_at : lanes_at + LANES]: flat arrays and a weight in float32."""

    def codegen(context, builder, signature, arguments):
        out_type, _, _, lanes_type, _ = signature.args
        target = _vector_pointer(context, builder, out_type, arguments[0], arguments[1])
        source = _vector_pointer(context, builder, lanes_type, arguments[3], arguments[4])
        product = builder.fmul(_everywhere(builder, arguments[2]), _load(builder, source))
        builder.store(builder.fadd(_load(builder, target), product), target, align=4)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.float32, lanes, types.int64), codegen


def _reciprocal_root(builder, x):
    """1 / √x as in relrep.kernels.training.reciprocal_root."""
    whole = ir.VectorType(ir.IntType(32), LANES)
    halved = builder.lshr(builder.bitcast(x, whole), ir.Constant(whole, [1] * LANES))
    guess = builder.bitcast(builder.sub(ir.Constant(whole, [0x5F3759DF] * LANES), halved), _VECTOR)
    half = builder.fmul(_constant(0.5), x)
    for _ in range(2):
        squared = builder.fmul(builder.fmul(half, guess), guess)
        guess = builder.fmul(guess, builder.fsub(_constant(1.5), squared))
    return guess


@intrinsic
def adagrad_step(typing_context, vectors, sums, at, a, q, b, p, patterns_at, rate, least):
    """One AdaGrad step of LANES coordinates on the slope a · q + b · p: all flat float32 arrays.

    vectors[at:] and sums[at:] are moved; q and p are read from patterns_at on; sums count as `least` at least.
    """

    def codegen(context, builder, signature, arguments):
        vectors_type, sums_type, q_type, p_type = (signature.args[i] for i in (0, 1, 4, 6))
        moved = _vector_pointer(context, builder, vectors_type, arguments[0], arguments[2])
        squares = _vector_pointer(context, builder, sums_type, arguments[1], arguments[2])
        of_q = _load(builder, _vector_pointer(context, builder, q_type, arguments[4], arguments[7]))
        of_p = _load(builder, _vector_pointer(context, builder, p_type, arguments[6], arguments[7]))
        slope = builder.fadd(
            builder.fmul(_everywhere(builder, arguments[3]), of_q),
            builder.fmul(_everywhere(builder, arguments[5]), of_p),
        )
        total = builder.fadd(_load(builder, squares), builder.fmul(slope, slope))
        builder.store(total, squares, align=4)
        floor = _everywhere(builder, arguments[9])
        total = builder.select(builder.fcmp_ordered(">", total, floor), total, floor)
        step = builder.fmul(builder.fmul(_everywhere(builder, arguments[8]), slope), _reciprocal_root(builder, total))
        builder.store(builder.fsub(_load(builder, moved), step), moved, align=4)
        return context.get_dummy_value()

    f32 = types.float32
    return types.void(vectors, sums, types.int64, f32, q, f32, p, types.int64, f32, f32), codegen


@intrinsic
def prefetch(typing_context, array, index):
    """Asks for the line of the cache that holds array[index], which is needed soon; any index will do."""

    def codegen(context, builder, signature, arguments):
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(cgutils.gep(builder, data, arguments[1]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [place, *(ir.Constant(word, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


@intrinsic
def passes_filter(
    typing_context, differences, products, at, similarities, inverse_distance, row_at, shift, add, mult, diff
):
    """Which of LANES candidates pass the filter of an analogy measure, as bits (see relrep.kernels.analogy.any_above).

    `differences` and `products` are read from `at` on; `similarities` and `inverse_distance`, two-dimensional and
    contiguous, from the flat place `row_at` on.
    """

    def codegen(context, builder, signature, arguments):
        def lanes(array, index):
            return _load(
                builder, _vector_pointer(context, builder, signature.args[array], arguments[array], arguments[index])
            )

        difference, product, similarity, inverse = lanes(0, 2), lanes(1, 2), lanes(3, 5), lanes(4, 5)
        shifted = builder.fmul(builder.fsub(difference, _everywhere(builder, arguments[6])), inverse)
        hits = builder.fcmp_ordered(">", builder.fadd(difference, similarity), _everywhere(builder, arguments[7]))
        by_mult = builder.fcmp_ordered(">", builder.fmul(product, similarity), _everywhere(builder, arguments[8]))
        by_diff = builder.fcmp_ordered(">", shifted, _everywhere(builder, arguments[9]))
        hits = builder.or_(builder.or_(hits, by_mult), by_diff)
        return builder.zext(builder.bitcast(hits, ir.IntType(LANES)), ir.IntType(64))

    f32 = types.float32
    place = types.int64
    return (
        types.uint64(differences, products, place, similarities, inverse_distance, place, f32, f32, f32, f32),
        codegen,
    )
