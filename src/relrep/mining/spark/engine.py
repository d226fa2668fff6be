"""The engine: one reading of the text, kept by the executors, and the passes over it.

In a pass tasks count with the functions of the local engine, Spark sums, and the driver selects.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.core.csr import row_numbers
from relrep.core.files import reserve, written_whole
from relrep.errors import RelrepError
from relrep.mining.chunks import BYTES_PER_TOKEN, Chunk
from relrep.mining.counts import STEP as COUNTING
from relrep.mining.counts import column_type, count_chunk
from relrep.mining.engines import Engine
from relrep.mining.pairs import Pairs
from relrep.mining.patterns import OCCURRENCES, Patterns
from relrep.mining.runs import Counted, Run, Summed, Summing, write_entries
from relrep.mining.settings import Selection
from relrep.mining.spark.files import CorpusFile, find_files, numbers_by_hash, read_together, rows_of
from relrep.mining.spark.reading import (
    FACTS,
    PIECES,
    SEGMENTS,
    WORDS,
    ReadingTask,
    count_words,
    ddl,
    number_pieces,
    numbered,
    read,
    words_of,
)
from relrep.mining.spark.session import (
    SparkSettings,
    one_sentence,
    set_batch_rows,
    start_session,
    stop_session,
    watched,
)
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encode import CorpusFacts, no_text, no_words, write_corpus
from relrep.text.encoded import EncodedCorpus, open_ids
from relrep.text.fingerprint import TextHash
from relrep.text.settings import CorpusSettings
from relrep.text.sources import COMPRESSION
from relrep.text.vocabulary import Vocabulary

PARTITIONS = "spark.sql.shuffle.partitions"
BYTES_PER_PARTITION, MOST_PARTITIONS = 1 << 26, 1 << 13
"""What is counted in so many bytes of text is summed in one partition: some 20 million entries of g."""
SUMS = {"kind": "int", "row": "int", "column": "int", "count": "long"}
_DTYPES = {"int": np.int32, "long": np.int64}
_LINES_AT_ONCE, _ROWS_AT_ONCE = 8192, 1 << 18
PIECES_AT_ONCE = 16  # some megabytes each
Batches = Iterable[pa.RecordBatch]


class SparkEngine(Engine):
    """Reads and mines a corpus on Spark; the results are those of the local engine, bit by bit."""

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
        self._memory, self._progress = memory, progress
        self.keeps_ids = keep_ids
        self.log = folder / "spark.log"
        """Where Spark's own messages go."""

    @cached_property
    def session(self) -> Any:
        """Spark itself, started when first needed."""
        self._progress(Progress("starting Spark", 0, 1))
        session, self._started = start_session(self._spark, self.log)
        self._progress(Progress("starting Spark", 1, 1))
        return session

    def release(self) -> None:
        """Gives the cluster back: ends the session, if one was started here."""
        if "session" in self.__dict__:
            if "_segments" in self.__dict__:
                self._segments.unpersist()
            if self._started:
                stop_session(self.session)
            for name in ("session", "_segments", "_facts"):
                self.__dict__.pop(name, None)

    @cached_property
    def files(self) -> list[CorpusFile]:
        """The files of the corpus."""
        return find_files(self._names, lambda: self.session)

    @cached_property
    def _segments(self) -> Any:
        """The tokenised text, kept on the executors' disks; what is lost with one of them is read again."""
        from pyspark import StorageLevel

        session, context = self.session, self.session.sparkContext
        if PARTITIONS not in self._spark.conf:
            wanted = min(-(-self.text_bytes() // BYTES_PER_PARTITION), MOST_PARTITIONS)
            session.conf.set(PARTITIONS, str(max(wanted, context.defaultParallelism)))
        set_batch_rows(session, _LINES_AT_ONCE)
        parts = []
        for group in read_together(self.files):
            task = ReadingTask(group, numbers_by_hash(session, group), self._settings)
            rows = rows_of(session, list(group.values()))
            parts.append(rows.mapInArrow(partial(read, task=context.broadcast(task)), ddl(SEGMENTS)))
        segments = reduce(lambda rows, more: rows.unionAll(more), parts).persist(StorageLevel.DISK_ONLY)
        set_batch_rows(session, PIECES_AT_ONCE)
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
                vocabulary, distinct = self._vocabulary()
            if not len(vocabulary):
                raise RelrepError(no_words(self.files[0].name, self._settings.min_count))
            names = ("text_bytes", "tokens", "sentences", "replaced")
            total = {name: int(rows.column(name).to_numpy().sum()) for name in names}
            text_hash = TextHash()
            for part in rows.select(["hash_first", "hash_second", "lines"]).to_pylist():
                text_hash += TextHash(*part.values())
            facts = CorpusFacts(
                sources=[file.name for file in self.files],
                text_bytes=total["text_bytes"],
                tokens=total["tokens"],
                sentences=total["sentences"],
                unknown_tokens=total["tokens"] - int(vocabulary.counts.sum()),
                distinct_tokens=distinct,
                words=len(vocabulary),
                replaced_bytes=total["replaced"],
                fingerprint=text_hash.hexdigest(),
            )
            with written_whole(folder) as target:
                target.mkdir()
                if self.keeps_ids:
                    self._write_ids(rows, vocabulary, target / "tokens.i32")
                write_corpus(target, vocabulary, facts)
        return open_ids(folder, vocabulary), facts

    def _vocabulary(self) -> tuple[Vocabulary, int]:
        """The words by falling frequency, ties by spelling; and how many different ones there are in all."""
        counted = self._segments.where("words is not null").select("words").mapInArrow(count_words, ddl(WORDS))
        sums = counted.groupBy("word").sum("count").toDF(*WORDS).persist()
        frequent = sums.where(f"count >= {self._settings.min_count}").orderBy(
            ["count", "word"], ascending=[False, True]
        )
        if self._settings.max_words:
            frequent = frequent.limit(self._settings.max_words)
        rows, distinct = frequent.toArrow(), sums.count()
        sums.unpersist()
        words = [word.decode() for word in rows.column("word").to_pylist()]
        return Vocabulary(words, rows.column("count").to_numpy()), distinct

    def _write_ids(self, rows: pa.Table, vocabulary: Vocabulary, path: Path) -> None:
        """Brings the ids of all pieces here, each to its place in the corpus."""
        sizes = rows.column("tokens").to_numpy() + rows.column("sentences").to_numpy()
        ends = np.cumsum(sizes)
        keys = zip(*(rows.column(name).to_pylist() for name in ("file", "start", "place")), strict=True)
        begin = dict(zip(keys, (ends - sizes).tolist(), strict=True))
        reserve(path, 4 * int(ends[-1]))
        sent = self.session.sparkContext.broadcast(words_of(vocabulary))
        pieces = self._pieces.mapInArrow(partial(number_pieces, vocabulary=sent), ddl(PIECES))
        done = 0
        with path.open("r+b") as file:
            for row in pieces.toLocalIterator(prefetchPartitions=True):
                file.seek(4 * begin[row.file, row.start, row.place])
                file.write(row.ids)
                done += len(row.ids)
                self._progress(Progress("numbering words", done, 4 * int(ends[-1]), "bytes"))

    @property
    def _pieces(self) -> Any:
        return self._segments.select(*PIECES, "words")

    def depends(self) -> dict[str, Any]:
        """The files as the local engine tells them, so that each can go on where the other was."""
        facts: dict[str, Any] = {"corpus": [[file.known_as, file.size, file.modified] for file in self.files]}
        return facts if self.keeps_ids else {**facts, "tokens": False}

    def text_bytes(self) -> int:
        """About how much text the files hold."""
        return sum(int(file.size * (1 if file.compression is None else COMPRESSION)) for file in self.files)

    def summing(self, corpus: EncodedCorpus, parts: Path) -> Summing:
        """Spark leaves no parts here."""
        sent: list[tuple[Any, Any]] = []
        words = words_of(corpus.vocabulary)

        def broadcast(value: Any) -> Any:
            """What every task of a pass is sent; the same thing goes out once."""
            for held, there in sent:
                if held is value:
                    return there
            sent.append((value, self.session.sparkContext.broadcast(value)))
            return sent[-1][1]

        def sums(
            step: str, count: Callable[..., Counted], *given: Any, least: int = 1, most: int = 0
        ) -> Iterator[Summed]:
            with one_sentence(self.log):
                _ = self._facts  # the text is read before it is counted, and what is wrong with it told
                size = self._memory // _tasks_per_machine(self.session.sparkContext) // (2 * BYTES_PER_TOKEN)
                shared = Shared(broadcast(words), len(corpus.vocabulary), min(max(1 << 12, size), 1 << 29))
                counted = partial(_counted, shared=shared, count=count, given=[broadcast(each) for each in given])
                yield from self._sums(step, counted, least, most)

        return sums

    def _sums(
        self, step: str, counted: Callable[[Batches], Iterator[pa.RecordBatch]], least: int, most: int
    ) -> Iterator[Summed]:
        """One pass: the sums of at least `least` over all that is counted, by kind, row and column.

        Of patterns only the `most` largest come, with all ties (0: all of them).
        """
        from pyspark import StorageLevel

        rows = self._pieces.mapInArrow(counted, ddl(SUMS))
        sums = rows.groupBy("kind", "row", "column").sum("count").toDF(*SUMS).where(f"count >= {least}")
        set_batch_rows(self.session, PIECES_AT_ONCE)
        sums.persist(StorageLevel.DISK_ONLY)
        with watched(self.session.sparkContext, step, self._progress):
            if most:
                patterns = sums.where(f"kind < {2 * OCCURRENCES}").select("count")
                largest = patterns.orderBy("count", ascending=False).limit(most).toArrow().column("count").to_numpy()
                least = int(largest[-1]) if len(largest) == most else least
            else:
                sums.count()
        kept = sums.where(f"count >= {least} or kind >= {2 * OCCURRENCES}").orderBy("kind", "row", "column")
        set_batch_rows(self.session, _ROWS_AT_ONCE)
        packed = kept.mapInArrow(_as_bytes, ddl(dict.fromkeys(SUMS, "binary")))
        for packed_row in packed.toLocalIterator(prefetchPartitions=True):
            kinds, *columns = (np.frombuffer(packed_row[name], dtype=_DTYPES[SUMS[name]]) for name in SUMS)
            for kind in np.unique(kinds).tolist():
                own = slice(*np.searchsorted(kinds, [kind, kind + 1]))
                yield Summed(kind, *(column[own] for column in columns))
        sums.unpersist()

    def counts(
        self, corpus: EncodedCorpus, pairs: Pairs, patterns: Patterns, selection: Selection, folder: Path, parts: Path
    ) -> Run:
        """g(p, u, v) in `folder`, written as the sums come, in the order of the pairs."""
        sums = self.summing(corpus, parts)(COUNTING, patterns_of_pairs_in, pairs, patterns, selection)
        return write_entries(folder, len(pairs), (part[1:] for part in sums), column_type(len(patterns)))


def _tasks_per_machine(context: Any) -> int:
    """How many tasks share a machine's memory: an executor's cores, or all of this machine's."""
    cores = context.getConf().get("spark.executor.cores")
    return int(cores) if cores else int(context.defaultParallelism) if context.master.startswith("local") else 1


@dataclass(frozen=True, eq=False)
class Shared:
    """What every task of a pass is sent: the vocabulary (a broadcast of its words), and how much it may hold."""

    vocabulary: Any
    n_words: int
    most_tokens: int

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """The text of a partition in chunks."""
        ids: list[NDArray[np.int32]] = []
        size = 0
        for pieces in numbered(batches, self.vocabulary.value):
            more = sum(len(piece.ids) for piece in pieces)
            if ids and size + more > self.most_tokens:
                yield Chunk(np.concatenate(ids), self.n_words, 1)
                ids, size = [], 0
            ids.extend(piece.ids for piece in pieces)
            size += more
        if ids:
            yield Chunk(np.concatenate(ids), self.n_words, 1)


def _counted(
    batches: Batches, shared: Shared, count: Callable[..., Counted], given: Sequence[Any]
) -> Iterator[pa.RecordBatch]:
    """In a task: the runs that `count` yields for each chunk, a row an entry."""
    for chunk in shared.chunks(batches):
        for kind, run in count(chunk, *(sent.value for sent in given)):
            rows = row_numbers(run.starts)
            for low in range(0, len(rows), _ROWS_AT_ONCE):
                part = slice(low, low + _ROWS_AT_ONCE)
                arrays = np.full(len(rows[part]), kind), rows[part], run.columns[part], run.values[part]
                yield pa.record_batch(
                    {name: array.astype(_DTYPES[SUMS[name]]) for name, array in zip(SUMS, arrays, strict=True)}
                )


def _as_bytes(batches: Batches) -> Iterator[pa.RecordBatch]:
    """In a task: many rows as one, whose columns come to the driver as they lie in memory."""
    for batch in batches:
        yield pa.record_batch({name: pa.array([batch.column(name).to_numpy().tobytes()]) for name in SUMS})


def patterns_of_pairs_in(chunk: Chunk, pairs: Pairs, patterns: Patterns, selection: Selection) -> Counted:
    """g(p, u, v) of a chunk."""
    yield 0, Run.joined(list(count_chunk(chunk, pairs, patterns, selection)), len(pairs))
