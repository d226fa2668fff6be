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
_ITERATIONS, _MORE_DIRECTIONS = 40, 6


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
    """Places on the first two axes, the farthest at distance 1, and the share of the spread that they show."""
    centred = differences - differences.mean(axis=0)
    covariance = np.einsum("ni,nj->ij", centred, centred)
    directions, sizes = _leading_directions(covariance, 2)
    # An axis may point either way: let its largest component be positive, so that a map is always drawn alike.
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(directions.shape[1])])
    places = np.einsum("ni,ik->nk", centred, directions * signs)
    total, largest = float(np.trace(covariance)), np.abs(places).max()
    return places / (largest if largest > 0 else 1), min(1.0, float(sizes.sum()) / total) if total > 0 else 1.0


def _leading_directions(matrix: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The eigenvectors of a symmetric matrix with the `n` largest eigenvalues, by subspace iteration.

    Not by LAPACK: its threads, on so small a matrix, wait for each other a hundred times longer than they work as
    soon as the machine has anything else to do.
    """
    basis = np.random.default_rng(1).normal(size=(len(matrix), n + _MORE_DIRECTIONS))
    for _ in range(_ITERATIONS):
        basis = _orthonormal(np.einsum("ij,jk->ik", matrix, basis))
    sizes, rotation = np.linalg.eigh(np.einsum("ia,ib->ab", basis, np.einsum("ij,jb->ib", matrix, basis)))
    order = np.argsort(-sizes)[:n]
    return np.einsum("ij,jk->ik", basis, rotation[:, order]), np.maximum(sizes[order], 0)


def _orthonormal(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gram and Schmidt; a column that depends on those before it becomes zero."""
    result = np.zeros_like(columns)
    for at in range(columns.shape[1]):
        column = columns[:, at]
        length = np.sqrt((column * column).sum())
        for _ in range(2):  # once more, for what rounding left
            column = column - np.einsum("ij,j->i", result[:, :at], np.einsum("ij,i->j", result[:, :at], column))
        rest = np.sqrt((column * column).sum())
        if rest > 1e-10 * length:
            result[:, at] = column / rest
    return result
