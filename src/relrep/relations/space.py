"""The vectors as relations see them: differences of unit vectors, for pairs and for patterns."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.kernels import pair_search as kernels
from relrep.kernels import pair_search_rows as row_kernels
from relrep.mapped import all_finite
from relrep.relations.by_pattern import BY_PATTERN_FILE
from relrep.relations.store import Relations
from relrep.tensors import map_tensors, write_tensors
from relrep.threads import available_threads, run_in_threads, split_evenly
from relrep.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from relrep.model import Model

SPACE_FILE = "space.safetensors"
"""In a model's relations folder: what can be computed once from vectors and relations."""
_BLOCKS = 16
"""Work is cut into so many parts, whatever the number of threads."""


class RelationSpace:
    """Differences u − v of words at unit length, as in PairDiff, and what can be computed once for all queries.

    >>> space = RelationSpace(WordVectors(["a", "b"], np.array([[2, 0], [0, 1]], np.float32)))
    >>> space.difference(0, 1).tolist()
    [1.0, -1.0]
    """

    def __init__(self, vectors: WordVectors, relations: Relations | None = None, threads: int | None = None) -> None:
        self.unit = vectors.normalised
        self.relations = relations
        self.threads = threads or available_threads()

    def difference(self, u: int, v: int) -> NDArray[np.float64]:
        """u − v of two word ids."""
        return np.asarray(self.unit[u].astype(np.float64) - self.unit[v])

    def mean_difference(self, pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """The mean of the pairs' differences: what a query of several pairs asks for."""
        return np.asarray(np.mean([self.difference(u, v) for u, v in pairs], axis=0))

    def project(self, queries: NDArray[np.float64]) -> NDArray[np.float64]:
        """x·q for all words x: a row for each query."""
        out = np.empty((len(queries), len(self.unit)), dtype=np.float64)
        self._in_blocks(len(self.unit), lambda a, b: kernels.project(self.unit[a:b], queries, out[:, a:b]))
        return out

    def pair_cosines(self, query: NDArray[np.float64]) -> NDArray[np.float32]:
        """cos(u − v, q) for all mined pairs."""
        relations, lengths, projected = self.mined, self.pair_lengths, self.project(query[None])[0]
        out = np.empty(relations.n_pairs, dtype=np.float32)
        length = _length(query)

        def work(a: int, b: int) -> None:
            u, v = relations.u[a:b], relations.v[a:b]
            kernels.pair_cosines(projected, u, v, lengths[a:b], length, out[a:b])

        self._in_blocks(len(out), work)
        return out

    def slot_cosines(self, query: NDArray[np.float64], fixed: int) -> NDArray[np.float32]:
        """cos(fixed − x, q) for all words x."""
        projected = self.project(query[None])[0]
        words = np.arange(len(self.unit))
        out = np.empty(len(self.unit), dtype=np.float32)
        length, here = _length(query), float(projected[fixed])

        def work(a: int, b: int) -> None:
            kernels.slot_cosines(self.unit, projected, fixed, here, words[a:b], length, out[a:b])

        self._in_blocks(len(out), work)
        return out

    def write(self, folder: Path) -> None:
        """Computes what queries share and leaves it in `folder`, so that the first query need not wait."""
        tensors = {"pair_lengths": self.pair_lengths, "pattern_vectors": self.pattern_vectors}
        write_tensors(folder / SPACE_FILE, tensors)

    def read(self, folder: Path) -> "RelationSpace":
        """Takes over what `write` left in `folder`, if it is there; it is checked to fit."""
        path = folder / SPACE_FILE
        if not path.exists():
            return self
        held = map_tensors(path)
        shapes: dict[str, tuple[int, ...]] = {
            "pair_lengths": (self.mined.n_pairs,),
            "pattern_vectors": (self.mined.n_patterns, self.unit.shape[1]),
        }
        for name, shape in shapes.items():
            array: NDArray[Any] | None = held.get(name)
            if array is None or array.shape != shape or array.dtype != np.float32 or not all_finite(array):
                raise RelrepError(f"{path}: {name} does not fit the model; remove the file, it can be done without")
            self.__dict__[name] = np.asarray(array)  # where cached_property keeps its value
        return self

    @cached_property
    def pair_lengths(self) -> NDArray[np.float32]:
        """|u − v| of all mined pairs."""
        relations = self.mined
        out = np.empty(relations.n_pairs, dtype=np.float32)

        def work(a: int, b: int) -> None:
            kernels.pair_lengths(self.unit, relations.u[a:b], relations.v[a:b], out[a:b])

        self._in_blocks(len(out), work)
        return out

    @cached_property
    def pattern_vectors(self) -> NDArray[np.float32]:
        """p = Σ f(p,u,v) (u − v) / Σ f(p,u,v) for all patterns; zero for a pattern without a pair."""
        r, unit = self.mined, self.unit
        r.check_entries()
        sums = np.zeros((r.n_patterns, unit.shape[1]), dtype=np.float64)

        def work(a: int, b: int) -> None:  # each thread has its own dimensions, so that sums keep their order
            kernels.pattern_sums(unit, r.u, r.v, r.indptr, r.pattern, r.weight, a, b, sums)

        self._in_blocks(unit.shape[1], work, parts=min(self.threads, unit.shape[1]))
        return (sums / np.where(r.weights > 0, r.weights, 1)[:, None]).astype(np.float32)

    def row_cosines(self, query: NDArray[np.float64]) -> NDArray[np.float32]:
        """The cosine of each mined pair's row of f with `query`, a weight for each pattern; −∞ where it is 0 or less.

        Only the entries of the query's patterns are read.
        """
        r, held, lengths = self.mined, self.mined.by_pattern, self.mined.measured.pair_lengths
        products = np.zeros(r.n_pairs, dtype=np.float64)
        for pattern in np.flatnonzero(query).tolist():
            at = held.entries(pattern)
            if not row_kernels.add_pattern(held.pair[at], held.weight[at], query[pattern], products):
                raise RelrepError(
                    f"{BY_PATTERN_FILE} names a pair that is not there; remove it, it can be done without"
                )
        scale = np.where(lengths > 0, lengths, 1) * max(_length(query), np.finfo(float).tiny)
        return np.where(products > 0, products / scale, -np.inf).astype(np.float32)

    @cached_property
    def unit_pattern_vectors(self) -> NDArray[np.float32]:
        """The pattern vectors at unit length (a zero vector stays zero)."""
        norms = np.linalg.norm(self.pattern_vectors, axis=1, keepdims=True)
        return np.asarray(self.pattern_vectors / np.where(norms > 0, norms, 1), dtype=np.float32)

    def pattern_cosines(self, query: NDArray[np.float64]) -> NDArray[np.float32]:
        """cos(p, q) for all patterns."""
        out = np.empty((1, len(self.unit_pattern_vectors)), dtype=np.float64)
        kernels.project(self.unit_pattern_vectors, query[None], out)
        length = _length(query)
        return np.asarray(out[0] / length if length > 0 else out[0], dtype=np.float32)

    @property
    def mined(self) -> Relations:
        """The mined relations; a RelrepError where there are none."""
        if self.relations is None:
            raise RelrepError("the model holds no mined relations; train it with relrep train")
        return self.relations

    def _in_blocks(self, n: int, work: Callable[[int, int], None], parts: int = _BLOCKS) -> None:
        for _ in run_in_threads(lambda bounds: work(*bounds), split_evenly(n, parts), self.threads):
            pass


def _length(query: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.sum(query * query)))


@lru_cache(maxsize=4)
def space_of(model: "Model") -> RelationSpace:
    """The space of a model's trained vectors, kept from one query to the next."""
    space = RelationSpace(model.vectors, model.relations)
    return space.read(model.folder / "relations") if model.relations is not None else space


def best(scores: NDArray[np.float32], n: int) -> NDArray[np.int64]:
    """The places of the `n` highest scores above −∞, the highest first, ties by place.

    >>> best(np.array([0.5, 0.9, 0.5, -np.inf], np.float32), 2).tolist()
    [1, 0]
    """
    return np.asarray(kernels.best_places(scores, max(0, min(n, len(scores)))))
