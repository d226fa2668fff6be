"""GloVe text: one word and its numbers a line, and no header.

cat 0.1 0.2 0.3
dog 0.4 0.5 0.6
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from relrep.errors import RelrepError, shown
from relrep.progress import ProgressCallback, ignore
from relrep.vectors.formats.streams import ByteStream
from relrep.vectors.formats.table import Request
from relrep.vectors.formats.text_output import write_lines
from relrep.vectors.formats.text_rows import read_text


def read(stream: ByteStream, request: Request) -> tuple[list[str], NDArray[Any]]:
    """The words and vectors; the width is what most of the first lines have."""
    return read_text(stream, request, has_header=False)


def write(
    stream: IO[bytes],
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    progress: ProgressCallback = ignore,
) -> None:
    """Writes the lines."""
    if words[0].startswith("\ufeff"):
        raise RelrepError(
            f"{path}: the first word {shown(words[0])} begins with a byte order mark, which would be lost;"
            " save with a header (.vec) or as .safetensors"
        )
    write_lines(stream, path, words, vectors, progress=progress)
