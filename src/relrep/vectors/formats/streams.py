"""Bytes in: a file as a stream that is decompressed on the way, with bounds on what it may expand to."""

import bz2
import gzip
import lzma
import os
import re
import stat
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from relrep.errors import RelrepError
from relrep.progress import Progress, ProgressCallback

HEAD_SIZE = 1 << 16
"""So much of the beginning is looked at to find out the format."""
LARGEST_EXPANSION = 200
"""Text of word vectors shrinks to a third or so; a file that grows two hundredfold is a bomb."""
_FREE_EXPANSION = 64 << 20
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)"),  # "BZh" alone may be a word
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstandard": re.compile(rb"\x28\xb5\x2f\xfd"),
}


class ByteStream:
    """The (decompressed) bytes of a file, with a look ahead at its beginning.

    `size` is the number of bytes that follow from the start, or None where it is not known (compressed files,
    pipes). Every trouble with the file is a RelrepError that names it.
    """

    def __init__(self, path: Path, progress: ProgressCallback) -> None:
        self.path = path
        self.size: int | None = None
        self._progress = progress
        self._delivered = 0
        self._disk_size: int | None = None
        try:
            self._raw: IO[bytes] = path.open("rb")
        except OSError as error:
            raise RelrepError(f"{path}: cannot be read ({error.strerror}); check the name") from None
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        status = os.fstat(self._raw.fileno())
        if stat.S_ISREG(status.st_mode):
            self._disk_size = status.st_size
        head = self._raw.peek(16)  # type: ignore[attr-defined]
        self.compression = next((name for name, magic in _MAGIC.items() if magic.match(head)), None)
        if self.compression is None:
            self._stream: Any = self._raw
            self.size = self._disk_size
        else:
            self._stream = _decompressed(self._raw, self.compression)
        self._head = self._read(HEAD_SIZE)

    @property
    def head(self) -> bytes:
        """The first bytes, at most HEAD_SIZE; reading still starts with them."""
        return self._head

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""
        if self._head:
            part, self._head = self._head[:size], self._head[size:]
            if len(part) < size:
                part += self._read(size - len(part))
        else:
            part = self._read(size)
        self._report()
        return part

    def _read(self, size: int) -> bytes:
        parts = []
        try:
            while size > 0:
                # In steps, so that memory follows what is there and not what was asked for.
                part = self._stream.read(min(size, 1 << 24))
                if not part:
                    break
                parts.append(part)
                size -= len(part)
                self._delivered += len(part)
                self._check_expansion()
        except (EOFError, lzma.LZMAError, zlib.error, OSError, ValueError) as error:
            raise self._read_error(error) from None
        return b"".join(parts)

    def _read_error(self, error: Exception) -> RelrepError:
        if self.compression is None or getattr(error, "errno", None):
            reason = getattr(error, "strerror", None) or str(error)
            return RelrepError(f"{self.path}: cannot be read ({reason}); check the disk or the name")
        return RelrepError(
            f"{self.path}: the {self.compression} data are cut short or damaged; download or pack the file again"
        )

    def _check_expansion(self) -> None:
        if self.compression is None or self._disk_size is None:
            return
        if self._delivered > _FREE_EXPANSION + LARGEST_EXPANSION * self._disk_size:
            raise RelrepError(
                f"{self.path}: expands to more than {LARGEST_EXPANSION} times its size, as no vectors do;"
                " unpack it yourself if you trust it"
            )

    def _report(self) -> None:
        if self._disk_size:
            with suppress(OSError, ValueError):
                done = self._raw.tell()
                self._progress(Progress(f"reading {self.path.name}", done, self._disk_size, unit="bytes"))

    def close(self) -> None:
        """Closes the file."""
        self._raw.close()

    def __enter__(self) -> "ByteStream":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _decompressed(raw: IO[bytes], compression: str) -> Any:
    if compression == "gzip":
        return gzip.GzipFile(fileobj=raw, mode="rb")
    if compression == "bzip2":
        return bz2.BZ2File(raw)
    if compression == "xz":
        return lzma.LZMAFile(raw)
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
