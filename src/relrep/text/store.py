"""The text as written: compressed pages of whole lines, from which any sentence comes back with its source and line.

A page knows which token ids are its own. Where its words stand is found by the tokeniser's own classes of characters
when a page is read.
"""

import itertools
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.core.csr import row_ends
from relrep.core.files import DAMAGE
from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError
from relrep.text.encoded import SENTENCE_END
from relrep.text.settings import CorpusSettings

TEXT_FILE, PAGES_FILE = "text.zst", "pages.safetensors"
PAGE_BYTES = 1 << 15
"""About so much text is decompressed to show one sentence of it."""
_COLUMNS = ("offset", "size", "first_token", "source", "first_line")
_PAGES_KEPT = 16
_SPACE = re.compile(r"\s+")


@cache
def _token_pattern(punctuation: bool) -> re.Pattern[bytes]:
    """A token as a regular expression over the classes of its characters."""
    from relrep.text._kernels import tokenise as kernel  # here: a model is opened without numba

    def any_of(*kinds: int) -> bytes:
        return b"".join(re.escape(bytes([kind])) for kind in kinds)

    letters = any_of(kernel.LOWER, kernel.UPPER, kernel.LETTER, kernel.DIGIT)
    joining = any_of(kernel.HYPHEN, kernel.APOSTROPHE)
    marks = any_of(kernel.FULL_STOP, kernel.EXCLAMATION, kernel.HARD_STOP, kernel.PUNCTUATION)
    word = b"[%b]+(?:[%b][%b]+)*" % (letters, joining, letters)
    return re.compile(word + b"|[%b%b]" % (joining, marks) if punctuation else word)


class Passage(NamedTuple):
    """Some tokens of one sentence as they are written: the text, where each token stands in it, source and line.

    The line is counted from 1; a record of .jsonl or Parquet is a line.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    source: str
    line: int


def page_ends(data: bytes | memoryview, sources: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Where to cut a block into pages: behind line breaks, and where a source ends; for the tokeniser to fill in."""
    text, ends, end_of_source = bytes(data), [], 0
    for _, size in sources or [(0, len(data))]:
        begin, end_of_source = end_of_source, end_of_source + size
        while begin < end_of_source:
            found = text.find(b"\n", min(begin + PAGE_BYTES, end_of_source) - 1, end_of_source)
            begin = end_of_source if found < 0 else found + 1
            ends.append(begin)
    return np.array([(end, 0) for end in ends], dtype=np.int64).reshape(-1, 2)


def make_pages(
    data: bytes | memoryview, pages: NDArray[np.int64], sources: Sequence[tuple[int, int]]
) -> tuple[NDArray[np.int64], list[bytes]]:
    """The pages of a block whose ends the tokeniser has counted ids for: their table, and each compressed.

    A row of the table: bytes compressed, bytes, token ids, lines, number of the source.
    """
    ends, ids = row_ends(np.diff(pages[:, 0], prepend=0)), np.diff(pages[:, 1], prepend=0)
    last_bytes = np.cumsum([size for _, size in sources])
    of_source = np.array([number for number, _ in sources])[np.searchsorted(last_bytes, ends[:-1], side="right")]
    texts = [bytes(data[begin:end]) for begin, end in itertools.pairwise(ends)]
    compressed = [pa.compress(text, codec="zstd", asbytes=True) for text in texts]
    columns = [len(page) for page in compressed], np.diff(ends), ids, [text.count(b"\n") for text in texts], of_source
    return np.stack(columns, axis=1).astype(np.int64), compressed


def write_page_table(folder: Path, table: NDArray[np.int64]) -> None:
    """Leaves where the pages of a whole corpus are, beside them; `table` has a row a page, as `make_pages` makes it."""
    compressed, size, n_ids, n_lines, source = table.T
    first_line = np.cumsum(n_lines) - n_lines
    starts = np.flatnonzero(np.diff(source, prepend=-1))  # each source counts its own lines
    first_line -= np.repeat(first_line[starts], np.diff(np.append(starts, len(source))))
    columns = {"offset": row_ends(compressed), "size": size, "first_token": row_ends(n_ids), "source": source}
    columns["first_line"] = first_line + 1
    write_tensors(folder / PAGES_FILE, {name: np.ascontiguousarray(column) for name, column in columns.items()})


