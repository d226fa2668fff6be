"""One analogy: the best candidates for a : b :: c : ?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.best import Best, best_among
from relrep.analogy.protocol import MEASURES
from relrep.analogy.shortlist import shortlist
from relrep.analogy.terms import UNKNOWN, TermTable
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

_BLOCK = 2048
"""Rows that stay in the cache while they are multiplied with three words."""
_TINY = np.float32(1e-15)


@dataclass(frozen=True)
class Candidate:
    """A possible d and its score."""

    word: str
    score: float


def solve(
    vectors: WordVectors,
    a: str,
    b: str,
    c: str,
    top: int = 10,
    measures: Sequence[str] = tuple(MEASURES),
    candidates: int | None = None,
) -> dict[str, list[Candidate]]:
    """The `top` best words d of a : b :: c : d under each measure, among all words or the first `candidates`.

    >>> vectors = WordVectors(["man", "woman", "king", "queen"], np.array(
    ...     [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=np.float32))
    >>> solve(vectors, "man", "woman", "king", top=1)["cosadd"][0].word
    'queen'
    """
    terms = TermTable(vectors)
    best = best_rows(terms, question_rows(terms, a, b, c), top, measures, candidates)
    return named_candidates(terms, best, measures, top)


def named_candidates(terms: TermTable, best: Best, measures: Sequence[str], top: int) -> dict[str, list[Candidate]]:
    """The `top` best of one question under each measure, with their words."""
    return {
        name: [
            Candidate(terms.word(int(row)), float(score))
            for row, score in zip(best.rows[0, number, :top], best.scores[0, number, :top], strict=True)
            if row >= 0
        ]
        for number, name in enumerate(measures)
    }


def question_rows(terms: TermTable, a: str, b: str, c: str) -> NDArray[np.int64]:
    """The rows of the three words; a RelrepError for one without a direction."""
    rows = terms.rows((a, b, c))
    for word, row in zip((a, b, c), rows, strict=True):
        if row == UNKNOWN:
            terms.vectors.index_of(word)  # says which spellings are close
            raise RelrepError(f"the vector of {word!r} is zero, so it has no direction; choose another word")
    return rows


def best_rows(
    terms: TermTable,
    question: NDArray[np.int64],
    top: int,
    measures: Sequence[str] = tuple(MEASURES),
    candidates: int | None = None,
) -> Best:
    """The exact search for one question, among a shortlist that a quick look at every word leaves."""
    if top < 1:
        raise RelrepError(f"top is {top}; it must be at least 1")
    last = len(terms.vectors) if candidates is None else min(candidates, len(terms.vectors))
    units = terms.units(question)
    cosines = _cosines(np.asarray(terms.vectors.vectors[:last]), units.astype(np.float32))
    excluded = np.concatenate([terms.zero_rows, question])
    kept = shortlist(cosines, float((units[1] - units[0]) @ units[2]), excluded[excluded < last], top)
    return best_among(terms, question, kept, measures, top)


def _cosines(
    vectors: NDArray[np.floating], words: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """The cosines of all vectors with each of three words at unit length, about as exact as float32 is."""
    found = np.zeros((3, len(vectors)), dtype=np.float32)
    for first in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[first : first + _BLOCK], dtype=np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        odd = np.flatnonzero(~((lengths > _TINY) & (lengths < 1 / _TINY)))  # their squares leave the range of float32
        lengths[odd] = 1
        for word, cosines in zip(words, found, strict=True):
            np.divide(block @ word, lengths, out=cosines[first : first + len(block)])
        if len(odd):
            rows = vectors[first + odd].astype(np.float64)
            rows /= np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
            found[:, first + odd] = words @ (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)).T
    return found[0], found[1], found[2]
