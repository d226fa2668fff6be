"""Corpus files in every format and compression, for the tests of the readers."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from relrep.text.readers import Block, read_blocks
from relrep.text.sources import source_of


def _zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _zstd,
}


def jsonl(texts: list[str]) -> bytes:
    return b"".join(json.dumps({"id": n, "text": text}).encode() + b"\n" for n, text in enumerate(texts))


def parquet(texts: list[str | None], kind: pa.DataType | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"n": range(len(texts)), "text": pa.array(texts, kind or pa.string())}), sink)
    return bytes(sink.getvalue())


def blocks_of(path: Path, block_bytes: int = 1 << 16) -> list[Block]:
    """All blocks of a file, checked: valid UTF-8, closed by a line break, of bounded size, positions rising."""
    source = source_of(path)
    blocks = list(read_blocks(source, block_bytes))
    for block in blocks:
        bytes(block.data).decode()
        assert block.data[-1] == ord("\n")
        assert len(block.data) <= 3 * block_bytes + 1  # (a replaced byte takes three)
    positions = [block.position for block in blocks]
    assert positions == sorted(positions)
    assert all(0 <= position <= source.size for position in positions)
    return blocks


def text_of(path: Path, block_bytes: int = 1 << 16) -> str:
    return b"".join(bytes(block.data) for block in blocks_of(path, block_bytes)).decode()
