"""ivLBL: its gradients against numerical ones, its bits, its checkpoints, and that it learns."""

from itertools import pairwise

import numpy as np
import pytest
from analogy_world import analogy_accuracy, world
from hypothesis import given
from hypothesis import strategies as st

import relrep.core.checkpoints as checkpoints
from relrep.baselines import train_baseline
from relrep.baselines._kernels.ivlbl import (
    Parameters,
    Round,
    apply_round,
    cut_segments,
    draw_noise,
    keep_words,
    segment_gradients,
    sigmoid,
)
from relrep.baselines.ivlbl import keep_probability, train_ivlbl
from relrep.baselines.settings import IvlblSettings
from relrep.errors import RelrepError
from relrep.reference.arrays import segments
from relrep.reference.baselines import ivlbl_loss
from relrep.reference.paper import adagrad_step
from relrep.text.encoded import EncodedCorpus
from relrep.vectors.word_vectors import WordVectors

SMALL = IvlblSettings(dim=12, epochs=2, noise_words=4, sample=0.01)
SIZE = 8


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    return world(4000)


def test_gradients_are_the_numerical_ones():
    random = np.random.default_rng(2)
    window, noise_words, length, size = 2, 3, 130, 9
    words = random.integers(0, size, length).astype(np.int32)
    sentences = np.sort(random.integers(0, 12, length)).astype(np.int32)
    noise_ids = random.integers(0, size, 2 * window * noise_words).astype(np.int32)
    model = {
        "word": random.normal(0, 0.4, (size, SIZE)),
        "context": random.normal(0, 0.4, (size, SIZE)),
        "bias": random.normal(0, 0.4, size),
        "weights": random.normal(1, 0.3, (2 * window, SIZE)),
    }
    noise = noise_ids.size
    shapes = [(length, SIZE), (length + noise, SIZE), (length + noise, 1), (2 * window, SIZE)]
    gradients = Parameters(*(np.empty(shape, dtype=np.float32) for shape in shapes))
    rows = {name: values.reshape(len(values), -1).astype(np.float32) for name, values in model.items()}
    loss, pairs = segment_gradients(words, sentences, noise_ids, window, Parameters(**rows), gradients, True)
    assert (loss, pairs) == pytest.approx(ivlbl_loss(words, sentences, noise_ids, window, **model), rel=1e-4)
    found = {"word": np.zeros((size, SIZE)), "context": np.zeros((size, SIZE)), "bias": np.zeros(size)}
    np.add.at(found["word"], words, gradients.word)
    np.add.at(found["context"], np.concatenate([words, noise_ids]), gradients.context)
    np.add.at(found["bias"], np.concatenate([words, noise_ids]), gradients.bias[:, 0])
    found["weights"] = gradients.weights
    for name, values in model.items():
        for place in zip(*(random.integers(0, n, 6) for n in values.shape), strict=True):
            losses = []
            for step in (1e-4, -1e-4):
                values[place] += step
                losses.append(ivlbl_loss(words, sentences, noise_ids, window, **model)[0])
                values[place] -= step
            assert found[name][place] == pytest.approx((losses[0] - losses[1]) / 2e-4, rel=1e-3, abs=1e-3)


@given(st.lists(st.integers(-2, 4), max_size=60), st.integers(1, 12))
def test_segments_cover_the_text_and_break_at_sentence_ends(tokens, longest):
    tokens = np.array(tokens, dtype=np.int32)
    bounds = cut_segments(tokens, longest).tolist()
    assert bounds == segments(tokens.tolist(), longest)
    assert bounds[0] == 0
    assert bounds[-1] == len(tokens)
    assert all(0 <= b - a <= longest for a, b in pairwise(bounds))
    for a, b in pairwise(bounds[:-1]):
        assert tokens[b - 1] == -1 or -1 not in tokens[a:b]


