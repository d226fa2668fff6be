"""The blocked search gives exactly the answers and scores of the plain loop, for any blocks and threads; ranks too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from relrep.analogy.measures import CODES, VectorMeasure
from relrep.analogy.search import answer_ranks, best_candidates
from relrep.analogy.terms import TermTable
from relrep.reference.analogy import MEASURES, ranking, unit
from relrep.vectors.word_vectors import WordVectors

ALL = tuple(CODES)


def table_of(matrix: NDArray[np.float32]) -> TermTable:
    return TermTable(WordVectors([f"w{row}" for row in range(len(matrix))], matrix))


def check_against_plain_loop(
    matrix: NDArray[np.float32],
    questions: NDArray[np.int64],
    candidates: NDArray[np.int64],
    k: int,
    block_size: int,
    threads: int,
) -> None:
    units = [unit(row) for row in matrix.astype(float).tolist()]
    best = best_candidates(table_of(matrix), questions, candidates, ALL, k, threads, block_size)
    for at, question in enumerate(questions.tolist()):
        for number, measure in enumerate(ALL):
            plain = ranking(measure, units, question, candidates.tolist())
            found = [row for row in best.rows[at, number].tolist() if row >= 0]
            assert found == [row for row, _ in plain[:k]]
            assert best.scores[at, number][: len(found)].tolist() == [score for _, score in plain[:k]]


@st.composite
def small_tables(draw: st.DrawFn) -> NDArray[np.float32]:
    """Small whole numbers: many parallel, opposite and equal vectors, so many ties."""
    words = draw(st.integers(4, 24))
    dimensions = draw(st.integers(1, 4))
    rows = st.lists(st.integers(-2, 2), min_size=dimensions, max_size=dimensions).filter(any)
    return np.array(draw(st.lists(rows, min_size=words, max_size=words)), dtype=np.float32)


@settings(max_examples=150, deadline=None)
@given(small_tables(), st.data())
def test_same_answers_as_the_plain_loop(matrix: NDArray[np.float32], data: st.DataObject) -> None:
    word = st.integers(0, len(matrix) - 1)
    questions = np.array(data.draw(st.lists(st.tuples(word, word, word), min_size=1, max_size=5)), dtype=np.int64)
    chosen = data.draw(st.sets(word, min_size=1))
    candidates = np.array(sorted(chosen), dtype=np.int64)
    k = data.draw(st.integers(1, 5))
    check_against_plain_loop(
        matrix, questions, candidates, k, data.draw(st.integers(1, 30)), data.draw(st.integers(1, 2))
    )


@settings(max_examples=50, deadline=None)
@given(small_tables(), st.data())
def test_a_rank_counts_the_candidates_that_score_higher(matrix: NDArray[np.float32], data: st.DataObject) -> None:
    word = st.integers(0, len(matrix) - 1)
    questions = np.array(data.draw(st.lists(st.tuples(word, word, word), min_size=1, max_size=5)), dtype=np.int64)
    candidates = np.array(sorted(data.draw(st.sets(word, min_size=1))), dtype=np.int64)
    answers = [np.array(sorted(data.draw(st.sets(word, max_size=2))), dtype=np.int64) for _ in questions]
    ranks = answer_ranks(table_of(matrix), questions, candidates, answers, ALL)
    units = [unit(row) for row in matrix.astype(float).tolist()]
    for at, question in enumerate(questions.tolist()):
        for number, measure in enumerate(ALL):
            plain = ranking(measure, units, question, candidates.tolist())
            best = max((score for row, score in plain if row in answers[at]), default=None)
            above = 0 if best is None else 1 + sum(score > best + 1e-9 for _, score in plain)
            assert ranks[at, number] == above


@pytest.mark.parametrize("dimensions", [3, 50, 300])
@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-6])
def test_crowded_vectors_are_told_apart_in_double_precision(dimensions: int, spread: float) -> None:
    """Vectors that float32 cosines cannot tell apart: the filter must let all of them through."""
    rng = np.random.default_rng(dimensions)
    centres = rng.standard_normal((6, dimensions))
    matrix = (centres[rng.integers(0, 6, 150)] + spread * rng.standard_normal((150, dimensions))).astype(np.float32)
    matrix[75:80] = matrix[20:25]  # true ties
    matrix[80:85] = -matrix[20:25]  # s near 0, where CosMult divides by hardly more than ε
    questions = rng.integers(0, 150, (6, 3))
    check_against_plain_loop(matrix, questions, np.arange(150), k=4, block_size=47, threads=2)


def test_bits_do_not_depend_on_blocks_or_threads() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((3000, 20)).astype(np.float32)
    questions = rng.integers(0, 300, (200, 3))
    first = best_candidates(table_of(matrix), questions, np.arange(3000), ALL, 30, threads=1, block_size=3000)
    second = best_candidates(table_of(matrix), questions, np.arange(3000), ALL, 30, threads=3, block_size=333)
    assert (first.rows == second.rows).all()
    assert (first.scores == second.scores).all()


def test_measures_agree_with_a_numpy_loop_on_ordinary_vectors() -> None:
    rng = np.random.default_rng(6)
    matrix = rng.standard_normal((2000, 40)).astype(np.float32)
    units = matrix.astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    questions = rng.integers(0, 2000, (40, 3))
    best = best_candidates(table_of(matrix), questions, np.arange(2000))
    for at, (a, b, c) in enumerate(questions):
        cosines = units @ units.T[:, [a, b, c]]
        similar = (cosines + 1) / 2
        with np.errstate(invalid="ignore"):
            by_measure = (
                cosines[:, 1] - cosines[:, 0] + cosines[:, 2],
                similar[:, 1] * similar[:, 2] / (similar[:, 0] + 1e-5),
                (units - units[c]) @ (units[b] - units[a]) / np.linalg.norm(units - units[c], axis=1),
            )
        for number, scores in enumerate(by_measure):
            scores[[a, b, c]] = -np.inf
            assert best.rows[at, number, 0] == scores.argmax()


@pytest.mark.parametrize("measure", ALL)
def test_given_quadruples_score_as_in_the_plain_loop(measure: str) -> None:
    rng = np.random.default_rng(7)
    matrix = rng.standard_normal((12, 5)).astype(np.float32)
    quadruples = rng.integers(0, 12, (50, 4))
    units = [unit(row) for row in matrix.astype(float).tolist()]
    expected = [MEASURES[measure](*(units[word] for word in row)) for row in quadruples.tolist()]
    assert VectorMeasure(measure).score(table_of(matrix), quadruples).tolist() == expected


def test_fewer_candidates_than_asked_for() -> None:
    matrix = np.eye(4, dtype=np.float32)
    best = best_candidates(table_of(matrix), np.array([[0, 1, 2]]), np.arange(4), ("pairdiff",), k=30)
    assert best.rows[0, 0].tolist() == [3, -1, -1, -1]
