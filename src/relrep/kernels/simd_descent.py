"""The two vector loops of instance-by-instance training, with what they sum up or move kept in registers.

A word's numbers lie together: `width` coordinates, then AdaGrad's sum of squares for each of them. `size`, the number
of half vectors (HALF coordinates) that make up `width`, is written out as a constant where these are called.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from relrep.kernels.simd import LANES, constant, data_pointer, everywhere, load, vector_at, vector_type

HALF = LANES // 2
_INT = ir.IntType(64)
_UNROLLED = 2


def _whole(value):
    return ir.Constant(_INT, value)


def _vectors(size):
    """Where the vectors of a row begin, and how many numbers each holds: whole ones, and a half one if need be."""
    whole = [(number * LANES, LANES) for number in range(size // 2)]
    return [*whole, (size // 2 * LANES, HALF)] if size % 2 else whole


def _fused(builder, a, b, c):
    """a · b + c, rounded once."""
    kind = ir.FunctionType(a.type, [a.type] * 3)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{a.type.count}f32"), [a, b, c])


@intrinsic(prefer_literal=True)
def weighted_sum(typing_context, size, out, at, words, first, columns, values, low, high):
    """out[at:] = Σ values[e] · (coordinates of word columns[e]) over low ≤ e < high; words[first:] are the words."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    vectors, width = _vectors(size.literal_value), size.literal_value * HALF

    def codegen(context, builder, signature, arguments):
        _, out_type, _, words_type, _, columns_type, values_type, _, _ = signature.args
        _, out_, at_, words_, first_, columns_, values_, low_, high_ = arguments
        column_at = data_pointer(context, builder, columns_type, columns_)
        value_at = data_pointer(context, builder, values_type, values_)
        word_at = data_pointer(context, builder, words_type, words_)
        out_at = data_pointer(context, builder, out_type, out_)
        sums = [[cgutils.alloca_once(builder, vector_type(lanes)) for _, lanes in vectors] for _ in range(_UNROLLED)]
        for own in sums:
            for place, (_, lanes) in zip(own, vectors, strict=True):
                builder.store(constant(0.0, lanes), place)

        def add(entry, own):
            value = builder.load(builder.gep(value_at, [entry]))
            word = builder.sext(builder.load(builder.gep(column_at, [entry])), _INT)
            row = builder.add(first_, builder.mul(word, _whole(2 * width)))
            for place, (begin, lanes) in zip(own, vectors, strict=True):
                read = load(builder, vector_at(builder, word_at, builder.add(row, _whole(begin)), lanes))
                total = _fused(builder, everywhere(builder, value, lanes), read, builder.load(place))
                builder.store(total, place)

        whole = builder.and_(builder.sub(high_, low_), _whole(-_UNROLLED))
        middle = builder.add(low_, whole)
        with cgutils.for_range_slice(builder, low_, middle, _whole(_UNROLLED), intp=_INT) as (entry, _):
            for step, own in enumerate(sums):
                add(builder.add(entry, _whole(step)), own)
        with cgutils.for_range_slice(builder, middle, high_, _whole(1), intp=_INT) as (entry, _):
            add(entry, sums[0])
        for one, other, (begin, lanes) in zip(*sums, vectors, strict=True):
            total = builder.fadd(builder.load(one), builder.load(other))
            builder.store(total, vector_at(builder, out_at, builder.add(at_, _whole(begin)), lanes), align=4)
        return context.get_dummy_value()

    i64 = types.int64
    return types.void(size, out, i64, words, i64, columns, values, i64, i64), codegen


def _reciprocal_root(builder, x):
    """1 / √x as in relrep.kernels.training.reciprocal_root, but for the rounding."""
    lanes = x.type.count
    whole = ir.VectorType(ir.IntType(32), lanes)
    halved = builder.lshr(builder.bitcast(x, whole), ir.Constant(whole, [1] * lanes))
    guess = builder.bitcast(builder.sub(ir.Constant(whole, [0x5F3759DF] * lanes), halved), x.type)
    half = builder.fmul(constant(-0.5, lanes), x)
    for _ in range(2):
        guess = builder.fmul(guess, _fused(builder, builder.fmul(half, guess), guess, constant(1.5, lanes)))
    return guess


@intrinsic(prefer_literal=True)
def adagrad_step(typing_context, size, words, row, a, q, b, p, at, rate, least):
    """One AdaGrad step of the word at words[row:] on the slope a · q[at:] + b · p[at:], all float32.

    Sums of squares count as `least` at least.
    """
    if not isinstance(size, types.IntegerLiteral):
        return None
    vectors, width = _vectors(size.literal_value), size.literal_value * HALF

    def codegen(context, builder, signature, arguments):
        _, words_type, _, _, q_type, _, p_type, _, _, _ = signature.args
        _, words_, row_, a_, q_, b_, p_, at_, rate_, least_ = arguments
        word_at = data_pointer(context, builder, words_type, words_)
        p_at, q_at = data_pointer(context, builder, p_type, p_), data_pointer(context, builder, q_type, q_)
        for begin, lanes in vectors:
            of_q, of_p = everywhere(builder, a_, lanes), everywhere(builder, b_, lanes)
            against, floor = everywhere(builder, builder.fneg(rate_), lanes), everywhere(builder, least_, lanes)
            from_here = builder.add(at_, _whole(begin))
            place = vector_at(builder, word_at, builder.add(row_, _whole(begin)), lanes)
            squares = vector_at(builder, word_at, builder.add(row_, _whole(width + begin)), lanes)
            pulled = builder.fmul(of_p, load(builder, vector_at(builder, p_at, from_here, lanes)))
            slope = _fused(builder, of_q, load(builder, vector_at(builder, q_at, from_here, lanes)), pulled)
            total = _fused(builder, slope, slope, load(builder, squares))
            builder.store(total, squares, align=4)
            total = builder.select(builder.fcmp_ordered(">", total, floor), total, floor)
            step = builder.fmul(against, slope)
            moved = _fused(builder, step, _reciprocal_root(builder, total), load(builder, place))
            builder.store(moved, place, align=4)
        return context.get_dummy_value()

    f32, i64 = types.float32, types.int64
    return types.void(size, words, i64, f32, q, f32, p, i64, f32, f32), codegen
