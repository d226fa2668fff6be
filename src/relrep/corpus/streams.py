"""The bytes of a source, decompressed as they are read, in bounded memory."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from typing import IO, cast

import pyarrow as pa

from relrep.corpus.sources import Source

BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error, pa.ArrowException, ValueError)
"""What the decompressors raise on damaged data."""
_XZ_MEMORY = 1 << 28
"""An .xz file may ask for a dictionary of up to 4 GB; the highest level of `xz` asks for 64 MB."""
_PIECE = 1 << 18


class _Decompressed(io.RawIOBase):
    """What a decompressor of the standard library, or several one after the other, makes of a file."""

    def __init__(self, file: IO[bytes], start: Callable[[], lzma.LZMADecompressor]) -> None:
        self._file = file
        self._start = start
        self._decompressor = start()
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, target: memoryview, /) -> int:  # type: ignore[override]
        while True:
            if self._decompressor.eof:
                rest = self._decompressor.unused_data.lstrip(b"\0") or self._next_piece().lstrip(b"\0")
                if not rest:
                    return 0  # (zeros between streams are padding)
                self._decompressor = self._start()
            else:
                rest = self._next_piece() if self._decompressor.needs_input else b""
                if not rest and self._decompressor.needs_input:
                    raise EOFError("the compressed data ends too early")
            piece = self._decompressor.decompress(rest, len(target))
            if piece:
                target[: len(piece)] = piece
                return len(piece)

    def _next_piece(self) -> bytes:
        return self._file.read(_PIECE)

    def close(self) -> None:
        self._file.close()
        super().close()


def open_stream(source: Source) -> tuple[IO[bytes], Callable[[], int]]:
    """The decompressed stream, and a function that tells how many bytes of the file itself are read."""
    if source.path is None:
        return open(sys.stdin.fileno(), "rb", closefd=False), lambda: 0
    raw = source.path.open("rb")
    match source.compression:
        case "gzip":
            return cast(IO[bytes], gzip.open(raw)), raw.tell
        case "bz2":
            return bz2.open(raw), raw.tell
        case "xz":
            stream = _Decompressed(raw, lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY))
            return io.BufferedReader(stream, _PIECE), raw.tell
        case "zstd":
            arrow = pa.CompressedInputStream(pa.PythonFile(raw), "zstd")
            return io.BufferedReader(arrow, _PIECE), raw.tell
        case _:
            return raw, raw.tell
