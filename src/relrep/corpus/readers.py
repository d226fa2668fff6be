"""Readers: any source as a stream of blocks of valid UTF-8 text that end with a line break. Never a file whole."""

import bz2
import gzip
import json
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from relrep.corpus.sources import Source
from relrep.errors import RelrepError

BLOCK_BYTES = 1 << 24
"""Text is handled in blocks of about this size; it never depends on threads or memory, so neither does the result."""
_REPLACEMENT = "\ufffd".encode()
_BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error, pa.ArrowException, ValueError)


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of text: valid UTF-8 bytes, how many byte sequences had to be replaced, how far in the source."""

    data: bytes
    replaced: int
    position: int


def read_blocks(source: Source, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
    """The text of a source, block by block.

    A line longer than a block is cut, at a space if there is one. A broken or cut-off file raises a RelrepError.
    """
    reader = {"text": _read_text, "jsonl": _read_jsonl, "parquet": _read_parquet}[source.format]
    try:
        for data, position in reader(source, block_bytes):
            text, replaced = _valid(data)
            yield Block(text, replaced, position)
    except RelrepError:
        raise
    except _BROKEN as error:
        raise RelrepError(
            f"{source.name}: cannot be read to its end ({error}); the file is damaged or cut short, "
            "or its ending does not tell what it is"
        ) from error


def _valid(data: bytes) -> tuple[bytes, int]:
    try:
        data.decode("utf-8")
        return data, 0
    except UnicodeDecodeError:
        repaired = data.decode("utf-8", errors="replace").encode()
        return repaired, repaired.count(_REPLACEMENT) - data.count(_REPLACEMENT)


def _open(source: Source) -> tuple[BinaryIO, Callable[[], int]]:
    """The decompressed stream, and a function that tells how many bytes of the file itself are read."""
    if source.path is None:
        return sys.stdin.buffer, lambda: 0
    raw = source.path.open("rb")
    if source.compression is None:
        return raw, raw.tell
    if source.compression == "zstd":
        return cast(BinaryIO, pa.CompressedInputStream(pa.PythonFile(raw), "zstd")), raw.tell
    opener = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}[source.compression]
    return cast(BinaryIO, opener(raw)), raw.tell  # type: ignore[operator]


def _read_text(source: Source, block_bytes: int) -> Iterator[tuple[bytes, int]]:
    stream, tell = _open(source)
    with stream:
        carry = b""
        while chunk := stream.read(block_bytes - len(carry)):
            data = carry + chunk
            cut = _cut(data, block_bytes)
            carry = data[cut:]
            if cut:
                yield data[:cut] if data[cut - 1 : cut] == b"\n" else data[:cut] + b"\n", tell()
        if carry:
            yield carry + b"\n", tell()


def _cut(data: bytes, block_bytes: int) -> int:
    """Where to end a block: behind the last line break; in a line that fills a block, behind its last space."""
    cut = data.rfind(b"\n") + 1
    if cut or len(data) < block_bytes:
        return cut
    cut = data.rfind(b" ") + 1
    if cut:
        return cut
    cut = len(data)
    while cut > len(data) - 4 and data[cut - 1] & 0xC0 == 0x80:  # not inside a character
        cut -= 1
    return cut - 1


def _read_jsonl(source: Source, block_bytes: int) -> Iterator[tuple[bytes, int]]:
    number = 0
    held: list[str] = []
    size = 0
    for data, position in _read_text(source, block_bytes):
        for line in data.split(b"\n"):
            if not line.strip():
                number += 1
                continue
            number += 1
            held.append(_text_field(line, source, number))
            size += len(held[-1]) + 1
        number -= 1  # the piece behind the block's last line break is no line
        if size >= block_bytes:
            yield from _joined(held, block_bytes, position)
            held, size = [], 0
    yield from _joined(held, block_bytes, source.size)


def _text_field(line: bytes, source: Source, number: int) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RelrepError(
            f"{source.name}, line {number}: not a JSON object ({error}); mend or remove it"
        ) from error
    text = record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise RelrepError(
            f'{source.name}, line {number}: no field "text" with a string; every line needs one'
        )
    return text


def _read_parquet(source: Source, block_bytes: int) -> Iterator[tuple[bytes, int]]:
    if source.path is None or source.compression is not None:
        raise RelrepError(f"{source.name}: Parquet files are read as they are; decompress it first")
    with pq.ParquetFile(source.path) as file:
        if "text" not in file.schema_arrow.names:
            names = ", ".join(file.schema_arrow.names)
            raise RelrepError(f'{source.name}: no column "text" (columns: {names}); rename the text column')
        held: list[str] = []
        size = rows = 0
        for batch in file.iter_batches(batch_size=1024, columns=["text"]):
            rows += batch.num_rows
            held.extend(text for text in batch.column(0).cast(pa.string()).to_pylist() if text)
            size = sum(map(len, held))
            if size >= block_bytes:
                yield from _joined(held, block_bytes, source.size * rows // max(1, file.metadata.num_rows))
                held = []
        yield from _joined(held, block_bytes, source.size)


def _joined(texts: list[str], block_bytes: int, position: int) -> Iterator[tuple[bytes, int]]:
    """The texts as lines, in pieces of about a block."""
    data = "".join(text + "\n" for text in texts).encode("utf-8", errors="replace")
    while data:
        piece = data[:block_bytes]
        cut = len(piece) if len(piece) == len(data) else _cut(piece, block_bytes)
        yield piece[:cut] if piece[:cut].endswith(b"\n") else piece[:cut] + b"\n", position
        data = data[cut:]
