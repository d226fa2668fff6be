"""One analogy: the best candidates for a : b :: c : ?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relrep.analogy.protocol import MEASURES
from relrep.analogy.search import OpenSearch
from relrep.analogy.terms import UNKNOWN, TermTable
from relrep.errors import RelrepError
from relrep.vectors import WordVectors


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
    threads: int | None = None,
) -> dict[str, list[Candidate]]:
    """The `top` best words d of a : b :: c : d under each measure, among all words or the first `candidates`.

    >>> vectors = WordVectors(["man", "woman", "king", "queen"], np.array(
    ...     [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=np.float32))
    >>> solve(vectors, "man", "woman", "king", top=1)["cosadd"][0].word
    'queen'
    """
    if top < 1:
        raise RelrepError(f"top is {top}; it must be at least 1")
    terms = TermTable(vectors)
    rows = terms.rows((a, b, c))
    for word, row in zip((a, b, c), rows, strict=True):
        if row == UNKNOWN:
            vectors.index_of(word)  # says which spellings are close
            raise RelrepError(f"the vector of {word!r} is zero, so it has no direction; choose another word")
    last = len(vectors) if candidates is None else min(candidates, len(vectors))
    kept = np.delete(np.arange(last), terms.zero_rows[terms.zero_rows < last])
    best = OpenSearch(terms, rows[None, :], kept, threads).best(tuple(measures), k=top)
    return {
        name: [
            Candidate(terms.word(int(row)), float(score))
            for row, score in zip(best.rows[0, number], best.scores[0, number], strict=True)
            if row >= 0
        ]
        for number, name in enumerate(measures)
    }
