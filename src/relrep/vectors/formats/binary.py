"""word2vec binary: a first line `words width`, then each word, a space and its float32 numbers in raw bytes.

The numbers are little-endian. The C tool puts a newline behind every vector, gensim does not; both are read.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError, shown
from relrep.text.streams import ByteStream
from relrep.vectors.formats import Request, VectorTable, in_dtype
from relrep.vectors.formats.text import Header, parse_header

_BLOCK_BYTES = 4 << 20
_LONGEST_WORD = 1 << 16
_FLOAT = np.dtype("<f4")


def read(stream: ByteStream, request: Request, block_bytes: int = _BLOCK_BYTES) -> tuple[list[str], NDArray[Any]]:
    """The words and vectors; the header must be true."""
    first_line, newline, _ = stream.head.partition(b"\n")
    header = parse_header(stream, first_line)
    stream.read(len(first_line) + len(newline))
    _check_size(stream, header, request)
    table = VectorTable(stream.path, request, "word")
    for first_number, words, vectors in _blocks(stream, header, block_bytes):
        _add_block(first_number, words, vectors, table)
        if table.full:
            break
    return table.finish()


def _check_size(stream: ByteStream, header: Header, request: Request) -> None:
    """Tells a file cut short at once, not after gigabytes."""
    needed = header.n_words * (4 * header.width + 2)
    if stream.size is not None and request.limit is None and stream.size < needed:
        raise RelrepError(
            f"{stream.path}, line 1: the header promises {header.n_words} words of {header.width} numbers"
            f" ({needed} bytes), but the file has {stream.size} bytes; it is cut short, get it again"
        )


def _blocks(stream: ByteStream, header: Header, block_bytes: int) -> Iterator[tuple[int, list[bytes], NDArray[Any]]]:
    """The number of the first entry of each block, the words and their vectors."""
    vector_bytes = 4 * header.width
    data = b""
    number = 1
    while number <= header.n_words:
        part = stream.read(max(block_bytes, vector_bytes + _LONGEST_WORD))
        data += part
        at = 0
        words: list[bytes] = []
        vectors: list[bytes] = []
        while number + len(words) <= header.n_words:
            space = data.find(b" ", at, at + _LONGEST_WORD)
            if space < 0 or space + 1 + vector_bytes > len(data):
                break
            words.append(data[at:space].lstrip(b"\n"))
            at = space + 1 + vector_bytes
            vectors.append(data[space + 1 : at])
        if words:
            yield number, words, np.frombuffer(b"".join(vectors), dtype=_FLOAT).reshape(-1, header.width)
        elif not part or len(data) >= vector_bytes + _LONGEST_WORD:
            raise _damaged(stream, header, number, ended=not part)
        number += len(words)
        data = data[at:]
    if data.strip() or stream.read(2).strip():
        raise RelrepError(
            f"{stream.path}: more follows after the {header.n_words} words that the header promises;"
            " the file is damaged, get it again"
        )


def _damaged(stream: ByteStream, header: Header, number: int, ended: bool) -> RelrepError:
    if ended:
        return RelrepError(
            f"{stream.path}, word {number}: the file ends here, but its header promises {header.n_words} words of"
            f" {header.width} numbers; it is cut short, get it again"
        )
    return RelrepError(
        f"{stream.path}, word {number}: no space within {_LONGEST_WORD} bytes, where the word should end;"
        " the file is damaged or no word2vec file, get it again"
    )


def _add_block(first_number: int, raw_words: list[bytes], rows: NDArray[Any], table: VectorTable) -> None:
    """Adds the entries of a block to the table, in their order, up to the limit."""
    finite = np.asarray(np.isfinite(rows).all(axis=1))
    words: list[str] = []
    kept_rows: list[int] = []
    for row, raw_word in enumerate(raw_words):
        if table.full_with(len(words)):
            break
        number = first_number + row
        try:
            word = raw_word.decode("utf-8")
        except UnicodeDecodeError:
            table.bad("the word is not UTF-8; convert it (in gensim: unicode_errors='ignore')", number)
            continue
        if not word:
            table.bad("the word is empty; remove it", number)
        elif not table.wants(word):
            continue
        elif not finite[row]:
            table.bad(
                f"the vector of {shown(word)} has a NaN or infinite number; only finite numbers make a vector:"
                " remove it",
                number,
            )
        elif table.is_new(word, number):
            words.append(word)
            kept_rows.append(row)
    table.append(words, rows if len(words) == len(rows) else rows[kept_rows])


def entries(path: Path, words: list[bytes], vectors: NDArray[Any]) -> bytes:
    """Some words and their vectors in float32, without newlines between them, as gensim writes them."""
    rows = in_dtype(path, vectors, _FLOAT)
    return b"".join(word + b" " + row.tobytes() for word, row in zip(words, rows, strict=True))
