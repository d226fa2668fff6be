"""Terms: case rules, several words, words without direction."""

import numpy as np
import pytest

from relrep.analogy.answer import candidate_rows
from relrep.analogy.questions import Protocol
from relrep.analogy.terms import NO_ROW, TermTable
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

VECTORS = WordVectors(
    ["paris", "Paris", "new", "york", "nil", "Oslo"],
    np.array([[1, 0], [0, 1], [3, 0], [0, 4], [0, 0], [1, 1]], dtype=np.float32),
)


@pytest.mark.parametrize(
    ("case", "rows"), [("auto", [0, 1, 0, NO_ROW]), ("lower", [0, 0, 0, NO_ROW]), ("keep", [0, 1, NO_ROW, NO_ROW])]
)
def test_case_rules(case: str, rows: list[int]) -> None:
    assert TermTable(VECTORS, case).rows(["paris", "Paris", "PARIS", "oslo"]).tolist() == rows


def test_a_zero_vector_is_unknown() -> None:
    assert TermTable(VECTORS).row("nil") == NO_ROW


def test_several_words_are_the_mean_of_their_directions() -> None:
    assert TermTable(VECTORS).row("new york") == NO_ROW
    terms = TermTable(VECTORS, multiword=True)
    rows = terms.rows(["New_York", "new york", "new-paris", "new jersey", "new"])
    assert rows.tolist() == [6, 7, 8, NO_ROW, 2]
    assert np.allclose(terms.units(rows[:2]), np.sqrt(0.5))
    assert terms.word(6) == "New_York"
    assert len(terms) == 9


def test_values_that_are_no_numbers_are_named() -> None:
    broken = WordVectors(["a", "b"], np.array([[1, 0], [np.nan, 1]], dtype=np.float32))
    with pytest.raises(RelrepError, match=r"the vector of 'b' \(row 2\)"):
        TermTable(broken).row("a")


def test_an_unknown_word_may_be_inferred_and_is_no_candidate() -> None:
    words = ["walked", "walking", "talked", "talking", "hammer"]
    vectors = WordVectors(words, np.random.default_rng(2).standard_normal((5, 8)).astype(np.float32))
    terms = TermTable(vectors, infer=True)
    assert terms.row("balked") == len(words) and terms.row("balked") == len(words)
    assert terms.row("zzz") == NO_ROW
    assert terms.word(len(words)) == "balked" and terms.inferred_rows == [len(words)]
    known, inferred = np.array([0]), np.array([terms.row("balked")])
    assert candidate_rows([known, inferred], terms, Protocol()).tolist() == list(range(len(words)))
    assert candidate_rows([known, inferred], terms, Protocol(candidates="answers")).tolist() == [0]
    assert TermTable(vectors).row("balked") == NO_ROW
