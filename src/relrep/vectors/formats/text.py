"""Text formats: one word and its numbers a line, read and written by Arrow, a block of lines at a time.

    2 3
    cat 0.1 0.2 0.3
    dog 0.4 0.5 0.6

word2vec's text has the first line, with the numbers of words and of dimensions; GloVe's has none; fastText's `.vec`
has it and ends every line in a space. Arrow parses what is in order (correctly rounded); lines that are not, or not
plainly, are left to `careful_row`, which is slow and names what is wrong with them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from relrep.errors import RelrepError, shown
from relrep.text.streams import ByteStream
from relrep.vectors.formats import Request, VectorTable, utf8

BLOCK_BYTES = 4 << 20
LONGEST_LINE = 4 << 20
"""A vector of a hundred thousand numbers fits; what is longer is no vector."""
_LINES_FOR_WIDTH = 100
_WIDEST_FOR_ARROW = 10_000
"""Arrow keeps a few kilobytes a column; nobody's vectors are wider, but a header may say so."""
_FEW_LINES = 16
_PARSE_OPTIONS = csv.ParseOptions(
    delimiter=" ", quote_char=False, double_quote=False, escape_char=False, ignore_empty_lines=False
)
"""A word may be anything, also a quotation mark."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NOT_VECTORS = "give a file of word vectors"
NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_LONGEST_NUMBER = 1000
"""No float needs more digits than that (767 decide any double)."""
_DAMAGED = "the line is cut short or damaged: mend it, get the file again"


class Header(NamedTuple):
    """What the first line of a word2vec file promises."""

    n_words: int
    width: int


class _Line(NamedTuple):
    """A line that is not blank, without its line end and the spaces before it."""

    number: int
    text: bytes


def read(
    stream: ByteStream, request: Request, has_header: bool, block_bytes: int = BLOCK_BYTES
) -> tuple[list[str], NDArray[Any]]:
    """The words and vectors of a text file.

    A header must be true. Without one, the width is what most of the first lines have.
    """
    table = VectorTable(stream.path, request, "line")
    chosen = request.words  # a word may hold spaces: the first field of a line is the beginning of its word
    first_fields = None if chosen is None else frozenset(_first_field(utf8(stream.path, word)) for word in chosen)
    header: Header | None = None
    width: int | None = None
    n_entries = 0
    last_number = 0
    for first_number, block in _line_blocks(stream, block_bytes):
        texts = block.split(b"\n")
        if has_header and header is None:
            header = parse_header(stream, texts[0])
            width = header.width
            texts[0] = b""
        stripped = (text.removesuffix(b"\r").rstrip(b" \t") for text in texts)
        lines = [_Line(number, text) for number, text in enumerate(stripped, first_number) if text]
        if width is None and lines:
            width = _find_width(stream, lines)
        if width is not None:
            _add_lines(_candidates(lines, first_fields, table), width, table)
        if table.full:
            return table.finish()
        n_entries += len(lines)
        last_number = first_number + len(texts) - 1
    if header is not None and n_entries != header.n_words:
        table.bad(
            f"the file ends with {n_entries} words where its header promises {header.n_words};"
            " get the file again, correct its first line",
            last_number,
        )
    return table.finish()


def parse_header(stream: ByteStream, line: bytes) -> Header:
    """The two numbers of a first line `words width`."""
    fields = line.removeprefix(_BYTE_ORDER_MARK).split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) <= 18 for field in fields):
        raise RelrepError(f"{stream.path}, line 1: expected a header of two numbers; {_NOT_VECTORS}")
    header = Header(int(fields[0]), int(fields[1]))
    if header.width == 0:
        raise RelrepError(f"{stream.path}, line 1: the header promises vectors of no numbers; {_NOT_VECTORS}")
    return header


def _line_blocks(stream: ByteStream, block_bytes: int) -> Iterator[tuple[int, bytes]]:
    """The file in blocks of whole lines (the last line end of a block left out), with the numbers of their first."""
    number = 1
    rest = b""
    while part := stream.read(block_bytes):
        if number == 1 and not rest:
            part = part.removeprefix(_BYTE_ORDER_MARK)
        lines, newline, end = part.rpartition(b"\n")
        if newline:
            block = rest + lines
            yield number, block
            number += block.count(b"\n") + 1
            rest = end
        else:
            rest += part
        if len(rest) > LONGEST_LINE:
            raise RelrepError(f"{stream.path}, line {number}: longer than {LONGEST_LINE >> 20} MB; {_NOT_VECTORS}")
    if rest:
        yield number, rest


def _find_width(stream: ByteStream, lines: list[_Line]) -> int:
    """How many numbers most of the first lines end in."""
    counts = Counter(trailing_numbers(line.text) for line in lines[:_LINES_FOR_WIDTH])
    width = max(counts, key=lambda count: (counts[count], count))
    if width == 0:
        raise RelrepError(f"{stream.path}, line {lines[0].number}: no numbers behind the word; {_NOT_VECTORS}")
    return width


def _candidates(lines: list[_Line], first_fields: frozenset[bytes] | None, table: VectorTable) -> list[_Line]:
    """The lines that may be wanted; other lines are not parsed, however damaged they are."""
    if first_fields is not None:
        return [line for line in lines if _first_field(line.text) in first_fields]
    if table.request.limit is not None and not table.request.skip_bad:
        return lines[: table.request.limit - len(table.words)]
    return lines


def _first_field(text: bytes) -> bytes:
    return re.split(rb"[ \t]", text, maxsplit=1)[0]


def _add_lines(lines: list[_Line], width: int, table: VectorTable) -> None:
    """Parses lines into the table, in their order, up to the limit.

    Where Arrow complains of a line, the halves are tried, so that few lines are left to the slow reader.
    """
    if table.full or not lines:
        return
    parsed = _parsed([line.text for line in lines], width, table.request.parsed_dtype)
    if parsed is not None:
        table.add(*parsed, [line.number for line in lines])
    elif len(lines) > _FEW_LINES:
        middle = len(lines) // 2
        _add_lines(lines[:middle], width, table)
        _add_lines(lines[middle:], width, table)
    else:
        for line in lines:
            _add_carefully(line, width, table)


def _parsed(lines: list[bytes], width: int, dtype: Any) -> tuple[list[str], NDArray[Any]] | None:
    """The words and numbers of lines that are all in order; None where one is not, or may not be."""
    data = b"\n".join(lines).replace(b"\t", b" ")
    # Arrow takes a lone carriage return for a line end, and drops a byte order mark at the beginning.
    if width > min(_WIDEST_FOR_ARROW, len(data)) or b"\r" in data or data.startswith(_BYTE_ORDER_MARK):
        return None
    names = ["word", *(f"number {column}" for column in range(1, width + 1))]
    read_options = csv.ReadOptions(use_threads=False, column_names=names, block_size=len(data) + 1)
    types = dict.fromkeys(names, pa.from_numpy_dtype(dtype)) | {"word": pa.string()}
    convert_options = csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False)
    try:
        columns = csv.read_csv(pa.BufferReader(data), read_options, _PARSE_OPTIONS, convert_options).columns
    except pa.ArrowInvalid:
        return None
    words = columns[0].to_pylist()
    if len(words) != len(lines) or "" in words:
        return None
    rows = np.empty((len(words), width), dtype=dtype)
    for column in range(width):
        rows[:, column] = columns[column + 1].to_numpy()
    return (words, rows) if np.isfinite(rows).all() else None


def _add_carefully(line: _Line, width: int, table: VectorTable) -> None:
    """Parses one line slowly into the table; one that cannot be used is told to it."""
    if table.full:
        return
    try:
        raw_word, row = careful_row(line.text, width, table.request.parsed_dtype)
        word = raw_word.decode("utf-8")
    except BadRowError as complaint:
        table.bad(str(complaint), line.number)
    except UnicodeDecodeError:
        table.bad("the word is not UTF-8; convert the file (iconv -t utf-8)", line.number)
    else:
        table.add([word], row[np.newaxis], [line.number])


class BadRowError(Exception):
    """What is wrong with a line, and what to do: the end of a sentence that starts with file and line."""


def careful_row(line: bytes, width: int, dtype: Any) -> tuple[bytes, NDArray[Any]]:
    """The word of a line and its `width` numbers, each correctly rounded to `dtype`.

    The word is all that stands before the numbers, so it may hold spaces:

    >>> word, row = careful_row(b"at name@domain.com 0.5 1e-3", 2, np.float32)
    >>> word.decode(), row.tolist()
    ('at name@domain.com', [0.5, 0.0010000000474974513])
    """
    if line[:1] in (b" ", b"\t"):
        raise BadRowError("the word is missing, the line begins with a space; put the word in or remove the line")
    fields = re.split(rb"[ \t]+", line.rstrip(b" \t"))
    n_numbers = _count_numbers(fields)
    if len(fields) <= width:
        raise BadRowError(f"{_numbers(len(fields) - 1)} where {width} are expected; {_DAMAGED}")
    if n_numbers > width:
        raise BadRowError(f"{_numbers(n_numbers)} where {width} are expected; {_DAMAGED}")
    row = np.empty(width, dtype=dtype)
    for column, field in enumerate(fields[-width:]):
        row[column] = _number(field, column + 1, dtype)
    n_word_fields = len(fields) - width
    if n_word_fields == 1:
        return fields[0], row
    match = re.match(rb"[^ \t]+(?:[ \t]+[^ \t]+){%d}" % (n_word_fields - 1), line)
    assert match is not None
    return match[0], row


def _numbers(count: int) -> str:
    return "there is 1 number" if count == 1 else f"there are {count} numbers"


def _count_numbers(fields: list[bytes]) -> int:
    """How many fields at the end are numbers; the first field is the word whatever it looks like."""
    count = 0
    for field in reversed(fields[1:]):
        if not (NUMBER.fullmatch(field) or _NOT_FINITE.fullmatch(field)):
            break
        count += 1
    return count


def trailing_numbers(line: bytes) -> int:
    """How many numbers a line ends in.

    >>> trailing_numbers(b". . . 0.1 0.2 -3e-05 ")
    3
    """
    return _count_numbers(re.split(rb"[ \t]+", line.strip(b" \t")))


def _number(field: bytes, position: int, dtype: Any) -> Any:
    text = field.decode("utf-8", "replace")
    if _NOT_FINITE.fullmatch(field):
        raise BadRowError(f"number {position} is {text}; only finite numbers make a vector: remove the line")
    if len(field) > _LONGEST_NUMBER or not NUMBER.fullmatch(field):
        raise BadRowError(f"value {position} is {shown(text)}, not a number; mend or remove the line")
    value = pa.scalar(text.removeprefix("+")).cast(pa.from_numpy_dtype(dtype)).as_py()  # correctly rounded
    if not np.isfinite(value):
        raise BadRowError(f"number {position} is {shown(text)}, too large for {np.dtype(dtype)}; remove the line")
    return value


def entries(path: Path, words: list[bytes], vectors: NDArray[Any], line_end: str = "\n") -> bytes:
    """A line `word n₁ n₂ …` for every word, each number with the fewest digits that read back to the same float."""
    lines = _lines_of(words, vectors).to_pylist()
    return (line_end.join(lines) + line_end).encode()


def _lines_of(words: list[bytes], vectors: NDArray[Any]) -> pa.StringArray:
    """The lines of some words, without line ends.

    >>> _lines_of([b"cat", b"dog"], np.array([[0.1, 2], [1e-7, -3]], dtype=np.float32)).to_pylist()
    ['cat 0.1 2.0', 'dog 1e-7 -3.0']
    """
    n_words, width = vectors.shape
    by_column = np.ascontiguousarray(vectors.T, dtype=np.float64 if vectors.dtype == np.float64 else np.float32)
    numbers = pa.array(by_column.ravel()).cast(pa.string())
    if (by_column == np.trunc(by_column)).any():
        # A point shows that it is no count: else a first line "5 3" would look like a header.
        is_whole = pc.match_substring_regex(numbers, r"^-?[0-9]+$")
        numbers = pc.if_else(is_whole, pc.binary_join_element_wise(numbers, ".0", ""), numbers)
    columns = (numbers.slice(column * n_words, n_words) for column in range(width))
    return pc.binary_join_element_wise(pa.array(words, pa.binary()).cast(pa.string()), *columns, " ")
