"""One character of UTF-8 at an address: reading it and writing it."""

from typing import Any

import numpy as np
from numba import njit

from relrep.text._kernels.raw_bytes import byte_at, put_byte


@njit(cache=True, nogil=True, inline="always")
def _continued(character: Any, address: int) -> Any:
    # A character with the six bits of one more byte.
    return (character << 6) | (np.int32(byte_at(address)) & 0x3F)


@njit(cache=True, nogil=True, inline="always")
def decode(address: int) -> Any:
    """The character at an address and how many bytes it takes."""
    byte = np.int32(byte_at(address))
    width = 1
    character = byte
    if byte >= 0x80:
        width = 2
        character = _continued(byte & 0x1F, address + 1)
        if byte >= 0xE0:
            width = 3
            character = _continued(character & 0x3FF, address + 2)
            if byte >= 0xF0:
                width = 4
                character = _continued(character & 0x7FFF, address + 3)
    return character, width


@njit(cache=True, nogil=True, inline="always")
def encode(character: Any, address: int) -> int:
    """Writes a character as UTF-8 and says how many bytes it took."""
    if character < 0x80:
        put_byte(address, character)
        return 1
    if character < 0x800:
        put_byte(address, 0xC0 | (character >> 6))
        put_byte(address + 1, 0x80 | (character & 0x3F))
        return 2
    if character < 0x10000:
        put_byte(address, 0xE0 | (character >> 12))
        put_byte(address + 1, 0x80 | ((character >> 6) & 0x3F))
        put_byte(address + 2, 0x80 | (character & 0x3F))
        return 3
    put_byte(address, 0xF0 | (character >> 18))
    put_byte(address + 1, 0x80 | ((character >> 12) & 0x3F))
    put_byte(address + 2, 0x80 | ((character >> 6) & 0x3F))
    put_byte(address + 3, 0x80 | (character & 0x3F))
    return 4