def test_the_steps_of_a_round_are_those_of_plain_adagrad():
    random = np.random.default_rng(4)
    model = Parameters(*(random.normal(size=shape).astype(np.float32) for shape in ((5, 8), (5, 8), (5, 1), (4, 8))))
    squares = Parameters(*(np.ones_like(array) for array in model))
    shapes = [(1, 3, 8), (1, 5, 8), (1, 5, 1), (1, 4, 8)]
    gradients = Parameters(*(random.normal(size=shape).astype(np.float32) for shape in shapes))
    words, noise = np.array([[0, 3, 0]], dtype=np.int32), np.array([[3, 1]], dtype=np.int32)
    plain = {f"word {row}": model.word[row].astype(float).tolist() for row in range(5)}
    sums = {name: [1.0] * 8 for name in plain}
    for part in range(2):
        apply_round(Round(words, np.array([3]), noise, gradients), model, squares, np.float32(0.1), part, 2)
    for row, gradient in zip(words[0], gradients.word[0], strict=True):
        adagrad_step(plain, sums, {f"word {row}": gradient.tolist()}, 0.1)
    np.testing.assert_allclose(model.word, list(plain.values()), rtol=1e-5)


def test_sigmoid():
    for x in np.linspace(-30, 30, 301):
        assert sigmoid(np.float32(x)) == pytest.approx(1 / (1 + np.exp(-x)), abs=2e-6)


def test_noise_words_come_as_often_as_they_should():
    cumulative, drawn = np.cumsum([5.0, 3.0, 0.0, 2.0]), np.empty(20_000, dtype=np.int32)
    draw_noise(cumulative, np.uint64(3), 0, drawn)
    assert np.bincount(drawn, minlength=4) / 20_000 == pytest.approx([0.5, 0.3, 0, 0.2], abs=0.02)
    again = np.empty(10, dtype=np.int32)
    draw_noise(cumulative, np.uint64(3), 100, again)
    assert again.tolist() == drawn[100:110].tolist()


def test_frequent_words_are_subsampled():
    counts = np.array([100_000, 1000, 10])
    shares = keep_probability(counts, 0.01)
    assert shares[0] == pytest.approx(np.sqrt(0.01 * 101_010 / 100_000) + 0.01 * 101_010 / 100_000)
    assert shares[1:].tolist() == [1, 1]
    tokens = np.zeros(20_000, dtype=np.int32)
    words, sentences = np.empty(20_000, dtype=np.int32), np.empty(20_000, dtype=np.int32)
    kept = keep_words(tokens, 0, tokens.size, np.array([0.3], dtype=np.float32), np.uint64(7), words, sentences)
    assert kept / tokens.size == pytest.approx(0.3, abs=0.02)


def test_same_bits_for_any_number_of_threads(corpus):
    one = train_ivlbl(corpus, SMALL, threads=1)
    assert np.array_equal(one, train_ivlbl(corpus, SMALL, threads=3))
    assert not np.array_equal(one, train_ivlbl(corpus, IvlblSettings(dim=12, epochs=2, noise_words=4, seed=2)))


def test_an_interrupted_training_goes_on_to_the_same_bits(corpus, tmp_path, monkeypatch):
    save = checkpoints.Checkpoints.save

    def save_and_stop(self, arrays, state, now=False):
        save(self, arrays, state, now=True)
        if state["rounds"] == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints.Checkpoints, "save", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        train_ivlbl(corpus, SMALL, tmp_path)
    monkeypatch.undo()
    assert np.array_equal(train_ivlbl(corpus, SMALL, tmp_path, threads=2), train_ivlbl(corpus, SMALL))


def test_it_learns_the_analogies_of_a_small_world(corpus):
    # A hundred words are soon learnt by heart: few passes and small steps, unlike the recommended settings.
    settings = IvlblSettings(dim=20, epochs=5, sample=0.0, learning_rate=0.05)
    vectors = WordVectors(list(corpus.vocabulary.words), train_baseline("ivlbl", corpus, settings, threads=2))
    assert vectors.index_to_key == list(corpus.vocabulary.words)
    assert analogy_accuracy(corpus, vectors.vectors) > 0.9


def test_loss_is_reported_and_falls(corpus):
    notes = []
    train_ivlbl(corpus, IvlblSettings(dim=12, epochs=4), progress=lambda p: notes.append(p.note))
    losses = [float(note.removeprefix("loss ")) for note in notes if note]
    assert losses[-1] < losses[0]


def test_a_diverging_training_stops_with_a_sentence(corpus):
    with pytest.raises(RelrepError, match="learning_rate below"):
        train_ivlbl(corpus, IvlblSettings(dim=12, learning_rate=1e38))


def test_an_empty_corpus_is_refused():
    with pytest.raises(RelrepError, match="no two words"):
        train_ivlbl(EncodedCorpus.from_sentences([["a"]]), SMALL)
