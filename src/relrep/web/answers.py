"""Answers that the explorer shows: analogies, pairs, words and patterns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.measures import MEASURES, REORDERED
from relrep.analogy.solve import best_among, shortlist
from relrep.core.linalg import top_rows
from relrep.errors import RelrepError
from relrep.evidence.measures import CosMix
from relrep.evidence.rerank import RerankedCandidate, rerank_candidates
from relrep.relations.explain import Explanation, explain
from relrep.relations.patterns import PatternAnswer, ask_pattern
from relrep.web.explorer import Explorer, State
from relrep.web.queries import PatternReading


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
    candidates: tuple[RerankedCandidate, ...] = ()


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
        reranked = rerank_candidates(explorer.model, evidence, explorer.terms, rows, candidates, n)
    return CorpusAnswer("ready", CosMix.title, reranked)


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
    a, b, c = explorer.unit[list(rows)]
    to_a, to_b, to_c = (explorer.unit @ np.stack([a, b, c]).T).T
    excluded = np.concatenate([np.array(rows, dtype=np.int64), explorer.terms.zero_rows])
    return shortlist((to_a, to_b, to_c), float((b - a) @ c), excluded, n)


def tell_pair(explorer: Explorer, first: str, second: str, n: int = 8, n_examples: int = 6) -> Explanation:
    """How two words are related: patterns, pairs related alike, examples."""
    return explain(explorer.search, *explorer.pair(first, second), n, n_examples)


def tell_pattern(explorer: Explorer, asked: PatternReading, n: int = 12) -> PatternAnswer:
    """The patterns most like one in use, and the pairs it joins."""
    return ask_pattern(explorer.model, asked.text, n, asked.is_whole, bool(asked.is_reversed))


@dataclass(frozen=True)
class Neighbour:
    """A neighbour and its cosine."""

    word: str
    score: float


@dataclass(frozen=True)
class Partner:
    """A bound pair with the word in it, and in how many sentences the two meet."""

    first: str
    second: str
    meetings: int


@dataclass(frozen=True)
class WordAnswer:
    """A word, how often it occurs, its neighbours, and what it is bound to."""

    word: str
    count: int
    rank: int
    neighbours: tuple[Neighbour, ...]
    partners: tuple[Partner, ...]


def look_up(explorer: Explorer, word: str, n: int = 12) -> WordAnswer:
    """All that is shown of a word; neighbours by cosine, partners by how much more often they meet than by chance."""
    (row,) = explorer.ids(word)
    vocabulary = explorer.model.vocabulary
    cosines = explorer.unit @ explorer.unit[row]
    cosines[row] = -np.inf
    return WordAnswer(
        word=vocabulary.words[row],
        count=int(vocabulary.counts[row]),
        rank=row + 1,
        neighbours=tuple(Neighbour(vocabulary.words[at], float(cosines[at])) for at in top_rows(cosines, n).tolist()),
        partners=partners_of(explorer, row, n),
    )


def partners_of(explorer: Explorer, word: int, n: int) -> tuple[Partner, ...]:
    """The bound pairs with the word, by LMI: meetings · PMI; plain words only."""
    table, words = explorer.model.relations, explorer.model.vocabulary.words
    if table is None or not table.n_pairs:
        return ()
    bound = table.bound
    rows = np.flatnonzero((bound.first == word) | (bound.second == word))
    other = np.where(bound.first[rows] == word, bound.second[rows], bound.first[rows])
    plain = explorer.is_plain[other]
    rows, other = rows[plain], other[plain]
    scores = lmi(explorer, rows)
    return tuple(
        Partner(words[word], words[other[at]], int(bound.meetings[rows[at]])) for at in top_rows(scores, n).tolist()
    )


def lmi(explorer: Explorer, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Local mutual information of bound pairs: meetings · PMI."""
    bound = explorer.model.require_relations().bound
    return np.asarray(bound.meetings[rows] * bound.pmi(explorer.model.vocabulary.counts)[rows])
