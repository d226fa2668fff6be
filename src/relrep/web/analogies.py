"""An analogy's candidates under the measures of the paper, and under one that also reads the corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.best import best_among
from relrep.analogy.evidence import CosMix
from relrep.analogy.measures import REORDERED
from relrep.analogy.protocol import MEASURES
from relrep.analogy.shortlist import shortlist
from relrep.errors import RelrepError
from relrep.relations.moved import MovedCandidate, move_candidates
from relrep.web.explorer import Explorer, State


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
    with explorer.evidence_lock:
        moved = move_candidates(explorer.model, evidence, explorer.terms, rows, candidates, n)
    return CorpusAnswer("ready", CosMix.title, moved)


def _rows(explorer: Explorer, a: str, b: str, c: str) -> list[int]:
    rows = explorer.ids(a, b, c)
    words = explorer.model.vocabulary.words
    for row in rows:
        if explorer.terms.row(words[row]) < 0:
            raise RelrepError(f"the vector of “{words[row]}” is zero, so it has no direction; choose another word")
    if rows[0] == rows[1]:
        raise RelrepError(f"“{words[rows[0]]}” stands on both sides; an analogy begins with two different words")
    return rows


def _search(explorer: Explorer, rows: Sequence[int], n: int) -> dict[str, tuple[list[int], list[float]]]:
    """The best rows and scores under each measure: a shortlist at float32, then the exact search among it."""
    question = np.array(rows, dtype=np.int64)
    found = best_among(explorer.terms, question, _shortlist(explorer, rows, n), tuple(MEASURES), n)
    columns = {}
    for number, name in enumerate(MEASURES):
        columns[name] = found.rows[0, number].tolist(), found.scores[0, number].tolist()
    return columns


def _shortlist(explorer: Explorer, rows: Sequence[int], n: int) -> NDArray[np.int64]:
    """The words that can be among the best of any measure, rising."""
    space = explorer.after
    a, b, c = space.unit[list(rows)].astype(np.float64)
    to_a, to_b, to_c = space.project(np.stack([a, b, c])).astype(np.float32)
    excluded = np.concatenate([np.array(rows, dtype=np.int64), explorer.terms.zero_rows])
    return shortlist((to_a, to_b, to_c), float((b - a) @ c), excluded, n)
