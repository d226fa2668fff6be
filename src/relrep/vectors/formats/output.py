"""Bytes out: files that appear whole or not at all, compressed by their suffix."""

import bz2
import gzip
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from relrep.errors import RelrepError

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


@contextmanager
def atomic_output(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes its name only when all is written; on trouble nothing is left behind.

    Names that end in .gz, .bz2, .xz or .zst are compressed, the same bytes every time.
    """
    unfinished = path.with_name(f".{path.name}.unfinished-{os.getpid()}")
    try:
        try:
            with unfinished.open("wb") as raw:
                with _compressed(raw, path.suffix.lower()) as stream:
                    yield stream
                raw.flush()
                os.fsync(raw.fileno())
            unfinished.replace(path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise RelrepError(f"{path}: cannot be written ({reason}); make room or choose another place") from None


@contextmanager
def _compressed(raw: IO[bytes], suffix: str) -> Iterator[Any]:
    if suffix == ".gz":
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as stream:
            yield stream
    elif suffix == ".bz2":
        with bz2.BZ2File(raw, "wb") as bz2_stream:
            yield bz2_stream
    elif suffix == ".xz":
        with lzma.LZMAFile(raw, "wb", preset=1) as xz_stream:
            yield xz_stream
    elif suffix == ".zst":
        import pyarrow as pa

        sink = pa.PythonFile(_LeftOpen(raw), mode="w")
        with pa.CompressedOutputStream(sink, "zstd") as zst_stream:
            yield zst_stream
    else:
        yield raw


class _LeftOpen:
    """A file that whoever wraps it cannot close: it is still to be synced."""

    closed = False

    def __init__(self, raw: IO[bytes]) -> None:
        self.write = raw.write
        self.flush = raw.flush
        self.tell = raw.tell

    def close(self) -> None:
        self.flush()
