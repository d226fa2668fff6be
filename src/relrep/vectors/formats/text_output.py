"""Lines of a word and its numbers, each number with the fewest digits that read back to the same float."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError, shown
from relrep.kernels.float_text import LONGEST_NUMBER, format_rows
from relrep.progress import Progress, ProgressCallback, ignore

_BLOCK_NUMBERS = 1 << 19
_ASCII_SPACES = " \t\n\r\x0b\x0c"


def encoded_words(path: Path, words: Sequence[str]) -> list[bytes]:
    """The words in UTF-8; a word that no text or word2vec file can hold is a RelrepError."""
    encoded = []
    for word in words:
        if not word or any(space in word for space in _ASCII_SPACES):
            raise RelrepError(
                f"{path}: the word {shown(word)} is empty or holds a space, which this format cannot keep;"
                " save as .safetensors, or with underscores (relrep convert --underscores)"
            )
        encoded.append(utf8(path, word))
    return encoded


def utf8(path: Path, word: str) -> bytes:
    """The word in UTF-8; half a surrogate pair is a RelrepError."""
    try:
        return word.encode("utf-8")
    except UnicodeEncodeError:
        raise RelrepError(f"{path}: the word {shown(word)} is not valid Unicode; remove it") from None


def write_lines(
    stream: IO[bytes],
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    trailing_space: bool = False,
    progress: ProgressCallback = ignore,
) -> None:
    """Writes `word n₁ n₂ …` for every word; with `trailing_space`, a space closes every line, as fastText does."""
    step = max(1, _BLOCK_NUMBERS // vectors.shape[1])
    encoded = encoded_words(path, words)
    for start in range(0, len(encoded), step):
        part = encoded[start : start + step]
        block = vectors[start : start + step]
        if vectors.dtype == np.float64:
            text = b"".join(map(_slow_line, part, block))
        else:
            text = _format_block(part, np.ascontiguousarray(block, dtype=np.float32))
        stream.write(text.replace(b"\n", b" \n") if trailing_space else text)
        progress(Progress(f"writing {path.name}", start + len(part), len(encoded), unit="words"))


def _format_block(words: list[bytes], vectors: NDArray[np.float32]) -> bytes:
    joined = b"".join(words)
    word_ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    out = np.empty(len(joined) + vectors.size * LONGEST_NUMBER + len(words), dtype=np.uint8)
    line_ends = np.empty(len(words), dtype=np.int64)
    plain = np.empty(len(words), dtype=np.bool_)
    format_rows(np.frombuffer(joined, dtype=np.uint8), word_ends, vectors, out, line_ends, plain)
    if plain.all():
        return out[: line_ends[-1]].tobytes()
    lines = []
    start = 0
    for index, end in enumerate(line_ends.tolist()):
        lines.append(out[start:end].tobytes() if plain[index] else _slow_line(words[index], vectors[index]))
        start = end
    return b"".join(lines)


def _slow_line(word: bytes, vector: NDArray[Any]) -> bytes:
    """One line by NumPy's shortest representation."""
    numbers = " ".join(str(number) for number in vector)
    return word + b" " + numbers.encode("ascii") + b"\n"
