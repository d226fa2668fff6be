"""Tokenised text as rows: pieces of token ids, and behind every segment of them the words that the ids number.

A segment is what one task has read so far, of one or several splits; its ids number the words of that segment. Each
piece belongs to one split (a file, and where in it the split begins) and has its place there, so that the text can be
put in order again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from relrep.text._kernels.word_lists import keys_of, renumber
from relrep.text.tokenizer import TokenBlock
from relrep.text.vocabulary import Vocabulary
from relrep.text.word_list import WordList

SEGMENT_IDS = 1 << 24
"""So many ids number the words of one list: what a task holds of a file that cannot be split stays bounded."""
PIECE_IDS = 1 << 20
SCHEMA = pa.schema(
    [
        ("file", pa.int32()),
        ("start", pa.int64()),
        ("place", pa.int32()),
        ("tokens", pa.int64()),
        ("sentences", pa.int64()),
        ("text_bytes", pa.int64()),
        ("replaced", pa.int64()),
        ("hash_first", pa.int64()),
        ("hash_second", pa.int64()),
        ("lines", pa.int64()),
        ("ids", pa.binary()),
        ("words", pa.binary()),
        ("error", pa.string()),
    ]
)
DDL = (
    "file int, start long, place int, tokens long, sentences long, text_bytes long, replaced long, hash_first long, "
    "hash_second long, lines long, ids binary, words binary, error string"
)
FACTS = ("file", "start", "place", "tokens", "sentences", "text_bytes", "replaced", "hash_first", "hash_second",
         "lines", "error")  # fmt: skip


def row(**values: Any) -> pa.RecordBatch:
    """One row; what is not given is null."""
    return pa.record_batch([pa.array([values.get(name)], kind) for name, kind in _KINDS], schema=SCHEMA)


_KINDS = list(zip(SCHEMA.names, SCHEMA.types, strict=True))


def pack_words(words: TokenBlock) -> bytes:
    """The words of a segment with their counts."""
    lengths = np.diff(words.starts).astype(np.uint16)
    header = np.array([len(lengths)], dtype=np.int64)
    return b"".join(part.tobytes() for part in (header, words.counts, lengths, words.text))


def unpack_words(data: bytes | memoryview) -> TokenBlock:
    """The words that `pack_words` packed (without ids)."""
    n = int(np.frombuffer(data, dtype=np.int64, count=1)[0])
    counts = np.frombuffer(data, dtype=np.int64, count=n, offset=8)
    lengths = np.frombuffer(data, dtype=np.uint16, count=n, offset=8 + 8 * n)
    return block_of(np.frombuffer(data, dtype=np.uint8, offset=8 + 10 * n), lengths, counts)


def block_of(text: NDArray[np.uint8], lengths: NDArray[Any], counts: NDArray[np.int64]) -> TokenBlock:
    """Words given by their joined spellings, lengths and counts."""
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
    padded = np.concatenate([text[: starts[-1]], np.zeros(8, dtype=np.uint8)])  # keys are read eight bytes at a time
    keys = np.empty(len(counts), dtype=np.uint64)
    keys_of(padded, starts, keys)
    return TokenBlock(np.empty(0, dtype=np.int32), padded, starts, counts, keys)


def words_of(vocabulary: Vocabulary) -> TokenBlock:
    """A vocabulary's words as a block."""
    spellings = [word.encode() for word in vocabulary.words]
    lengths = np.array([len(spelling) for spelling in spellings], dtype=np.int64)
    return block_of(np.frombuffer(b"".join(spellings), dtype=np.uint8), lengths, vocabulary.counts)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some ids of the vocabulary, and where in the corpus they belong."""

    file: int
    start: int
    place: int
    ids: NDArray[np.int32]


def numbered(batches: Iterable[pa.RecordBatch], vocabulary: bytes) -> Iterator[list[Piece]]:
    """The pieces of each segment, their ids those of the vocabulary (packed words)."""
    known = WordList()
    known.add(unpack_words(vocabulary))
    held: list[Piece] = []
    for batch in batches:
        columns = {name: batch.column(name) for name in ("file", "start", "place", "ids", "words")}
        for at in range(batch.num_rows):
            ids, words = columns["ids"][at], columns["words"][at]
            if ids.is_valid:
                own = np.frombuffer(ids.as_buffer(), dtype=np.int32).copy()
                file, start, place = (columns[key][at].as_py() for key in ("file", "start", "place"))
                held.append(Piece(file, start, place, own))
            if words.is_valid:
                new_ids = known.numbers_of(unpack_words(words.as_buffer()))
                for piece in held:
                    renumber(piece.ids, new_ids)
                yield held
                held = []
