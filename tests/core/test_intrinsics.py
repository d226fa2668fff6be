"""Bits against Python's own integers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from relrep.core.intrinsics import count_bits, lowest_bit, mark
from relrep.text._kernels.words import bytes_before

words = st.integers(0, 2**64 - 1)


@given(words)
def test_bits_are_counted_and_the_lowest_found(word):
    assert count_bits(np.uint64(word)) == word.bit_count()
    assert lowest_bit(np.uint64(word)) == ((word & -word).bit_length() - 1 if word else 64)


@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_bytes_before_the_first_mark(marked):
    marks = sum(0x80 << 8 * place for place, is_marked in enumerate(marked) if is_marked)
    assert bytes_before(np.uint64(marks)) == (marked.index(True) if any(marked) else 8)


@given(st.sets(st.integers(0, 191)))
def test_marked_bits_are_set(places):
    bitmap = np.zeros(3, dtype=np.uint64)
    for place in places:
        mark(bitmap, place)
    assert {64 * row + bit for row in range(3) for bit in range(64) if int(bitmap[row]) >> bit & 1} == places
