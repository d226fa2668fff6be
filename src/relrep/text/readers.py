"""Readers: any source as a stream of blocks of valid UTF-8 text that end with a line break. Never a file whole."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from relrep.errors import RelrepError
from relrep.text.legible import require_text
from relrep.text.sources import Source
from relrep.text.streams import BROKEN, open_stream

BLOCK_BYTES = 1 << 24
"""Text is handled in blocks of about this size; it never depends on threads or memory, so neither does the result."""
MAX_JSON_LINE = 1 << 26
"""A longer line of a .jsonl file is refused: it would have to be held whole."""
_REPLACEMENT = "\ufffd".encode()
BYTE_ORDER_MARK = "\ufeff".encode()
"""At the very beginning of a file it tells the encoding; it is no text."""
_LINE_SEPARATOR = "\u2028".encode()
_NEWLINE = ord("\n")


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of text: valid UTF-8 bytes, how many byte sequences had to be replaced, how far in the source.

    `sources`: the number of each source that it has text of, and how many bytes of it.
    """

    data: memoryview
    replaced: int
    position: int
    sources: tuple[tuple[int, int], ...] = ()


def read_blocks(source: Source, block_bytes: int = BLOCK_BYTES, only_text: bool = False) -> Iterator[Block]:
    """The text of a source, block by block.

    A line longer than a block is cut, at a space if there is one. A broken or cut-off file raises a RelrepError, and
    with `only_text` one that is mostly no text, too.
    """
    reader = {"text": _read_text, "jsonl": _read_jsonl, "parquet": _read_parquet}[source.format]
    try:
        for number, (data, position) in enumerate(reader(source, block_bytes)):
            if only_text and number == 0:
                require_text(data, source.name)
            yield valid(data, position)
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        raise RelrepError(
            f"{source.name}: cannot be opened ({error.strerror}); check the path and its permissions"
        ) from error
    except BROKEN as error:
        raise RelrepError(
            f"{source.name}: cannot be read to its end ({_first_line(error)}); the file is damaged or cut short, "
            "or its ending does not tell what it is"
        ) from error


def gathered(blocks: Iterable[Block], block_bytes: int) -> Iterator[Block]:
    """The same text with small blocks put together, so that many small files cost no more than a large one."""
    held: list[Block] = []
    size = 0
    for block in blocks:
        if held and size + len(block.data) > block_bytes:
            yield _joined(held)
            held, size = [], 0
        held.append(block)
        size += len(block.data)
    if held:
        yield _joined(held)


def _joined(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    data = b"".join(block.data for block in blocks)
    sources = tuple(part for block in blocks for part in block.sources)
    return Block(memoryview(data), sum(block.replaced for block in blocks), blocks[-1].position, sources)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def valid(data: memoryview, position: int = 0) -> Block:
    """Text whose invalid bytes are replaced."""
    # Arrow checks UTF-8 many times faster than Python decodes it.
    offsets = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    try:
        pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(data)).validate(full=True)
        return Block(data, 0, position)
    except pa.ArrowInvalid:
        text = bytes(data)
        repaired = text.decode("utf-8", errors="replace").encode()
        return Block(memoryview(repaired), repaired.count(_REPLACEMENT) - text.count(_REPLACEMENT), position)


def _read_text(source: Source, block_bytes: int) -> Iterator[tuple[memoryview, int]]:
    room = block_bytes if source.compression or not source.size else min(block_bytes, source.size + 1)
    with open_stream(source) as (stream, tell):
        carry = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
        ended = False
        while not ended:
            block = np.empty(room + 1, dtype=np.uint8).data  # (one for a line break)
            block[: len(carry)] = carry
            size = len(carry) + _fill(stream, block[len(carry) : room])
            ended = size < room
            cut = size if ended else _cut(block[:room])
            carry = bytes(block[cut:size])
            if cut and block[cut - 1] != _NEWLINE:
                block[cut] = _NEWLINE
                cut += 1
            if cut:
                yield block[:cut], tell()


def _fill(stream: IO[bytes], target: memoryview) -> int:
    """Reads until the target is full or the stream at its end; returns how many bytes that were."""
    size = 0
    while size < len(target):
        read = stream.readinto(target[size:])  # type: ignore[attr-defined]
        if not read:
            break
        size += read
    return size


