"""Intervals and tests against their definitions."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrep.analogy.outcomes import LEVEL, Tally, mcnemar, p_in_words


def test_wilson_by_hand() -> None:
    """The roots of (p - 0.75)^2 = z^2 p (1 - p) / 4: where three of four are just not significant."""
    z = 1.959963984540054
    low, high = (bound / 100 for bound in Tally(3, 4).interval)
    for bound in (low, high):
        assert (bound - 0.75) ** 2 == pytest.approx(z * z * bound * (1 - bound) / 4)
    assert low < 0.75 < high
    assert Tally(0, 0).interval == (0.0, 100.0)


def test_binomial_test_by_counting() -> None:
    chances = [comb(6, right) * 0.2**right * 0.8 ** (6 - right) for right in range(7)]
    expected = sum(chance for chance in chances if chance <= chances[3] * (1 + 1e-9))
    assert Tally(3, 6).p_against(20) == pytest.approx(expected)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_an_exact_sign_test(first: int, second: int) -> None:
    n, fewer = first + second, min(first, second)
    expected = min(1.0, 2 * sum(comb(n, right) for right in range(fewer + 1)) / 2**n)
    assert mcnemar(first, second) == pytest.approx(expected)


def test_mcnemar_says_what_is_significant() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 0) > LEVEL  # 2 / 32
    assert mcnemar(6, 0) < LEVEL  # 2 / 64


def test_p_values_in_words() -> None:
    assert [p_in_words(p) for p in (0.5, 0.0421, 0.00042, 1e-300)] == [
        "p = 0.500",
        "p = 0.042",
        "p = 0.0004",
        "p < 0.0001",
    ]
