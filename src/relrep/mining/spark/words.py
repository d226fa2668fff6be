"""The vocabulary of a corpus that Spark has read: words counted in each task, summed by Spark, ranked by the driver."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from relrep.mining.spark.segments import block_of, unpack_words
from relrep.text.settings import CorpusSettings
from relrep.text.vocabulary import Vocabulary
from relrep.text.word_list import WordList

_WORDS = pa.schema([("word", pa.binary()), ("count", pa.int64())])
_DDL = "word binary, count long"
_WORDS_AT_ONCE = 1 << 16


def count_words(segments: Any, settings: CorpusSettings, n_partitions: int) -> tuple[Vocabulary, int]:
    """The vocabulary, and how many different words there are in all."""
    counted = segments.where("words is not null").select("words").mapInArrow(_counted, _DDL)
    summed = counted.repartition(n_partitions, "word").groupBy("word").sum("count").toDF("word", "count")
    rows = summed.mapInArrow(partial(_frequent, min_count=settings.min_count), _DDL).toArrow()
    words, counts = rows.column("word").combine_chunks(), rows.column("count").to_numpy()
    is_total = np.asarray(words.is_null())
    frequent = words.drop_null()
    lengths = np.array([len(word) for word in frequent.to_pylist()], dtype=np.int64)
    text = np.frombuffer(b"".join(frequent.to_pylist()), dtype=np.uint8)
    held = WordList()
    held.add(block_of(text, lengths, counts[~is_total].astype(np.int64)))
    return held.ranked(settings.min_count, settings.max_words)[0], int(counts[is_total].sum())


def _counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The words of all segments of a partition, added up."""
    held = WordList()
    for batch in batches:
        for words in batch.column("words"):
            held.add(unpack_words(words.as_buffer()))
    block = held.as_block()
    for low in range(0, len(block.counts), _WORDS_AT_ONCE):
        high = min(low + _WORDS_AT_ONCE, len(block.counts))
        offsets = (block.starts[low : high + 1] - block.starts[low]).astype(np.int32)
        text = block.text[block.starts[low] : block.starts[high]].tobytes()
        words = pa.Array.from_buffers(pa.binary(), high - low, [None, pa.py_buffer(offsets), pa.py_buffer(text)])
        yield pa.record_batch([words, pa.array(block.counts[low:high])], schema=_WORDS)


def _frequent(batches: Iterable[pa.RecordBatch], min_count: int) -> Iterator[pa.RecordBatch]:
    """The words that occur often enough; the number of all stands behind them, without a word."""
    distinct = 0
    for batch in batches:
        distinct += batch.num_rows
        chosen = pa.array(np.asarray(batch.column("count")) >= min_count)
        yield pa.record_batch(batch.filter(chosen).columns, schema=_WORDS)
    yield pa.record_batch([pa.array([None], pa.binary()), pa.array([distinct], pa.int64())], schema=_WORDS)
