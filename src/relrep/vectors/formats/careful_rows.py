"""One line of a vectors file, read slowly and with care: the last word on what the kernel would not decide."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import shown

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_LONGEST_NUMBER = 1000
"""No float needs more digits than that (767 decide any double)."""


class BadRowError(Exception):
    """What is wrong with a line, and what to do: the end of a sentence that starts with file and line."""


def careful_row(line: bytes, width: int, dtype: Any) -> tuple[bytes, NDArray[Any]]:
    """The word of a line and its `width` numbers, each correctly rounded to `dtype`.

    The word is all that stands before the numbers, so it may hold spaces:

    >>> word, row = careful_row(b"at name@domain.com 0.5 1e-3", 2, np.float32)
    >>> word.decode(), row.tolist()
    ('at name@domain.com', [0.5, 0.0010000000474974513])
    """
    if line[:1] in (b" ", b"\t"):
        raise BadRowError("the word is missing, the line begins with a space; put the word in or remove the line")
    fields = re.split(rb"[ \t]+", line.rstrip(b" \t"))
    n_numbers = _count_numbers(fields)
    if len(fields) <= width:
        raise BadRowError(f"{_numbers(len(fields) - 1)} where {width} are expected; {_DAMAGED}")
    if n_numbers > width:
        raise BadRowError(f"{_numbers(n_numbers)} where {width} are expected; {_DAMAGED}")
    row = np.empty(width, dtype=dtype)
    for column, field in enumerate(fields[-width:]):
        row[column] = _number(field, column + 1, dtype)
    n_word_fields = len(fields) - width
    if n_word_fields == 1:
        return fields[0], row
    match = re.match(rb"[^ \t]+(?:[ \t]+[^ \t]+){%d}" % (n_word_fields - 1), line)
    assert match is not None
    return match[0], row


_DAMAGED = "the line is cut short or damaged: mend it, get the file again"


def _numbers(count: int) -> str:
    return "there is 1 number" if count == 1 else f"there are {count} numbers"


def _count_numbers(fields: list[bytes]) -> int:
    """How many fields at the end are numbers; the first field is the word whatever it looks like."""
    count = 0
    for field in reversed(fields[1:]):
        if not (NUMBER.fullmatch(field) or _NOT_FINITE.fullmatch(field)):
            break
        count += 1
    return count


def trailing_numbers(line: bytes) -> int:
    """How many numbers a line ends in.

    >>> trailing_numbers(b". . . 0.1 0.2 -3e-05 ")
    3
    """
    return _count_numbers(re.split(rb"[ \t]+", line.strip(b" \t")))


def _number(field: bytes, position: int, dtype: Any) -> Any:
    text = field.decode("utf-8", "replace")
    if _NOT_FINITE.fullmatch(field):
        raise BadRowError(f"number {position} is {text}; only finite numbers make a vector: remove the line")
    if len(field) > _LONGEST_NUMBER or not NUMBER.fullmatch(field):
        raise BadRowError(f"value {position} is {shown(text)}, not a number; mend or remove the line")
    value = correctly_rounded(text, dtype)
    if not np.isfinite(value):
        raise BadRowError(f"number {position} is {shown(text)}, too large for {np.dtype(dtype)}; remove the line")
    return value


def correctly_rounded(text: str, dtype: Any) -> Any:
    """The float nearest to a decimal number, ties to even; infinite where it is too large.

    >>> int(correctly_rounded("16777217.0000000001", np.float32))  # by way of float64 it would be 16777216
    16777218
    """
    double = float(text)  # Python rounds correctly
    if np.dtype(dtype) == np.float64 or double == 0 or not np.isfinite(double):
        return dtype(double)
    with np.errstate(over="ignore"):
        below = dtype(np.nextafter(double, -np.inf))
        above = dtype(np.nextafter(double, np.inf))
        if below == above or not (np.isfinite(below) and np.isfinite(above)):
            return dtype(double)
    # The double is (nearly) in the middle of two floats: exact arithmetic decides.
    exact = Fraction(text)
    to_below, to_above = exact - Fraction(float(below)), Fraction(float(above)) - exact
    if to_below == to_above:
        return dtype(double)  # exactly the middle, as is the double: IEEE rounds to even
    return below if to_below < to_above else above
