"""Vector instructions spelt out where the compiler does not find them itself."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16
_UNROLLED = 4
_WHOLE = ir.IntType(64)


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


def _add_row(width: int) -> Any:
    """An instruction that adds the multiples of `width` lanes to rows of LANES numbers."""

    @intrinsic
    def add(typing_context, out, shift, columns, values, low, high, lanes):
        def codegen(context, builder, signature, arguments):
            data = [
                data_pointer(context, builder, kind, array) if isinstance(kind, types.Array) else None
                for kind, array in zip(signature.args, arguments, strict=True)
            ]
            shift_, low_, high_ = arguments[1], arguments[4], arguments[5]
            held = load(builder, vector_at(builder, data[6], shift_, width))

            def each(entry):
                column = builder.zext(builder.load(builder.gep(data[2], [entry])), _WHOLE)
                place = builder.add(builder.mul(column, ir.Constant(_WHOLE, LANES)), shift_)
                target = vector_at(builder, data[0], place, width)
                value = everywhere(builder, builder.load(builder.gep(data[3], [entry])), width)
                builder.store(fused(builder, value, held, load(builder, target)), target, align=4)

            _for_each(builder, low_, high_, each)
            return context.get_dummy_value()

        place = types.int64
        return types.void(out, place, columns, values, place, place, lanes), codegen

    return add


def _for_each(builder, low, high, each):
    """`each` for low ≤ entry < high, several at a time."""
    many = builder.and_(builder.sub(high, low), ir.Constant(_WHOLE, -_UNROLLED))
    middle = builder.add(low, many)
    with cgutils.for_range_slice(builder, low, middle, ir.Constant(_WHOLE, _UNROLLED), intp=_WHOLE) as (entry, _):
        for step in range(_UNROLLED):
            each(builder.add(entry, ir.Constant(_WHOLE, step)))
    with cgutils.for_range_slice(builder, middle, high, ir.Constant(_WHOLE, 1), intp=_WHOLE) as (entry, _):
        each(entry)


add_row, add_half_row = _add_row(LANES), _add_row(LANES // 2)
"""(out, shift, columns, values, low, high, lanes): out[c · LANES + s] += v · lanes[s], for shift ≤ s < shift + width.

c and v are the columns and values of the entries low ≤ e < high; the width is LANES, or half of that. All numbers are
float32, columns whole and not negative. `lanes` stays in a register: the compiler alone would read it again for every
entry, as it might be a part of `out`.
"""


@intrinsic
def add_scaled(typing_context, out, place, columns, values, low, high, factor):
    """out[place + c] += v · factor, rounded once, for the columns c and values v of the entries low ≤ e < high."""

    def codegen(context, builder, signature, arguments):
        target, column_at, value_at = (
            data_pointer(context, builder, signature.args[i], arguments[i]) for i in (0, 2, 3)
        )
        target = builder.gep(target, [arguments[1]])
        number = ir.FloatType()
        fma = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number] * 3), "llvm.fma.f32")

        def each(entry):
            column = builder.zext(builder.load(builder.gep(column_at, [entry])), _WHOLE)
            own = builder.gep(target, [column])
            value = builder.load(builder.gep(value_at, [entry]))
            builder.store(builder.call(fma, [value, arguments[6], builder.load(own)]), own)

        _for_each(builder, arguments[4], arguments[5], each)
        return context.get_dummy_value()

    place_ = types.int64
    return types.void(out, place_, columns, values, place_, place_, types.float32), codegen


def fetch(builder, place):
    """Asks for the line of the cache that holds what `place` points to."""
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    called = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    builder.call(called, [builder.bitcast(place, byte), *(ir.Constant(word, value) for value in (0, 3, 1))])


@intrinsic
def prefetch(typing_context, array, index):
    """Asks for the line of the cache that holds array[index], which is needed soon; any index will do."""

    def codegen(context, builder, signature, arguments):
        data = data_pointer(context, builder, signature.args[0], arguments[0])
        fetch(builder, cgutils.gep(builder, data, arguments[1]))
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
