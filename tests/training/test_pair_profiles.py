"""Candidate pairs, their patterns and the folded profiles, against the plain twin and a dense SVD."""

import numpy as np
import pytest

from relrep.corpus.encoded import EncodedCorpus
from relrep.kernels.index import build_positions
from relrep.kernels.pair_profiles import BIGRAM, KIND_SHIFT, MIDFIX, TOKEN_BITS, UNIGRAM, gather_patterns
from relrep.reference_pairs import profile, weighted
from relrep.training.pairs_candidates import candidate_pairs, content_words
from relrep.training.pairs_profiles import DirectedCounts, fold, number_patterns, weigh
from relrep.training.pairs_settings import PairSettings

SETTINGS = PairSettings(stop_words="none", min_meetings=3, min_pmi=-9.0, min_pattern_pairs=1, max_gap=3, rank=12)


def random_sentences(seed: int, n_sentences: int = 60, n_words: int = 9) -> list[list[str]]:
    """Sentences of random words, a few of them followed by themselves."""
    generator = np.random.default_rng(seed)
    return [
        [chr(ord("a") + int(x)) for x in generator.integers(n_words, size=generator.integers(1, 9))]
        for _ in range(n_sentences)
    ]


def decoded(key: int, words: list[str]) -> tuple[str, tuple[str, ...] | None, bool]:
    """A key as the plain twin writes patterns; the tokens of a whole midfix cannot be read from it."""
    kind, turned, rest = key >> KIND_SHIFT, bool(key & 1), key & ((1 << KIND_SHIFT) - 1)
    mask = (1 << TOKEN_BITS) - 1
    if kind == UNIGRAM:
        return "unigram", (words[(rest >> 1 & mask) - 3],), turned
    if kind == BIGRAM:
        return "bigram", (words[(rest >> (TOKEN_BITS + 1)) - 3], words[(rest >> 1 & mask) - 3]), turned
    assert kind == MIDFIX
    return "midfix", None, turned


@pytest.mark.parametrize("seed", range(4))
def test_patterns_of_every_pair_are_those_of_the_plain_twin(seed: int) -> None:
    sentences = random_sentences(seed)
    corpus = EncodedCorpus.from_sentences(sentences)
    words = list(corpus.vocabulary.words)
    starts, positions = build_positions(corpus.tokens, len(words))
    pairs = [(w, p) for w in range(len(words)) for p in range(w)]
    expected = [profile(sentences, (words[p], words[w]), 3) for w, p in pairs]
    meetings = [sum(n for pattern, n in counts.items() if pattern[0] == "midfix") for counts in expected]
    ends, keys, counts = gather_patterns(
        corpus.tokens,
        starts,
        positions,
        np.array([w for w, _ in pairs], dtype=np.int32),
        np.array([p for _, p in pairs], dtype=np.int32),
        np.array(meetings, dtype=np.int64),
        3,
    )
    begin = 0
    for row, end in enumerate(ends):
        found = [(decoded(int(k), words), int(n)) for k, n in zip(keys[begin:end], counts[begin:end], strict=True)]
        plain = {p: n for p, n in expected[row].items() if p[0] != "midfix"}
        assert {p: n for p, n in found if p[0] != "midfix"} == plain
        for turned in (False, True):
            wholes = sorted(n for p, n in found if p[0] == "midfix" and p[2] == turned)
            assert wholes == sorted(n for p, n in expected[row].items() if p[0] == "midfix" and p[2] == turned)
        begin = int(end)


def test_candidates_meet_often_enough_and_more_than_by_chance() -> None:
    sentences = random_sentences(7)
    corpus = EncodedCorpus.from_sentences(sentences)
    words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
    settings = PairSettings(stop_words="none", min_meetings=4, min_pmi=-0.6, min_pattern_pairs=1, max_gap=2)
    found = candidate_pairs(corpus, np.ones(len(words), dtype=np.bool_), settings)
    expected = []
    for w in range(len(words)):
        for p in range(w):
            kinds = profile(sentences, (words[p], words[w]), 2).items()
            n = sum(number for pattern, number in kinds if pattern[0] == "midfix")
            chance = counts[w] * counts[p] * 6 / counts.sum()
            if n >= 4 and np.log(n / chance) >= -0.6:
                expected.append((w, p, n))
    assert 0 < len(expected) < len(words) * (len(words) - 1) / 2, "the example has some candidates, not all"
    assert list(zip(found.word, found.partner, found.meetings, strict=True)) == expected


def test_only_the_richest_pairs_stay() -> None:
    corpus = EncodedCorpus.from_sentences(random_sentences(3))
    allowed = np.ones(len(corpus.vocabulary), dtype=np.bool_)
    everything = candidate_pairs(corpus, allowed, SETTINGS)
    few = candidate_pairs(corpus, allowed, PairSettings(**{**SETTINGS.__dict__, "n_pairs": 5}))
    richness = np.diff(everything.patterns.ends)
    assert len(few.word) == 5
    assert sorted(np.diff(few.patterns.ends)) == sorted(richness)[-5:]


def test_pairs_are_made_of_content_words_with_a_vector() -> None:
    corpus = EncodedCorpus.from_sentences([["the", "cat", "42", ",", "dog", "b2"]])
    vectors = np.ones((6, 2), dtype=np.float32)
    vectors[corpus.vocabulary.id_of["dog"]] = 0
    allowed = content_words(corpus, vectors, PairSettings())
    assert [corpus.vocabulary.words[i] for i in np.flatnonzero(allowed)] == ["cat"]


def test_weights_are_those_of_the_plain_twin() -> None:
    sentences = random_sentences(5)
    corpus = EncodedCorpus.from_sentences(sentences)
    found = candidate_pairs(corpus, np.ones(len(corpus.vocabulary), dtype=np.bool_), SETTINGS)
    words = corpus.vocabulary.words
    rows = weighted(
        [profile(sentences, (words[p], words[w]), 3) for w, p in zip(found.word, found.partner, strict=True)]
    )
    weights = weigh(found.patterns)
    for row, expected in enumerate(rows):
        mine = weights[found.patterns.ends[row] : found.patterns.ends[row + 1]]
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
    corpus = EncodedCorpus.from_sentences(random_sentences(11, n_sentences=200, n_words=12))
    found = candidate_pairs(corpus, np.ones(len(corpus.vocabulary), dtype=np.bool_), SETTINGS)
    weights = weigh(found.patterns)
    profiles = fold(found.patterns, weights, rank=12, iterations=60, seed=1)
    left, sizes, _ = np.linalg.svd(dense_oriented(found.patterns, weights), full_matrices=False)
    assert sizes[11] - sizes[12] > 1e-4, "the example has a clear rank"
    rows = left[:, :12] * sizes[:12]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    mine = np.vstack([np.hstack([profiles.even, profiles.odd]), np.hstack([profiles.even, -profiles.odd])])
    np.testing.assert_allclose(mine @ mine.T, rows @ rows.T, atol=2e-3)


def test_a_pattern_between_few_pairs_is_dropped_whatever_its_directions() -> None:
    ends = np.array([0, 2, 3])
    kept = number_patterns(ends, np.array([8, 9, 8]), np.array([1, 1, 1], dtype=np.int32), 2)
    assert (kept.n_patterns, kept.keys.tolist()) == (1, [0, 1, 0])
    none = number_patterns(ends, np.array([8, 9, 6]), np.array([1, 1, 1], dtype=np.int32), 2)
    assert (none.n_patterns, none.ends.tolist()) == (0, [0, 0, 0])
