"""Numbers as text: they read back to the same bits and are no longer than need be."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.kernels.float_text import LONGEST_NUMBER, format_rows


def formatted(values: list[float]) -> tuple[bytes, list[bool]]:
    """One line a value, each with the word `w`."""
    vectors = np.array(values, dtype=np.float32).reshape(-1, 1)
    words = np.frombuffer(b"w" * len(vectors), dtype=np.uint8)
    out = np.zeros(len(words) + vectors.size * LONGEST_NUMBER + len(vectors), dtype=np.uint8)
    ends = np.zeros(len(vectors), dtype=np.int64)
    plain = np.zeros(len(vectors), dtype=np.bool_)
    format_rows(words, np.arange(1, len(vectors) + 1), vectors, out, ends, plain)
    return out[: ends[-1]].tobytes(), plain.tolist()


def significant_digits(text: str) -> int:
    return len(text.lower().split("e")[0].lstrip("-").replace(".", "").strip("0")) or 1


@settings(max_examples=400, deadline=None)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_one_number_reads_back_to_its_bits(value: float) -> None:
    text, plain = formatted([value])
    single = np.float32(value)
    assert plain == [value == 0 or 1e-12 <= abs(value) <= 1e9]
    if plain[0]:
        assert np.float32(text[2:].decode()).tobytes() == single.tobytes()
        assert text.startswith(b"w ") and text.endswith(b"\n")
        assert b"." in text or b"e" in text


def test_numbers_are_as_short_as_numpys() -> None:
    generator = np.random.default_rng(2)
    values = np.concatenate(
        [
            generator.normal(size=20_000),
            np.exp(generator.uniform(-27, 16, size=20_000)),
            np.round(generator.normal(size=5_000), 5),
            2.0 ** np.arange(-39, 24),
            10.0 ** np.arange(-11, 9),
        ]
    ).astype(np.float32)
    text, plain = formatted(values.tolist())
    assert all(plain)
    numbers = [line[2:] for line in text.decode().split("\n")[:-1]]
    assert np.array_equal(np.array(numbers, dtype=np.float32).view(np.int32), values.view(np.int32))
    longer = [
        (number, value)
        for number, value in zip(numbers, values, strict=True)
        if significant_digits(number) > significant_digits(str(value))
    ]
    assert len(longer) <= len(values) // 1000  # at powers of two the float below is closer than the one above
    assert max(map(len, numbers)) < LONGEST_NUMBER


def test_signs_zeros_and_notations() -> None:
    text, _ = formatted([0.0, -0.0, 1.0, -1.5, 1200.0, 0.001, 1e-5, 123456792.0, -1.2e-10, 1e9])
    assert text.decode().replace("w ", "").split() == [
        "0.0",
        "-0.0",
        "1.0",
        "-1.5",
        "1200.0",
        "0.001",
        "1e-05",
        "123456790.0",
        "-1.2e-10",
        "1000000000.0",
    ]


def test_a_row_out_of_range_leaves_no_bytes() -> None:
    text, plain = formatted([1.0, 1e30, 2.0, 1e-30])
    assert plain == [True, False, True, False]
    assert text == b"w 1.0\nw 2.0\n"
