"""Text in the executors: rows of text become pieces of token ids, and behind every segment of them stand its words.

A segment is what one task has read so far, of one or several splits; its ids number the words of that segment. Each
piece belongs to one split (a file, and where in it the split begins) and has its place there, so that the text can be
put in order again. Reader and tokeniser are the local engine's.
"""

import itertools
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.core.csr import row_ends
from relrep.errors import RelrepError
from relrep.mining.spark.files import CorpusFile
from relrep.text._kernels.words import keys_of, renumber
from relrep.text.fingerprint import TextHash
from relrep.text.legible import require_text
from relrep.text.readers import MAX_JSON_LINE, Block, cut_lines, one_line, read_blocks, text_field, valid
from relrep.text.settings import CorpusSettings
from relrep.text.sources import Source
from relrep.text.tokenizer import TokenBlock, Tokeniser
from relrep.text.vocabulary import Vocabulary
from relrep.text.word_list import WordList

SEGMENT_IDS = 1 << 24
"""So many ids number the words of one list: what a task holds of a file that cannot be split stays bounded."""
FACTS = {
    **{"file": "int", "start": "long", "place": "int", "tokens": "long", "sentences": "long", "text_bytes": "long"},
    **{"replaced": "long", "hash_first": "long", "hash_second": "long", "lines": "long", "error": "string"},
}
"""What is known of a piece: names of columns, and their types as Spark calls them."""
SEGMENTS = {**FACTS, "ids": "binary", "words": "binary"}
PIECES = {"file": "int", "start": "long", "place": "int", "ids": "binary"}
WORDS = {"word": "binary", "count": "long"}
_ARROW = {"int": pa.int32(), "long": pa.int64(), "binary": pa.binary(), "string": pa.string()}
_TEXT_AT_ONCE = 1 << 22
_ENDINGS = {"gzip": ".gz", "bz2": ".bz2", "xz": ".xz", "zstd": ".zst", None: ""}


def ddl(columns: dict[str, str]) -> str:
    """The schema as Spark writes it.

    >>> ddl(WORDS)
    'word binary, count long'
    """
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def row(columns: dict[str, str], **values: Any) -> pa.RecordBatch:
    """One row; what is not given is null."""
    return pa.record_batch({name: pa.array([values.get(name)], _ARROW[kind]) for name, kind in columns.items()})


@dataclass(frozen=True)
class ReadingTask:
    """What an executor needs to know to read."""

    files: dict[int, CorpusFile]
    """By their place in the corpus."""
    numbers: dict[int, int]
    """From the hash of a path to the place of its file."""
    settings: CorpusSettings


def read(batches: Iterable[pa.RecordBatch], task: Any) -> Iterator[pa.RecordBatch]:
    """Rows (data, file, start) of one partition become segments by a broadcast ReadingTask; an error is a row too."""
    task = task.value
    segment = _Segment(task.settings)
    place, key = 0, (-1, -1)
    try:
        for number, start, block in _blocks(batches, task):
            place, key = (place + 1 if key == (number, start) else 0), (number, start)
            yield segment.add(number, start, place, block)
            if segment.n_ids >= SEGMENT_IDS:
                yield segment.closed()
                segment = _Segment(task.settings)
    except RelrepError as error:
        yield row(SEGMENTS, file=key[0], start=key[1], place=place + 1, error=str(error))
        return
    if segment.n_ids:
        yield segment.closed()


class _Segment:
    """Tokenised blocks that share a list of words."""

    def __init__(self, settings: CorpusSettings) -> None:
        self.words = WordList()
        self.n_ids = 0
        self._tokenise = _tokeniser(settings)

    def add(self, file: int, start: int, place: int, block: Block) -> pa.RecordBatch:
        tokens = self._tokenise(block.data)
        ids = tokens.ids.copy()
        ends, _ = renumber(ids, self.words.add(tokens))
        self.n_ids += len(ids)
        text_hash = TextHash.of(block.data)
        return row(
            SEGMENTS, file=file, start=start, place=place, ids=ids.tobytes(), tokens=len(ids) - ends, sentences=ends,
            text_bytes=len(block.data), replaced=block.replaced, lines=text_hash.lines,
            hash_first=text_hash.first, hash_second=text_hash.second,
        )  # fmt: skip

    def closed(self) -> pa.RecordBatch:
        return row(SEGMENTS, words=pickle.dumps(self.words.as_block()))


_tokenisers: dict[CorpusSettings, Tokeniser] = {}


def _tokeniser(settings: CorpusSettings) -> Tokeniser:
    """One a process: its tables take a while to make, and Spark uses a Python process for many tasks."""
    if settings not in _tokenisers:
        _tokenisers[settings] = Tokeniser(settings)
    return _tokenisers[settings]


def _blocks(batches: Iterable[pa.RecordBatch], task: ReadingTask) -> Iterator[tuple[int, int, Block]]:
    """The text block by block, each with its file and split."""
    held: list[bytes] = []
    size, key = 0, (-1, -1)
    for number, start, texts in _texts(batches, task):
        if start == 0 and key != (number, start) and isinstance(texts, bytes) and not task.settings.force_text:
            require_text(memoryview(texts), task.files[number].name)
        if held and (key != (number, start) or size >= _TEXT_AT_ONCE):
            yield from ((*key, block) for block in _cut(held))
            held, size = [], 0
        key = (number, start)
        if isinstance(texts, bytes):
            held.append(texts)
            size += len(texts)
        else:
            yield from ((*key, block) for block in texts)
    yield from ((*key, block) for block in _cut(held))