class TextStore:
    """The text of a corpus, opened; `tokens` are the corpus' ids, `sources` the names of its files.

    `settings` are those that it was read with.
    """

    def __init__(
        self, folder: Path, tokens: NDArray[np.int32], sources: Sequence[str], settings: CorpusSettings
    ) -> None:
        self.folder, self.tokens, self.sources = folder, tokens, sources
        self.settings = settings
        try:
            self._pages = map_tensors(folder / PAGES_FILE)
            n_pages = len(self._pages["size"])
            sizes = {name: len(self._pages[name]) - n_pages for name in _COLUMNS}
            sound = sizes == {"offset": 1, "size": 0, "first_token": 1, "source": 0, "first_line": 0}
            sound &= (folder / TEXT_FILE).stat().st_size == int(self._pages["offset"][-1])
            sound &= int(self._pages["first_token"][-1]) == len(tokens)
        except DAMAGE as error:
            raise RelrepError(f"{folder}: the text cannot be read ({error}); train the model anew") from None
        if not sound:
            raise RelrepError(f"{folder}: text and pages do not fit each other; train the model anew")
        self._page = lru_cache(_PAGES_KEPT)(self._read_page)

    def _read_page(self, page: int) -> tuple[str, NDArray[np.int64]]:
        """The text of a page, and where its tokens stand in it (begin, end)."""
        begin, end = (int(offset) for offset in self._pages["offset"][page : page + 2])
        with (self.folder / TEXT_FILE).open("rb") as file:
            file.seek(begin)
            data = file.read(end - begin)
        try:
            text = pa.decompress(data, int(self._pages["size"][page]), codec="zstd", asbytes=True).decode("utf-8")
        except (*DAMAGE, pa.ArrowException) as error:
            raise RelrepError(f"{self.folder / TEXT_FILE}: is damaged ({error}); train the model anew") from None
        from relrep.text._kernels.tokenise import INVISIBLE
        from relrep.text.tokenizer import classes_of

        kinds = classes_of(text, self.settings)
        visible = np.flatnonzero(kinds != INVISIBLE)
        spans = [match.span() for match in _token_pattern(self.settings.punctuation).finditer(kinds[visible].tobytes())]
        found = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return text, np.stack([visible[found[:, 0]], visible[found[:, 1] - 1] + 1], axis=1)

    def page_of(self, position: int) -> int:
        """The page that a place in the token ids is on."""
        return int(np.searchsorted(self._pages["first_token"], position, side="right")) - 1

    def source_numbers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each place in the token ids the number of its source."""
        pages = np.searchsorted(self._pages["first_token"], positions, side="right") - 1
        return np.asarray(self._pages["source"][pages])

    def passage(self, begin: int, end: int) -> Passage:
        """The tokens begin:end, of one sentence, as written; with what opens and closes it where it is all of one."""
        page = self.page_of(begin)
        text, spans = self._page(page)
        first = int(self._pages["first_token"][page])
        n_before = int(np.count_nonzero(self.tokens[first:begin] != SENTENCE_END))
        own = spans[n_before : n_before + end - begin]
        if len(own) != end - begin:
            raise RelrepError(f"{self.folder}: the text does not fit the token ids; train the model anew")
        low, high = int(own[0, 0]), int(own[-1, 1])
        if begin == first or self.tokens[begin - 1] == SENTENCE_END:
            low = self._opening(text, int(spans[n_before - 1, 1]) if n_before else 0, low)
        if end >= len(self.tokens) or self.tokens[end] == SENTENCE_END:
            following = n_before + end - begin
            high = self._closing(text, high, int(spans[following, 0]) if following < len(spans) else len(text))
        line = int(self._pages["first_line"][page]) + text.count("\n", 0, int(own[0, 0]))
        written = tuple((int(a) - low, int(b) - low) for a, b in own.tolist())
        return Passage(text[low:high], written, self.sources[int(self._pages["source"][page])], line)

    @staticmethod
    def _opening(text: str, begin: int, end: int) -> int:
        """Where a sentence begins in the gap before its first word: behind the first space."""
        space = _SPACE.search(text, begin, end)
        return end if space is None and begin else begin if space is None else _after_breaks(text, space.end(), end)

    @staticmethod
    def _closing(text: str, begin: int, end: int) -> int:
        """Where a sentence ends in the gap behind its last word: before the first space."""
        space = _SPACE.search(text, begin, end)
        return end if space is None else space.start()


def _after_breaks(text: str, begin: int, end: int) -> int:
    """Behind the last line break between the two places, if there is one."""
    last = text.rfind("\n", begin, end)
    return begin if last < 0 else last + 1
