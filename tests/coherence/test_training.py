"""Neighbours and steps against the plain twin; planted relations; the same bits for any number of threads."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from miner import mine_bound
from relrep.coherence.neighbours import JoinedPairs, Neighbours, nearest_pairs
from relrep.coherence.profiles import FoldedProfiles
from relrep.coherence.spelling import spelling_neighbours, spelling_rules
from relrep.coherence.training import CoherenceSettings, pairs_of_text, profiled_pairs, take_step, train_coherence
from relrep.core.linalg import unit_rows
from relrep.errors import RelrepError
from relrep.mining.bound import BoundPairs
from relrep.mining.settings import MiningSettings
from relrep.reference.coherence import agreement, neighbours, step
from relrep.text.encoded import EncodedCorpus


def example(
    seed: int, n_words: int = 14, n_pairs: int = 30
) -> tuple[np.ndarray, np.ndarray, np.ndarray, FoldedProfiles]:
    """Random unit vectors, distinct pairs of them, and random folded profiles."""
    generator = np.random.default_rng(seed)
    vectors = unit_rows(generator.standard_normal((n_words, 5)).astype(np.float32))
    every = [(w, p) for w in range(n_words) for p in range(w)]
    chosen = np.array([every[i] for i in sorted(generator.permutation(len(every))[:n_pairs])], dtype=np.int32)
    rows = unit_rows(generator.standard_normal((n_pairs, 6)).astype(np.float32))
    profiles = FoldedProfiles(np.ascontiguousarray(rows[:, :4]), np.ascontiguousarray(rows[:, 4:]))
    return vectors, np.ascontiguousarray(chosen[:, 0]), np.ascontiguousarray(chosen[:, 1]), profiles


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_are_those_of_the_plain_twin(seed: int) -> None:
    vectors, word, partner, profiles = example(seed)
    found = nearest_pairs(profiles, word, partner, vectors, n_neighbours=4, type_weight=0.7)
    named = {str(i): row.tolist() for i, row in enumerate(vectors)}
    oriented = []
    for sign in (1, -1):
        for w, p, even, odd in zip(word, partner, profiles.even, profiles.odd, strict=True):
            pair = (str(p), str(w)) if sign == 1 else (str(w), str(p))
            oriented.append((pair, [*even.tolist(), *(sign * odd).tolist()]))
    for row in range(len(word)):
        expected = neighbours(row, oriented, named, 4, 0.7)
        for k, (pair, similarity) in enumerate(expected):
            other = int(found.pair[row, k])
            mine = (str(partner[other]), str(word[other]))
            assert (mine[::-1] if found.turned[row, k] else mine) == pair
            assert found.similarity[row, k] == pytest.approx(similarity, abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_is_that_of_the_plain_twin(seed: int) -> None:
    vectors, word, partner, profiles = example(seed)
    found = nearest_pairs(profiles, word, partner, vectors, n_neighbours=4, type_weight=0.7)
    weight = np.maximum(found.similarity, 0.01) ** 2
    moved, figures = take_step(vectors, JoinedPairs("text", word, partner, found, weight, 3.0, 0.4), damping=0.1)
    named = {str(i): [float(x) for x in row] for i, row in enumerate(vectors)}
    agreed = []
    for row in range(len(word)):
        differences = []
        for other, turned in zip(found.pair[row], found.turned[row], strict=True):
            sign = -1 if turned else 1
            differences.append([float(sign * x) for x in vectors[partner[other]] - vectors[word[other]]])
        agreed.append(agreement(differences, [float(w) for w in weight[row]], 3.0))
    expected = step(named, [(str(p), str(w)) for w, p in zip(word, partner, strict=True)], agreed, 0.4, 0.1)
    np.testing.assert_allclose(moved, [expected[str(i)] for i in range(len(vectors))], atol=1e-5)
    assert figures["pairs"] == len(word)


def test_a_missing_neighbour_and_a_pair_without_any_do_nothing() -> None:
    vectors = np.eye(4, dtype=np.float32)
    nobody = Neighbours(np.full((1, 2), -1, np.int32), np.zeros((1, 2), np.bool_), np.zeros((1, 2), np.float32))
    alone = JoinedPairs("text", np.array([1], np.int32), np.array([0], np.int32), nobody, nobody.similarity, 6.0, 0.5)
    for pairs in (alone, JoinedPairs.none("text")):
        moved, figures = take_step(vectors, pairs, damping=0.1)
        assert np.array_equal(moved, vectors)
        assert figures["words_moved"] == 0


def planted_text(seed: int = 0) -> tuple[EncodedCorpus, np.ndarray, list[tuple[str, str]]]:
    """Countries and capitals joined by a few phrases among noise, and vectors in which the relation is blurred."""
    generator = np.random.default_rng(seed)
    facts = [(f"capital{chr(97 + i)}", f"country{chr(97 + i)}") for i in range(12)]
    noise = [f"noise{chr(97 + i)}" for i in range(20)]
    sentences = []
    for _ in range(40):
        for capital, country in facts:
            phrase = [["is", "the", "capital", "of"], [",", "capital", "of"], ["in"]][int(generator.integers(3))]
            sentences.append([capital, *phrase, country])
            a, b = generator.choice(noise, 2, replace=False)
            sentences.append([a, ["with", "and", "or"][int(generator.integers(3))], b])
    corpus = EncodedCorpus.from_sentences(sentences)
    vectors = generator.standard_normal((len(corpus.vocabulary), 20)).astype(np.float32)
    shift = 2 * generator.standard_normal(20)
    place = generator.standard_normal(20)
    for capital, country in facts:
        own = 0.5 * generator.standard_normal(20)
        vectors[corpus.vocabulary.id_of[country]] = place + own + 0.4 * generator.standard_normal(20)
        vectors[corpus.vocabulary.id_of[capital]] = place + own + shift + 0.4 * generator.standard_normal(20)
    return corpus, vectors, facts


def bound_of(corpus: EncodedCorpus) -> BoundPairs:
    """The bound pairs of a small text."""
    with TemporaryDirectory() as work:
        return mine_bound(
            corpus, MiningSettings(stop_words="english", min_meetings=5, min_pmi=0.5, bound_patterns=1000), Path(work)
        )[0]


def train_on(corpus: EncodedCorpus, vectors: np.ndarray, settings: CoherenceSettings | None = None, threads: int = 1):
    """Training on what is mined of a small text."""
    return train_coherence(corpus.vocabulary, vectors, bound_of(corpus), settings, threads)


PLANTED = CoherenceSettings(min_meetings=5, min_pmi=0.5, min_pattern_pairs=2, rank=8, n_neighbours=6, spelling=False)


def spread(corpus: EncodedCorpus, vectors: np.ndarray, facts: list[tuple[str, str]]) -> float:
    """How far the facts' differences point apart: 1 − their mean cosine with each other."""
    ids = corpus.vocabulary.id_of
    unit = unit_rows(vectors)
    differences = unit_rows(np.array([unit[ids[a]] - unit[ids[b]] for a, b in facts]))
    cosines = differences @ differences.T
    return float(1 - (cosines.sum() - len(facts)) / (len(facts) * (len(facts) - 1)))


