"""Sorted runs: counts by row and column, one run a chunk, on disk where there are several, merged row by row."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from relrep.core.csr import row_ends, row_numbers
from relrep.core.files import DAMAGE, remove, written_whole
from relrep.core.memory import let_go
from relrep.core.threads import run_in_threads
from relrep.mining._kernels import merge_rows
from relrep.mining.chunks import Chunks
from relrep.progress import Progress, ProgressCallback

Part = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Some rows of a run: where each starts, columns and values."""
_BYTES_PER_ENTRY = 40  # of one entry in a merge: two runs of it, and the result


@dataclass(frozen=True, eq=False)
class Run:
    """Counts by row: row i holds columns[starts[i]:starts[i + 1]], rising, and their values."""

    starts: NDArray[np.int64]
    columns: NDArray[Any]
    """int32, or uint16 where that holds all columns."""
    values: NDArray[Any]
    """int32 in the run of one chunk, int64 in sums."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    @classmethod
    def joined(cls, parts: Sequence[Part], n_rows: int) -> "Run":
        """One run of parts that follow each other by rows; rows behind the last part are empty."""
        sizes = [np.diff(starts) for starts, _, _ in parts]
        lengths = np.zeros(n_rows, dtype=np.int64)
        if sizes:
            joined = np.concatenate(sizes)
            lengths[: len(joined)] = joined
        columns = np.concatenate([columns for _, columns, _ in parts]) if parts else np.empty(0, dtype=np.int32)
        values = np.concatenate([values for _, _, values in parts]) if parts else np.empty(0, dtype=np.int64)
        return cls(row_ends(lengths), columns, values)

    @classmethod
    def of(cls, parts: "Iterable[Summed]", n_rows: int) -> "Run":
        """One run of sums that follow each other."""
        nothing = np.empty(0, dtype=np.int32)
        held = [Summed(0, nothing, nothing, nothing.astype(np.int64)), *parts]
        rows, columns, values = (np.concatenate([part[place] for part in held]) for place in (1, 2, 3))
        return cls(np.searchsorted(rows, np.arange(n_rows + 1)).astype(np.int64), columns, values)

    def write(self, folder: Path) -> "Run":
        """Leaves the run in `folder`; returns it mapped."""
        return write_run(folder, [(self.starts, self.columns, self.values)])

    @classmethod
    def open(cls, folder: Path) -> "Run":
        """The run that was written to `folder`, memory-mapped."""
        (columns,), (values,) = folder.glob("columns.*"), folder.glob("values.*")
        run = cls(np.load(folder / "starts.npy", allow_pickle=False), _map(columns), _map(values))
        if run.starts.ndim != 1 or not len(run.starts) or run.starts[0] != 0 or (np.diff(run.starts) < 0).any():
            raise ValueError(f"{folder}: the rows are out of order")
        if not run.starts[-1] == len(run.columns) == len(run.values):
            raise ValueError(f"{folder}: rows and entries do not fit each other")
        return run


def _map(path: Path) -> NDArray[np.int32]:
    """A file of plain numbers, memory-mapped; its ending names their type."""
    dtype = np.dtype(path.suffix[1:])
    if path.stat().st_size == 0:
        return np.empty(0, dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="r")


def write_run(folder: Path, parts: Iterable[Part]) -> Run:
    """Writes a run part by part, in the order of its rows, so that it is never whole in memory; returns it mapped."""
    lengths = [np.empty(0, dtype=np.int64)]
    with written_whole(folder) as target, ExitStack() as opened:
        target.mkdir(parents=True)
        files: dict[str, BinaryIO] = {}
        for starts, columns, values in parts:
            lengths.append(np.diff(starts))
            for name, array in (("columns", columns), ("values", values)):
                if name not in files:
                    files[name] = opened.enter_context((target / f"{name}.{array.dtype.name}").open("wb"))
                files[name].write(np.ascontiguousarray(array).data)
        np.save(target / "starts.npy", row_ends(np.concatenate(lengths)))
    return Run.open(folder)


def write_entries(folder: Path, n_rows: int, entries: Iterable[Part], kind: Any) -> Run:
    """Writes a run of entries (rows, columns, values) in the order of both; its columns are of the given kind."""

    def parts() -> Iterator[Part]:
        sizes = np.zeros(n_rows, dtype=np.int64)
        for rows, columns, values in entries:
            sizes += np.bincount(rows, minlength=n_rows)
            yield row_ends(sizes[:0]), columns.astype(kind), values.astype(np.int32)
        yield row_ends(sizes), np.empty(0, dtype=kind), np.empty(0, dtype=np.int32)

    return write_run(folder, parts())


def _row_ranges(starts: NDArray[np.int64], memory: int) -> Iterator[tuple[int, int]]:
    most = max(1, memory // _BYTES_PER_ENTRY)
    low, n_rows = 0, len(starts) - 1
    while low < n_rows:
        high = int(np.searchsorted(starts, starts[low] + most, side="right")) - 1
        high = min(max(high, low + 1), n_rows)
        yield low, high
        low = high


def merge(runs: list[Run], n_columns: int, at_least: int, memory: int, threads: int) -> Iterator[Run]:
    """Sums runs over the same rows: yields some rows at a time, in order, with the sums of `at_least`."""
    starts = np.stack([run.starts for run in runs])
    entries = starts.sum(axis=0)

    def work(rows: tuple[int, int]) -> Run:
        low, high = rows
        local = starts[:, low : high + 1]
        lengths = local[:, -1] - local[:, 0]
        offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        columns = np.concatenate([run.columns[a[0] : a[-1]] for run, a in zip(runs, local, strict=True)])
        values = np.concatenate([run.values[a[0] : a[-1]] for run, a in zip(runs, local, strict=True)])
        for run in runs:
            let_go(run.columns, run.values)
        run_starts = local - local[:, :1] + offsets[:, None]
        return Run(*merge_rows(run_starts, columns, values.astype(np.int64), n_columns, at_least))

    yield from run_in_threads(work, _row_ranges(entries, memory // (4 * threads)), threads)


def merge_all(runs: list[Run], n_columns: int, at_least: int, memory: int, threads: int) -> Run:
    """The merged run, whole in memory: for results that are small."""
    merged = merge(runs, n_columns, at_least, memory, threads)
    return Run.joined([(part.starts, part.columns, part.values) for part in merged], runs[0].n_rows)


class Summed(NamedTuple):
    """Sums of one kind, sorted by row and column."""

    kind: int
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.int64]


Counted = Iterator[tuple[int, Run]]
"""Of one chunk: kinds, and the counts of each."""


class Summing(Protocol):
    """How an engine sums what is counted in each chunk of the text."""

    def __call__(
        self, step: str, count: Callable[..., Counted], *given: Any, least: int = 1, most: int = 0
    ) -> Iterator[Summed]:
        """The sums of at least `least` over what `count(chunk, *given)` yields for all chunks.

        Of patterns an engine may leave out all but the `most` largest and their ties.
        """


def sum_chunks(chunks: Chunks, work: Path, progress: ProgressCallback) -> Summing:
    """Sums on this machine; the counts of each of several chunks wait in `work`, for the run after a killed one too."""

    def sums(step: str, count: Callable[..., Counted], *given: Any, least: int = 1, most: int = 0) -> Iterator[Summed]:
        folders = [work / f"{step.replace(' ', '-')}-{index:05}" for index in range(len(chunks))]
        shards: list[dict[int, Run]] = []
        progress(Progress(step, 0, len(chunks)))
        for chunk, folder in zip(chunks, folders, strict=True):
            counted = count(chunk, *given)
            shards.append(dict(counted) if len(chunks) == 1 else _kept(counted, folder))
            progress(Progress(step, len(shards), len(chunks)))
        for kind in sorted(shards[0]):
            own, n_columns = [shard[kind] for shard in shards], len(chunks.corpus.vocabulary)
            merged = merge_all(own, n_columns, least, chunks.memory, chunks.threads)
            yield Summed(kind, row_numbers(merged.starts).astype(np.int32), merged.columns, merged.values)
        for folder in folders:
            remove(folder)

    return sums


def _kept(counted: Counted, folder: Path) -> dict[int, Run]:
    """The counts of a chunk, in `folder`; they are made unless they are there and whole."""
    try:
        return {int(path.name): Run.open(path) for path in folder.iterdir()}
    except DAMAGE:
        remove(folder)
    with written_whole(folder) as part:
        for kind, run in counted:
            run.write(part / str(kind))
    return {int(path.name): Run.open(path) for path in folder.iterdir()}
