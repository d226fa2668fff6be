"""WordVectors: the table, neighbours, unknown words."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors


def random_table(seed: int, n_words: int, width: int) -> WordVectors:
    vectors = np.random.default_rng(seed).normal(size=(n_words, width)).astype(np.float32)
    return WordVectors([f"w{index}" for index in range(n_words)], vectors)


def test_the_names_gensim_users_know() -> None:
    table = random_table(1, 4, 3)
    assert table.index_to_key[2] == "w2"
    assert table.key_to_index["w2"] == 2
    assert table.vector_size == 3
    assert len(table) == 4
    assert "w3" in table and "x" not in table
    assert np.array_equal(table["w1"], table.vectors[1])
    assert np.allclose(np.linalg.norm(table.normalised, axis=1), 1)
    assert repr(table) == "<WordVectors: 4 words, 3 dimensions>"


def test_shapes_and_duplicates_are_checked() -> None:
    with pytest.raises(RelrepError, match="do not fit 1 words"):
        WordVectors(["a"], np.zeros((2, 2), dtype=np.float32))
    with pytest.raises(RelrepError, match="'a' stands twice"):
        WordVectors(["a", "a"], np.zeros((2, 2), dtype=np.float32))


def slow_most_similar(table: WordVectors, weights: dict[str, float], topn: int) -> list[str]:
    """The oracle: plain Python cosines, sorted by falling score and then by place."""

    def unit(vector: list[float]) -> list[float]:
        length = sum(x * x for x in vector) ** 0.5
        return [x / length for x in vector] if length else vector

    units = {word: unit(table[word].tolist()) for word in table.index_to_key}
    query = [sum(weight * units[word][k] for word, weight in weights.items()) for k in range(table.vector_size)]
    scores = {word: sum(a * b for a, b in zip(units[word], query, strict=True)) for word in table.index_to_key}
    ranked = sorted(table.index_to_key, key=lambda word: (-round(scores[word], 9), table.key_to_index[word]))
    return [word for word in ranked if word not in weights][:topn]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 6), st.integers(1, 12))
def test_most_similar_against_plain_python(seed: int, n_words: int, width: int, topn: int) -> None:
    generator = np.random.default_rng(seed)
    # Few distinct rows, so that ties are common, also of rows of other lengths; they go by vocabulary order.
    rows = generator.integers(-2, 3, size=(6, width)).astype(np.float32)
    table = WordVectors([f"w{i}" for i in range(n_words)], rows[generator.integers(0, 6, size=n_words)])
    found = table.most_similar([("w0", 1.0)], ["w1"], topn=topn)
    assert [word for word, _ in found] == slow_most_similar(table, {"w0": 1.0, "w1": -1.0}, topn)


def test_equal_vectors_tie_wherever_they_stand() -> None:
    table = random_table(2, 40_000, 7)
    places = [5, 16_383, 16_384, 20_001, 39_999]
    table.vectors[places] = table.vectors[17] * 1.0
    found = table.most_similar("w17", topn=5)
    assert [word for word, _ in found] == [f"w{place}" for place in places]
    assert len({score for _, score in found}) == 1


def test_zero_vectors_and_single_words() -> None:
    table = WordVectors(["zero", "a", "b"], np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32))
    assert table.most_similar("a") == [("zero", 0.0), ("b", 0.0)]
    assert table.most_similar("zero", topn=1) == [("a", 0.0)]
    assert table.similarity("zero", "a") == 0.0
    assert table.similarity("a", "a") == 1.0
    assert WordVectors(["a"], np.ones((1, 2), dtype=np.float32)).most_similar("a") == []


@pytest.mark.parametrize("scale", [2.0**124, 2.0**-146])
def test_huge_and_tiny_vectors_are_compared_too(scale: float) -> None:
    table = random_table(8, 60, 5)
    large = WordVectors(table.index_to_key, np.round(table.vectors * 3) * np.float32(scale))
    expected = WordVectors(table.index_to_key, np.round(table.vectors * 3)).most_similar("w5", topn=60)
    assert [word for word, _ in large.most_similar("w5", topn=60)] == [word for word, _ in expected]


def test_other_precisions_are_compared_too() -> None:
    table = random_table(3, 100, 8)
    expected = [word for word, _ in table.most_similar("w5", topn=3)]
    for dtype in (np.float16, np.float64):
        other = WordVectors(table.index_to_key, table.vectors.astype(dtype))
        assert [word for word, _ in other.most_similar("w5", topn=3)] == expected


def test_bad_questions_are_one_sentence() -> None:
    table = random_table(4, 5, 2)
    with pytest.raises(RelrepError, match="no word was given"):
        table.most_similar()
    with pytest.raises(RelrepError, match="topn is 0"):
        table.most_similar("w1", topn=0)


def test_an_unknown_word_suggests_spellings_and_is_a_key_error() -> None:
    words = ["receive", "Paris", "bicycle", "relieve"]
    table = WordVectors(words, np.eye(4, dtype=np.float32))
    for wrong, right in (("recieve", "receive"), ("paris", "Paris"), ("bycicle", "bicycle")):
        with pytest.raises(RelrepError, match=f"'{wrong}' has no vector; did you mean '{right}'"):
            table.most_similar(wrong)
    with pytest.raises(KeyError):
        table["unheard-of"]
    with pytest.raises(RelrepError, match=r"^the word 'zzzzzz' has no vector; choose another word$"):
        table.similarity("receive", "zzzzzz")
    with pytest.raises(RelrepError, match="has no vector"):
        table["x" * 1_000_000]


def test_without_gensim_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(RelrepError, match=r"relrep\[baselines\]"):
        random_table(5, 2, 2).to_gensim()
