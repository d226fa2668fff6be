"""Text out of numbers: lines of a word and its vector, every float32 with the fewest digits that read back to it."""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit

_NEWLINE, _SPACE, _MINUS, _POINT, _ZERO, _LOWER_E = 10, 32, 45, 46, 48, 101
_POWERS_OF_TEN = np.array([float(f"1e{power}") for power in range(23)])  # exact in double precision
_SMALLEST, _LARGEST = 1e-12, 1e9
"""Between these, every scaling below is by an exact power of ten."""
_SLACK = 2.0**-50
LONGEST_NUMBER = 18
"""Bytes that one number and its separator take at most (`-1.234567890e-12 `), with one to spare."""


@njit(cache=True, nogil=True)
def _shortest(value: float, single: np.float32) -> tuple[int, int]:
    """(digits, power) with digits · 10^power reading back as `single`, digits as short as can be.

    Nine digits always suffice for a float32. The check is the parser's: certain only if the numbers just below
    and just above round to the same float32.
    """
    exponent = int(np.floor(np.log10(value)))
    digits = 0
    power = 0
    for length in range(1, 11):
        power = exponent - length + 1
        if power >= 0:
            digits = int(np.rint(value / _POWERS_OF_TEN[power]))
            back = float(digits) * _POWERS_OF_TEN[power]
        else:
            digits = int(np.rint(value * _POWERS_OF_TEN[-power]))
            back = float(digits) / _POWERS_OF_TEN[-power]
        if np.float32(back * (1.0 - _SLACK)) == single and np.float32(back * (1.0 + _SLACK)) == single:
            break
    while digits % 10 == 0:
        digits //= 10
        power += 1
    return digits, power


@njit(cache=True, nogil=True)
def _write_digits(digits: int, count: int, out: NDArray[np.uint8], at: int) -> int:
    for place in range(at + count - 1, at - 1, -1):
        out[place] = _ZERO + digits % 10
        digits //= 10
    return at + count


@njit(cache=True, nogil=True)
def _write_number(single: np.float32, out: NDArray[np.uint8], at: int) -> int:
    """Writes one number at out[at:], always with a point or an exponent; returns where it ends."""
    value = float(single)
    if np.signbit(value):
        out[at] = _MINUS
        at += 1
        value = -value
        single = -single
    if value == 0:
        out[at], out[at + 1], out[at + 2] = _ZERO, _POINT, _ZERO
        return at + 3
    digits, power = _shortest(value, single)
    count = 1
    rest = digits // 10
    while rest > 0:
        rest //= 10
        count += 1
    point = count + power  # so many digits stand before the point
    if point > 10 or point < -3:
        exponent = point - 1
        at = _write_digits(digits // 10 ** (count - 1), 1, out, at)
        if count > 1:
            out[at] = _POINT
            at = _write_digits(digits % 10 ** (count - 1), count - 1, out, at + 1)
        out[at] = _LOWER_E
        at += 1
        if exponent < 0:
            out[at] = _MINUS
            at += 1
            exponent = -exponent
        return int(_write_digits(exponent, 2, out, at))
    if point <= 0:  # 0.00123
        out[at], out[at + 1] = _ZERO, _POINT
        at = _write_digits(0, -point, out, at + 2)
        return int(_write_digits(digits, count, out, at))
    if power >= 0:  # 1200.0
        at = _write_digits(digits * 10**power, point, out, at)
        out[at], out[at + 1] = _POINT, _ZERO
        return at + 2
    at = _write_digits(digits // 10**-power, point, out, at)
    out[at] = _POINT
    return int(_write_digits(digits % 10**-power, -power, out, at + 1))


@njit(cache=True, nogil=True)
def format_rows(
    words: NDArray[np.uint8],
    word_ends: NDArray[np.int64],
    vectors: NDArray[np.float32],
    out: NDArray[np.uint8],
    line_ends: NDArray[np.int64],
    plain: NDArray[np.bool_],
) -> None:
    """Writes the lines `word n₁ n₂ …\\n` into `out`, line i up to line_ends[i].

    `words` holds the words' bytes without separators, word i up to word_ends[i]. plain[i] is False where a
    number is so small or large (or not finite) that the line is left to Python; its bytes then mean nothing.
    """
    at = 0
    word_start = 0
    for row in range(len(vectors)):
        fine = True
        line_start = at
        for index in range(word_start, word_ends[row]):
            out[at] = words[index]
            at += 1
        word_start = word_ends[row]
        for column in range(vectors.shape[1]):
            single = vectors[row, column]
            size = abs(single)
            if not (size == 0 or _SMALLEST <= size <= _LARGEST):
                fine = False
                break
            out[at] = _SPACE
            at = _write_number(single, out, at + 1)
        if fine:
            out[at] = _NEWLINE
            at += 1
        else:
            at = line_start
        plain[row] = fine
        line_ends[row] = at
