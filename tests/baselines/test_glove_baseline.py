"""GloVe: its steps against plain NumPy, its bits, its checkpoints, and that it learns."""

import numpy as np
import pytest
from analogy_world import analogy_accuracy, world

import relrep.core.checkpoints as checkpoints
from relrep.baselines import train_baseline
from relrep.baselines._kernels.glove import Entries, Parameters, train_block
from relrep.baselines.glove import initial_state, train_glove
from relrep.baselines.settings import GloveSettings
from relrep.errors import RelrepError
from relrep.reference.baselines import glove_step
from relrep.text.encoded import EncodedCorpus
from relrep.vectors.word_vectors import WordVectors

SMALL = GloveSettings(dim=20, iterations=4, x_max=10.0)


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    return world(10_000)


def plain_step(state, u, v, log_count, settings):
    return glove_step(state, u, v, log_count, settings.x_max, settings.alpha, settings.learning_rate)


def arguments(state, settings):
    numbers = (np.log(settings.x_max), settings.alpha, settings.learning_rate)
    return Parameters(*(state[name] for name in Parameters._fields)), *(np.float32(number) for number in numbers)


def test_steps_are_those_of_plain_numpy():
    settings = GloveSettings(dim=11, x_max=10.0)
    random = np.random.default_rng(3)
    fast = initial_state(6, settings)
    for name in ("word", "context"):
        fast[name][:, :11] = random.normal(0, 0.5, (6, 11))
    slow = {name: array.astype(np.float64) for name, array in fast.items()}
    rarer = np.array([3, 5, 5, 2, 4, 4], dtype=np.int32)
    other = np.array([1, 0, 5, 2, 0, 3], dtype=np.int32)
    log_count = np.log(np.array([0.5, 30, 2, 7, 9.5, 12])).astype(np.float32)
    loss = train_block(Entries(rarer, other, log_count), *arguments(fast, settings))
    expected = 0.0
    for u, v, x in zip(rarer, other, log_count.astype(float), strict=True):
        expected += plain_step(slow, u, v, x, settings)
        if u != v:
            expected += plain_step(slow, v, u, x, settings)
    assert loss == pytest.approx(expected, rel=1e-4)
    for name, array in slow.items():
        np.testing.assert_allclose(fast[name], array, rtol=2e-3, atol=1e-5)


def test_the_step_follows_the_numerical_gradient():
    """With sums of squares of 1 the first step is -rate times the gradient of the loss."""
    settings = GloveSettings(dim=8, x_max=10.0, learning_rate=0.001)
    random = np.random.default_rng(5)
    state = initial_state(2, settings)
    for name in ("word", "context"):
        state[name][:] = random.normal(0, 0.5, (2, 8))
    u, v, x = 0, 1, np.float32(1.3)

    def loss(word):
        error = word @ state["context"][v] + state["bias"][u, 0] + state["bias"][v, 1] - x
        return 0.5 * (np.exp(x) / settings.x_max) ** settings.alpha * error**2

    before = state["word"][u].astype(np.float64)
    numerical = [(loss(before + 1e-5 * unit) - loss(before - 1e-5 * unit)) / 2e-5 for unit in np.eye(8)]
    slow = {name: array.astype(np.float64) for name, array in state.items()}
    plain_step(slow, u, v, x, settings)
    np.testing.assert_allclose((before - slow["word"][u]) / settings.learning_rate, numerical, rtol=1e-4, atol=1e-7)


def test_same_bits_for_any_number_of_threads_and_little_memory(corpus):
    one = train_glove(corpus, SMALL, threads=1)
    assert np.array_equal(one, train_glove(corpus, SMALL, threads=3))
    assert np.array_equal(one, train_glove(corpus, SMALL, threads=2, memory=4096))
    assert not np.array_equal(one, train_glove(corpus, GloveSettings(dim=20, iterations=4, seed=2)))


def test_an_interrupted_training_goes_on_to_the_same_bits(corpus, tmp_path, monkeypatch):
    whole = train_glove(corpus, SMALL)
    save = checkpoints.Checkpoints.save

    def save_and_stop(self, arrays, state, now=False):
        save(self, arrays, state, now=True)
        if len(state["losses"]) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints.Checkpoints, "save", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        train_glove(corpus, SMALL, tmp_path)
    monkeypatch.undo()
    steps = []
    resumed = train_glove(corpus, SMALL, tmp_path, progress=lambda p: steps.append((p.step, p.done)))
    assert ("training GloVe", 1) not in steps
    assert ("training GloVe", 2) in steps
    assert np.array_equal(whole, resumed)
    other = GloveSettings(dim=20, iterations=4, x_max=10.0, seed=9)
    assert np.array_equal(train_glove(corpus, other, tmp_path), train_glove(corpus, other))


def test_it_learns_the_analogies_of_a_small_world(corpus):
    trained = train_baseline("glove", corpus, GloveSettings(dim=16, iterations=15), threads=2)
    vectors = WordVectors(list(corpus.vocabulary.words), trained)
    assert vectors.index_to_key == list(corpus.vocabulary.words)
    assert analogy_accuracy(corpus, vectors.vectors) > 0.9


def test_loss_falls_and_is_reported(corpus):
    notes = []
    train_glove(corpus, SMALL, progress=lambda p: notes.append(p.note))
    losses = [float(note.removeprefix("loss ")) for note in notes if note]
    assert len(losses) == SMALL.iterations
    assert losses == sorted(losses, reverse=True)


def test_a_corpus_without_neighbours_is_refused():
    with pytest.raises(RelrepError, match="near each other"):
        train_glove(EncodedCorpus.from_sentences([["a"], ["b"]]), SMALL)


def test_a_diverging_training_stops_with_a_sentence(corpus):
    with pytest.raises(RelrepError, match="learning_rate below"):
        train_glove(corpus, GloveSettings(dim=20, iterations=3, learning_rate=1e30))
