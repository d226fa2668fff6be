"""Sums over all splits: each task's runs are packed by slot, Spark brings the slots together, and each is summed.

What a task counted is added up inside the task before it is packed (a run has each row and column once), so that what
crosses the network is a few bytes an entry. Which slot an entry goes to is told by a hash of its whole key, or by its
row where the sums are wanted in the order of rows.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.mining.runs import Run
from relrep.mining.spark.packed_counts import add_sorted, pack, unpack

Batches = Iterable[pa.RecordBatch]
_PACKED = pa.schema([("key", pa.int32()), ("kind", pa.int32()), ("entries", pa.int64()), ("data", pa.binary())])
_PACKED_DDL = "key int, kind int, entries long, data binary"
_SUMMED = pa.schema(
    [
        ("slot", pa.int32()),
        ("kind", pa.int32()),
        ("entries_in", pa.int64()),
        ("bytes_in", pa.int64()),
        ("entries", pa.int64()),
        ("data", pa.binary()),
    ]
)
_SUMMED_DDL = "slot int, kind int, entries_in long, bytes_in long, entries long, data binary"
_NO_ROWS = np.empty(0, dtype=np.int32)
_ENTRIES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Slots:
    """Where entries go: by a hash of row and column, or by row."""

    keys: tuple[int, ...]
    """For each slot a number that Spark's own hash sends to a partition of its own."""
    by_row: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class Summed:
    """The sums of one kind in one slot, sorted: row · 2^32 + column, and count."""

    slot: int
    kind: int
    keys: NDArray[np.int64]
    values: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int64]:
        return self.keys >> 32

    @property
    def columns(self) -> NDArray[np.int32]:
        return (self.keys & 0xFFFFFFFF).astype(np.int32)


@dataclass(frozen=True)
class Kept:
    """Which sums are worth sending on: those of `at_least`, and of each slot only the `most` largest (0: all)."""

    at_least: int = 1
    most: int = 0


def partition_keys(session: Any, n_slots: int) -> tuple[int, ...]:
    """For each of n partitions, the least number that Spark's hash partitioning sends there.

    Slots would otherwise meet in one partition by chance while others stay empty.
    """
    found: dict[int, int] = {}
    tried = 16 * n_slots
    while len(found) < n_slots:
        rows = session.range(tried, numPartitions=1).selectExpr("id", f"pmod(hash(cast(id as int)), {n_slots})")
        for key, slot in sorted(map(tuple, rows.collect())):
            found.setdefault(slot, key)
        tried *= 4
    return tuple(found[slot] for slot in range(n_slots))


def sums(rows: Any, count: Callable[[Batches], Iterator[tuple[int, Run]]], slots: Slots, kept: dict[int, Kept]) -> Any:
    """A table of packed sums: of all runs that `count` yields, with their kinds, over the partitions of `rows`."""
    packed = rows.mapInArrow(partial(_packed, count=count, slots=slots), _PACKED_DDL)
    return packed.repartition(len(slots), "key").mapInArrow(partial(_summed, keys=slots.keys, kept=kept), _SUMMED_DDL)


def _packed(
    batches: Batches, count: Callable[[Batches], Iterator[tuple[int, Run]]], slots: Slots
) -> Iterator[pa.RecordBatch]:
    by_row = _NO_ROWS if slots.by_row is None else slots.by_row
    for kind, run in count(batches):
        data, starts, entries = pack(run.starts, run.columns, run.values, by_row, len(slots))
        for slot in np.flatnonzero(entries):
            values = [slots.keys[slot], kind, entries[slot], data[starts[slot] : starts[slot + 1]].tobytes()]
            yield _row(_PACKED, values)


def _row(schema: pa.Schema, values: list[Any]) -> pa.RecordBatch:
    return pa.record_batch(
        [pa.array([value], kind) for value, kind in zip(values, schema.types, strict=True)], schema=schema
    )