def test_what_the_text_joins_alike_becomes_alike_in_the_vectors() -> None:
    corpus, vectors, facts = planted_text()
    trained, history = train_on(corpus, vectors, PLANTED)
    assert spread(corpus, trained, facts) < 0.8 * spread(corpus, vectors, facts)
    again, history = train_on(corpus, vectors, CoherenceSettings(**{**PLANTED.__dict__, "rounds": 3}))
    assert [entry["round"] for entry in history] == [1, 2, 3]
    assert history[2]["distance"] < history[0]["distance"]
    assert spread(corpus, again, facts) < spread(corpus, trained, facts)


def test_neighbours_of_planted_pairs_are_planted_pairs_the_same_way_round() -> None:
    corpus, vectors, facts = planted_text()
    start = unit_rows(vectors)
    joined = pairs_of_text(profiled_pairs(bound_of(corpus), corpus.vocabulary.counts, start, PLANTED), start, PLANTED)
    words = corpus.vocabulary.words
    wanted = {tuple(sorted(fact)) for fact in facts}
    for row in range(len(joined.word)):
        pair = (words[joined.partner[row]], words[joined.word[row]])
        if tuple(sorted(pair)) not in wanted:
            continue
        for other, turned in zip(joined.neighbours.pair[row], joined.neighbours.turned[row], strict=True):
            mine = (words[joined.partner[other]], words[joined.word[other]])
            mine = mine[::-1] if turned else mine
            assert mine[0][:7] == pair[0][:7] and mine[1][:7] == pair[1][:7]


