"""Numbers out of text: lines into fields, fields into correctly rounded floats.

The kernels take the plain road only. A row with anything out of the ordinary (a sign of NaN, a stray letter, a
number so close to the middle of two floats that double precision cannot tell) is marked, and careful Python
(`relrep.vectors.formats.careful_rows`) has the last word on it.
"""

import numpy as np
from numpy.typing import NDArray

from relrep.kernels.compiling import njit

_TAB, _NEWLINE, _RETURN, _SPACE = 9, 10, 13, 32
_PLUS, _MINUS, _POINT, _ZERO, _NINE = 43, 45, 46, 48, 57
_UPPER_E, _LOWER_E = 69, 101

_LARGEST_POWER = 300
_POWERS_OF_TEN = np.array([float(f"1e{power}") for power in range(_LARGEST_POWER + 1)])
_EXACT_POWER = 22
"""10^22 is the largest power of ten that a double holds exactly."""
_EXACT_INTEGER = 1 << 53
_MOST_DIGITS = 19
"""So many decimal digits always fit an unsigned 64-bit integer."""
_SLACK = 2.0**-50
"""Eight units in the last place: more than the three roundings of `_approximate` can add up to."""


@njit(cache=True, nogil=True)
def split_lines(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    word_ends: NDArray[np.int64],
    ends: NDArray[np.int64],
    n_fields: NDArray[np.int64],
) -> int:
    """Finds the lines of `data`, each closed by a newline; returns how many there are.

    Line i is data[starts[i]:ends[i]] without its line end; its first field ends at word_ends[i] (at starts[i]
    if the line begins with a separator); it has n_fields[i] fields separated by spaces or tabs.
    """
    line = 0
    start = 0
    word_end = -1
    fields = 0
    inside = False
    for at in range(len(data)):
        byte = data[at]
        if byte > _SPACE:
            if not inside:
                inside = True
                fields += 1
        elif (
            byte == _SPACE
            or byte == _TAB
            or byte == _NEWLINE
            or (byte == _RETURN and at + 1 < len(data) and data[at + 1] == _NEWLINE)
        ):
            if word_end < 0:
                word_end = at
            inside = False
            if byte == _NEWLINE:
                end = at
                if end > start and data[end - 1] == _RETURN:
                    end -= 1
                starts[line] = start
                word_ends[line] = min(word_end, end)
                ends[line] = end
                n_fields[line] = fields
                line += 1
                start = at + 1
                word_end = -1
                fields = 0
        elif not inside:  # other control characters are part of a word
            inside = True
            fields += 1
    return line


@njit(cache=True, nogil=True)
def _approximate(digits: np.uint64, power: int) -> float:
    """digits · 10^power in double precision: at most three roundings, none where both parts are exact."""
    if power >= 0:
        return float(digits * _POWERS_OF_TEN[power])
    return float(digits / _POWERS_OF_TEN[-power])


@njit(cache=True, nogil=True)
def parse_rows(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    out: NDArray[np.floating],
    plain: NDArray[np.bool_],
) -> None:
    """Reads the numbers of data[starts[i]:ends[i]] into out[i] (float32 or float64), correctly rounded.

    plain[i] tells whether row i is done; where it is False the row needs the careful reader.

    A float32 is certain when the numbers a little below and a little above the double round to it alike.
    (Rounding to double and then to float32 without this check can be off by one unit in the last place.)
    """
    single = out.itemsize == 4
    width = out.shape[1]
    for row in range(len(starts)):
        at = starts[row]
        end = ends[row]
        column = 0
        fine: bool | np.bool_ = True
        while fine:
            while at < end and (data[at] == _SPACE or data[at] == _TAB):
                at += 1
            if at == end:
                break
            if column == width:
                fine = False
                break
            negative = data[at] == _MINUS
            if negative or data[at] == _PLUS:
                at += 1
            digits = np.uint64(0)
            n_digits = 0  # significant ones
            power = 0
            seen = False
            cut = False
            behind_point = False
            while at < end:
                byte = data[at]
                if _ZERO <= byte <= _NINE:
                    seen = True
                    if n_digits < _MOST_DIGITS:
                        digits = digits * np.uint64(10) + np.uint64(byte - _ZERO)
                        if digits != 0:
                            n_digits += 1
                        if behind_point:
                            power -= 1
                    else:
                        cut = True
                        if not behind_point:
                            power += 1
                elif byte == _POINT and not behind_point:
                    behind_point = True
                else:
                    break
                at += 1
            if seen and at < end and (data[at] == _LOWER_E or data[at] == _UPPER_E):
                at += 1
                shrinks = at < end and data[at] == _MINUS
                if at < end and (data[at] == _MINUS or data[at] == _PLUS):
                    at += 1
                exponent = 0
                seen = False
                while at < end and _ZERO <= data[at] <= _NINE:
                    seen = True
                    exponent = min(exponent * 10 + (data[at] - _ZERO), 100_000)
                    at += 1
                power += -exponent if shrinks else exponent
            if not seen or (at < end and data[at] != _SPACE and data[at] != _TAB):
                fine = False
                break
            value = 0.0
            if digits != 0:
                if power < -_LARGEST_POWER or power > _LARGEST_POWER:
                    fine = False
                    break
                value = _approximate(digits, power)
                if single:
                    rounded = np.float32(value)
                    below = np.float32(value * (1.0 - _SLACK))
                    above = np.float32(value * (1.0 + _SLACK))
                    fine = below == above and np.isfinite(rounded)
                else:
                    fine = not cut and digits <= _EXACT_INTEGER and -_EXACT_POWER <= power <= _EXACT_POWER
            out[row, column] = -value if negative else value
            column += 1
        plain[row] = fine and column == width
