"""Association, instances, A, loss and gradient against the slow reference."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.mining.pairs import Pairs
from relrep.mining.runs import Run
from relrep.paper.association import Association, AssociationSettings, associate
from relrep.paper.instances import Instances, InstanceSettings, select_instances
from relrep.paper.pattern_matrix import pattern_matrix
from relrep.paper.settings import TrainingSettings
from relrep.paper.training import train
from relrep.reference import paper as reference

WORDS = list("abcdef")
COUNTS = st.dictionaries(
    st.tuples(st.integers(0, 6), st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda p: p[0] != p[1])),
    st.integers(1, 50),
    min_size=2,
    max_size=60,
)


def _name(pattern: int) -> reference.Pattern:
    return ("unigram", (str(pattern),), False)


def _as_reference(counts):
    return {(_name(p), (WORDS[u], WORDS[v])): n for (p, (u, v)), n in counts.items()}


def _as_arrays(counts) -> tuple[Run, Pairs, np.ndarray]:
    pairs = sorted({pair for _, pair in counts})
    rows = [sorted((p, n) for (p, own), n in counts.items() if own == pair) for pair in pairs]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    columns = np.array([p for row in rows for p, _ in row], dtype=np.int32)
    values = np.array([n for row in rows for _, n in row], dtype=np.int32)
    first = np.array([u for u, _ in pairs])
    selected = Pairs(
        np.searchsorted(first, np.arange(len(WORDS) + 1)).astype(np.int64),
        np.array([v for _, v in pairs], dtype=np.int32),
        np.ones(len(pairs), dtype=np.int64),
    )
    totals = np.bincount(columns, weights=values, minlength=7).astype(np.int64)
    return Run(starts, columns, values), selected, totals


def _weigh(counts, folder: Path, measure: str = "ppmi", threads: int = 1):
    run, pairs, totals = _as_arrays(counts)
    return associate(run, totals, AssociationSettings(measure), folder / "f", threads), pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("association")


@settings(max_examples=60, deadline=None)
@given(COUNTS, st.sampled_from(["ppmi", "llr", "lmi"]))
def test_weights_equal_the_reference(folder, counts, measure):
    held, pairs = _weigh(counts, folder, measure)
    expected = reference.association(_as_reference(counts), measure)
    found = {}
    for pair in range(len(pairs)):
        name = (WORDS[pairs.u[pair]], WORDS[pairs.v[pair]])
        for entry in range(held.starts[pair], held.starts[pair + 1]):
            found[_name(int(held.pattern[entry])), name] = float(held.weight[entry])
    assert found.keys() == expected.keys()
    for key, weight in expected.items():
        assert found[key] == pytest.approx(weight, rel=1e-5, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(COUNTS, st.integers(1, 12), st.integers(1, 12), st.integers(1, 3))
def test_instances_equal_the_reference(folder, counts, positives, negatives, threads):
    held, _ = _weigh(counts, folder)
    f = reference.association(_as_reference(counts))
    similarity = reference.similarities(f, [_name(p) for p in range(7)])
    try:
        found = select_instances(held, InstanceSettings(positives, negatives), threads)
    except RelrepError:
        assert not similarity
        return
    for p, q, value in zip(found.left.tolist(), found.right.tolist(), found.similarity, strict=True):
        assert value == pytest.approx(similarity[p, q], rel=1e-4)
    # The order within float32's rounding is the kernel's own; the extremes themselves are the reference's.
    n = int(found.target.sum())
    assert n == min(positives, len(similarity))
    expected = sorted(similarity.values(), reverse=True)[:n]
    assert sorted(found.similarity[:n], reverse=True) == pytest.approx(expected, rel=1e-4)
    assert len(found) - n <= negatives
    lowest = sorted(similarity.values())[: len(found) - n]
    if len(found) - n == min(negatives, len(similarity)):
        assert sorted(found.similarity[n:]) == pytest.approx(lowest, rel=1e-4)
    assert len({(p, q) for p, q in zip(found.left.tolist(), found.right.tolist(), strict=True)}) == len(found)


def _association(weights) -> Association:
    pair, pattern = np.nonzero(weights)
    starts = np.searchsorted(pair, np.arange(len(weights) + 1))
    values = weights[pair, pattern].astype(np.float32)
    sums = np.array([weights.sum(axis=0), (weights**2).sum(axis=0)])
    return Association(starts, pattern.astype(np.int32), values, np.ones(len(values), np.int32), sums)


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
    held, _ = _weigh(counts, folder)
    found = select_instances(held, InstanceSettings(2, 1))
    assert found.left.tolist()[:2] == [0, 0] and found.right.tolist()[:2] == [1, 2]


@settings(max_examples=40, deadline=None)
@given(COUNTS, st.integers(1, 2))
def test_pattern_matrix_equals_the_reference(folder, counts, threads):
    held, pairs = _weigh(counts, folder)
    f = reference.association(_as_reference(counts))
    rows = reference.pattern_matrix(f, [_name(p) for p in range(7)])
    matrix = pattern_matrix(held, pairs, np.array([1, 3, 4], dtype=np.int32), threads)
    for place, pattern in enumerate([1, 3, 4]):
        own = slice(matrix.by_pattern.starts[place], matrix.by_pattern.starts[place + 1])
        names = [WORDS[matrix.words[x]] for x in matrix.by_pattern.columns[own]]
        found = dict(zip(names, matrix.by_pattern.values[own].tolist(), strict=True))
        assert found.keys() == rows[pattern].keys()
        for word, value in rows[pattern].items():
            assert found[word] == pytest.approx(value, rel=1e-4, abs=1e-6)


def _world(counts, folder, seed=0, dim=3):
    held, pairs = _weigh(counts, folder)
    f = reference.association(_as_reference(counts))
    rows = reference.pattern_matrix(f, [_name(p) for p in range(7)])
    rng = np.random.default_rng(seed)
    vectors = (rng.standard_normal((len(WORDS), dim)) * np.sqrt(3 / dim)).astype(np.float32)
    return held, pairs, rows, vectors


DENSE = {(p, (u, v)): 1 + (7 * p + 3 * u + v) % 11 for p in range(7) for u in range(6) for v in range(6) if u != v}
INSTANCES = Instances(
    np.array([0, 1, 2, 0], np.int32),
    np.array([3, 4, 5, 6], np.int32),
    np.array([1, 0, 1, 0], np.float32),
    np.zeros(4),
)
PLAIN = list(zip(INSTANCES.left.tolist(), INSTANCES.right.tolist(), INSTANCES.target.tolist(), strict=True))


@pytest.mark.parametrize("sigma", ["tanh", "logistic", "relu"])
def test_gradient_of_the_reference_equals_finite_differences(folder, sigma):
    _, _, rows, vectors = _world(DENSE, folder)
    held = {word: vectors[i].astype(float).tolist() for i, word in enumerate(WORDS)}
    _, gradient = reference.loss_and_gradient(PLAIN, rows, held, 3, sigma)
    step = 1e-5
    for word in WORDS:
        for k in range(3):
            moved = {x: list(v) for x, v in held.items()}
            moved[word][k] += step
            above, _ = reference.loss_and_gradient(PLAIN, rows, moved, 3, sigma)
            moved[word][k] -= 2 * step
            below, _ = reference.loss_and_gradient(PLAIN, rows, moved, 3, sigma)
            assert gradient[word][k] == pytest.approx((above - below) / (2 * step), abs=1e-6)


@pytest.mark.parametrize(("solver", "dim"), [("batch", 3), ("sgd", 3), ("sgd", 20)])
@pytest.mark.parametrize("sigma", ["tanh", "logistic", "relu"])
def test_two_iterations_equal_the_reference(folder, solver, dim, sigma):
    held, pairs, rows, vectors = _world(DENSE, folder, dim=dim)
    chosen = TrainingSettings(solver=solver, activation=sigma, iterations=2, learning_rate=0.1, tolerance=0)
    used = np.unique(np.concatenate([INSTANCES.left, INSTANCES.right]))
    matrix = pattern_matrix(held, pairs, used)
    trained, history = train(vectors, INSTANCES, matrix, chosen)

    plain = {word: vectors[i].astype(float).tolist() for i, word in enumerate(WORDS)}
    orders = [
        [list(range(len(PLAIN)))]  # all instances at once
        if solver == "batch"
        else [[i] for i in np.random.default_rng([chosen.seed, iteration]).permutation(len(PLAIN)).tolist()]
        for iteration in range(2)
    ]
    losses = reference.algorithm_1(PLAIN, rows, plain, orders, rate=0.1, sigma=sigma)
    assert [each.loss for each in history] == pytest.approx(losses, rel=1e-4, abs=1e-6)
    expected = np.array([plain[word] for word in WORDS])
    np.testing.assert_allclose(trained, expected, rtol=1e-3, atol=1e-4)
    assert all(each.movement > 0 for each in history)


def test_stopped_training_goes_on_to_the_same_bits(folder, tmp_path):
    held, pairs, _, vectors = _world(DENSE, folder)
    matrix = pattern_matrix(held, pairs, np.arange(7, dtype=np.int32))
    for solver in ("batch", "sgd"):
        ten = TrainingSettings(solver=solver, iterations=10, tolerance=0)
        five = TrainingSettings(solver=solver, iterations=5, tolerance=0)
        whole, history = train(vectors, INSTANCES, matrix, ten)
        checkpoint = tmp_path / f"{solver}.safetensors"
        train(vectors, INSTANCES, matrix, five, checkpoint)
        again, resumed = train(vectors, INSTANCES, matrix, ten, checkpoint)
        assert whole.tobytes() == again.tobytes()
        assert history == resumed


def test_words_outside_every_pattern_keep_their_vectors(folder):
    counts = {key: n for key, n in DENSE.items() if 5 not in key[1]}
    held, pairs, _, vectors = _world(counts, folder)
    matrix = pattern_matrix(held, pairs, np.arange(7, dtype=np.int32))
    trained, _ = train(vectors, INSTANCES, matrix, TrainingSettings(iterations=3))
    assert trained[5].tobytes() == vectors[5].tobytes()
    assert not np.array_equal(trained[:5], vectors[:5])


def test_training_stops_when_converged(folder):
    held, pairs, _, vectors = _world(DENSE, folder)
    matrix = pattern_matrix(held, pairs, np.arange(7, dtype=np.int32))
    _, history = train(vectors, INSTANCES, matrix, TrainingSettings(iterations=500, tolerance=0.05))
    assert 2 <= len(history) < 500
