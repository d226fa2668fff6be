"""One analogy: the best candidates for a : b :: c : ?, by an exact search among those that a quick look leaves.

The quick look is a float32 product with every word; the few words that can be among the best are scored in float64.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.measures import MEASURES, VectorMeasure, scores_by_cosines
from relrep.analogy.terms import NO_ROW, TermTable
from relrep.core.arrays import Doubles, Floats, Longs
from relrep.core.linalg import unit_rows
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

Best = dict[str, tuple[Longs, Doubles]]
"""By measure the best candidates' rows and scores, by falling score, ties by vocabulary order."""
_BLOCK = 2048
"""Rows that stay in the cache while they are multiplied with three words."""
_SPARE = 60
"""So many more words than asked for are kept: float32 may order near ties otherwise."""
_NEAR, _FAR = np.float32(0.999), np.float32(-0.999)
"""Beyond these cosines a score divides by almost nothing, and float32 says little about it: such words are all kept."""


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
    return named_candidates(terms, best, top)


def named_candidates(terms: TermTable, best: Best, top: int) -> dict[str, list[Candidate]]:
    """The `top` best under each measure, with their words."""
    return {
        name: [
            Candidate(terms.word(int(row)), float(score)) for row, score in zip(rows[:top], scores[:top], strict=True)
        ]
        for name, (rows, scores) in best.items()
    }


def question_rows(terms: TermTable, a: str, b: str, c: str) -> Longs:
    """The rows of the three words; a RelrepError for one without a direction."""
    rows = terms.rows((a, b, c))
    for word, row in zip((a, b, c), rows, strict=True):
        if row == NO_ROW:
            terms.vectors.row_of(word)  # says which spellings are close
            raise RelrepError(f"the vector of {word!r} is zero, so it has no direction; choose another word")
    return rows


def best_rows(
    terms: TermTable,
    question: Longs,
    top: int,
    measures: Sequence[str] = tuple(MEASURES),
    candidates: int | None = None,
    unit: Floats | None = None,
) -> Best:
    """The exact search for one question, among a shortlist that a quick look at every word leaves.

    `unit` are all vectors at unit length, where they are at hand: it makes the quick look quicker.
    """
    if top < 1:
        raise RelrepError(f"top is {top}; it must be at least 1")
    last = len(terms.vectors) if candidates is None else min(candidates, len(terms.vectors))
    units = terms.units(question)
    words = units.astype(np.float32)
    cosines = words @ unit[:last].T if unit is not None else _cosines(np.asarray(terms.vectors.vectors[:last]), words)
    excluded = np.concatenate([terms.zero_rows, question])
    kept = shortlist(cosines, float((units[1] - units[0]) @ units[2]), excluded[excluded < last], top)
    return best_among(terms, question, kept, measures, top)


def best_among(terms: TermTable, question: Longs, candidates: Longs, measures: Sequence[str], k: int) -> Best:
    """The `k` best candidates (rows of `terms`, rising, none of a, b, c) of one question a, b, c under each measure."""
    quadruples = np.column_stack([np.tile(question, (len(candidates), 1)), candidates])
    best = {}
    for name in measures:
        scores = VectorMeasure(name).score(terms, quadruples)
        order = np.argsort(-scores, kind="stable")[:k]
        best[name] = candidates[order], scores[order]
    return best


def shortlist(to_words: Floats, difference_to_c: float, excluded: Longs, n: int) -> Longs:
    """The rows, rising, that can be among the `n` best of a : b :: c : ? under any of the three measures.

    `to_words` are the cosines of a, b and c with all words, `difference_to_c` is (b − a)·c; all three measures follow
    from them, as |d − c|² = 2 − 2 cos(c, d).
    """
    kept = (to_words[2] > _NEAR) | (to_words[0] < _FAR)
    for score in scores_by_cosines(to_words, np.float32(difference_to_c)):
        score[excluded] = -np.inf
        if len(score) > n + _SPARE:
            least = np.partition(score, -n - _SPARE)[-n - _SPARE]
            kept |= score >= least  # all of those that tie
        else:
            kept[:] = True
    kept[excluded] = False
    return np.flatnonzero(kept).astype(np.int64)


def _cosines(vectors: NDArray[np.floating], words: Floats) -> Floats:
    """The cosines of three words at unit length with all vectors, about as exact as float32 is."""
    starts = range(0, len(vectors), _BLOCK)
    blocks = (np.asarray(vectors[first : first + _BLOCK], dtype=np.float32) for first in starts)
    return np.concatenate([words @ unit_rows(block).T for block in blocks], axis=1)
