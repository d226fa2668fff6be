"""What instance-by-instance training does with one word, written out in vectors.

A word's numbers lie together: `width` coordinates, then AdaGrad's sum of squares for each of them. `size`, the number
of half vectors (HALF coordinates) that make up `width`, is written out as a constant where these are called.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from relrep.kernels.simd import LANES, constant, data_pointer, everywhere, fetch, load, vector_at
from relrep.kernels.training import GUESS, MENDING

HALF = LANES // 2
_INT = ir.IntType(64)


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


def _reciprocal_root(builder, x):
    """1 / √x as in relrep.kernels.training.reciprocal_root, but for the rounding."""
    lanes = x.type.count
    whole = ir.VectorType(ir.IntType(32), lanes)
    halved = builder.lshr(builder.bitcast(x, whole), ir.Constant(whole, [1] * lanes))
    guess = builder.bitcast(builder.sub(ir.Constant(whole, [GUESS] * lanes), halved), x.type)
    z = builder.fmul(builder.fmul(x, guess), guess)
    none, one, two = (constant(float(factor), lanes) for factor in MENDING)
    return builder.fmul(guess, _fused(builder, _fused(builder, two, z, one), z, none))


@intrinsic(prefer_literal=True)
def visit(typing_context, size, words, row, soon, later, a, q_at, b, p_at, seen, rate, of_left, left, of_right, right):
    """One AdaGrad step of the word at words[row:] on the slope a · seen[q_at:] + b · seen[p_at:]; its part of two sums.

    The lines of the cache with the words at words[soon:] and words[later:] are asked for meanwhile, one by one: all at
    once they would make the word at hand wait.

    Then left[:] += of_left · word and right[:] += of_right · word, with the word as it is now. All numbers are float32;
    the sums of squares must not be 0.
    """
    if not isinstance(size, types.IntegerLiteral):
        return None
    vectors, width = _vectors(size.literal_value), size.literal_value * HALF

    def codegen(context, builder, signature, arguments):
        _, words_type, _, _, _, _, _, _, _, seen_type, _, _, left_type, _, right_type = signature.args
        _, words_, row_, soon_, later_, a_, q_at_, b_, p_at_, seen_, rate_, of_left_, left_, of_right_, right_ = (
            arguments
        )
        word_at = data_pointer(context, builder, words_type, words_)
        seen_at = data_pointer(context, builder, seen_type, seen_)
        sums = (
            (data_pointer(context, builder, left_type, left_), of_left_),
            (data_pointer(context, builder, right_type, right_), of_right_),
        )
        for begin, lanes in vectors:
            for ahead in (soon_, later_):
                for shift in (0, width):
                    fetch(builder, builder.gep(word_at, [builder.add(ahead, _whole(begin + shift))]))
            of_q, of_p = everywhere(builder, a_, lanes), everywhere(builder, b_, lanes)
            against = everywhere(builder, builder.fneg(rate_), lanes)
            p = load(builder, vector_at(builder, seen_at, builder.add(p_at_, _whole(begin)), lanes))
            q = load(builder, vector_at(builder, seen_at, builder.add(q_at_, _whole(begin)), lanes))
            place = vector_at(builder, word_at, builder.add(row_, _whole(begin)), lanes)
            squares = vector_at(builder, word_at, builder.add(row_, _whole(width + begin)), lanes)
            slope = _fused(builder, of_q, q, builder.fmul(of_p, p))
            total = _fused(builder, slope, slope, load(builder, squares))
            builder.store(total, squares, align=4)
            step = builder.fmul(against, slope)
            moved = _fused(builder, step, _reciprocal_root(builder, total), load(builder, place))
            builder.store(moved, place, align=4)
            for data, weight in sums:
                sum_at = vector_at(builder, data, _whole(begin), lanes)
                added = _fused(builder, everywhere(builder, weight, lanes), moved, load(builder, sum_at))
                builder.store(added, sum_at, align=4)
        return context.get_dummy_value()

    f32, i64 = types.float32, types.int64
    return types.void(size, words, i64, i64, i64, f32, i64, f32, i64, seen, f32, f32, left, f32, right), codegen
