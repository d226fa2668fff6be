"""The small logistic regression finds the one minimum."""

import numpy as np
import pytest

from relrep.analogy.logistic import logistic_regression


@pytest.mark.parametrize(("dimensions", "scale"), [(20, 1.0), (40, 5.0), (3, 100.0)])
def test_scikit_learn_finds_the_same(dimensions: int, scale: float) -> None:
    sklearn = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(dimensions)
    rows, weights = scale * rng.standard_normal((60, dimensions)), rng.random(60) * 3
    is_positive = np.arange(60) < 20
    theirs = sklearn.LogisticRegression(tol=1e-10, max_iter=10_000).fit(rows, is_positive, sample_weight=weights)
    expected = np.append(theirs.coef_[0], theirs.intercept_)
    np.testing.assert_allclose(logistic_regression(rows, is_positive, weights), expected, atol=1e-4)


def test_rows_that_a_line_parts_have_finite_coefficients() -> None:
    found = logistic_regression(np.array([[-1e3], [1e3]]), np.array([False, True]), np.ones(2))
    assert np.isfinite(found).all() and found[0] > 0
