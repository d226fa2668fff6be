"""The engine: one reading of the text, kept by the executors, and the passes over it."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from relrep.core.files import reserve, written_whole
from relrep.errors import RelrepError
from relrep.mining.chunks import BYTES_PER_TOKEN
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import Patterns
from relrep.mining.runs import Run
from relrep.mining.settings import Selection
from relrep.mining.spark.counting import Runs, Shared
from relrep.mining.spark.files import CorpusFile, find_files, numbers_by_hash, read_together, rows_of
from relrep.mining.spark.jobs import watched
from relrep.mining.spark.passes import Passes
from relrep.mining.spark.reading import ReadingTask, read
from relrep.mining.spark.segments import DDL, FACTS, numbered, pack_words, words_of
from relrep.mining.spark.session import one_sentence, start_session, stop_session
from relrep.mining.spark.settings import SparkSettings
from relrep.mining.spark.sums import Kept, Slots, Summed, partition_keys, sums, unpacked
from relrep.mining.spark.words import count_words
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encode import CorpusFacts, no_text, no_words, write_corpus
from relrep.text.encoded import EncodedCorpus, open_ids
from relrep.text.fingerprint import TextHash
from relrep.text.settings import CorpusSettings
from relrep.text.sources import COMPRESSION
from relrep.text.vocabulary import Vocabulary

STEPS = {"pairs": "counting pairs", "patterns": "finding patterns", "counts": "counting patterns of pairs"}
BYTES_PER_PARTITION, MOST_PARTITIONS = 1 << 26, 1 << 13
"""What is counted in so many bytes of text is summed in one partition: some 20 million entries of g, 16 bytes each."""
_COLLECTED_AT_ONCE = 1 << 28
_ROWS_PER_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_LINES, _PIECES = "8192", "16"
"""Rows that go to Python at a time: lines of text, or pieces of some megabytes."""


class SparkEngine:
    """Reads and mines a corpus on Spark; the results are those of the local engine, bit by bit.

    `sizes` tells for each pass the entries and bytes that each partition was sent.
    """

    def __init__(
        self,
        corpus: Sequence[str | Path],
        settings: CorpusSettings,
        spark: SparkSettings,
        folder: Path,
        memory: int = 4 << 30,
        keep_ids: bool = True,
        progress: ProgressCallback = ignore,
    ) -> None:
        self._names, self._settings, self._spark = corpus, settings, spark
        self._folder, self._memory, self._keep_ids, self._progress = folder, memory, keep_ids, progress
        self.sizes: dict[str, list[dict[str, int]]] = {}

    @property
    def log(self) -> Path:
        """Where Spark's own messages go."""
        return self._folder / "spark.log"

    @cached_property
    def session(self) -> Any:
        """Spark itself, started when first needed."""
        self._progress(Progress("starting Spark", 0, 1))
        session, self._started = start_session(self._spark, self.log)
        self._progress(Progress("starting Spark", 1, 1))
        return session

    def stop(self) -> None:
        """Ends the session, if one was started here."""
        if "session" in self.__dict__:
            if "_segments" in self.__dict__:
                self._segments.unpersist()
            if self._started:
                stop_session(self.session)
            for name in ("session", "_segments", "_facts", "_keys"):
                self.__dict__.pop(name, None)

    @cached_property
    def files(self) -> list[CorpusFile]:
        """The files of the corpus."""
        return find_files(self._names, lambda: self.session)

    @cached_property
    def _keys(self) -> tuple[int, ...]:
        asked = self._spark.conf.get("spark.sql.shuffle.partitions")
        wanted = min(-(-self.text_bytes() // BYTES_PER_PARTITION), MOST_PARTITIONS)
        least = self.session.sparkContext.defaultParallelism
        return partition_keys(self.session, int(asked) if asked else max(wanted, least))

    @cached_property
    def _segments(self) -> Any:
        """The tokenised text, kept on the executors' disks; what is lost with one of them is read again."""
        from pyspark import StorageLevel

        session, context = self.session, self.session.sparkContext
        session.conf.set(_ROWS_PER_BATCH, _LINES)
        parts = []
        for group in read_together(self.files):
            task = ReadingTask(group, numbers_by_hash(session, group), self._settings)
            rows = rows_of(session, list(group.values()))
            parts.append(rows.mapInArrow(partial(_read, task=context.broadcast(task)), DDL))
        joined = reduce(lambda rows, more: rows.unionAll(more), parts)
        segments = joined.persist(StorageLevel.DISK_ONLY)
        session.conf.set(_ROWS_PER_BATCH, _PIECES)
        return segments

    @cached_property
    def _facts(self) -> pa.Table:
        """What was read, piece by piece, in the order of the corpus."""
        with watched(self.session.sparkContext, "reading text", self._progress):
            rows = self._segments.where("file is not null").select(*FACTS).toArrow()
        rows = rows.sort_by([(key, "ascending") for key in ("file", "start", "place")])
        for error in rows.column("error").drop_null().to_pylist():
            raise RelrepError(error)
        if not rows.num_rows:
            raise RelrepError(no_text(self.files[0].name))
        return rows

    def encode(self, folder: Path) -> tuple[EncodedCorpus, CorpusFacts]:
        """Token ids (unless they are not kept), vocabulary and facts in `folder`."""
        with one_sentence(self.log):
            rows = self._facts
            with watched(self.session.sparkContext, "counting words", self._progress):
                vocabulary, distinct = count_words(self._segments, self._settings, len(self._keys))
            if not len(vocabulary):
                raise RelrepError(no_words(self.files[0].name, self._settings.min_count))
            total = {name: int(rows.column(name).to_numpy().sum()) for name in _SUMS}
            told = TextHash()
            for first, second, lines in zip(*(rows.column(name).to_pylist() for name in _HASH), strict=True):
                told += TextHash(first, second, lines)
            facts = CorpusFacts(
                sources=[file.name for file in self.files],
                text_bytes=total["text_bytes"],
                tokens=total["tokens"],
                sentences=total["sentences"],
                unknown_tokens=total["tokens"] - int(vocabulary.counts.sum()),
                distinct_tokens=distinct,
                words=len(vocabulary),
                replaced_bytes=total["replaced"],
                fingerprint=told.hexdigest(),
            )
            with written_whole(folder) as target:
                target.mkdir()
                if self._keep_ids:
                    self._write_ids(rows, vocabulary, target / "tokens.i32")
                write_corpus(target, vocabulary, facts)
        return open_ids(folder, vocabulary), facts

    def _write_ids(self, rows: pa.Table, vocabulary: Vocabulary, path: Path) -> None:
        """Brings the ids of all pieces here, each to its place in the corpus."""
        sizes = rows.column("tokens").to_numpy() + rows.column("sentences").to_numpy()
        ends = np.cumsum(sizes)
        keys = zip(*(rows.column(name).to_pylist() for name in ("file", "start", "place")), strict=True)
        begin = dict(zip(keys, (ends - sizes).tolist(), strict=True))
        reserve(path, 4 * int(ends[-1]))
        sent = self.session.sparkContext.broadcast(pack_words(words_of(vocabulary)))
        pieces = self._pieces.mapInArrow(
            partial(_number, vocabulary=sent), "file int, start long, place int, ids binary"
        )
        step, done = "numbering words", 0
        with path.open("r+b") as file:
            for row in pieces.toLocalIterator(prefetchPartitions=True):
                file.seek(4 * begin[row.file, row.start, row.place])
                file.write(row.ids)
                done += len(row.ids)
                self._progress(Progress(step, done, 4 * int(ends[-1]), "bytes"))

    @property
    def _pieces(self) -> Any:
        return self._segments.select("file", "start", "place", "ids", "words")

    def _passes(self, vocabulary: Vocabulary) -> Passes:
        context = self.session.sparkContext
        sent = context.broadcast(pack_words(words_of(vocabulary)))
        _ = self._facts  # the text is read before it is counted, and what is wrong with it told
        most = max(1 << 12, self._memory // _tasks_per_machine(context) // (2 * BYTES_PER_TOKEN))
        shared = Shared(sent, len(vocabulary), min(most, 1 << 29))
        return Passes(self._summed, context.broadcast, self._keys, vocabulary, shared)

    def _summed(self, name: str, count: Callable[..., Runs], slots: Slots, kept: dict[int, Kept]) -> Iterator[Summed]:
        """Runs one pass and yields its sums in the order of the slots."""
        from pyspark import StorageLevel

        table = sums(self._pieces, count, slots, kept).persist(StorageLevel.DISK_ONLY)
        with watched(self.session.sparkContext, STEPS.get(name, f"finding patterns ({name})"), self._progress):
            told = table.selectExpr("slot", "kind", "entries_in", "bytes_in", "octet_length(data) as size").collect()
        self._tell_sizes(name, told, len(slots))
        if sum(row.size for row in told) < _COLLECTED_AT_ONCE:
            rows = iter(table.collect())
        else:
            rows = table.toLocalIterator(prefetchPartitions=True)
        for row in rows:
            yield unpacked(row)
        table.unpersist()

    def _tell_sizes(self, name: str, told: list[Any], n_slots: int) -> None:
        sizes = [{"entries": 0, "bytes": 0} for _ in range(n_slots)]
        for row in told:
            sizes[row.slot]["entries"] += row.entries_in
            sizes[row.slot]["bytes"] += row.bytes_in
        self.sizes[name] = sizes
        with written_whole(self._folder / "spark.json") as part:
            part.write_text(json.dumps(self.sizes, indent=1) + "\n", encoding="utf-8")

    @property
    def keeps_ids(self) -> bool:
        """Whether the ids are brought here."""
        return self._keep_ids

    def depends(self) -> dict[str, Any]:
        """The files as the local engine tells them, so that each can go on where the other was."""
        told: dict[str, Any] = {"corpus": [[file.known_as, file.size, file.modified] for file in self.files]}
        return told if self._keep_ids else {**told, "tokens": False}

    def text_bytes(self) -> int:
        """About how much text the files hold."""
        return sum(int(file.size * (1 if file.compression is None else COMPRESSION)) for file in self.files)

    def sharding_key(self, corpus: EncodedCorpus) -> str:
        """Spark leaves no parts here."""
        return "spark"

    def release(self) -> None:
        """Gives the cluster back."""
        self.stop()

    def pairs(self, corpus: EncodedCorpus, selection: Selection, parts: Path) -> Pairs:
        """The selected pairs."""
        with one_sentence(self.log):
            return self._passes(corpus.vocabulary).pairs(selection)

    def patterns(self, corpus: EncodedCorpus, pairs: Pairs, selection: Selection, parts: Path) -> Patterns:
        """The kept patterns."""
        with one_sentence(self.log):
            return self._passes(corpus.vocabulary).patterns(pairs, selection)

    def counts(
        self,
        corpus: EncodedCorpus,
        pairs: Pairs,
        patterns: Patterns,
        selection: Selection,
        folder: Path,
        parts: Path,
    ) -> Run:
        """g(p, u, v) in `folder`."""
        with one_sentence(self.log):
            return self._passes(corpus.vocabulary).counts(pairs, patterns, selection, folder)


_SUMS = ("text_bytes", "tokens", "sentences", "replaced")
_HASH = ("hash_first", "hash_second", "lines")


def _read(batches: Iterator[pa.RecordBatch], task: Any) -> Iterator[pa.RecordBatch]:
    return read(batches, task.value)


def _number(batches: Iterator[pa.RecordBatch], vocabulary: Any) -> Iterator[pa.RecordBatch]:
    for pieces in numbered(batches, vocabulary.value):
        for piece in pieces:
            values = {"file": [piece.file], "start": [piece.start], "place": [piece.place]}
            yield pa.record_batch(
                {
                    "file": pa.array(values["file"], pa.int32()),
                    "start": pa.array(values["start"], pa.int64()),
                    "place": pa.array(values["place"], pa.int32()),
                    "ids": pa.array([piece.ids.tobytes()], pa.binary()),
                }
            )


def _tasks_per_machine(context: Any) -> int:
    """How many tasks share a machine's memory: an executor's cores, or all of this machine's."""
    cores = context.getConf().get("spark.executor.cores")
    return int(cores) if cores else int(context.defaultParallelism) if context.master.startswith("local") else 1
