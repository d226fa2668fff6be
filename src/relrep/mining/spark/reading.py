"""Reading in an executor: rows of text to rows of token ids, by the local engine's reader and tokeniser."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from relrep.errors import RelrepError
from relrep.mining.spark.files import CorpusFile
from relrep.mining.spark.segments import SEGMENT_IDS, pack_words, row
from relrep.text._kernels.word_lists import renumber
from relrep.text.fingerprint import TextHash
from relrep.text.readers import MAX_JSON_LINE, Block, cut_lines, read_blocks, text_field, valid
from relrep.text.settings import CorpusSettings
from relrep.text.sources import Source
from relrep.text.tokenizer import Tokeniser
from relrep.text.word_list import WordList

_TEXT_AT_ONCE = 1 << 22
_ENDINGS = {"gzip": ".gz", "bz2": ".bz2", "xz": ".xz", "zstd": ".zst", None: ""}


@dataclass(frozen=True)
class ReadingTask:
    """What an executor needs to know to read."""

    files: dict[int, CorpusFile]
    """By their place in the corpus."""
    numbers: dict[int, int]
    """From the hash of a path to the place of its file."""
    settings: CorpusSettings


def read(batches: Iterable[pa.RecordBatch], task: ReadingTask) -> Iterator[pa.RecordBatch]:
    """Rows (data, file, start) of one partition become segments; an error is a row that tells it."""
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
        yield row(file=key[0], start=key[1], place=place + 1, error=str(error))
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
        told = TextHash.of(block.data)
        return row(
            file=file, start=start, place=place, ids=ids.tobytes(), tokens=len(ids) - ends, sentences=ends,
            text_bytes=len(block.data), replaced=block.replaced, hash_first=told.first, hash_second=told.second,
            lines=told.lines,
        )  # fmt: skip

    def closed(self) -> pa.RecordBatch:
        return row(words=pack_words(self.words.as_block()))


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
                    yield number, start, _whole_file(file, content.as_buffer())
            elif file.way == "jsonl":
                before = lines_before.get((number, start), 0)
                lines_before[number, start] = before + len(data)
                yield number, start, _joined(_fields(data, file, start, before))
            elif file.way == "parquet":
                yield number, start, _joined([text for text in data.to_pylist() if text])
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
        if line and not line.isspace():
            found.append(text_field(line, name, number))
    return found


def _whole_file(file: CorpusFile, content: pa.Buffer) -> Iterator[Block]:
    """A file that Spark cannot decompress goes through the local reader."""
    form = {"jsonl": ".jsonl"}.get(file.format, ".txt")
    with tempfile.TemporaryDirectory(prefix="relrep-spark-") as folder:
        path = Path(folder) / f"text{form}{_ENDINGS[file.compression]}"
        path.write_bytes(content)
        try:
            yield from read_blocks(Source(path, file.format, file.compression))
        except RelrepError as error:
            raise RelrepError(str(error).replace(str(path), file.name)) from error
