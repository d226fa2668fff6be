"""Profiles of bound pairs: weights and folding against the plain twin and a dense SVD."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from miner import mine_bound
from relrep.coherence.profiles import PatternSpace, fold, weigh
from relrep.coherence.training import CoherenceSettings, profiled_pairs
from relrep.mining.bound import BoundPairs, DirectedCounts
from relrep.mining.settings import MiningSettings
from relrep.reference.coherence import profile, weighted
from relrep.text.encoded import EncodedCorpus


def random_sentences(seed: int, n_sentences: int = 60, n_words: int = 9) -> list[list[str]]:
    """Sentences of random words, a few of them followed by themselves."""
    generator = np.random.default_rng(seed)
    return [
        [chr(ord("a") + int(x)) for x in generator.integers(n_words, size=generator.integers(1, 9))]
        for _ in range(n_sentences)
    ]


def bound_in(sentences: list[list[str]]) -> tuple[EncodedCorpus, BoundPairs]:
    corpus = EncodedCorpus.from_sentences(sentences)
    settings = MiningSettings(stop_words="none", min_meetings=3, min_pmi=-9.0, max_gap=3, bound_patterns=100_000)
    with TemporaryDirectory() as work:
        return corpus, mine_bound(corpus, settings, Path(work))[0]


def test_weights_are_those_of_the_plain_twin() -> None:
    sentences = random_sentences(5)
    corpus, bound = bound_in(sentences)
    words = corpus.vocabulary.words
    profiles = [profile(sentences, (words[p], words[w]), 3) for p, w in zip(bound.first, bound.second, strict=True)]
    for counts in profiles:  # words side by side are no pattern
        for key in [key for key in counts if not key[1]]:
            del counts[key]
    weights = weigh(bound.counts)
    for row, expected in enumerate(weighted(profiles)):
        mine = weights[bound.counts.ends[row] : bound.counts.ends[row + 1]]
        np.testing.assert_allclose(sorted(mine), sorted(expected.values()), atol=1e-6)


def dense_oriented(counts: DirectedCounts, weights: np.ndarray) -> np.ndarray:
    """The matrix of all pairs, and below it that of the same pairs turned round."""
    n = len(counts.ends) - 1
    matrix = np.zeros((2 * n, 2 * counts.n_patterns))
    for row in range(n):
        for entry in range(counts.ends[row], counts.ends[row + 1]):
            matrix[row, counts.keys[entry]] = weights[entry]
            matrix[n + row, counts.keys[entry] ^ 1] = weights[entry]
    return matrix


def test_folding_even_and_odd_is_the_svd_of_all_oriented_pairs() -> None:
    _, bound = bound_in(random_sentences(11, n_sentences=200, n_words=12))
    weights = weigh(bound.counts)
    profiles = fold(bound.counts, weights, rank=12, iterations=60, seed=1)
    left, sizes, _ = np.linalg.svd(dense_oriented(bound.counts, weights), full_matrices=False)
    assert sizes[11] - sizes[12] > 1e-4, "the example has a clear rank"
    rows = left[:, :12] * sizes[:12]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    mine = np.vstack([np.hstack([profiles.even, profiles.odd]), np.hstack([profiles.even, -profiles.odd])])
    np.testing.assert_allclose(mine @ mine.T, rows @ rows.T, atol=2e-3)


def test_the_table_folds_as_one_pair_is_folded() -> None:
    _, bound = bound_in(random_sentences(2, n_sentences=200))
    space = PatternSpace.learn(bound.counts, rank=6)
    whitening, everything = space.fold_all(bound.counts)
    for row in range(0, len(bound), 5):
        alone = space.fold(bound.counts.row_range(row, row + 1))
        (expected,) = whitening(np.hstack([alone.even, alone.odd]))
        np.testing.assert_allclose(everything.row(row), expected, atol=1e-2)
        np.testing.assert_allclose(
            everything.row(row, turned=True)[everything.n_even :], -expected[everything.n_even :], atol=1e-2
        )
    query = everything.row(0)
    even, odd = everything.products(query)
    np.testing.assert_allclose((even + odd)[1], everything.row(1) @ query, atol=1e-5)
    np.testing.assert_allclose((even - odd)[1], everything.row(1, turned=True) @ query, atol=1e-5)


def test_only_the_richest_pairs_of_words_with_a_vector_are_held_against_each_other() -> None:
    corpus, bound = bound_in(random_sentences(3))
    vectors = np.ones((len(corpus.vocabulary), 2), dtype=np.float32)
    settings = CoherenceSettings(min_meetings=3, min_pmi=-9.0, min_pattern_pairs=1, rank=4, n_pairs=5)
    chosen = profiled_pairs(bound, corpus.vocabulary.counts, vectors, settings)
    assert chosen is not None and len(chosen.word) == 5
    richness = dict(
        zip(zip(bound.first.tolist(), bound.second.tolist(), strict=True), np.diff(bound.counts.ends), strict=True)
    )
    mine = [richness[pair] for pair in zip(chosen.partner.tolist(), chosen.word.tolist(), strict=True)]
    assert sorted(mine) == sorted(richness.values())[-5:]
    vectors[chosen.word[0]] = 0
    again = profiled_pairs(bound, corpus.vocabulary.counts, vectors, settings)
    assert again is not None and chosen.word[0] not in {*again.word.tolist(), *again.partner.tolist()}


def test_a_pattern_between_few_pairs_is_dropped_whatever_its_directions() -> None:
    counts = DirectedCounts(np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32), np.ones(3, np.int32), 2)
    assert counts.pairs_per_pattern().tolist() == [1, 1]
    both = DirectedCounts(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32), np.ones(3, np.int32), 2)
    assert both.pairs_per_pattern().tolist() == [2, 0]
    kept = both.with_patterns(both.pairs_per_pattern() >= 2)
    assert (kept.keys.tolist(), kept.ends.tolist()) == ([0, 1, 0], [0, 2, 3])
    assert both.rows(np.array([False, True])).keys.tolist() == [0]
