"""Subwords: n-grams, shrinkage against the plain twin, the same bits for any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.coherence.subwords import LONGEST, RIDGE, SHORTEST, Subwords, ngrams_of, shrink_to_subwords
from relrep.core.linalg import unit_rows
from relrep.reference.arrays import shrunk_to_subwords

WORDS = [
    "walk",
    "walks",
    "walked",
    "walking",
    "talk",
    "talks",
    "talked",
    "jump",
    "jumped",
    "of",
    "x",
    "İzmir",
    "東京都",
]


def drawn(n_words: int, dim: int = 6) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((n_words, dim)).astype(np.float32)


@given(st.text(max_size=12))
def test_ngrams_are_distinct_parts_of_the_marked_word(word):
    found = ngrams_of(word)
    assert len(set(found)) == len(found)
    assert all(ngram in f"<{word}>" and SHORTEST <= len(ngram) <= LONGEST for ngram in found)
    assert f"<{word}>" not in found


def test_an_ngram_of_one_word_does_not_count():
    subwords = Subwords.of(["cat", "cats", "dog"])
    assert set(subwords.ids) == {"<ca", "cat", "<cat"}
    assert np.diff(subwords.ends).tolist() == [3, 3, 0]
    assert subwords.values == pytest.approx(np.full(6, 3**-0.5))


def test_shrinkage_is_that_of_the_plain_twin():
    vectors, counts = drawn(len(WORDS)), np.array([500, 40, 30, 9, 200, 8, 3, 60, 1, 9000, 20, 2, 2])
    shrunk = shrink_to_subwords(vectors, WORDS, counts, 30.0)
    expected = shrunk_to_subwords(vectors.astype(np.float64), WORDS, counts.tolist(), 30.0, RIDGE)
    np.testing.assert_allclose(shrunk, expected, atol=2e-3)


def test_rare_words_move_and_frequent_ones_stay():
    vectors = drawn(len(WORDS))
    counts = np.full(len(WORDS), 10**7)
    counts[3] = 1
    shrunk = unit_rows(shrink_to_subwords(vectors, WORDS, counts, 30.0))
    moved = 1 - np.einsum("ij,ij->i", shrunk, unit_rows(vectors))
    assert moved[3] > 0.05
    assert np.delete(moved, 3).max() < 1e-4


def test_words_without_a_vector_stay_so_and_no_count_changes_nothing():
    vectors = drawn(len(WORDS))
    vectors[2] = 0
    counts = np.full(len(WORDS), 5)
    assert not shrink_to_subwords(vectors, WORDS, counts, 30.0)[2].any()
    assert np.array_equal(shrink_to_subwords(vectors, WORDS, counts, 0.0), unit_rows(vectors))


def test_same_bits_for_any_number_of_threads():
    words = [f"{a}{b}{c}ing" for a in "bcdfghklmnprst" for b in "aeiou" for c in "lmnrst"] * 6
    words = [f"{word}{at % 6}" for at, word in enumerate(words)]
    vectors, counts = drawn(len(words)), np.arange(len(words)) + 1
    one = shrink_to_subwords(vectors, words, counts, 30.0)
    assert np.array_equal(one, shrink_to_subwords(vectors, words, counts, 30.0, threads=3))
