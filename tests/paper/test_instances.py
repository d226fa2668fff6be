"""Instance selection (§ 3.1) against the reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_counts import COUNTS, as_reference, pattern_name, weigh

from relrep.errors import RelrepError
from relrep.paper.association import Association
from relrep.paper.instances import Instances, InstanceSettings, select_instances
from relrep.reference import paper as reference


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("association")


@settings(max_examples=150, deadline=None)
@given(COUNTS, st.integers(1, 12), st.integers(1, 12), st.integers(1, 3))
def test_instances_equal_the_reference(folder, counts, positives, negatives, threads):
    held, _ = weigh(counts, folder)
    f = reference.association(as_reference(counts))
    similarity = reference.similarities(f, [pattern_name(p) for p in range(7)])
    try:
        found = select_instances(held, InstanceSettings(positives, negatives), threads)
    except RelrepError:
        assert not similarity
        return
    for p, q, value in zip(found.left.tolist(), found.right.tolist(), found.similarity, strict=True):
        assert value == pytest.approx(similarity[p, q], rel=1e-4)
    # The order within float32's rounding is the kernel's own; the extremes themselves are the reference's.
    n = int(found.target.sum())
    targets = [t for _, _, t in reference.select_instances(similarity, positives, negatives)]
    assert found.target.tolist() == targets
    expected = sorted(similarity.values(), reverse=True)[:n]
    assert sorted(found.similarity[:n], reverse=True) == pytest.approx(expected, rel=1e-4)
    lowest = sorted(similarity.values())[: len(found) - n]
    assert sorted(found.similarity[n:]) == pytest.approx(lowest, rel=1e-4)
    assert len({(p, q) for p, q in zip(found.left.tolist(), found.right.tolist(), strict=True)}) == len(found)


def _association(weights) -> Association:
    pair, pattern = np.nonzero(weights)
    starts = np.searchsorted(pair, np.arange(len(weights) + 1))
    values = weights[pair, pattern].astype(np.float32)
    sums = np.array([weights.sum(axis=0), (weights**2).sum(axis=0)])
    return Association(starts, pattern.astype(np.int32), values, sums)


def _some_weights(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random((800, 70)) * (rng.random((800, 70)) < rng.random((800, 1)) ** 4)
    weights[:, 40:] *= rng.random((800, 30)) < 0.05  # some patterns hardly meet
    return weights


def _same(some: Instances, other: Instances) -> bool:
    names = ("left", "right", "target", "similarity")
    return all(np.array_equal(getattr(some, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("seed", range(3))
def test_instances_do_not_depend_on_threads(seed):
    weights = _some_weights(seed)
    held = _association(weights)
    found = [select_instances(held, InstanceSettings(100, 100), threads) for threads in (1, 2, 3)]
    assert all(_same(found[0], other) for other in found[1:])
    lengths = np.sqrt((weights**2).sum(axis=0))
    similarity = (weights.T @ weights) / np.outer(lengths, lengths)
    all_pairs = similarity[np.triu_indices(70, 1)]
    most, least = np.sort(all_pairs)[::-1][:100], np.sort(all_pairs[all_pairs > 0])[:100]
    assert found[0].similarity[:100] == pytest.approx(most, rel=1e-4)
    assert found[0].similarity[100:] == pytest.approx(least, rel=1e-4)
    assert found[0].similarity == pytest.approx(similarity[found[0].left, found[0].right], rel=1e-4)


def test_patterns_that_share_nothing_are_no_instances():
    weights = np.zeros((90, 90))
    for pattern in range(90):  # three in a row share a pair of words; nothing else is shared
        weights[pattern, pattern] = weights[pattern, pattern // 3 * 3] = 1 + pattern % 7
    found = select_instances(_association(weights), InstanceSettings(1000, 1000), 2)
    expected = [(first, other) for first in range(0, 90, 3) for other in (first + 1, first + 2)]
    assert sorted(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected


def test_ties_go_to_the_smaller_ids(folder):
    counts = {(p, (0, 1)): 5 for p in range(4)} | {(p, (2, 3)): 5 for p in (5, 6)}
    held, _ = weigh(counts, folder)
    found = select_instances(held, InstanceSettings(2, 1))
    assert found.left.tolist()[:2] == [0, 0] and found.right.tolist()[:2] == [1, 2]
