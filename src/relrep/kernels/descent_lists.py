"""The words that an instance needs, listed before they are visited, with what is to be done with each.

Two numbers of 32 bits make up one of 64 everywhere here, so that a word takes few loads and stores and what belongs
to one pattern only is masked, not chosen: nobody could guess which of two patterns has the next word, and for each
wrong guess the processor would wait longer than listing a word takes. Places are without a sign: numba counts negative
ones from the end, which costs several instructions each.

An entry of a pattern is a word (high half) and the bits of its weight (low half). A listed word is the word (low half)
and the instance that it was in last (high half). Weights are of the left pattern (low half) and of the right one.
"""

import numpy as np
from numba import njit

LOW = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32)
ONE = np.uint64(1)
_NONE = np.uint64(0)


@njit(inline="always")
def _list_word(word, own, number, last_in, due, n, listed, weights):
    """Notes a word: when it was last in an instance, its weights there, and its own in this one."""
    listed[n] = word | np.uint64(last_in[word]) << SHIFT
    weights[n + n], weights[n + n + ONE] = due[word], own
    last_in[word] = number
    due[word] = own
    return n + ONE


@njit(cache=True, nogil=True)
def list_words(e, e_end, f, f_end, entries, number, last_in, due, listed, weights):
    """The words of two patterns, rising, for the instance `number`; an even number of them, filled up.

    The patterns' entries are e ≤ entry < e_end and f ≤ entry < f_end. `last_in` (uint32) and `due` (its weights there)
    say of every word in which instance it was last. What fills up is the part's last word, which is in no pattern.
    """
    e, e_end, f, f_end = np.uint64(e), np.uint64(e_end), np.uint64(f), np.uint64(f_end)
    number = np.uint32(number)
    n = _NONE
    while e < e_end and f < f_end:
        of_left, of_right = entries[e], entries[f]
        x, y = of_left >> SHIFT, of_right >> SHIFT
        is_left, is_right = np.uint64(x <= y), np.uint64(y <= x)
        own = (of_left & LOW) * is_left | (of_right << SHIFT) * is_right
        n = _list_word(min(x, y), own, number, last_in, due, n, listed, weights)
        e += is_left
        f += is_right
    while e < e_end:
        n = _list_word(entries[e] >> SHIFT, entries[e] & LOW, number, last_in, due, n, listed, weights)
        e += ONE
    while f < f_end:
        n = _list_word(entries[f] >> SHIFT, entries[f] << SHIFT, number, last_in, due, n, listed, weights)
        f += ONE
    if n & ONE:
        n = _list_word(np.uint64(len(last_in) - 1), _NONE, number, last_in, due, n, listed, weights)
    return np.int64(n)


@njit(cache=True, nogil=True)
def list_all(last_in, due, listed, weights):
    """All words of a part, with what is still due to them; an even number, the last perhaps twice."""
    n = _NONE
    for word in range(len(last_in)):
        n = _list_word(np.uint64(word), _NONE, np.uint32(0), last_in, due, n, listed, weights)
    if n & ONE:
        n = _list_word(np.uint64(len(last_in) - 1), _NONE, np.uint32(0), last_in, due, n, listed, weights)
    return np.int64(n)
