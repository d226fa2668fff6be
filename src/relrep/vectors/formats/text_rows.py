"""What all text formats share: one word and its numbers a line, read a block of lines at a time."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.kernels.text_floats import parse_rows, split_lines
from relrep.vectors.formats.careful_rows import BadRowError, careful_row, trailing_numbers
from relrep.vectors.formats.streams import ByteStream
from relrep.vectors.formats.table import Request, VectorTable

BLOCK_SIZE = 4 << 20
LONGEST_LINE = 4 << 20
"""A vector of a hundred thousand numbers fits; what is longer is no vector."""
_LINES_FOR_WIDTH = 100
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Header:
    """What the first line of a word2vec file promises."""

    n_words: int
    width: int


@dataclass(frozen=True, eq=False)
class _Lines:
    """A block of whole lines, split; line i has the number first_number + i."""

    block: bytes
    data: NDArray[np.uint8]
    first_number: int
    starts: NDArray[np.int64]
    word_ends: NDArray[np.int64]
    ends: NDArray[np.int64]
    n_fields: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, index: int) -> bytes:
        return self.block[self.starts[index] : self.ends[index]]


def read_text(stream: ByteStream, request: Request, has_header: bool) -> tuple[list[str], NDArray[Any]]:
    """The words and vectors of a text file; the header, where there is one, must be true."""
    table = VectorTable(stream.path, request, "line")
    header: Header | None = None
    width: int | None = None
    n_entries = 0
    last_number = 0
    for lines in _split_blocks(stream):
        if has_header and header is None:
            header = parse_header(stream, lines.line(0))
            width = header.width
            lines = _without_first(lines)
        if width is None:
            width = _find_width(stream, lines)
        if width is not None:
            _add_lines(lines, width, table)
        if table.full:
            return table.finish()
        n_entries += int(np.count_nonzero(lines.n_fields))
        last_number = lines.first_number + len(lines) - 1
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


_NOT_VECTORS = "give a file of word vectors"


def _split_blocks(stream: ByteStream) -> Iterator[_Lines]:
    number = 1
    for block, n_lines in _line_blocks(stream):
        data = np.frombuffer(block, dtype=np.uint8)
        starts, word_ends, ends, n_fields = (np.empty(n_lines, dtype=np.int64) for _ in range(4))
        split_lines(data, starts, word_ends, ends, n_fields)
        yield _Lines(block, data, number, starts, word_ends, ends, n_fields)
        number += n_lines


def _line_blocks(stream: ByteStream) -> Iterator[tuple[bytes, int]]:
    """The file in blocks of whole lines, every line closed by a newline, and their number."""
    number = 1
    rest = b""
    first = True
    while part := stream.read(BLOCK_SIZE):
        if first:
            part, first = part.removeprefix(_BYTE_ORDER_MARK), False
        cut = part.rfind(b"\n") + 1
        if cut:
            block = rest + part[:cut]
            n_lines = block.count(b"\n")
            yield block, n_lines
            number += n_lines
            rest = part[cut:]
        else:
            rest += part
        if len(rest) > LONGEST_LINE:
            raise RelrepError(f"{stream.path}, line {number}: longer than {LONGEST_LINE >> 20} MB; {_NOT_VECTORS}")
    if rest:
        yield rest + b"\n", 1


def _without_first(lines: _Lines) -> _Lines:
    return _Lines(
        lines.block,
        lines.data,
        lines.first_number + 1,
        lines.starts[1:],
        lines.word_ends[1:],
        lines.ends[1:],
        lines.n_fields[1:],
    )


def _find_width(stream: ByteStream, lines: _Lines) -> int | None:
    """How many numbers most of the first lines end in (None if all lines are blank)."""
    filled = np.flatnonzero(lines.n_fields)[:_LINES_FOR_WIDTH].tolist()
    if not filled:
        return None
    counts = Counter(trailing_numbers(lines.line(index)) for index in filled)
    width = max(counts, key=lambda count: (counts[count], count))
    if width == 0:
        number = lines.first_number + filled[0]
        raise RelrepError(f"{stream.path}, line {number}: no numbers behind the word; {_NOT_VECTORS}")
    return width


def _add_lines(lines: _Lines, width: int, table: VectorTable) -> None:
    """Parses a block of lines into the table, in their order, up to the limit."""
    chosen, words = _choose(lines, width, table)
    # Every chosen line with enough fields gets a row, so rows are bounded by the bytes that were read.
    enough = lines.n_fields[chosen] > width
    row_lines = chosen[enough]
    rows = np.empty((len(row_lines), width), dtype=table.request.parsed_dtype)
    plain = np.zeros(len(row_lines), dtype=np.bool_)
    parse_rows(lines.data, lines.word_ends[row_lines], lines.ends[row_lines], rows, plain)
    kept_words: list[str] = []
    kept_rows: list[int] = []
    row = -1
    is_plain = plain.tolist()
    for index, word, has_row in zip(chosen.tolist(), words, enough.tolist(), strict=True):
        if table.full_with(len(kept_words)):
            break
        row += has_row
        number = lines.first_number + index
        if not (has_row and is_plain[row]):
            word = _take_care(lines, index, width, table, rows[row] if has_row else None)
            if word is None:
                continue
        elif word is None:
            table.bad(_NOT_UTF8, number)
            continue
        if table.is_new(word, number):
            kept_words.append(word)
            kept_rows.append(row)
    table.append(kept_words, rows if len(kept_rows) == len(rows) else rows[kept_rows])


_NOT_UTF8 = "the word is not UTF-8; convert the file (iconv -t utf-8)"


def _choose(lines: _Lines, width: int, table: VectorTable) -> tuple[NDArray[np.int64], list[str | None]]:
    """The lines that may be wanted, and their first fields as words (None where not UTF-8)."""
    filled = np.flatnonzero(lines.n_fields)
    limit = table.request.limit
    if limit is not None and table.request.words is None and not table.request.skip_bad:
        filled = filled[: limit - len(table.words)]
    block = lines.block
    bounds = zip(lines.starts[filled].tolist(), lines.word_ends[filled].tolist(), strict=True)
    words = [_decoded(block[start:end]) for start, end in bounds]
    if table.request.words is None:
        return filled, words
    # A line with other than `width` + 1 fields may hold another word than its first field.
    odd = (lines.n_fields[filled] != width + 1).tolist()
    wanted = [place for place, word in enumerate(words) if odd[place] or (word is not None and table.wants(word))]
    return filled[wanted], [words[place] for place in wanted]


def _decoded(word: bytes) -> str | None:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _take_care(lines: _Lines, index: int, width: int, table: VectorTable, row: NDArray[Any] | None) -> str | None:
    """Reads one line with care into `row`; the word, or None if the line is bad or not wanted."""
    number = lines.first_number + index
    try:
        raw_word, values = careful_row(lines.line(index), width, table.request.parsed_dtype)
    except BadRowError as complaint:
        table.bad(str(complaint), number)
        return None
    word = _decoded(raw_word)
    if word is None:
        table.bad(_NOT_UTF8, number)
        return None
    if not table.wants(word):
        return None
    assert row is not None
    row[:] = values
    return word
