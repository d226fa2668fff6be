"""Text formats: numbers against exact arithmetic, any word, odd lines among others."""

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.vectors.formats.text import _lines_of, _parsed, careful_row
from relrep.vectors.word_vectors import WordVectors


def nearest_float32(text: str) -> np.float32:
    """The oracle: the nearest of the floats around, by exact fractions; ties to the even significand."""
    exact = Fraction(text)
    with np.errstate(over="ignore"):
        guess = np.float32(float(text))
        around = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    around = [one for one in around if np.isfinite(one)]
    distances = [(abs(Fraction(float(one)) - exact), int(one.view(np.int32)) & 1) for one in around]
    return around[distances.index(min(distances))]


def parse(text: str, dtype: type, width: int = 1) -> np.ndarray | None:
    """The numbers by Arrow; None where it leaves the line to the careful reader."""
    parsed = _parsed([b"word " + text.encode()], width, dtype)
    return None if parsed is None else parsed[1][0]


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
    values = parse(text, np.float32)
    assert values is not None
    assert values[0] == expected
    assert np.signbit(values[0]) == text.startswith("-")
    assert careful_row(f"w {text}".encode(), 1, np.float32)[1] == expected


@settings(max_examples=200, deadline=None)
@given(st.floats(2.0**-10, 2.0**24, width=32), st.sampled_from(["", "0000000000000000001"]))
def test_the_middle_between_two_floats_is_left_to_exact_arithmetic(value: float, further_digits: str) -> None:
    low = np.float32(value)
    middle = (Fraction(float(low)) + Fraction(float(np.nextafter(low, np.float32(np.inf))))) / 2
    n_places = middle.denominator.bit_length() - 1  # a fraction over 2^n has n decimal places
    digits = str(middle.numerator * 5**n_places).rjust(n_places + 1, "0")
    text = f"{digits[: len(digits) - n_places]}.{digits[len(digits) - n_places :]}{further_digits}"
    expected = nearest_float32(text)
    assert parse(text, np.float32) == expected
    assert careful_row(f"w {text}".encode(), 1, np.float32)[1] == expected


@settings(max_examples=300, deadline=None)
@given(decimals)
def test_a_float64_is_what_python_reads(text: str) -> None:
    assert parse(text, np.float64) == float(text)


NOT_TWO_NUMBERS = (
    "nan 1|inf 1|-inf 1|1e 1|1e+ 1|. 1|- 1|+ 1|e5 1|0x10 1|1_000 1|1,5 1|1.2.3 1|--1 1|1e5.5 1|1e39 1|-1e39 1|"
    "1e400 1|½ 1|1d3 1|1||1 2 3|1\x002 3|1  2|1 2\r"
)


@pytest.mark.parametrize("text", NOT_TWO_NUMBERS.split("|"))
def test_what_is_no_row_of_two_numbers_is_left_to_the_careful_reader(text: str) -> None:
    assert parse(text, np.float32, 2) is None


def load(folder: Path, content: bytes, **options: Any) -> WordVectors:
    path = folder / "vectors"
    path.write_bytes(content)
    return WordVectors.load(path, **options)


def test_a_word_may_be_anything(tmp_path: Path) -> None:
    words = [
        '"',
        '""',
        'a"b',
        "'",
        "\\",
        "\\n",
        "NA",
        "null",
        "nan",
        "NaN",
        "#N/A",
        "1e5",
        "-",
        "#",
        ",",
        ";",
        "\x00",
        "\x0b",
    ]
    lines = "".join(f"{word} {number} 0.5\n" for number, word in enumerate(words, start=1))
    vectors = load(tmp_path, b"%d 2\n" % len(words) + lines.encode())
    assert vectors.index_to_key == words
    assert vectors.vectors[:, 0].tolist() == list(range(1, len(words) + 1))


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 299)), st.booleans())
def test_odd_lines_are_read_wherever_they_stand(odd: set[int], bad: bool) -> None:
    """Among lines in order, lines of words with spaces are read, and lines without a number are left out."""
    lines = [f"w{i} {i} {i / 8}" for i in range(300)]
    for number in odd:
        lines[number] = f"w{number} oops" if bad else f"w {number}_ {number} {number / 8}"
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(["300 2", *lines])
        vectors = load(Path(folder), text.encode(), skip_bad=bad)
    kept = [number for number in range(300) if not (bad and number in odd)]
    assert vectors.index_to_key == [f"w {number}_" if number in odd else f"w{number}" for number in kept]
    assert vectors.vectors.tolist() == [[number, number / 8] for number in kept]


def test_the_first_bad_line_is_the_one_that_is_named(tmp_path: Path) -> None:
    lines = [f"w{i} {i} 1\n" for i in range(5000)]
    lines[1234], lines[1300], lines[4000] = "w1 1 2\n", "x nan 2\n", "y 1\n"
    with pytest.raises(RelrepError, match="line 1235: the word 'w1' stands here again, first in line 2"):
        load(tmp_path, "".join(lines).encode())
    lines[1234] = "\n"
    with pytest.raises(RelrepError, match="line 1301: number 1 is nan"):
        load(tmp_path, "".join(lines).encode())


def significant_digits(text: str) -> int:
    return len(text.lower().split("e")[0].lstrip("-").replace(".", "").strip("0")) or 1


def test_numbers_are_written_as_short_as_numpys() -> None:
    generator = np.random.default_rng(2)
    values = np.concatenate(
        [
            generator.normal(size=20_000),
            np.exp(generator.uniform(-80, 80, size=20_000)),
            np.round(generator.normal(size=5_000), 5),
            2.0 ** np.arange(-149, 127),
            10.0 ** np.arange(-44, 38),
        ]
    ).astype(np.float32)
    numbers = _lines_of([b"w"] * len(values), values.reshape(-1, 1)).to_pylist()
    assert np.array_equal(np.array([number[2:] for number in numbers], dtype=np.float32), values)
    for number, value in zip(numbers, values, strict=True):
        assert significant_digits(number[2:]) <= significant_digits(str(value))


def test_signs_zeros_and_notations() -> None:
    values = [0.0, -0.0, 1.0, -1.5, 1200.0, 0.001, 1e-5, 123456792.0, -1.2e-10, 1e9, 1e20]
    [line] = _lines_of([b"w"], np.array([values], dtype=np.float32)).to_pylist()
    assert line == "w 0.0 -0.0 1.0 -1.5 1200.0 0.001 0.00001 123456790.0 -1.2e-10 1000000000.0 1e+20"
