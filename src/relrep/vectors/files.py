"""Word vectors from and to files. The format is found out by content on reading; on writing, name or suffix tells."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import keep_safe, written_whole
from relrep.core.memory import all_finite
from relrep.errors import RelrepError, shown
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.sources import COMPRESSIONS
from relrep.text.streams import HEAD_SIZE, ByteStream, compressed_file
from relrep.vectors.formats import Request, binary, encoded_words, safetensors, text
from relrep.vectors.formats.text import NUMBER, trailing_numbers

WORD2VEC_TEXT, WORD2VEC_BINARY = "word2vec-text", "word2vec-binary"
GLOVE, FASTTEXT, SAFETENSORS = "glove", "fasttext", "safetensors"
_READERS: dict[str, Callable[..., tuple[list[str], NDArray[Any]]]] = {
    WORD2VEC_TEXT: partial(text.read, has_header=True),
    WORD2VEC_BINARY: binary.read,
    GLOVE: partial(text.read, has_header=False),
}
_ENTRIES: dict[str, Callable[[Path, list[bytes], NDArray[Any]], bytes]] = {
    WORD2VEC_TEXT: text.entries,
    WORD2VEC_BINARY: binary.entries,
    GLOVE: text.entries,
    FASTTEXT: partial(text.entries, line_end=" \n"),
}
"""How each format writes some words and their vectors."""
_NUMBERS_AT_ONCE = 1 << 19
FORMATS = (*_ENTRIES, SAFETENSORS)
_SUFFIXES = {
    ".safetensors": SAFETENSORS,
    ".bin": WORD2VEC_BINARY,
    ".vec": FASTTEXT,
    ".txt": WORD2VEC_TEXT,
    ".w2v": WORD2VEC_TEXT,
    ".glove": GLOVE,
    ".glove.txt": GLOVE,
}
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*\r?(?:\n|\Z)")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_WINDOW = 4096
_MISTAKES = tuple(
    (re.compile(magic), what)
    for magic, what in (
        (rb"PK\x03\x04", "a zip archive (.zip, .npz, .whl, PyTorch); unpack it and give the vectors file inside"),
        (rb"PK\x05\x06", "an empty zip archive; give a file of word vectors"),
        (
            rb"\x80[\x02-\x05]",
            "a pickle, which can run code and is never read here; save it with gensim's save_word2vec_format",
        ),
        (rb"\x93NUMPY", "a NumPy array, which has no words; write words and numbers as text"),
        (rb"\xba\x16\x4f\x2f", "fastText's own model; give the .vec file that fastText wrote beside it"),
        (rb"\x89HDF", "an HDF5 file; export the vectors as word2vec text"),
        (rb"PAR1[\x00-\x1f]", "a Parquet file; export the vectors as word2vec text"),
        (rb"7z\xbc\xaf", "a 7z archive; unpack it and give the vectors file inside"),
        (rb"(?s:.{257}ustar)", "a tar archive; unpack it and give the vectors file inside"),
        (rb"%PDF-", "a PDF; give a file of word vectors"),
        (rb"(?i:\s*<(?:!doctype )?html)", "a web page; download the file itself"),
    )
)


def read_vectors(
    path: Path, request: Request, progress: ProgressCallback = ignore
) -> tuple[Sequence[str], NDArray[Any]]:
    """The words and vectors that `request` asks for, from a file or a model folder."""
    try:
        if path.is_dir():
            return safetensors.read_folder(path, request)
        with closing(ByteStream(path, progress)) as stream:
            format = detect(stream)
            if format != SAFETENSORS:
                return _READERS[format](stream, request)
            if stream.size is None:
                raise RelrepError(f"{path}: safetensors are mapped, not streamed; unpack it into a file first")
        return safetensors.read(path, request)
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
    if format == SAFETENSORS and compression:
        raise RelrepError(f"{path}: safetensors are mapped, so they are not compressed; leave out the last suffix")
    if 0 in vectors.shape:
        raise RelrepError(f"{path}: there are no vectors to write; choose at least one word")
    if vectors.dtype not in (np.float16, np.float32, np.float64):
        raise RelrepError(f"{path}: vectors of {vectors.dtype} cannot be written; convert them to float32")
    if not all_finite(vectors):
        raise RelrepError(f"{path}: not written, some vectors have NaN or infinite numbers; remove them first")
    with written_whole(path) as unfinished:
        if format == SAFETENSORS:
            safetensors.write(unfinished, path, words, vectors)
        else:
            with compressed_file(unfinished, compression) as stream:
                for part in _parts(path, words, vectors, format, progress):
                    stream.write(part)
        keep_safe(unfinished)
    return format


def _parts(
    path: Path, words: Sequence[str], vectors: NDArray[Any], format: str, progress: ProgressCallback
) -> Iterator[bytes]:
    """What is written, the header first, where the format has one."""
    if format != GLOVE:
        yield b"%d %d\n" % vectors.shape
    elif words[0].startswith("\ufeff"):
        raise RelrepError(
            f"{path}: the first word {shown(words[0])} begins with a byte order mark, which would be lost;"
            " save with a header (.vec) or as .safetensors"
        )
    encoded = encoded_words(path, words)
    step = max(1, _NUMBERS_AT_ONCE // vectors.shape[1])
    for start in range(0, len(encoded), step):
        part = encoded[start : start + step]
        yield _ENTRIES[format](path, part, vectors[start : start + step])
        progress(Progress(f"writing {path.name}", start + len(part), len(encoded), unit="words"))


def detect(stream: ByteStream) -> str:
    """The format of a stream, by its first bytes; what cannot be word vectors is a RelrepError.

    A first line of two whole numbers is a header if the second line agrees with it.
    """
    head = stream.head
    if not head.strip():
        raise RelrepError(f"{stream.path}: is empty; give a file of word vectors")
    if len(head) > 8 and head[8:9] == b"{" and head[5:8] == b"\0\0\0":
        return SAFETENSORS
    for magic, what in _MISTAKES:
        if magic.match(head):
            raise RelrepError(f"{stream.path}: is {what}")
    whole = len(head) < HEAD_SIZE
    header = _HEADER.match(head)
    if header is not None:
        rest = head[header.end() :]
        width = int(header[2])
        if _is_line(rest, width, whole):
            return WORD2VEC_TEXT
        if whole and _is_binary(rest, int(header[1]), width):
            return WORD2VEC_BINARY  # so few numbers that their bytes may all be letters
        return WORD2VEC_TEXT if _looks_like_text(rest) else WORD2VEC_BINARY
    if not (_looks_like_text(head) or trailing_numbers(head.lstrip().partition(b"\n")[0])):
        raise RelrepError(
            f"{stream.path}: is neither text nor a known binary format of word vectors;"
            " give word2vec, GloVe, fastText .vec or safetensors"
        )
    return GLOVE


def _is_line(text: bytes, width: int, whole: bool) -> bool:
    """Whether `text` begins with a line of a word and `width` numbers (or the part of one, if not `whole`)."""
    line, newline, _ = text.partition(b"\n")
    fields = line.removesuffix(b"\r").replace(b"\t", b" ").split(b" ")
    fields = [field for field in fields if field]
    if not newline and not whole:
        numbers = fields[1:-1]  # the last one is perhaps cut; so wide a vector's word has no spaces
        return len(numbers) > 0 and all(NUMBER.fullmatch(number) for number in numbers)
    return len(fields) > width and all(NUMBER.fullmatch(number) for number in fields[-width:])


def _is_binary(entries: bytes, n_words: int, width: int) -> bool:
    """Whether `entries` is exactly `n_words` times a word, a space and the bytes of `width` float32 numbers."""
    end = 0
    for _ in range(n_words):
        space = entries.find(b" ", end)
        end = space + 1 + 4 * width
        if space < 0 or end > len(entries):
            return False
    return not entries[end:].strip(b"\n")


def _looks_like_text(head: bytes) -> bool:
    """Whether the beginning is free of control characters, and UTF-8 but for a stray byte here and there."""
    window = head[:_WINDOW]
    if _CONTROL.search(window):
        return False
    return window.decode("utf-8", "replace").count("\ufffd") <= 1 + len(window) // 50
