"""The number kernels against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relrep.kernels.text_floats import parse_rows, split_lines
from relrep.vectors.formats.careful_rows import correctly_rounded


def nearest_float32(text: str) -> np.float32:
    """The oracle: the nearest of the floats around, by exact fractions; ties to the even significand."""
    exact = Fraction(text)
    with np.errstate(over="ignore"):
        guess = np.float32(float(text))
        around = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    around = [one for one in around if np.isfinite(one)]
    distances = [(abs(Fraction(float(one)) - exact), int(one.view(np.int32)) & 1) for one in around]
    return around[distances.index(min(distances))]


def parse(text: str, dtype: type, width: int = 1) -> tuple[np.ndarray, bool]:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    out = np.zeros((1, width), dtype=dtype)
    plain = np.zeros(1, dtype=np.bool_)
    parse_rows(data, np.array([0]), np.array([len(data)]), out, plain)
    return out[0], bool(plain[0])


decimals = st.builds(
    lambda sign, whole, part, exponent: f"{sign}{whole}.{part}{exponent}",
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**12).map(str),
    st.text("0123456789", max_size=25),
    st.one_of(st.just(""), st.integers(-44, 20).map("e{}".format), st.integers(0, 20).map("E+{}".format)),
)


@settings(max_examples=400, deadline=None)
@given(decimals)
@example("16777217.0000000001")
@example("16777217")
@example("16777219")
@example("1e-45")
@example("7.0064923216240862e-46")
@example("340282346638528859811704183484516925440")
@example("0.1")
@example("-0.0")
def test_every_number_is_correctly_rounded_to_float32(text: str) -> None:
    expected = nearest_float32(text)
    values, plain = parse(text, np.float32)
    if plain:
        assert values[0] == expected
        assert np.signbit(values[0]) == text.startswith("-")
    assert correctly_rounded(text, np.float32) == expected


@settings(max_examples=200, deadline=None)
@given(st.floats(2.0**-10, 2.0**24, width=32), st.sampled_from(["", "0000000000000000001"]))
def test_the_middle_between_two_floats_is_left_to_exact_arithmetic(value: float, further_digits: str) -> None:
    low = np.float32(value)
    middle = (Fraction(float(low)) + Fraction(float(np.nextafter(low, np.float32(np.inf))))) / 2
    n_places = middle.denominator.bit_length() - 1  # a fraction over 2^n has n decimal places
    digits = str(middle.numerator * 5**n_places).rjust(n_places + 1, "0")
    text = f"{digits[: len(digits) - n_places]}.{digits[len(digits) - n_places :]}{further_digits}"
    expected = nearest_float32(text)
    values, plain = parse(text, np.float32)
    assert not plain or values[0] == expected
    assert correctly_rounded(text, np.float32) == expected


@settings(max_examples=300, deadline=None)
@given(decimals)
def test_what_is_plain_as_float64_is_what_python_reads(text: str) -> None:
    values, plain = parse(text, np.float64)
    assert not plain or values[0] == float(text)


def test_most_numbers_are_plain() -> None:
    texts = [f"{value:.6g}" for value in np.random.default_rng(1).normal(size=1000)]
    values, plain = parse(" ".join(texts), np.float32, 1000)
    assert plain
    assert values.tolist() == [float(np.float32(text)) for text in texts]


NOT_TWO_NUMBERS = (
    "nan 1|inf 1|-inf 1|1e 1|1e+ 1|. 1|- 1|+ 1|e5 1|0x10 1|1_000 1|1,5 1|1.2.3 1|--1 1|1e5.5 1|1e39 1|-1e39 1|"
    "1e400 1|½ 1|1d3 1|1||1 2 3|1\x002 3"
)


@pytest.mark.parametrize("text", NOT_TWO_NUMBERS.split("|"))
def test_what_is_no_row_of_two_numbers_is_not_plain(text: str) -> None:
    assert not parse(text, np.float32, 2)[1]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("ab1 \t\r\x0b\xa0", max_size=8), max_size=6), st.booleans())
def test_lines_and_fields_are_those_of_plain_python(lines: list[str], windows: bool) -> None:
    line_end = "\r\n" if windows else "\n"
    block = "".join(line + line_end for line in lines).encode()
    n_lines = len(lines)
    starts, word_ends, ends, n_fields = (np.zeros(n_lines, dtype=np.int64) for _ in range(4))
    found = split_lines(np.frombuffer(block, dtype=np.uint8), starts, word_ends, ends, n_fields)
    assert found == n_lines
    for index, raw in enumerate(block.split(b"\n")[:-1]):
        line = raw.removesuffix(b"\r")
        fields = [field for field in line.replace(b"\t", b" ").split(b" ") if field]
        assert block[starts[index] : ends[index]] == line
        assert block[starts[index] : word_ends[index]] == line.replace(b"\t", b" ").split(b" ")[0]
        assert n_fields[index] == len(fields)
