"""The two vector loops of instance-by-instance training, with what they sum up or move kept in registers.

A word's numbers lie together: `width` coordinates, then AdaGrad's sum of squares for each of them. `size`, the number
of vectors of LANES coordinates in a slice, is written out as a constant where these are called.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from relrep.kernels.simd import LANES, VECTOR, constant, everywhere, load, vector_pointer

_INT = ir.IntType(64)
_UNROLLED = 2


def _whole(value):
    return ir.Constant(_INT, value)


def _fused(builder, a, b, c):
    """a · b + c, rounded once."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32"), [a, b, c])


@intrinsic(prefer_literal=True)
def weighted_sum(typing_context, size, out, at, words, first, columns, values, low, high):
    """out[at:] = Σ values[e] · (coordinates of word columns[e]) over low ≤ e < high; words[first:] is the slice."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    n = size.literal_value

    def codegen(context, builder, signature, arguments):
        _, out_type, _, words_type, _, columns_type, values_type, _, _ = signature.args
        _, out_, at_, words_, first_, columns_, values_, low_, high_ = arguments
        column_at = context.make_array(columns_type)(context, builder, columns_).data
        value_at = context.make_array(values_type)(context, builder, values_).data
        sums = [[cgutils.alloca_once(builder, VECTOR) for _ in range(n)] for _ in range(_UNROLLED)]
        for place in (*sums[0], *sums[1]):
            builder.store(constant(0.0), place)

        def add(entry, own):
            value = everywhere(builder, builder.load(builder.gep(value_at, [entry])))
            word = builder.sext(builder.load(builder.gep(column_at, [entry])), _INT)
            row = builder.add(first_, builder.mul(word, _whole(2 * n * LANES)))
            for k in range(n):
                place = vector_pointer(context, builder, words_type, words_, builder.add(row, _whole(k * LANES)))
                builder.store(_fused(builder, value, load(builder, place), builder.load(own[k])), own[k])

        whole = builder.and_(builder.sub(high_, low_), _whole(-_UNROLLED))
        middle = builder.add(low_, whole)
        with cgutils.for_range_slice(builder, low_, middle, _whole(_UNROLLED), intp=_INT) as (entry, _):
            for step, own in enumerate(sums):
                add(builder.add(entry, _whole(step)), own)
        with cgutils.for_range_slice(builder, middle, high_, _whole(1), intp=_INT) as (entry, _):
            add(entry, sums[0])
        for k in range(n):
            total = builder.fadd(builder.load(sums[0][k]), builder.load(sums[1][k]))
            place = vector_pointer(context, builder, out_type, out_, builder.add(at_, _whole(k * LANES)))
            builder.store(total, place, align=4)
        return context.get_dummy_value()

    place = types.int64
    return types.void(size, out, place, words, place, columns, values, place, place), codegen


def _reciprocal_root(builder, x):
    """1 / √x as in relrep.kernels.training.reciprocal_root, but for the rounding."""
    whole = ir.VectorType(ir.IntType(32), LANES)
    halved = builder.lshr(builder.bitcast(x, whole), ir.Constant(whole, [1] * LANES))
    guess = builder.bitcast(builder.sub(ir.Constant(whole, [0x5F3759DF] * LANES), halved), VECTOR)
    half = builder.fmul(constant(-0.5), x)
    for _ in range(2):
        guess = builder.fmul(guess, _fused(builder, builder.fmul(half, guess), guess, constant(1.5)))
    return guess


@intrinsic(prefer_literal=True)
def adagrad_step(typing_context, size, words, row, a, q, b, p, at, rate, least):
    """One AdaGrad step of the word at words[row:] on the slope a · q[at:] + b · p[at:], all float32.

    Sums of squares count as `least` at least.
    """
    if not isinstance(size, types.IntegerLiteral):
        return None
    n = size.literal_value

    def codegen(context, builder, signature, arguments):
        _, words_type, _, _, q_type, _, p_type, _, _, _ = signature.args
        _, words_, row_, a_, q_, b_, p_, at_, rate_, least_ = arguments
        of_q, of_p = everywhere(builder, a_), everywhere(builder, b_)
        against, floor = everywhere(builder, builder.fneg(rate_)), everywhere(builder, least_)
        for k in range(n):
            from_here = builder.add(at_, _whole(k * LANES))
            place = vector_pointer(context, builder, words_type, words_, builder.add(row_, _whole(k * LANES)))
            squares = vector_pointer(context, builder, words_type, words_, builder.add(row_, _whole((n + k) * LANES)))
            pulled = builder.fmul(of_p, load(builder, vector_pointer(context, builder, p_type, p_, from_here)))
            own_q = load(builder, vector_pointer(context, builder, q_type, q_, from_here))
            slope = _fused(builder, of_q, own_q, pulled)
            total = _fused(builder, slope, slope, load(builder, squares))
            builder.store(total, squares, align=4)
            total = builder.select(builder.fcmp_ordered(">", total, floor), total, floor)
            step = builder.fmul(against, slope)
            builder.store(_fused(builder, step, _reciprocal_root(builder, total), load(builder, place)), place, align=4)
        return context.get_dummy_value()

    f32, place = types.float32, types.int64
    return types.void(size, words, place, f32, q, f32, p, place, f32, f32), codegen
