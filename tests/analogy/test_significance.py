"""Intervals and tests against SciPy's and against counting."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from relrep.analogy.significance import McNemar, binomial_test, p_in_words, wilson_interval


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_is_scipys(right: int, questions: int) -> None:
    right = min(right, questions)
    expected = binomtest(right, questions).proportion_ci(0.95, method="wilson")
    assert wilson_interval(right, questions) == pytest.approx((100 * expected.low, 100 * expected.high))


def test_binomial_test_by_counting() -> None:
    chances = [comb(6, right) * 0.2**right * 0.8 ** (6 - right) for right in range(7)]
    expected = sum(chance for chance in chances if chance <= chances[3] * (1 + 1e-9))
    assert binomial_test(3, 6, 0.2) == pytest.approx(expected)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_an_exact_sign_test(first: int, second: int) -> None:
    n, fewer = first + second, min(first, second)
    expected = min(1.0, 2 * sum(comb(n, right) for right in range(fewer + 1)) / 2**n)
    assert McNemar(first, second).p_value == pytest.approx(expected)


def test_mcnemar_says_what_is_significant() -> None:
    assert McNemar(0, 0).p_value == 1.0
    assert not McNemar(5, 0).significant  # 2 / 32
    assert McNemar(6, 0).significant  # 2 / 64


def test_p_values_in_words() -> None:
    assert [p_in_words(p) for p in (0.5, 0.0421, 0.00042, 1e-300)] == [
        "p = 0.500",
        "p = 0.042",
        "p = 0.0004",
        "p < 0.0001",
    ]
