"""Vector instructions spelt out where the compiler does not find them itself."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16
_UNROLLED = 4


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
def add_row(typing_context, out, columns, values, low, high, lanes):
    """out[c · LANES : (c + 1) · LANES] += v · lanes, for the columns c and values v of the entries low ≤ e < high.

    All numbers are float32, columns whole and not negative. `lanes` stays in a register: the compiler alone would read
    it again for every entry, as it might be a part of `out`.
    """

    def codegen(context, builder, signature, arguments):
        out_at, column_at, value_at, _, _, lanes_at = (
            data_pointer(context, builder, kind, array) if isinstance(kind, types.Array) else None
            for kind, array in zip(signature.args, arguments, strict=True)
        )
        low_, high_ = arguments[3], arguments[4]
        whole = ir.IntType(64)
        held = load(builder, vector_at(builder, lanes_at, ir.Constant(whole, 0)))

        def add(entry):
            column = builder.zext(builder.load(builder.gep(column_at, [entry])), whole)
            target = vector_at(builder, out_at, builder.mul(column, ir.Constant(whole, LANES)))
            value = everywhere(builder, builder.load(builder.gep(value_at, [entry])))
            builder.store(fused(builder, value, held, load(builder, target)), target, align=4)

        many = builder.and_(builder.sub(high_, low_), ir.Constant(whole, -_UNROLLED))
        middle = builder.add(low_, many)
        with cgutils.for_range_slice(builder, low_, middle, ir.Constant(whole, _UNROLLED), intp=whole) as (entry, _):
            for step in range(_UNROLLED):
                add(builder.add(entry, ir.Constant(whole, step)))
        with cgutils.for_range_slice(builder, middle, high_, ir.Constant(whole, 1), intp=whole) as (entry, _):
            add(entry)
        return context.get_dummy_value()

    return types.void(out, columns, values, types.int64, types.int64, lanes), codegen


@intrinsic
def outside(typing_context, numbers, at, low, low_factor, high, high_factor, less, less_factor):
    """Which of LANES numbers are not surely in the middle, as bits.

    numbers[at + l] is in the middle if it is above low[l] · low_factor and, with less[l] · less_factor added, still
    below high[l] · high_factor.
    """

    def codegen(context, builder, signature, arguments):
        def lanes(array, place):
            pointer = data_pointer(context, builder, signature.args[array], arguments[array])
            return load(builder, vector_at(builder, pointer, place))

        def scaled(array, factor):
            return builder.fmul(lanes(array, ir.Constant(ir.IntType(64), 0)), everywhere(builder, arguments[factor]))

        number = lanes(0, arguments[1])
        above = builder.fcmp_ordered(">", number, scaled(2, 3))
        below = builder.fcmp_ordered("<", builder.fadd(number, scaled(6, 7)), scaled(4, 5))
        middle = builder.bitcast(builder.and_(above, below), ir.IntType(LANES))
        return builder.zext(builder.not_(middle), ir.IntType(64))

    f32 = types.float32
    return types.uint64(numbers, types.int64, low, f32, high, f32, less, f32), codegen


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
