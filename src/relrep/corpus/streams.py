"""The bytes of a source, decompressed as they are read, in bounded memory."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, cast

import pyarrow as pa

from relrep.corpus.sources import Source
from relrep.errors import RelrepError

BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error, pa.ArrowException, ValueError)
"""What the decompressors raise on damaged data."""
_XZ_MEMORY = 1 << 28
"""An .xz file may ask for a dictionary of up to 4 GB; the highest level of `xz` asks for 64 MB."""
_PIECE = 1 << 18


class _Decompressed(io.RawIOBase):
    """An .xz file decompressed. (The standard library's `LZMAFile` knows no limit of memory.)"""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decompressor = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, target: memoryview, /) -> int:  # type: ignore[override]
        while True:
            if self._decompressor.eof:
                # Another stream may follow, with zeros between the two.
                piece = self._decompressor.unused_data.lstrip(b"\0")
                while not piece and (more := self._file.read(_PIECE)):
                    piece = more.lstrip(b"\0")
                if not piece:
                    return 0
                self._decompressor = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            elif self._decompressor.needs_input:
                piece = self._file.read(_PIECE)
                if not piece:
                    raise EOFError("the compressed data ends too early")
            else:
                piece = b""
            decompressed = self._decompressor.decompress(piece, len(target))
            if decompressed:
                target[: len(decompressed)] = decompressed
                return len(decompressed)


@contextmanager
def open_stream(source: Source) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """The decompressed stream, and a function that tells how many bytes of the file itself are read."""
    if source.path is None:
        if sys.stdin is None:
            raise RelrepError("standard input is closed; pipe text into the command, or name files")
        yield sys.stdin.buffer, lambda: 0
        return
    with source.path.open("rb") as raw:
        match source.compression:
            case "gzip":
                stream = cast(IO[bytes], gzip.GzipFile(fileobj=raw))
            case "bz2":
                stream = bz2.BZ2File(raw)
            case "xz":
                stream = io.BufferedReader(_Decompressed(raw), _PIECE)
            case "zstd":
                stream = io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(raw), "zstd"), _PIECE)
            case _:
                stream = raw
        with stream:
            yield stream, raw.tell
