"""Saving word vectors: the format by name, or by the suffix of the file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.formats import (
    detection,
    fasttext_vec,
    glove_text,
    safetensors_file,
    word2vec_binary,
    word2vec_text,
)
from relrep.vectors.formats.output import COMPRESSED_SUFFIXES, atomic_output
from relrep.vectors.formats.table import all_finite

_WRITERS: dict[str, Callable[..., None]] = {
    detection.WORD2VEC_TEXT: word2vec_text.write,
    detection.WORD2VEC_BINARY: word2vec_binary.write,
    detection.GLOVE: glove_text.write,
    detection.FASTTEXT: fasttext_vec.write,
    detection.SAFETENSORS: safetensors_file.write,
}
FORMATS = tuple(_WRITERS)
_SUFFIXES = {
    ".safetensors": detection.SAFETENSORS,
    ".bin": detection.WORD2VEC_BINARY,
    ".vec": detection.FASTTEXT,
    ".txt": detection.WORD2VEC_TEXT,
    ".w2v": detection.WORD2VEC_TEXT,
    ".glove": detection.GLOVE,
    ".glove.txt": detection.GLOVE,
}


def format_of(path: Path) -> str:
    """The format that a file name asks for.

    >>> format_of(Path("wiki.glove.txt.gz"))
    'glove'
    """
    name = path.name.lower()
    for suffix in COMPRESSED_SUFFIXES:
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
    if format is None:
        format = format_of(path)
    elif format not in FORMATS:
        raise RelrepError(f"format is {format!r}; it must be one of {', '.join(FORMATS)}")
    if format == detection.SAFETENSORS and path.suffix.lower() in COMPRESSED_SUFFIXES:
        raise RelrepError(f"{path}: safetensors are mapped, so they are not compressed; leave out the last suffix")
    if 0 in vectors.shape:
        raise RelrepError(f"{path}: there are no vectors to write; choose at least one word")
    if vectors.dtype not in (np.float16, np.float32, np.float64):
        raise RelrepError(f"{path}: vectors of {vectors.dtype} cannot be written; convert them to float32")
    if not all_finite(vectors):
        raise RelrepError(f"{path}: not written, some vectors have NaN or infinite numbers; remove them first")
    with atomic_output(path) as stream:
        _WRITERS[format](stream, path, words, vectors, progress)
    return format
