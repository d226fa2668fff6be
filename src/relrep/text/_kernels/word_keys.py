"""Words as 64-bit keys, and places in a hash table for them."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.text._kernels.raw_bytes import address_of, eight_at, first_bytes

_SEED = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0xD6E8FEB86659FD93)


@njit(cache=True, nogil=True, inline="always")
def _fold(code: Any, eight_bytes: Any) -> Any:
    # One-to-one in `eight_bytes`, so that no two words of up to eight bytes share a key.
    code = (code ^ eight_bytes) * _PRIME
    return code ^ (code >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def slot_of(key: Any, mask: Any) -> Any:
    # The high bits of a product depend on all bits of the key.
    return (key * _SEED >> np.uint64(32)) & mask


@njit(cache=True, nogil=True, inline="always")
def key_at(word: int, length: int) -> Any:
    # The key of the word at this address; there must be eight bytes behind its last full eight.
    code = _SEED
    while length >= 8:
        code = _fold(code, eight_at(word))
        word += 8
        length -= 8
    if length > 0:
        code = _fold(code, first_bytes(eight_at(word), length))
    return code


@njit(cache=True, nogil=True)
def word_key(word: NDArray[np.uint8]) -> Any:
    """A 64-bit key of a word given as bytes: different for all words of up to eight bytes, a hash beyond."""
    text = np.zeros(len(word) + 8, dtype=np.uint8)
    text[: len(word)] = word
    return key_at(address_of(text), len(word))


@njit(cache=True, nogil=True, inline="always")
def same_words(a: int, b: int, length: int) -> Any:
    # Whether two words of this length, eight bytes or more, are the same: their last eight bytes may overlap others.
    i = 0
    while i < length - 8:
        if eight_at(a + i) != eight_at(b + i):
            return False
        i += 8
    return eight_at(a + length - 8) == eight_at(b + length - 8)
