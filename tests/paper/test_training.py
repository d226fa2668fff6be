"""Loss, gradient and Algorithm 1 against the reference; checkpoints and convergence."""

import numpy as np
import pytest
from plain_counts import WORDS, as_reference, pattern_name, weigh

from relrep.paper import _kernels as kernel
from relrep.paper.instances import Instances
from relrep.paper.pattern_matrix import pattern_matrix
from relrep.paper.training import TrainingSettings, train
from relrep.reference import paper as reference

DENSE = {(p, (u, v)): 1 + (7 * p + 3 * u + v) % 11 for p in range(7) for u in range(6) for v in range(6) if u != v}


INSTANCES = Instances(
    np.array([0, 1, 2, 0], np.int32),
    np.array([3, 4, 5, 6], np.int32),
    np.array([1, 0, 1, 0], np.float32),
    np.zeros(4),
)


PLAIN = list(zip(INSTANCES.left.tolist(), INSTANCES.right.tolist(), INSTANCES.target.tolist(), strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("association")


def world(counts, folder, seed=0, dim=3):
    held, pairs = weigh(counts, folder)
    f = reference.association(as_reference(counts))
    rows = reference.pattern_matrix(f, [pattern_name(p) for p in range(7)])
    rng = np.random.default_rng(seed)
    vectors = (rng.standard_normal((len(WORDS), dim)) * np.sqrt(3 / dim)).astype(np.float32)
    return held, pairs, rows, vectors


@pytest.mark.parametrize("sigma", ["tanh", "logistic", "relu"])
def test_gradient_of_the_reference_equals_finite_differences(folder, sigma):
    _, _, rows, vectors = world(DENSE, folder)
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
    held, pairs, rows, vectors = world(DENSE, folder, dim=dim)
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
    held, pairs, _, vectors = world(DENSE, folder)
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
    held, pairs, _, vectors = world(counts, folder)
    matrix = pattern_matrix(held, pairs, np.arange(7, dtype=np.int32))
    trained, _ = train(vectors, INSTANCES, matrix, TrainingSettings(iterations=3))
    assert trained[5].tobytes() == vectors[5].tobytes()
    assert not np.array_equal(trained[:5], vectors[:5])


def test_training_stops_when_converged(folder):
    held, pairs, _, vectors = world(DENSE, folder)
    matrix = pattern_matrix(held, pairs, np.arange(7, dtype=np.int32))
    _, history = train(vectors, INSTANCES, matrix, TrainingSettings(iterations=500, tolerance=0.05))
    assert 2 <= len(history) < 500


def test_a_gradient_whose_square_is_nothing_moves_nothing():
    gradient = np.array([[1e-30, 2.0]], dtype=np.float32)
    vectors, sums = np.ones((1, 2), dtype=np.float32), np.zeros((1, 2), dtype=np.float32)
    kernel.adagrad_step(0, 1, gradient, np.float32(0.5), vectors, sums)
    assert vectors.tolist() == [[1.0, 0.5]]
