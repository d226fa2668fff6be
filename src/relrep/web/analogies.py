"""An analogy's candidates under the measures of the paper, and under one that also reads the corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.evidence import CosMix
from relrep.analogy.evidence_space import CorpusEvidence
from relrep.analogy.measures import REORDERED
from relrep.analogy.protocol import MEASURES
from relrep.analogy.search import OpenSearch
from relrep.errors import RelrepError
from relrep.relations.space import best
from relrep.web.explorer import Explorer, State
from relrep.web.shared_patterns import SharedPattern, shared_patterns

_ROOM = 60
"""So many more candidates than asked for are scored exactly: float32 may order near ties otherwise."""
_EPSILON = np.float32(1e-5)


@dataclass(frozen=True)
class ScoredWord:
    """A candidate d and its score."""

    word: str
    score: float


@dataclass(frozen=True)
class MeasureColumn:
    """The best candidates under one measure."""

    name: str
    title: str
    candidates: tuple[ScoredWord, ...]


@dataclass(frozen=True)
class AnalogyAnswer:
    """a : b :: c : ? under the three measures."""

    a: str
    b: str
    c: str
    columns: tuple[MeasureColumn, ...]


@dataclass(frozen=True)
class MovedCandidate:
    """A candidate after the corpus was read: its new score, its place by the vectors alone, and the evidence.

    `evidence` is the cosine of what stands between a and b and what stands between c and the candidate, and
    `shared` the patterns that make it.
    """

    word: str
    score: float
    place_before: int
    evidence: float
    shared: tuple[SharedPattern, ...]


@dataclass(frozen=True)
class CorpusAnswer:
    """a : b :: c : ? with the evidence of the corpus; `state` tells whether it can be read (yet)."""

    state: State
    title: str = ""
    candidates: tuple[MovedCandidate, ...] = ()


def solve_analogy(explorer: Explorer, a: str, b: str, c: str, n: int = 10) -> AnalogyAnswer:
    """The best `n` words d for a : b :: c : d, under each of the three measures; exact."""
    rows = _rows(explorer, a, b, c)
    words = explorer.model.vocabulary.words
    found = _search(explorer, rows, n)
    columns = tuple(
        MeasureColumn(
            name,
            title,
            tuple(ScoredWord(words[row], score) for row, score in zip(*found[name], strict=True)),
        )
        for name, title in MEASURES.items()
    )
    return AnalogyAnswer(words[rows[0]], words[rows[1]], words[rows[2]], columns)


def solve_with_corpus(explorer: Explorer, a: str, b: str, c: str, n: int = 10) -> CorpusAnswer:
    """The best candidates of CosAdd, reordered by what the corpus says of the pairs (CosMix)."""
    evidence = explorer.evidence
    if evidence is None:
        return CorpusAnswer(explorer.evidence_state)
    rows = _rows(explorer, a, b, c)
    candidates = np.array(_search(explorer, rows, REORDERED)["cosadd"][0], dtype=np.int64)
    quadruples = np.column_stack([np.repeat([rows], len(candidates), axis=0), candidates])
    measure = CosMix(evidence)
    with explorer.evidence_lock:
        scores = measure.score(explorer.terms, quadruples)
        alike, _ = evidence.similarity(quadruples[:, :2], quadruples[:, 2:])
        order = np.lexsort((candidates, -scores))[:n]
        shared = _shared(explorer, evidence, rows, candidates[order])
    words = explorer.model.vocabulary.words
    return CorpusAnswer(
        "ready",
        measure.title,
        tuple(
            MovedCandidate(words[candidates[at]], float(scores[at]), int(at) + 1, float(alike[at]), patterns)
            for at, patterns in zip(order.tolist(), shared, strict=True)
        ),
    )


def _rows(explorer: Explorer, a: str, b: str, c: str) -> list[int]:
    rows = explorer.ids(a, b, c)
    words = explorer.model.vocabulary.words
    for row in rows:
        if explorer.terms.row(words[row]) < 0:
            raise RelrepError(f"the vector of “{words[row]}” is zero, so it has no direction; choose another word")
    if rows[0] == rows[1]:
        raise RelrepError(f"“{words[rows[0]]}” stands on both sides; an analogy begins with two different words")
    return rows


def _shared(
    explorer: Explorer, evidence: CorpusEvidence, rows: Sequence[int], candidates: NDArray[np.int64]
) -> list[tuple[SharedPattern, ...]]:
    pairs = [(rows[2], int(candidate)) for candidate in candidates]
    return shared_patterns(explorer, evidence, (rows[0], rows[1]), pairs)


def _search(explorer: Explorer, rows: Sequence[int], n: int) -> dict[str, tuple[list[int], list[float]]]:
    """The best rows and scores under each measure: a shortlist at float32, then the exact search among it."""
    shortlist = _shortlist(explorer, rows, n + _ROOM)
    if not len(shortlist):
        return {name: ([], []) for name in MEASURES}
    search = OpenSearch(explorer.terms, np.array([rows], dtype=np.int64), shortlist, threads=1)
    found = search.best(tuple(MEASURES), k=n)
    columns = {}
    for number, name in enumerate(MEASURES):
        held = found.rows[0, number] >= 0
        columns[name] = found.rows[0, number][held].tolist(), found.scores[0, number][held].tolist()
    return columns


def _shortlist(explorer: Explorer, rows: Sequence[int], n: int) -> NDArray[np.int64]:
    """The words that can be among the best of any measure, rising.

    All three follow from the cosines of a word with a, b and c: |d − c|² = 2 − 2 cos(c, d).
    """
    space = explorer.after
    a, b, c = (space.unit[row].astype(np.float64) for row in rows)
    to_a, to_b, to_c = (space.project(word).astype(np.float32) for word in (a, b, c))
    shifted = [(cosine + np.float32(1)) / np.float32(2) for cosine in (to_a, to_b, to_c)]
    distance = np.sqrt(np.maximum(np.float32(2) - np.float32(2) * to_c, np.float32(1e-6)))
    difference = to_b - to_a
    scores = (
        difference + to_c,
        shifted[1] * shifted[2] / (shifted[0] + _EPSILON),
        (difference - np.float32((b - a) @ c)) / distance,
    )
    excluded = np.concatenate([np.array(rows, dtype=np.int64), explorer.terms.zero_rows])
    kept = []
    for of_measure in scores:
        of_measure[excluded] = -np.inf
        kept.append(best(of_measure, n))
    return np.unique(np.concatenate(kept))
