"""Tokenised blocks on disk, where they wait until all words are known: a small header and the bare arrays."""

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from relrep.core.files import written_whole
from relrep.text.tokenizer import TokenBlock

VERSION = 2
"""Changes with this layout and with the rules of sentences and tokens, so that no stale block is used."""
_MAGIC = 0x7472_6170_6C65_7200 + VERSION


def write_part(path: Path, block: TokenBlock) -> None:
    """Writes a block; the file appears whole."""
    header = np.array([_MAGIC, len(block.ids), len(block.counts), len(block.text)], dtype=np.int64)
    with written_whole(path) as temporary, temporary.open("wb") as file:
        for array in (header, block.starts, block.counts, block.keys, block.text, block.ids):
            file.write(array.data)


def _read_header(file: BinaryIO) -> tuple[int, int, int] | None:
    header = np.frombuffer(file.read(32), dtype=np.int64)
    if len(header) != 4 or header[0] != _MAGIC:
        return None
    return int(header[1]), int(header[2]), int(header[3])


def is_whole(path: Path) -> bool:
    """Whether there is a block at `path` that was not cut short (by a power cut, say)."""
    try:
        with path.open("rb") as file:
            header = _read_header(file)
    except OSError:
        return False
    if header is None:
        return False
    n_ids, n_words, n_bytes = header
    return path.stat().st_size == 32 + 8 * (n_words + 1) + 16 * n_words + n_bytes + 4 * n_ids


def count_ids(path: Path) -> int:
    """How many ids a block has."""
    with path.open("rb") as file:
        header = _read_header(file)
    assert header is not None
    return header[0]


def read_ids(path: Path) -> NDArray[np.int32]:
    """The local ids of a block, to be changed at will."""
    with path.open("rb") as file:
        header = _read_header(file)
        assert header is not None
        file.seek(-4 * header[0], 2)
        return np.fromfile(file, dtype=np.int32, count=header[0])


def read_words(path: Path) -> TokenBlock:
    """A block without its ids."""
    with path.open("rb") as file:
        header = _read_header(file)
        assert header is not None
        _, n_words, n_bytes = header
        starts = np.fromfile(file, dtype=np.int64, count=n_words + 1)
        counts = np.fromfile(file, dtype=np.int64, count=n_words)
        keys = np.fromfile(file, dtype=np.uint64, count=n_words)
        text = np.fromfile(file, dtype=np.uint8, count=n_bytes)
        return TokenBlock(np.empty(0, dtype=np.int32), text, starts, counts, keys)
