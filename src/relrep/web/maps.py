"""A map of a relation: the differences of its pairs, among those of other pairs, in two dimensions (PCA)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.relations.search import SearchFilters, search_pairs
from relrep.web.explorer import Explorer

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
    u, v = explorer.ids(first, second)
    words = explorer.model.vocabulary.words
    pair = (words[u], words[v])
    alike = search_pairs(explorer.model, [pair], n, SearchFilters(distinct=True))
    return draw_map(explorer, [(u, v)], [(one.first, one.second) for one in alike])


def draw_map(explorer: Explorer, queries: Sequence[tuple[int, int]], alike: Sequence[tuple[str, str]]) -> RelationMap:
    """The first two principal components of all differences u − v, the queries' side to the right."""
    id_of = explorer.model.vectors.key_to_index
    core = [*queries, *((id_of[first], id_of[second]) for first, second in alike)]
    known = {frozenset(pair) for pair in core}
    others = [pair for pair in other_pairs(explorer, _OTHERS) if frozenset(pair) not in known]
    pairs = np.array([*core, *others], dtype=np.int64)
    unit = explorer.after.unit
    places, shown = _principal_components(unit[pairs[:, 0]].astype(np.float64) - unit[pairs[:, 1]])
    if places[: len(core), 0].mean() < places[:, 0].mean():
        places[:, 0] *= -1
    roles: list[Role] = ["other"] * len(pairs)
    roles[: len(core)] = ["alike"] * len(core)
    roles[: len(queries)] = ["query"] * len(queries)
    words = explorer.model.vocabulary.words
    points = [
        MapPoint(words[u], words[v], round(x, 4), round(y, 4), role)
        for (u, v), (x, y), role in zip(pairs.tolist(), places.tolist(), roles, strict=True)
    ]
    return RelationMap(tuple(points), round(shown, 4))


def other_pairs(explorer: Explorer, n: int) -> list[tuple[int, int]]:
    """About `n` mined pairs of plain words, evenly spread, always the same."""
    relations = explorer.model.require_relations()
    sample = np.unique(np.linspace(0, relations.n_pairs - 1, min(relations.n_pairs, 12 * n)).astype(np.int64))
    u, v = relations.u[sample], relations.v[sample]
    plain = sample[explorer.is_plain[u] & explorer.is_plain[v]]
    chosen = plain[np.unique(np.linspace(0, len(plain) - 1, min(len(plain), n)).astype(np.int64))]
    return list(zip(relations.u[chosen].tolist(), relations.v[chosen].tolist(), strict=True))


def _principal_components(differences: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    centred = differences - differences.mean(axis=0)
    left, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    if len(sizes) < 2:
        return np.zeros((len(differences), 2)), 1.0
    # An axis may point either way: let its largest component be positive, so that a map is always drawn alike.
    signs = np.sign(directions[np.arange(2), np.abs(directions[:2]).argmax(axis=1)])
    places = left[:, :2] * sizes[:2] * signs
    total = float((sizes**2).sum())
    largest = np.abs(places).max()
    return places / (largest if largest > 0 else 1), float((sizes[:2] ** 2).sum() / total) if total > 0 else 1.0
