"""Answers that the explorer shows: analogies, pairs, words and patterns, and a map of a relation.

The map has the differences of a relation's pairs, among those of other pairs, in two dimensions (PCA).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from threadpoolctl import threadpool_limits

from relrep.analogy.measures import MEASURES, REORDERED
from relrep.analogy.solve import Candidate, best_rows, named_candidates, question_rows
from relrep.core.arrays import Doubles, Longs
from relrep.core.linalg import top_rows
from relrep.errors import RelrepError
from relrep.evidence.measures import CosMix
from relrep.evidence.rerank import RerankedCandidate, rerank_candidates
from relrep.relations.collocates import Collocates, collocates
from relrep.relations.explain import Explanation, explain
from relrep.relations.patterns import PatternAnswer, ask_pattern
from relrep.relations.search import SearchFilters
from relrep.web.explorer import Explorer, State
from relrep.web.queries import PatternReading

Role = Literal["query", "alike", "other"]
_OTHERS = 70


@dataclass(frozen=True)
class MeasureColumn:
    """The best candidates under one measure."""

    name: str
    title: str
    candidates: tuple[Candidate, ...]


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
    rows, words = _rows(explorer, a, b, c), explorer.model.vocabulary.words
    best = best_rows(explorer.terms, rows, n, unit=explorer.unit)
    found = named_candidates(explorer.terms, best, n)
    columns = tuple(MeasureColumn(name, title, tuple(found[name])) for name, title in MEASURES.items())
    return AnalogyAnswer(words[rows[0]], words[rows[1]], words[rows[2]], columns)


def solve_with_corpus(explorer: Explorer, a: str, b: str, c: str, n: int = 10) -> CorpusAnswer:
    """The best candidates of CosAdd, reordered by what the corpus says of the pairs (CosMix)."""
    evidence = explorer.evidence
    if evidence is None:
        return CorpusAnswer(explorer.evidence_state)
    rows = _rows(explorer, a, b, c)
    best = best_rows(explorer.terms, rows, REORDERED, ("cosadd",), unit=explorer.unit)
    with explorer.evidence_lock:
        reranked = rerank_candidates(explorer.model, evidence, explorer.terms, rows.tolist(), best["cosadd"][0], n)
    return CorpusAnswer("ready", CosMix.title, reranked)


def _rows(explorer: Explorer, a: str, b: str, c: str) -> Longs:
    words = explorer.model.vocabulary.words
    rows = question_rows(explorer.terms, *(words[row] for row in explorer.ids(a, b, c)))
    if rows[0] == rows[1]:
        raise RelrepError(f"“{words[rows[0]]}” stands on both sides; an analogy begins with two different words")
    return rows


def tell_pair(explorer: Explorer, first: str, second: str, n: int = 8, n_examples: int = 6) -> Explanation:
    """How two words are related: patterns, pairs related alike, examples."""
    return explain(explorer.search, *explorer.pair(first, second), n, n_examples)


def tell_pattern(explorer: Explorer, asked: PatternReading, n: int = 12) -> PatternAnswer:
    """The patterns most like one in use, and the pairs it joins."""
    return ask_pattern(explorer.model, asked.text, n, asked.is_whole, bool(asked.is_reversed))


@dataclass(frozen=True)
class WordAnswer:
    """A word, how often it occurs, its neighbours, and what stands with it (None without a relation table)."""

    word: str
    count: int
    rank: int
    neighbours: tuple[Candidate, ...]
    collocates: Collocates | None


def look_up(explorer: Explorer, word: str, n: int = 12) -> WordAnswer:
    """All that is shown of a word: neighbours by cosine, collocates by logDice and by what joins them."""
    (row,) = explorer.ids(word)
    vocabulary = explorer.model.vocabulary
    cosines = explorer.unit @ explorer.unit[row]
    cosines[row] = -np.inf
    return WordAnswer(
        word=vocabulary.words[row],
        count=int(vocabulary.counts[row]),
        rank=row + 1,
        neighbours=tuple(Candidate(vocabulary.words[at], float(cosines[at])) for at in top_rows(cosines, n).tolist()),
        collocates=collocates(explorer.model, vocabulary.words[row], n) if explorer.has_pairs else None,
    )


def partners_of(explorer: Explorer, word: int, n: int) -> list[str]:
    """The words that are bound to the word, by LMI: meetings · PMI; plain words only."""
    table, words = explorer.model.relations, explorer.model.vocabulary.words
    if table is None or not table.n_pairs:
        return []
    bound = table.bound
    rows = np.flatnonzero((bound.first == word) | (bound.second == word))
    other = np.where(bound.first[rows] == word, bound.second[rows], bound.first[rows])
    plain = explorer.is_plain[other]
    rows, other = rows[plain], other[plain]
    return [words[other[at]] for at in top_rows(lmi(explorer, rows), n).tolist()]


def lmi(explorer: Explorer, rows: Longs) -> Doubles:
    """Local mutual information of bound pairs: meetings · PMI."""
    bound = explorer.model.require_relations().bound
    return np.asarray(bound.meetings[rows] * bound.pmi(explorer.model.vocabulary.counts)[rows])


@dataclass(frozen=True)
class MapPoint:
    """A pair on the map; x and y lie between −1 and 1."""

    first: str
    second: str
    x: float
    y: float
    role: Role


@dataclass(frozen=True)
class RelationMap:
    """Points, and how much of the differences' spread the two axes show (0 … 1)."""

    points: tuple[MapPoint, ...]
    shown: float


