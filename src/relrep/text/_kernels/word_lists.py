"""Words of many blocks become one list, and ids of blocks become ids of that list."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from relrep.text._kernels.raw_bytes import address_of
from relrep.text._kernels.word_keys import key_at, same_words, slot_of

_UNKNOWN = -2
_END = -1


@njit(cache=True, nogil=True)
def unite(
    new_text: NDArray[np.uint8],
    new_starts: NDArray[np.int64],
    new_keys: NDArray[np.uint64],
    new_counts: NDArray[np.int64],
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    n_words: int,
    table: NDArray[np.int32],
    number: NDArray[np.int32],
) -> int:
    """Adds the words of a block to a list of `n_words` words, and says how long the list is then.

    The list is text, starts, keys and counts (with room for all words of the block); `table` (its length a power of
    two, at most half full afterwards) finds a word's number by its key. The words of the block get their numbers in
    `number`.
    """
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
def find(
    sought_text: NDArray[np.uint8],
    sought_starts: NDArray[np.int64],
    sought_keys: NDArray[np.uint64],
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    keys: NDArray[np.uint64],
    table: NDArray[np.int32],
    number: NDArray[np.int32],
) -> None:
    """The numbers of the sought words in a list (see `unite`), _UNKNOWN for those that it does not hold."""
    mask = np.uint64(len(table) - 1)
    spellings = address_of(text)
    sought_spellings = address_of(sought_text)
    for entry in range(len(sought_keys)):
        key = sought_keys[entry]
        start = sought_starts[entry]
        length = sought_starts[entry + 1] - start
        slot = slot_of(key, mask)
        number[entry] = _UNKNOWN
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
        ends += new == _END
        unknown += new == _UNKNOWN
    return ends, unknown
