"""Bytes in and out: files decompressed as they are read, in bounded memory, and compressed as they are written."""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback
from relrep.text.sources import Source

BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error, ValueError, NotImplementedError)  # Arrow's are among them
"""What the decompressors raise on damaged data."""
HEAD_SIZE = 1 << 16
"""So much of the beginning of a file is looked at to find out what it holds."""
LARGEST_EXPANSION = 200
"""Text shrinks to a third or so; a file that grows two hundredfold is a bomb, unless it is small."""
FREE_EXPANSION = 64 << 20
_XZ_MEMORY = 1 << 28
"""An .xz file may ask for a dictionary of up to 4 GB; the highest level of `xz` asks for 64 MB."""
_PIECE = 1 << 18
_STEP = 1 << 24
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)"),  # "BZh" alone may be a word
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}


class _Xz(io.RawIOBase):
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


class _Bounded(io.RawIOBase):
    """Decompressed bytes of a file, up to the most that a file of its size may expand to."""

    def __init__(self, decompressed: Any, path: Path, largest: float) -> None:
        self._decompressed = decompressed
        self._path = path
        self._left = largest

    def readable(self) -> bool:
        return True

    def readinto(self, target: memoryview, /) -> int:  # type: ignore[override]
        size: int = self._decompressed.readinto(target)
        self._left -= size
        if self._left < 0:
            raise RelrepError(
                f"{self._path}: expands to more than {LARGEST_EXPANSION} times its size, as no text does;"
                " unpack it yourself if you trust it"
            )
        return size


def _decompressed(raw: IO[bytes], path: Path, compression: str | None, free_expansion: int) -> IO[bytes]:
    if compression is None:
        return raw
    size = _size_on_disk(raw)
    largest = float("inf") if size is None else free_expansion + LARGEST_EXPANSION * size
    match compression:
        case "gzip":
            stream: Any = gzip.GzipFile(fileobj=raw)
        case "bz2":
            stream = bz2.BZ2File(raw)
        case "xz":
            stream = _Xz(raw)
        case _:
            import pyarrow as pa  # here: what is not compressed need not wait for it

            stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
    return io.BufferedReader(_Bounded(stream, path, largest), _PIECE)


def _size_on_disk(raw: IO[bytes]) -> int | None:
    """How many bytes a file has; None for a pipe."""
    status = os.fstat(raw.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def open_stream(source: Source) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """The decompressed stream, and a function that tells how many bytes of the file itself are read."""
    if source.path is None:
        if sys.stdin is None:
            raise RelrepError("standard input is closed; pipe text into the command, or name files")
        yield sys.stdin.buffer, lambda: 0
        return
    with (
        source.path.open("rb") as raw,
        _decompressed(raw, source.path, source.compression, FREE_EXPANSION) as stream,
    ):
        yield stream, raw.tell


class ByteStream:
    """The (decompressed) bytes of a file, with a look ahead at its beginning; how it is compressed is found out.

    `size` is the number of bytes that follow from the start, or None where it is not known (compressed files,
    pipes). Every trouble with the file is a RelrepError that names it.
    """

    def __init__(self, path: Path, progress: ProgressCallback, free_expansion: int = FREE_EXPANSION) -> None:
        self.path = path
        self._progress = progress
        try:
            self._raw = path.open("rb")
        except OSError as error:
            raise RelrepError(f"{path}: cannot be read ({error.strerror}); check the name") from None
        try:
            self._size_on_disk = _size_on_disk(self._raw)
            magic = self._raw.peek(16)
            self.compression = next((name for name, pattern in _MAGIC.items() if pattern.match(magic)), None)
            self.size = None if self.compression else self._size_on_disk
            self._stream = _decompressed(self._raw, path, self.compression, free_expansion)
            self.head = self._read(HEAD_SIZE)
            """The first bytes that were not read yet, at most HEAD_SIZE."""
        except BROKEN as error:
            self.close()
            raise self._read_error(error) from None
        except BaseException:
            self.close()
            raise

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""
        part, self.head = self.head[:size], self.head[size:]
        if len(part) < size:
            part += self._read(size - len(part))
        if self._size_on_disk:
            with suppress(OSError, ValueError):
                done = self._raw.tell()
                self._progress(Progress(f"reading {self.path.name}", done, self._size_on_disk, unit="bytes"))
        return part

    def _read(self, size: int) -> bytes:
        parts = []
        try:
            # In steps, so that memory follows what is there and not what was asked for.
            while size > 0 and (part := self._stream.read(min(size, _STEP))):
                parts.append(part)
                size -= len(part)
        except BROKEN as error:
            raise self._read_error(error) from None
        return b"".join(parts)

    def _read_error(self, error: Exception) -> RelrepError:
        if self.compression is None or getattr(error, "errno", None):
            reason = getattr(error, "strerror", None) or str(error)
            return RelrepError(f"{self.path}: cannot be read ({reason}); check the disk or the name")
        return RelrepError(
            f"{self.path}: the {self.compression} data are cut short or damaged; download or pack the file again"
        )

    def close(self) -> None:
        """Closes the file."""
        self._raw.close()


@contextmanager
def compressed_file(path: Path, compression: str | None) -> Iterator[IO[bytes]]:
    """A file to write, compressed on the way, the same bytes every time."""
    with path.open("wb") as raw:
        match compression:
            case "gzip":
                stream: Any = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
            case "bz2":
                stream = bz2.BZ2File(raw, "wb")
            case "xz":
                stream = lzma.LZMAFile(raw, "wb", preset=1)  # noqa: SIM115 (closed below)
            case "zstd":
                import pyarrow as pa

                stream = pa.CompressedOutputStream(pa.PythonFile(raw, mode="w"), "zstd")
            case _:
                stream = raw
        with stream:
            yield cast(IO[bytes], stream)
