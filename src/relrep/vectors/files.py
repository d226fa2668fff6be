"""Word vectors from and to files. The format is found out by content on reading; on writing, name or suffix tells."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import keep_safe, written_whole
from relrep.core.memory import all_finite
from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.text.sources import COMPRESSIONS
from relrep.text.streams import ByteStream, compressed_file
from relrep.vectors.formats import detection, model_folder, safetensors_file, text, word2vec_binary
from relrep.vectors.formats.table import Request

_READERS: dict[str, Callable[..., tuple[list[str], NDArray[Any]]]] = {
    detection.WORD2VEC_TEXT: partial(text.read, has_header=True),
    detection.WORD2VEC_BINARY: word2vec_binary.read,
    detection.GLOVE: partial(text.read, has_header=False),
}
_WRITERS: dict[str, Callable[..., None]] = {
    detection.WORD2VEC_TEXT: text.write,
    detection.WORD2VEC_BINARY: word2vec_binary.write,
    detection.GLOVE: partial(text.write, header=False),
    detection.FASTTEXT: partial(text.write, line_end=" \n"),
}
FORMATS = (*_WRITERS, detection.SAFETENSORS)
_SUFFIXES = {
    ".safetensors": detection.SAFETENSORS,
    ".bin": detection.WORD2VEC_BINARY,
    ".vec": detection.FASTTEXT,
    ".txt": detection.WORD2VEC_TEXT,
    ".w2v": detection.WORD2VEC_TEXT,
    ".glove": detection.GLOVE,
    ".glove.txt": detection.GLOVE,
}


def read_vectors(
    path: Path, request: Request, progress: ProgressCallback = ignore
) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and vectors that `request` asks for, from a file or a model folder."""
    try:
        if path.is_dir():
            return model_folder.read(path, request)
        with ByteStream(path, progress) as stream:
            format = detection.detect(stream)
            if format != detection.SAFETENSORS:
                return _READERS[format](stream, request)
            if stream.size is None:
                raise RelrepError(f"{path}: safetensors are mapped, not streamed; unpack it into a file first")
        return safetensors_file.read(path, request)
    except MemoryError:
        raise RelrepError(
            f"{path}: the vectors do not fit into memory; load fewer (limit, words) or convert to .safetensors"
        ) from None
    except ValueError as error:  # a path with a NUL byte
        if "null byte" not in str(error):
            raise
        raise RelrepError(f"{str(path)!r} is not a file name") from None


def format_of(path: Path) -> str:
    """The format that a file name asks for.

    >>> format_of(Path("wiki.glove.txt.gz"))
    'glove'
    """
    name = path.name.lower()
    for suffix in COMPRESSIONS:
        name = name.removesuffix(suffix)
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if name.endswith(suffix):
            return _SUFFIXES[suffix]
    raise RelrepError(
        f"{path}: the suffix names no format; use one of {', '.join(_SUFFIXES)}, or name the format"
        f" ({', '.join(FORMATS)})"
    )


def write_vectors(
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    format: str | None = None,
    progress: ProgressCallback = ignore,
) -> str:
    """Writes words and vectors to `path`, which appears whole or not at all; returns the format."""
    if not path.name or "\0" in path.name:
        raise RelrepError(f"{str(path)!r} is not a file name; name the file to write")
    if path.is_dir():
        raise RelrepError(f"{path}: cannot be written (Is a directory); name a file")
    if not path.parent.is_dir():
        raise RelrepError(f"{path}: cannot be written (there is no folder {path.parent}); make it first")
    if format is None:
        format = format_of(path)
    elif format not in FORMATS:
        raise RelrepError(f"format is {format!r}; it must be one of {', '.join(FORMATS)}")
    compression = COMPRESSIONS.get(path.suffix.lower())
    if format == detection.SAFETENSORS and compression:
        raise RelrepError(f"{path}: safetensors are mapped, so they are not compressed; leave out the last suffix")
    if 0 in vectors.shape:
        raise RelrepError(f"{path}: there are no vectors to write; choose at least one word")
    if vectors.dtype not in (np.float16, np.float32, np.float64):
        raise RelrepError(f"{path}: vectors of {vectors.dtype} cannot be written; convert them to float32")
    if not all_finite(vectors):
        raise RelrepError(f"{path}: not written, some vectors have NaN or infinite numbers; remove them first")
    with written_whole(path) as unfinished:
        if format == detection.SAFETENSORS:
            safetensors_file.write(unfinished, path, words, vectors)
        else:
            with compressed_file(unfinished, compression) as stream:
                _WRITERS[format](stream, path, words, vectors, progress)
        keep_safe(unfinished)
    return format
