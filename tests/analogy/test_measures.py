"""The measures in NumPy: to the bit those of the kernel that searches, and of the plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from relrep.analogy._kernels import score
from relrep.analogy.measures import CODES, COSADD, COSMULT, PAIRDIFF, score_quadruples
from relrep.analogy.search import best_candidates
from relrep.analogy.solve import best_among
from relrep.analogy.terms import TermTable, normalise_rows
from relrep.reference.analogy import unit
from relrep.vectors.word_vectors import WordVectors


@st.composite
def tables(draw: st.DrawFn) -> NDArray[np.float64]:
    """Rows of numbers small and large, some zero."""
    dimensions = draw(st.integers(1, 40))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = generator.standard_normal((draw(st.integers(1, 9)), dimensions))
    rows *= np.array(draw(st.lists(st.sampled_from([0, 1e-12, 1, 3]), min_size=len(rows), max_size=len(rows))))[:, None]
    return rows


@given(tables(), st.data())
def test_the_bits_of_the_kernel(rows: NDArray[np.float64], data: st.DataObject) -> None:
    word = st.integers(0, len(rows) - 1)
    quadruples = np.array(data.draw(st.lists(st.tuples(word, word, word, word), max_size=6)), dtype=np.int64)
    quadruples = quadruples.reshape(-1, 4)
    normalise_rows(rows)
    for measure in (COSADD, COSMULT, PAIRDIFF):
        expected = [score(measure, *rows[quadruple]) for quadruple in quadruples]
        assert score_quadruples(measure, rows, quadruples).tobytes() == np.array(expected).tobytes()


@given(tables())
def test_unit_length_as_in_the_plain_loop(rows: NDArray[np.float64]) -> None:
    expected = [unit(row) for row in rows.tolist()]
    normalise_rows(rows)
    assert rows.tolist() == expected


def test_many_quadruples_are_scored_block_by_block() -> None:
    units = np.random.default_rng(1).standard_normal((50, 7))
    normalise_rows(units)
    quadruples = np.random.default_rng(2).integers(0, 50, size=(5000, 4))
    whole = score_quadruples(PAIRDIFF, units, quadruples)
    assert whole[4321:4330].tolist() == score_quadruples(PAIRDIFF, units, quadruples[4321:4330]).tolist()


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_one_question_is_answered_as_among_many(seed: int, k: int) -> None:
    rows = np.random.default_rng(seed).integers(-2, 3, size=(12, 3)).astype(np.float32)  # small numbers: many ties
    rows[(rows == 0).all(axis=1)] = 1
    terms = TermTable(WordVectors([f"w{row}" for row in range(12)], rows))
    others, question = np.arange(3, 12), np.arange(3)
    one = best_among(terms, question, others, tuple(CODES), k)
    many = best_candidates(terms, question[None, :], others, tuple(CODES), k)
    for number, name in enumerate(CODES):
        rows_of_one, scores_of_one = one[name]
        assert rows_of_one.tolist() == many.rows[0, number].tolist()
        assert scores_of_one.tolist() == many.scores[0, number].tolist()
