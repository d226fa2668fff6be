"""What instance-by-instance training does with two words at a time, written out in vectors.

A word's numbers lie together: `width` coordinates, then AdaGrad's sum of squares for each of them. `size`, the number
of half vectors (HALF coordinates) that make up `width`, is written out as a constant where these are called.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from relrep.kernels.simd import LANES, data_pointer, everywhere, fetch, fused, load, vector_at
from relrep.kernels.training import GUESS

HALF = LANES // 2
_INT = ir.IntType(64)


def _whole(value):
    return ir.Constant(_INT, value)


def _vectors(size):
    """Where the vectors of a row begin, and how many numbers each holds: whole ones, and a half one if need be."""
    whole = [(number * LANES, LANES) for number in range(size // 2)]
    return [*whole, (size // 2 * LANES, HALF)] if size % 2 else whole


def _guessed_root(builder, x):
    """About 1 / √x, from the bits of x (see relrep.kernels.training.reciprocal_root)."""
    lanes = x.type.count
    whole = ir.VectorType(ir.IntType(32), lanes)
    halved = builder.lshr(builder.bitcast(x, whole), ir.Constant(whole, [1] * lanes))
    return builder.bitcast(builder.sub(ir.Constant(whole, [GUESS] * lanes), halved), x.type)


def _moved(builder, x, total, slope, mending):
    """x + slope · g · (m₀ + m₁ z + m₂ z²), z = total · g², with g the guess of 1 / √total."""
    none, one, two = mending
    guess = _guessed_root(builder, total)
    z = builder.fmul(builder.fmul(total, guess), guess)
    return fused(builder, builder.fmul(slope, guess), fused(builder, fused(builder, two, z, one), z, none), x)


@intrinsic(prefer_literal=True)
def visit_two(typing_context, size, words, rows, seen, places, gap, weights, mending, left, right):
    """One AdaGrad step of each of two words, and their parts of two sums.

    `rows` are four places in `words`: of both words, and of two that are needed soon; the lines of the cache with these
    are asked for meanwhile, one by one: all at once they would make the words at hand wait. A word's slope is
    a · seen[place + gap:] + b · seen[place:] with its place in `places`; then left[:] += c · word and right[:] += d ·
    word, with the word as it is now. `weights` are a, b, c, d of the first word and of the second. `mending` are the
    factors of relrep.kernels.training.MENDING times −rate. All numbers are float32; no sum of squares may be 0.
    """
    if not isinstance(size, types.IntegerLiteral):
        return None
    vectors, width = _vectors(size.literal_value), size.literal_value * HALF

    def codegen(context, builder, signature, arguments):
        def array(number):
            return data_pointer(context, builder, signature.args[number], arguments[number])

        def members(number):
            return cgutils.unpack_tuple(builder, arguments[number])

        word_at, seen_at, left_at, right_at = array(1), array(3), array(8), array(9)
        two_rows, soon, places_, gap_ = members(2)[:2], members(2)[2:], members(4), arguments[5]
        weights_, mending_ = members(6), members(7)
        for begin, lanes in vectors:
            for ahead in soon:
                for shift in (0, width):
                    fetch(builder, builder.gep(word_at, [builder.add(ahead, _whole(begin + shift))]))
            mended = [everywhere(builder, factor, lanes) for factor in mending_]
            sums = [vector_at(builder, data, _whole(begin), lanes) for data in (left_at, right_at)]
            added = [load(builder, place) for place in sums]
            for number, (row, place) in enumerate(zip(two_rows, places_, strict=True)):
                of_q, of_p, *shares = (
                    everywhere(builder, weight, lanes) for weight in weights_[4 * number : 4 * number + 4]
                )
                p_at = builder.add(place, _whole(begin))
                p = load(builder, vector_at(builder, seen_at, p_at, lanes))
                q = load(builder, vector_at(builder, seen_at, builder.add(p_at, gap_), lanes))
                coordinates = vector_at(builder, word_at, builder.add(row, _whole(begin)), lanes)
                squares = vector_at(builder, word_at, builder.add(row, _whole(width + begin)), lanes)
                slope = fused(builder, of_q, q, builder.fmul(of_p, p))
                total = fused(builder, slope, slope, load(builder, squares))
                moved = _moved(builder, load(builder, coordinates), total, slope, mended)
                builder.store(total, squares, align=4)
                builder.store(moved, coordinates, align=4)
                added = [fused(builder, share, moved, sum_) for share, sum_ in zip(shares, added, strict=True)]
            for place, sum_ in zip(sums, added, strict=True):
                builder.store(sum_, place, align=4)
        return context.get_dummy_value()

    i64 = types.int64
    four, eight, three = types.UniTuple(i64, 4), types.UniTuple(types.float32, 8), types.UniTuple(types.float32, 3)
    return types.void(size, words, four, seen, types.UniTuple(i64, 2), i64, eight, three, left, right), codegen
