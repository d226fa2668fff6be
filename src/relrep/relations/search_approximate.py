"""Approximate relational search, for more pairs than exact search should walk; needs usearch.

An index over the normalised differences, in half precision, is built once and kept beside the relations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.files import written_whole
from relrep.model import RELATIONS_FOLDER, Model
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.relations.search import NO_FILTERS, RelatedPair, SearchFilters, allowed_pairs, ids_of, merge_orders
from relrep.relations.space import RelationSpace, best, space_of

STEP = "indexing pairs"
INDEX_FILE = "pairs.usearch"
_BLOCK = 65_536
_WIDENED = 20
"""With filters, so many times more pairs are fetched than asked for."""


@dataclass(frozen=True, eq=False)
class ApproximatePairs:
    """An approximate index of a model's mined pairs; `search` answers like `search_pairs`, seldom missing one."""

    model: Model
    index: Any

    @classmethod
    def open(cls, model: Model, progress: ProgressCallback = ignore) -> "ApproximatePairs":
        """The index in the model's folder; it is built and written first where there is none.

        A model is replaced as a whole folder, so an index that is there belongs to these vectors.
        """
        path = model.folder / RELATIONS_FOLDER / INDEX_FILE
        if not path.exists():
            built = cls.build(model, progress)
            with written_whole(path) as part:
                built.index.save(str(part))
            return built
        index = _new_index(model)
        try:
            index.load(str(path))
        except (RuntimeError, ValueError):
            raise RelrepError(
                f"{path}: the approximate index cannot be read; remove it to have it built anew"
            ) from None
        if index.ndim != model.vectors.vector_size or len(index) != model.require_relations().n_pairs:
            raise RelrepError(f"{path}: the approximate index does not fit the model; remove it to have it built anew")
        return cls(model, index)

    @classmethod
    def build(cls, model: Model, progress: ProgressCallback = ignore) -> "ApproximatePairs":
        """Builds the index in memory."""
        relations, space, index = model.require_relations(), space_of(model), _new_index(model)
        for begin in range(0, relations.n_pairs, _BLOCK):
            rows = np.arange(begin, min(begin + _BLOCK, relations.n_pairs))
            index.add(rows, _differences(space, rows).astype(np.float32), threads=space.threads)
            progress(Progress(STEP, len(index), relations.n_pairs, "pairs"))
        return cls(model, index)

    def search(
        self, pairs: Sequence[tuple[str, str]], n: int = 20, filters: SearchFilters = NO_FILTERS
    ) -> tuple[RelatedPair, ...]:
        """Like `search_pairs`; the scores of the pairs that are found are exact."""
        asked, space = ids_of(self.model, pairs), space_of(self.model)
        query = space.mean_difference(asked)
        fetched = min(len(self.index), n * (4 if filters == NO_FILTERS else _WIDENED) + 10)
        both_ways = np.stack([query, -query]).astype(np.float32)
        rows = np.unique(self.index.search(both_ways, fetched).keys.ravel()).astype(np.int64)
        rows = rows[rows < self.model.require_relations().n_pairs]
        rows = rows[allowed_pairs(self.model, asked, filters)[rows]]
        cosines = _cosines(_differences(space, rows), query)
        order = best(np.abs(cosines), 2 * n)
        return merge_orders(self.model, rows[order], cosines[order], n)


def _new_index(model: Model) -> Any:
    try:
        from usearch.index import Index
    except ImportError:
        raise RelrepError("usearch is not installed; install it with pip install 'relrep[approximate]'") from None
    return Index(ndim=model.vectors.vector_size, metric="cos", dtype="f16", expansion_add=128, expansion_search=256)


def _differences(space: RelationSpace, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    u, v = space.mined.u[rows], space.mined.v[rows]
    return np.asarray(space.unit[u].astype(np.float64) - space.unit[v])


def _cosines(differences: NDArray[np.float64], query: NDArray[np.float64]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(differences, axis=1) * np.linalg.norm(query)
    return np.asarray(differences @ query / np.where(lengths > 0, lengths, 1), dtype=np.float32)
