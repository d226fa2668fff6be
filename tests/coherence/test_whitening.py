"""Whitened vectors against the plain twin, and words that have no vector."""

import numpy as np
import pytest

from relrep.coherence.training import CoherenceSettings
from relrep.coherence.whitening import linear_cka, whiten, whiten_if_text_agrees
from relrep.core.linalg import unit_rows
from relrep.errors import RelrepError
from relrep.reference import coherence as reference


def uneven(seed: int, n_words: int = 60, dim: int = 6) -> np.ndarray:
    """Vectors that lie about a mean of their own, far more along some directions than along others."""
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((n_words, dim)) * 3.0 ** -np.arange(dim)
    rotation = np.linalg.qr(generator.standard_normal((dim, dim)))[0]
    return (0.3 + rows @ rotation).astype(np.float32)


@pytest.mark.parametrize("power", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_whitened_vectors_are_those_of_the_plain_twin(seed: int, power: float) -> None:
    vectors = uneven(seed)
    expected = reference.whiten([[float(x) for x in row] for row in vectors], power)
    np.testing.assert_allclose(whiten(vectors, power, len(vectors)), expected, atol=1e-4)


def test_mean_and_directions_are_those_of_the_first_words() -> None:
    vectors = uneven(1)
    both = whiten(np.vstack([vectors, 100 * uneven(2)]), 0.25, len(vectors))
    np.testing.assert_array_equal(both[: len(vectors)], whiten(vectors, 0.25, len(vectors)))


def test_no_power_leaves_unit_vectors() -> None:
    vectors = uneven(3)
    np.testing.assert_array_equal(whiten(vectors, 0.0, 60), unit_rows(vectors))


def test_words_without_a_vector_stay_without_one_and_do_not_count() -> None:
    vectors = uneven(4)
    gaps = np.zeros((2 * len(vectors), vectors.shape[1]), dtype=np.float32)
    gaps[::2] = vectors
    found = whiten(gaps, 0.25, len(gaps))
    assert not found[1::2].any()
    np.testing.assert_allclose(found[::2], whiten(vectors, 0.25, len(vectors)), atol=1e-6)
    assert not whiten(np.zeros((3, 4), dtype=np.float32), 0.25, 3).any()


def test_a_direction_that_holds_nothing_is_not_blown_up() -> None:
    flat = uneven(5)
    flat[:, 2] = 0
    found = whiten(np.vstack([flat, flat[:1] + np.float32(1e-6)]), 0.5, len(flat))
    assert np.isfinite(found).all() and abs(float(found[-1] @ found[0])) > 0.99


def test_agreement_is_the_cosine_of_all_products() -> None:
    generator = np.random.default_rng(6)
    one, other = (generator.standard_normal((40, size)).astype(np.float32) for size in (5, 3))
    products = [(rows @ rows.T).ravel() for rows in (one, other)]
    expected = products[0] @ products[1] / (np.linalg.norm(products[0]) * np.linalg.norm(products[1]))
    assert linear_cka(one, other) == pytest.approx(float(expected), rel=1e-4)
    assert linear_cka(one, np.zeros_like(other)) == 0


@pytest.mark.parametrize("telling", [True, False])
def test_the_text_decides_whether_the_long_directions_are_shortened(telling: bool) -> None:
    """Relations lie in the direction with the most variance, which is to stay, or in those with little."""
    generator = np.random.default_rng(7)
    vectors = (generator.standard_normal((400, 6)) * np.array([4, 1, 1, 1, 1, 1])).astype(np.float32)
    word, partner = (generator.permutation(400)[:300].astype(np.int32) for _ in range(2))
    differences = unit_rows(unit_rows(vectors)[partner] - unit_rows(vectors)[word])
    profiles = np.ascontiguousarray(differences[:, :1] if telling else differences[:, 1:])
    found, changed = whiten_if_text_agrees(vectors, word, partner, profiles, 0.25, 400)
    assert changed is not telling
    expected = unit_rows(vectors) if telling else whiten(vectors, 0.25, 400)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert whiten_if_text_agrees(vectors, word[:0], partner[:0], profiles[:0], 0.25, 400)[1] is False


def test_the_setting_is_checked() -> None:
    with pytest.raises(RelrepError, match=r"whitening is 0\.7"):
        CoherenceSettings(whitening=0.7)