def _cut(texts: list[bytes]) -> Iterator[Block]:
    for data in cut_lines(memoryview(b"".join(texts))):
        yield valid(data)


def _texts(batches: Iterable[pa.RecordBatch], task: ReadingTask) -> Iterator[tuple[int, int, bytes | Iterator[Block]]]:
    """Lines of text of one split at a time, closed by line breaks; or the blocks of a whole file."""
    lines_before: dict[tuple[int, int], int] = {}
    for batch in batches:
        hashes, starts = (np.asarray(batch.column(name)) for name in ("file", "start"))
        changes = np.flatnonzero((np.diff(hashes) != 0) | (np.diff(starts) != 0)) + 1
        for low, high in zip([0, *changes.tolist()], [*changes.tolist(), len(hashes)], strict=True):
            if low == high:
                continue
            number, start = task.numbers[int(hashes[low])], int(starts[low])
            file, data = task.files[number], batch.column("data").slice(low, high - low)
            if file.way == "whole":
                for content in data:
                    yield number, start, _whole_file(file, content.as_buffer(), not task.settings.force_text)
            elif file.way == "jsonl":
                before = lines_before.get((number, start), 0)
                lines_before[number, start] = before + len(data)
                yield number, start, _joined(_fields(data, file, start, before))
            elif file.way == "parquet":
                yield number, start, _joined([one_line(text) for text in data.to_pylist()])
            else:
                yield number, start, _joined(data.to_pylist())


def _joined(texts: list[bytes]) -> bytes:
    """The texts as lines."""
    return b"\n".join(texts) + b"\n" if texts else b""


def _fields(lines: pa.Array, file: CorpusFile, start: int, before: int) -> list[bytes]:
    name = f"{file.name} from byte {start}" if start else file.name
    found = []
    for number, line in enumerate(lines.to_pylist(), before + 1):
        if len(line) >= MAX_JSON_LINE:
            raise RelrepError(
                f"{name}, line {number}: longer than {MAX_JSON_LINE >> 20} MB; cut the text into more lines"
            )
        found.append(text_field(line, name, number) if line and not line.isspace() else b"")
    return found


def _whole_file(file: CorpusFile, content: pa.Buffer, only_text: bool) -> Iterator[Block]:
    """A file that Spark cannot decompress goes through the local reader."""
    form = {"jsonl": ".jsonl"}.get(file.format, ".txt")
    with tempfile.TemporaryDirectory(prefix="relrep-spark-") as folder:
        path = Path(folder) / f"text{form}{_ENDINGS[file.compression]}"
        path.write_bytes(content)
        try:
            yield from read_blocks(Source(path, file.format, file.compression), only_text=only_text)
        except RelrepError as error:
            raise RelrepError(str(error).replace(str(path), file.name)) from error


def words_of(vocabulary: Vocabulary) -> TokenBlock:
    """A vocabulary as a list of words takes it."""
    spellings = [word.encode() for word in vocabulary.words]
    text = np.frombuffer(b"".join(spellings) + bytes(8), dtype=np.uint8)  # keys are read eight bytes at a time
    starts = row_ends(np.array([len(spelling) for spelling in spellings], dtype=np.int64))
    keys = np.empty(len(spellings), dtype=np.uint64)
    keys_of(text, starts, keys)
    return TokenBlock(np.empty(0, dtype=np.int32), text, starts, vocabulary.counts, keys)


class Piece(NamedTuple):
    """Some ids of the vocabulary, and where in the corpus they belong."""

    file: int
    start: int
    place: int
    ids: NDArray[np.int32]


def numbered(batches: Iterable[pa.RecordBatch], vocabulary: TokenBlock) -> Iterator[list[Piece]]:
    """The pieces of each segment, their ids those of the vocabulary."""
    known = WordList()
    known.add(vocabulary)
    held: list[Piece] = []
    for batch in batches:
        columns = {name: batch.column(name) for name in ("file", "start", "place", "ids", "words")}
        for at in range(batch.num_rows):
            ids, words = columns["ids"][at], columns["words"][at]
            if ids.is_valid:
                own = np.frombuffer(ids.as_buffer(), dtype=np.int32).copy()
                file, start, place = (columns[key][at].as_py() for key in ("file", "start", "place"))
                held.append(Piece(file, start, place, own))
            if words.is_valid:
                new_ids = known.numbers_of(pickle.loads(words.as_buffer()))
                for piece in held:
                    renumber(piece.ids, new_ids)
                yield held
                held = []


def number_pieces(batches: Iterable[pa.RecordBatch], vocabulary: Any) -> Iterator[pa.RecordBatch]:
    """The pieces of a partition with the ids of a broadcast vocabulary, as rows."""
    for pieces in numbered(batches, vocabulary.value):
        for piece in pieces:
            yield row(PIECES, file=piece.file, start=piece.start, place=piece.place, ids=piece.ids.tobytes())


def count_words(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The words of all segments of a partition, with their counts, as rows."""
    held = WordList()
    for batch in batches:
        for packed in batch.column("words"):
            held.add(pickle.loads(packed.as_buffer()))
    block = held.as_block()
    text = block.text.tobytes()
    words = [text[start:end] for start, end in itertools.pairwise(block.starts.tolist())]
    yield pa.record_batch({"word": pa.array(words, pa.binary()), "count": block.counts})