def test_the_same_bits_for_any_number_of_threads() -> None:
    corpus, vectors, _ = planted_text(1)
    one, _ = train_on(corpus, vectors, PLANTED, threads=1)
    three, _ = train_on(corpus, vectors, PLANTED, threads=3)
    assert one.tobytes() == three.tobytes()


def test_words_without_a_vector_stay_without() -> None:
    corpus, vectors, facts = planted_text(2)
    lost = corpus.vocabulary.id_of[facts[0][0]]
    vectors[lost] = 0
    trained, _ = train_on(corpus, vectors, PLANTED)
    assert not trained[lost].any()


def test_a_text_without_pairs_leaves_the_vectors_alone() -> None:
    corpus = EncodedCorpus.from_sentences([["one", "two"]])
    trained, history = train_on(corpus, np.eye(2, dtype=np.float32))
    assert np.array_equal(trained, np.eye(2))
    assert history[0]["pairs"] == 0


def test_spelling_finds_endings_and_beginnings() -> None:
    words = [
        "walk",
        "walking",
        "talk",
        "talking",
        "dance",
        "dancing",
        "prance",
        "prancing",
        "clear",
        "unclear",
        "fair",
        "unfair",
    ]
    rules = spelling_rules(words, range(len(words)), min_pairs=2)
    assert rules == {
        ("prefix", "", "un"): [(8, 9), (10, 11)],
        ("suffix", "", "ing"): [(0, 1), (2, 3)],
        ("suffix", "e", "ing"): [(4, 5), (6, 7)],
    }


def test_spelling_neighbours_keep_to_their_rule_and_orientation() -> None:
    words = ["walk", "walked", "talk", "talked", "jump", "jumped", "clear", "unclear", "fair", "unfair"]
    vectors = np.random.default_rng(0).standard_normal((10, 4)).astype(np.float32)
    rules = spelling_rules(words, range(10), min_pairs=2)
    word, partner, found = spelling_neighbours(rules, vectors, n_neighbours=3)
    names = [(words[p], words[w]) for w, p in zip(word, partner, strict=True)]
    assert not found.turned.any()
    for row, (_, changed) in enumerate(names):
        others = [names[i][1] for i in found.pair[row] if i >= 0]
        assert len(others) == (2 if changed.endswith("ed") else 1)
        assert all(other.endswith("ed") == changed.endswith("ed") for other in others)


def test_spelling_makes_inflections_agree() -> None:
    generator = np.random.default_rng(3)
    stems = ["walk", "talk", "jump", "play", "climb", "paint", "start", "work"]
    sentences = [[stem, "x", f"{stem}ed"] for stem in stems]
    corpus = EncodedCorpus.from_sentences(sentences)
    ids = corpus.vocabulary.id_of
    vectors = generator.standard_normal((len(ids), 10)).astype(np.float32)
    shift = 2 * generator.standard_normal(10)
    for stem in stems:
        vectors[ids[f"{stem}ed"]] = vectors[ids[stem]] + shift + 0.5 * generator.standard_normal(10)
    settings = CoherenceSettings(spelling_min_pairs=4, n_neighbours=5)
    facts = [(stem, f"{stem}ed") for stem in stems]
    trained, _ = train_on(corpus, vectors, settings)
    assert spread(corpus, trained, facts) < 0.8 * spread(corpus, vectors, facts)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rank", 0), ("step", 0.0), ("step", 1.5), ("damping", 0.0), ("coherence_power", -1.0), ("rounds", 0)],
)
def test_settings_that_cannot_be_name_themselves(name: str, value: float) -> None:
    with pytest.raises(RelrepError, match=f"^{name} is "):
        CoherenceSettings(**{name: value})


def test_vectors_must_fit_the_vocabulary() -> None:
    corpus = EncodedCorpus.from_sentences([["one", "two"]])
    with pytest.raises(RelrepError, match="3 vectors for 2 words"):
        train_on(corpus, np.eye(3, dtype=np.float32))