def _cut(data: memoryview) -> int:
    """Where to end a full block: behind its last line break; if there is none, behind its last space."""
    for mark in (b"\n", b" "):
        cut = bytes(data).rfind(mark)
        if cut >= 0:
            return cut + 1
    cut = len(data)
    while cut > len(data) - 3 and data[cut - 1] & 0xC0 == 0x80:  # not inside a character
        cut -= 1
    return cut - 1


def _in_blocks(texts: Iterable[tuple[list[bytes], int, int]], block_bytes: int) -> Iterator[tuple[memoryview, int]]:
    """Texts, some at a time with their size and how far in the source they go, as lines in pieces of about a block."""
    held: list[bytes] = []
    size = position = 0
    for some, more, position in texts:
        held += some
        size += more
        if size >= block_bytes:
            yield from ((lines, position) for lines in cut_lines(_joined_lines(held), block_bytes))
            held, size = [], 0
    yield from ((lines, position) for lines in cut_lines(_joined_lines(held), block_bytes))


def _joined_lines(texts: list[bytes]) -> memoryview:
    return memoryview(b"".join(text + b"\n" for text in texts))


def cut_lines(data: memoryview, block_bytes: int = BLOCK_BYTES) -> Iterator[memoryview]:
    """Whole lines in pieces of about a block; where a longer line is cut depends on that line alone."""
    while len(data):
        cut = len(data) if len(data) <= block_bytes else _cut(data[:block_bytes])
        closed = data[cut - 1] == _NEWLINE
        yield data[:cut] if closed else memoryview(bytes(data[:cut]) + b"\n")
        data = data[cut:]


def _read_jsonl(source: Source, block_bytes: int) -> Iterator[tuple[memoryview, int]]:
    with open_stream(source) as (stream, tell):

        def texts() -> Iterator[tuple[list[bytes], int, int]]:
            number = 0
            while line := stream.readline(MAX_JSON_LINE + 1):
                number += 1
                if len(line) > MAX_JSON_LINE:
                    most = f"{MAX_JSON_LINE >> 20} MB"
                    raise RelrepError(f"{source.name}, line {number}: longer than {most}; cut the text into more lines")
                text = b"" if line.isspace() else text_field(line, source.name, number)
                yield [text], len(text) + 1, tell()

        yield from _in_blocks(texts(), block_bytes)


def text_field(line: bytes, name: str, number: int) -> bytes:
    """The field "text" of one line of a .jsonl file."""
    try:
        # Bytes that are no UTF-8 pass as surrogates, to be replaced and counted with all others.
        record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8", errors="surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise RelrepError(f"{name}, line {number}: not a JSON object ({error}); mend or remove it") from error
    text = record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise RelrepError(f'{name}, line {number}: no field "text" with a string; every line needs one')
    return one_line(text.encode("utf-8", errors="surrogatepass"))


def one_line(text: bytes | None) -> bytes:
    """A record's text as one line, so that lines count records: its line breaks become line separators (U+2028)."""
    return (text or b"").replace(b"\r\n", _LINE_SEPARATOR).replace(b"\n", _LINE_SEPARATOR)


def _read_parquet(source: Source, block_bytes: int) -> Iterator[tuple[memoryview, int]]:
    if source.path is None or source.compression is not None:
        raise RelrepError(f"{source.name}: Parquet files are read as they are; decompress it first")
    with pq.ParquetFile(source.path, buffer_size=1 << 20) as file:
        _check_text_column(file, source)

        def texts() -> Iterator[tuple[list[bytes], int, int]]:
            rows = 0
            for batch in file.iter_batches(batch_size=_batch_rows(file, block_bytes), columns=["text"]):
                rows += batch.num_rows
                some = [one_line(text) for text in batch.column(0).cast(pa.large_binary()).to_pylist()]
                yield some, sum(map(len, some)), source.size * rows // file.metadata.num_rows

        yield from _in_blocks(texts(), block_bytes)


def _check_text_column(file: pq.ParquetFile, source: Source) -> None:
    schema = file.schema_arrow
    if schema.names.count("text") != 1:
        names = ", ".join(schema.names)
        raise RelrepError(f'{source.name}: not one column "text" (columns: {names}); rename the text column')
    kind = schema.field("text").type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    known = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    if kind not in known:
        raise RelrepError(f'{source.name}: the column "text" holds {kind}; it needs strings')


def _batch_rows(file: pq.ParquetFile, block_bytes: int) -> int:
    """As many rows as fill about a block, going by the sizes that the file states."""
    meta = file.metadata
    size = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
    return int(min(1024, max(1, block_bytes * meta.num_rows // max(1, size))))
