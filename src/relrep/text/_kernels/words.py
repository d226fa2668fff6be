"""Words as bytes: eight at a time, as UTF-8, as 64-bit keys; lists of words, found by their keys in a hash table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit_now as njit
from relrep.core.intrinsics import byte_at, eight_at, put_byte
from relrep.text.encoded import SENTENCE_END, UNKNOWN

_EACH = 0x0101010101010101
_EACH_BYTE = np.uint64(_EACH)
_HIGH_BITS = np.uint64(0x80 * _EACH)
_LOW_BITS = np.uint64(0x7F * _EACH)
LOWERCASE = np.uint64(0x20 * _EACH)
"""The bits that tell small letters from capitals."""
# Added to a byte below 0x80, these set its high bit where the byte is that character or a later one.
_FROM_A = np.uint64((0x80 - ord("a")) * _EACH)
_BEYOND_Z = np.uint64((0x80 - ord("z") - 1) * _EACH)
_FROM_0 = np.uint64((0x80 - ord("0")) * _EACH)
_BEYOND_9 = np.uint64((0x80 - ord("9") - 1) * _EACH)
SEED = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)


@njit(cache=True, nogil=True, inline="always")
def address_of(array: Any) -> Any:
    """Where in memory an array begins; it must be held as long as its address is used."""
    return np.int64(array.ctypes.data)  # an unsigned number would turn sums into floats


@njit(cache=True, nogil=True, inline="always")
def eight_before(address: int, end: int) -> Any:
    """The eight bytes at `address`, with zeros for those at `end` and behind it."""
    if address + 8 <= end:
        return eight_at(address)
    value = np.uint64(0)
    for i in range(end - address):
        value |= np.uint64(byte_at(address + i)) << np.uint64(8 * i)
    return value


@njit(cache=True, nogil=True, inline="always")
def bytes_before(marks: Any) -> Any:
    """How many bytes stand before the first whose high bit is set, if marks hold no other bits; 8 where none is."""
    below = ~marks & (marks - np.uint64(1))
    return np.int64((((below >> np.uint64(7)) & _EACH_BYTE) * _EACH_BYTE) >> np.uint64(56))


@njit(cache=True, nogil=True, inline="always")
def fold_ascii(eight: Any, case_bits: Any) -> Any:
    """The same eight bytes, ASCII letters lower-cased; and how many of the first are ASCII letters or digits.

    `case_bits` is LOWERCASE, or 0 to leave letters as they are.
    """
    low = eight & _LOW_BITS
    small = low | LOWERCASE
    letters = (small + _FROM_A) & ~(small + _BEYOND_Z) & ~eight & _HIGH_BITS
    digits = (low + _FROM_0) & ~(low + _BEYOND_9) & ~eight
    others = _HIGH_BITS & ~(letters | digits)
    return eight | ((letters >> np.uint64(2)) & case_bits), bytes_before(others)


@njit(cache=True, nogil=True, inline="always")
def first_bytes(eight: Any, count: int) -> Any:
    """The first `count` (fewer than eight) of these bytes, the others zero."""
    return eight & ((np.uint64(1) << np.uint64(8 * count)) - np.uint64(1))


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


@njit(cache=True, nogil=True, inline="always")
def fold(code: Any, eight_bytes: Any) -> Any:
    # One-to-one in `eight_bytes`, so that no two words of up to eight bytes share a key.
    code = (code ^ eight_bytes) * MULTIPLIER
    return code ^ (code >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def slot_of(key: Any, mask: Any) -> Any:
    # The high bits of a product depend on all bits of the key.
    return (key * SEED >> np.uint64(32)) & mask


@njit(cache=True, nogil=True, inline="always")
def key_at(word: int, length: int) -> Any:
    # The key of the word at this address; there must be eight bytes behind its last full eight.
    code = SEED
    while length >= 8:
        code = fold(code, eight_at(word))
        word += 8
        length -= 8
    if length > 0:
        code = fold(code, first_bytes(eight_at(word), length))
    return code


@njit(cache=True, nogil=True)
def word_key(word: NDArray[np.uint8]) -> Any:
    """A 64-bit key of a word given as bytes: different for all words of up to eight bytes, a hash beyond."""
    text = np.zeros(len(word) + 8, dtype=np.uint8)
    for i in range(len(word)):
        text[i] = word[i]
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


@njit(cache=True, nogil=True)
def unite(block: Any, words: Any, n_words: int, table: NDArray[np.int32], number: NDArray[np.int32]) -> int:
    """Adds the words of a TokenBlock to a list of `n_words` words, and says how long the list is then.

    The list `words` is such a block too (long enough for all words of the block); `table` (its length a power of two,
    at most half full afterwards) finds a word's number by its key. The words of the block get their numbers in
    `number`.
    """
    text, starts, counts, keys = words.text, words.starts, words.counts, words.keys
    new_text, new_starts, new_counts, new_keys = block.text, block.starts, block.counts, block.keys
    mask = np.uint64(len(table) - 1)
    spellings = address_of(text)
    new_spellings = address_of(new_text)
    for entry in range(len(new_keys)):
        key = new_keys[entry]
        start = new_starts[entry]
        length = new_starts[entry + 1] - start
        slot = slot_of(key, mask)
        while True:
            word = table[slot]
            if word < 0:
                word = n_words
                table[slot] = word
                keys[word] = key
                counts[word] = 0
                at = starts[word]
                for k in range(length):
                    text[at + k] = new_text[start + k]
                starts[word + 1] = at + length
                n_words += 1
                break
            if (
                keys[word] == key
                and starts[word + 1] - starts[word] == length
                and (length <= 8 or same_words(spellings + starts[word], new_spellings + start, length))
            ):
                break
            slot = (slot + np.uint64(1)) & mask
        counts[word] += new_counts[entry]
        number[entry] = word
    return n_words


@njit(cache=True, nogil=True)
def fill_table(keys: NDArray[np.uint64], table: NDArray[np.int32]) -> None:
    """Puts the words with these keys, numbered from 0, into an empty table (all -1) for `unite`."""
    mask = np.uint64(len(table) - 1)
    for word in range(len(keys)):
        slot = slot_of(keys[word], mask)
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = word


@njit(cache=True, nogil=True)
def find(sought: Any, words: Any, table: NDArray[np.int32], number: NDArray[np.int32]) -> None:
    """The numbers of the words of a block in a list (see `unite`), UNKNOWN for those that it does not hold."""
    text, starts, keys = words.text, words.starts, words.keys
    sought_text, sought_starts, sought_keys = sought.text, sought.starts, sought.keys
    mask = np.uint64(len(table) - 1)
    spellings = address_of(text)
    sought_spellings = address_of(sought_text)
    for entry in range(len(sought_keys)):
        key = sought_keys[entry]
        start = sought_starts[entry]
        length = sought_starts[entry + 1] - start
        slot = slot_of(key, mask)
        number[entry] = UNKNOWN
        while table[slot] >= 0:
            word = table[slot]
            if (
                keys[word] == key
                and starts[word + 1] - starts[word] == length
                and (length <= 8 or same_words(spellings + starts[word], sought_spellings + start, length))
            ):
                number[entry] = word
                break
            slot = (slot + np.uint64(1)) & mask


@njit(cache=True, nogil=True)
def keys_of(text: NDArray[np.uint8], starts: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
    """The key of each word; `text` must have eight bytes behind the last one."""
    spellings = address_of(text)
    for word in range(len(keys)):
        keys[word] = key_at(spellings + starts[word], starts[word + 1] - starts[word])


@njit(cache=True, nogil=True)
def prefixes(
    text: NDArray[np.uint8], starts: NDArray[np.int64], words: NDArray[np.int64], out: NDArray[np.uint8]
) -> None:
    """The first bytes of each of these words, as many as `out` has columns, with zeros behind the short ones."""
    for row in range(len(words)):
        start = starts[words[row]]
        length = min(starts[words[row] + 1] - start, out.shape[1])
        for k in range(length):
            out[row, k] = text[start + k]


@njit(cache=True, nogil=True)
def renumber(ids: NDArray[np.int32], new_ids: NDArray[np.int32]) -> tuple[int, int]:
    """ids = new_ids[ids] in place, marks (negative ids) kept; returns how many sentences end, how many are unknown."""
    ends = 0
    unknown = 0
    for i in range(len(ids)):
        new = ids[i]
        if new >= 0:
            new = new_ids[new]
            ids[i] = new
        ends += new == SENTENCE_END
        unknown += new == UNKNOWN
    return ends, unknown