def map_of_pair(explorer: Explorer, first: str, second: str, n: int = 40) -> RelationMap:
    """The pair, the pairs most alike in relation, and others to compare with."""
    pair = explorer.pair(first, second)
    alike = explorer.search.search([pair], n, SearchFilters(distinct=True))
    u, v = explorer.ids(*pair)
    return draw_map(explorer, [(u, v)], [(one.first, one.second) for one in alike])


def map_of_pattern(explorer: Explorer, asked: PatternReading, n: int = 40) -> RelationMap:
    """The pattern's most telling pairs, among others to compare with."""
    answer = tell_pattern(explorer, asked, n)
    return draw_map(explorer, [], [(pair.first, pair.second) for pair in answer.pairs])


def draw_map(explorer: Explorer, queries: Sequence[tuple[int, int]], alike: Sequence[tuple[str, str]]) -> RelationMap:
    """The first two principal components of all differences u − v, the queries' side to the right."""
    id_of = explorer.model.vectors.key_to_index
    core = [*queries, *((id_of[first], id_of[second]) for first, second in alike)]
    known = {frozenset(pair) for pair in core}
    others = [pair for pair in other_pairs(explorer, _OTHERS) if frozenset(pair) not in known]
    pairs = np.array([*core, *others], dtype=np.int64)
    unit = explorer.unit
    points_at, shown = _principal_components(unit[pairs[:, 0]].astype(np.float64) - unit[pairs[:, 1]])
    if points_at[: len(core), 0].mean() < points_at[:, 0].mean():
        points_at[:, 0] *= -1
    roles: list[Role] = ["other"] * len(pairs)
    roles[: len(core)] = ["alike"] * len(core)
    roles[: len(queries)] = ["query"] * len(queries)
    words = explorer.model.vocabulary.words
    points = [
        MapPoint(words[u], words[v], round(x, 4), round(y, 4), role)
        for (u, v), (x, y), role in zip(pairs.tolist(), points_at.tolist(), roles, strict=True)
    ]
    return RelationMap(tuple(points), round(shown, 4))


def other_pairs(explorer: Explorer, n: int) -> list[tuple[int, int]]:
    """About `n` bound pairs of plain words, evenly spread, always the same."""
    bound = explorer.model.require_relations().bound
    sample = np.unique(np.linspace(0, len(bound) - 1, min(len(bound), 12 * n)).astype(np.int64))
    plain = sample[explorer.is_plain[bound.first[sample]] & explorer.is_plain[bound.second[sample]]]
    chosen = plain[np.unique(np.linspace(0, len(plain) - 1, min(len(plain), n)).astype(np.int64))]
    return list(zip(bound.first[chosen].tolist(), bound.second[chosen].tolist(), strict=True))


def _principal_components(differences: Doubles) -> tuple[Doubles, float]:
    """Positions on the first two axes, the farthest at distance 1, and the share of the spread that they show."""
    centred = differences - differences.mean(axis=0)
    with threadpool_limits(1):  # on so small a matrix LAPACK's threads wait for each other longer than they work
        _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    axes = directions[:2].T
    # An axis may point either way: let its largest component be positive, so that a map is always drawn alike.
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    points = np.zeros((len(centred), 2))
    points[:, : axes.shape[1]] = centred @ (axes * signs)
    total, largest = float((sizes**2).sum()), np.abs(points).max()
    shown = min(1.0, float((sizes[:2] ** 2).sum()) / total) if total > 0 else 1.0
    return points / (largest if largest > 0 else 1), shown
