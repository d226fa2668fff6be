"""f the other way round, pattern by pattern: a question about a few patterns reads only their entries."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.kernels.pair_search_rows import fill_by_pattern
from relrep.mapped import let_go
from relrep.tensors import create_tensors, map_tensors

if TYPE_CHECKING:
    from relrep.relations.store import Relations

BY_PATTERN_FILE = "by_pattern.safetensors"
_AT_ONCE = 1 << 25
"""So many entries are turned at once (a quarter of a gigabyte): they are written here and there."""


@dataclass(frozen=True, eq=False)
class ByPattern:
    """The pairs that pattern p joins, rising, and f stand at starts[p] : starts[p + 1] in `pair` and `weight`."""

    starts: NDArray[np.int64]
    pair: NDArray[np.int32]
    weight: NDArray[np.float32]

    def entries(self, pattern: int) -> slice:
        """Where the entries of a pattern are."""
        return slice(int(self.starts[pattern]), int(self.starts[pattern + 1]))

    @classmethod
    def of(cls, relations: "Relations", path: Path | None = None) -> "ByPattern":
        """The entries of `relations`, all checked, pattern by pattern; in memory, or in a new file."""
        joined = relations.measured.pairs_per_pattern
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(joined)])
        n = len(relations.pattern)
        if path is None:
            made = cls(starts, np.empty(n, np.int32), np.empty(n, np.float32))
        else:
            shapes = {"starts": (np.int64, len(starts)), "pair": (np.int32, n), "weight": (np.float32, n)}
            made = cls(**create_tensors(path, shapes))
            made.starts[:] = starts
        first = 0
        while first < len(joined):
            last = int(np.searchsorted(starts, starts[first] + _AT_ONCE, side="right")) - 1
            last = min(max(last, first + 1), len(joined))
            fill_by_pattern(
                relations.indptr, relations.pattern, relations.weight, first, last, starts, made.pair, made.weight
            )
            let_go(relations.pattern, relations.weight, made.pair, made.weight)
            first = last
        return made

    @classmethod
    def open(cls, path: Path, n_patterns: int, n_entries: int) -> "ByPattern":
        """What `of` left at `path`, memory-mapped; shapes and bounds are checked, the entries by whoever reads them."""
        held = map_tensors(path)
        types = {"starts": np.int64, "pair": np.int32, "weight": np.float32}
        for name, dtype in types.items():
            size = n_patterns + 1 if name == "starts" else n_entries
            if name not in held or held[name].shape != (size,) or held[name].dtype != dtype:
                raise RelrepError(f"{path}: {name} does not fit the model; remove the file, it can be done without")
        starts = np.asarray(held["starts"])
        if starts[0] != 0 or starts[-1] != n_entries or (np.diff(starts) < 0).any():
            raise RelrepError(f"{path}: starts falls somewhere; remove the file, it can be done without")
        return cls(starts, held["pair"], held["weight"])
