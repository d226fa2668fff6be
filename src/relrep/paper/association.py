"""Association f(p, u, v): how strongly a pattern belongs to a pair, from the counts g(p, u, v)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.arrays import Doubles, Floats, Ints, Longs
from relrep.core.files import written_whole
from relrep.core.memory import let_go
from relrep.core.settings import Settings, one_of, setting
from relrep.core.threads import run_in_threads
from relrep.mining.runs import Run
from relrep.paper import _kernels as kernel
from relrep.progress import Progress, ProgressCallback, ignore

MEASURES = {"ppmi": kernel.PPMI, "llr": kernel.LLR, "lmi": kernel.LMI}
STEP = "weighing patterns"
_BLOCK_ENTRIES = 1 << 21
_FILES = {"pattern": np.int32, "weight": np.float32}


@dataclass(frozen=True)
class AssociationSettings(Settings):
    """How counts become weights."""

    measure: str = setting("ppmi", "ppmi, llr or lmi", one_of(MEASURES), flag="association")


@dataclass(frozen=True, eq=False)
class Association:
    """The entries f > 0, a row a pair: row i holds pattern[starts[i]:starts[i + 1]], rising."""

    starts: Longs
    pattern: Ints
    weight: Floats
    sums: Doubles
    """The sum of each pattern's weights, and that of their squares."""

    @property
    def n_patterns(self) -> int:
        return len(self.sums[0])

    @property
    def sizes(self) -> Doubles:
        """|R(p)|: the summed weights of each pattern."""
        return np.asarray(self.sums[0])

    @property
    def norms(self) -> Doubles:
        """The length of each pattern's row of f."""
        return np.asarray(np.sqrt(self.sums[1]))

    @classmethod
    def open(cls, folder: Path) -> "Association":
        """What `associate` left in `folder`, memory-mapped."""
        starts = np.load(folder / "starts.npy")
        sums = np.load(folder / "sums.npy")
        entries: dict[str, Any] = {}
        for name, kind in _FILES.items():
            path = folder / f"{name}.{np.dtype(kind).name}"
            entries[name] = np.memmap(path, dtype=kind, mode="r") if starts[-1] else np.empty(0, dtype=kind)
        return cls(starts, **entries, sums=sums)


def associate(
    counts: Run,
    occurrences: Longs,
    settings: AssociationSettings,
    folder: Path,
    threads: int = 1,
    progress: ProgressCallback = ignore,
) -> Association:
    """f(p, u, v) on disk in `folder`. `occurrences` are g(p, *, *), which mining knows already."""
    totals = occurrences.astype(np.float64)
    total = float(occurrences.sum())
    measure = MEASURES[settings.measure]
    starts = counts.starts
    rows = _row_blocks(starts)

    def work(block: tuple[int, int]) -> tuple[Doubles, Longs, list[NDArray[Any]]]:
        low, high = block
        part = slice(starts[low], starts[high])
        row_starts, *entries = kernel.weigh(
            starts, np.asarray(counts.columns[part]), np.asarray(counts.values[part]), low, high, totals, total, measure
        )
        weights = entries[1].astype(np.float64)
        own = np.zeros_like(sums)
        own[:] = [np.bincount(entries[0], each, len(occurrences)) for each in (weights, weights * weights)]
        return own, np.diff(row_starts), entries

    lengths = []
    sums = np.zeros((2, len(occurrences)))
    with written_whole(folder) as target:
        target.mkdir(parents=True)
        files = [(target / f"{name}.{np.dtype(kind).name}").open("wb") for name, kind in _FILES.items()]
        try:
            progress(Progress(STEP, 0, len(rows)))
            for index, (own, own_lengths, entries) in enumerate(run_in_threads(work, rows, threads)):
                sums += own  # block by block, in order: the same bits for any number of threads
                lengths.append(own_lengths)
                for file, entry in zip(files, entries, strict=True):
                    file.write(entry.data)
                let_go(counts.columns, counts.values)
                progress(Progress(STEP, index + 1, len(rows)))
        finally:
            for file in files:
                file.close()
        np.save(
            target / "starts.npy", np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate(lengths))])
        )
        np.save(target / "sums.npy", sums)
    return Association.open(folder)


def _row_blocks(starts: Longs) -> list[tuple[int, int]]:
    n_rows = len(starts) - 1
    bounds = np.searchsorted(starts, np.arange(0, starts[-1] + _BLOCK_ENTRIES, _BLOCK_ENTRIES))
    bounds = np.unique(np.concatenate([[0], np.minimum(bounds, n_rows), [n_rows]]))
    return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