def _summed(batches: Batches, keys: tuple[int, ...], kept: dict[int, Kept]) -> Iterator[pa.RecordBatch]:
    slot_of = {key: slot for slot, key in enumerate(keys)}
    stacks: dict[tuple[int, int], _Stack] = {}
    for batch in batches:
        for each in range(batch.num_rows):
            key, kind, entries = (batch.column(name)[each].as_py() for name in ("key", "kind", "entries"))
            stack = stacks.setdefault((slot_of[key], kind), _Stack())
            stack.add(np.frombuffer(batch.column("data")[each].as_buffer(), dtype=np.uint8), entries)
    for (slot, kind), stack in sorted(stacks.items()):
        numbers, values = _chosen(*stack.sums(), kept.get(kind, Kept()))
        told = [stack.entries, stack.bytes]
        for part in _parts(numbers >> 32):
            yield _row(_SUMMED, [slot, kind, *told, len(numbers[part]), _pack_sorted(numbers[part], values[part])])
            told = [0, 0]


def _parts(rows: NDArray[np.int64]) -> Iterator[slice]:
    """Parts of bounded size that end with a row."""
    low = 0
    while True:
        high = low + _ENTRIES_AT_ONCE
        high = len(rows) if high >= len(rows) else int(np.searchsorted(rows, rows[high - 1], side="right"))
        yield slice(low, high)
        if high == len(rows):
            return
        low = high


def _pack_sorted(keys: NDArray[np.int64], values: NDArray[np.int64]) -> bytes:
    rows = keys >> 32
    first = int(rows[0]) if len(rows) else 0
    n_rows = int(rows[-1]) - first + 1 if len(rows) else 0
    # A run over the rows that occur; numbering starts with the first, which is sent along.
    starts = np.searchsorted(rows, np.arange(first, first + n_rows + 1))
    data, _, _ = pack(starts, keys & 0xFFFFFFFF, values, _NO_ROWS, 1)
    return bytes(np.int64(first).tobytes() + data.tobytes())


def unpacked(row: Any) -> Summed:
    """The sums in a row of the table that `sums` makes."""
    first = int(np.frombuffer(row.data, dtype=np.int64, count=1)[0])
    keys, values = unpack(np.frombuffer(row.data, dtype=np.uint8, offset=8), row.entries)
    return Summed(row.slot, row.kind, keys + (first << 32), values)


def _chosen(
    keys: NDArray[np.int64], values: NDArray[np.int64], kept: Kept
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    least = kept.at_least
    if kept.most and len(values) > kept.most:
        # Ties with the last one stay: who wins is decided where all slots are seen.
        least = max(least, int(np.partition(values, len(values) - kept.most)[len(values) - kept.most]))
    chosen = values >= least
    return (keys, values) if chosen.all() else (keys[chosen], values[chosen])


class _Stack:
    """Sorted lists that are added up as they come, always the two of about the same length."""

    def __init__(self) -> None:
        self.entries = self.bytes = 0
        self._held: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, data: NDArray[np.uint8], entries: int) -> None:
        self.entries += entries
        self.bytes += len(data)
        self.push(*unpack(data, entries))

    def push(self, keys: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        self._held.append((keys, values))
        while len(self._held) > 1 and 2 * len(self._held[-1][0]) >= len(self._held[-2][0]):
            self._join()

    def _join(self) -> None:
        last = self._held.pop()
        self._held[-1] = add_sorted(*self._held[-1], *last)

    def sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        while len(self._held) > 1:
            self._join()
        return self._held[0] if self._held else (np.empty(0, np.int64), np.empty(0, np.int64))


def run_of(parts: Iterable[Summed], n_rows: int) -> Run:
    """One run of the sums of all slots."""
    stack = _Stack()
    for part in parts:
        stack.push(part.keys, part.values)
    keys, values = stack.sums()
    rows = keys >> 32
    starts = np.searchsorted(rows, np.arange(n_rows + 1)).astype(np.int64)
    return Run(starts, (keys & 0xFFFFFFFF).astype(np.int32), values)
