"""The fingerprint of a text: the same however the text is cut into blocks, and whoever reads which of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit
from relrep.core.intrinsics import byte_at, eight_at
from relrep.text._kernels.words import SEED, address_of, bytes_before, first_bytes, fold

PRIME = (1 << 61) - 1
BASES = (0x1B873593CC9E2D51, 0x0E6546B64C2B2AE3)
"""Two bases below PRIME, so that two texts would have to collide twice."""
_FIRST_BASE, _SECOND_BASE = np.uint64(BASES[0]), np.uint64(BASES[1])
_PRIME = np.uint64(PRIME)
_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_LOWEST, _HIGHEST = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_31, _30 = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)


@dataclass(frozen=True)
class TextHash:
    """The hash of some lines of text; the hashes of texts in a row add up to that of the whole.

    >>> TextHash.of(b"a\\nb\\n") + TextHash.of(b"c\\n") == TextHash.of(b"a\\nb\\nc\\n")
    True
    """

    first: int = 0
    second: int = 0
    lines: int = 0

    @classmethod
    def of(cls, data: bytes | memoryview) -> "TextHash":
        """The hash of text that ends with a line break."""
        return cls(*map(int, hash_lines(np.frombuffer(data, dtype=np.uint8)))) if len(data) else cls()

    def __add__(self, other: "TextHash") -> "TextHash":
        first, second = (
            (own * pow(base, other.lines, PRIME) + following) % PRIME
            for own, following, base in zip((self.first, self.second), (other.first, other.second), BASES, strict=True)
        )
        return TextHash(first, second, self.lines + other.lines)

    def hexdigest(self) -> str:
        """32 hexadecimal digits."""
        return f"{self.first:016x}{self.second:016x}"


@njit(cache=True, nogil=True, inline="always")
def _reduced(value: Any) -> Any:
    value = (value >> np.uint64(61)) + (value & _PRIME)
    return value - _PRIME if value >= _PRIME else value


@njit(cache=True, nogil=True, inline="always")
def _times(a: Any, b: Any) -> Any:
    # a · b modulo 2^61 - 1, in halves, so that nothing overflows 64 bits.
    a_high, a_low, b_high, b_low = a >> np.uint64(31), a & _31, b >> np.uint64(31), b & _31
    middle = a_low * b_high + a_high * b_low
    return _reduced(
        a_high * b_high * np.uint64(2)
        + (middle >> np.uint64(30))
        + ((middle & _30) << np.uint64(31))
        + a_low * b_low
    )  # fmt: skip


@njit(cache=True, nogil=True)
def hash_lines(text: NDArray[np.uint8]) -> tuple[np.int64, np.int64, int]:
    """Two polynomials in the hashes of the lines of `text`, which ends with a line break; and how many lines it has.

    Of lines a, b, c a polynomial is (a·r + b)·r + c: appending text of n lines multiplies it by r^n and adds theirs.
    """
    at = address_of(text)
    size = len(text)
    first = second = np.uint64(0)
    n_lines = start = i = 0
    code = SEED
    while i < size:
        if i + 8 <= size:
            eight = eight_at(at + i)
            different = eight ^ _NEWLINES
            breaks = (different - _LOWEST) & ~different & _HIGHEST
            if breaks == np.uint64(0):
                code = fold(code, eight)
                i += 8
                continue
            n = bytes_before(breaks)
            rest = first_bytes(eight, n) if n else np.uint64(0)
        else:
            n = 0
            rest = np.uint64(0)
            while byte_at(at + i + n) != 10:
                rest |= np.uint64(byte_at(at + i + n)) << np.uint64(8 * n)
                n += 1
        code = fold(fold(code, rest), np.uint64(i + n - start))
        first = _reduced(_times(first, _FIRST_BASE) + (code >> np.uint64(4)))
        second = _reduced(_times(second, _SECOND_BASE) + (code & _PRIME))
        n_lines += 1
        i += n + 1
        start = i
        code = SEED
    return np.int64(first), np.int64(second), n_lines
