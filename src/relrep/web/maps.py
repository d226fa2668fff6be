"""A map of a relation: the differences of its pairs, among those of other pairs, in two dimensions (PCA)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from relrep.relations.patterns import ask_pattern
from relrep.relations.search import SearchFilters
from relrep.web.explorer import Explorer
from relrep.web.queries import PatternReading

Role = Literal["query", "alike", "other"]
_OTHERS = 70


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
    answer = ask_pattern(explorer.model, asked.text, n, asked.is_whole, bool(asked.is_reversed))
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


def _principal_components(differences: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
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
    return points / (largest if largest > 0 else 1), min(
        1.0, float((sizes[:2] ** 2).sum()) / total
    ) if total > 0 else 1.0
