"""Vectors of several systems as one."""

import numpy as np
import pytest

from relrep.baselines.init import meta_embedding


def random_systems(n_words: int = 5000, dims: tuple[int, ...] = (7, 5)) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    return [generator.standard_normal((n_words, dim), dtype=np.float32) for dim in dims]


def test_meta_embedding_are_the_first_singular_directions():
    several = random_systems()
    beside = np.hstack([each / np.linalg.norm(each, axis=1, keepdims=True) for each in several])
    u, s, _ = np.linalg.svd(beside.astype(np.float64), full_matrices=False)
    found, expected = meta_embedding(several, 4), (u * s)[:, :4]
    scale = np.linalg.norm(found) / np.linalg.norm(expected)
    np.testing.assert_allclose(np.abs(found), scale * np.abs(expected), atol=1e-3)


def test_meta_embedding_are_as_long_as_those_they_are_made_of():
    one, two = random_systems()
    lengths = [np.linalg.norm(each, axis=1).mean() for each in (one, 5 * two, meta_embedding([one, 5 * two], 4))]
    assert lengths[2] == pytest.approx((lengths[0] + lengths[1]) / 2, rel=1e-4)


def test_all_directions_keep_all_cosines():
    one, two = random_systems()
    united = meta_embedding([one, two], 12)
    united *= np.sqrt(2) / np.linalg.norm(united[0])
    beside = np.hstack([each / np.linalg.norm(each, axis=1, keepdims=True) for each in (one, two)])
    np.testing.assert_allclose(united[:50] @ united[:50].T, beside[:50] @ beside[:50].T, atol=1e-5)


def test_a_word_unknown_to_one_system_has_the_other():
    one, two = random_systems()
    one[7] = 0
    united = meta_embedding([one, two], 12)
    assert np.linalg.norm(united[8]) / np.linalg.norm(united[7]) == pytest.approx(np.sqrt(2), rel=1e-5)


def test_words_that_one_system_does_not_know_do_not_choose_the_directions():
    one, two = random_systems()
    expected = meta_embedding([one[:4000], two[:4000]], 4)
    found = meta_embedding([one[:4000], two], 4, len(two))
    scale = found[0, 0] / expected[0, 0]
    np.testing.assert_allclose(found[:4000], scale * expected, atol=1e-4)
    assert (np.linalg.norm(found[4000:], axis=1) > 0).all()
