"""word2vec text: a first line `words width`, then one word and its numbers a line.

2 3
cat 0.1 0.2 0.3
dog 0.4 0.5 0.6
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from relrep.progress import ProgressCallback, ignore
from relrep.vectors.formats.streams import ByteStream
from relrep.vectors.formats.table import Request
from relrep.vectors.formats.text_output import write_lines
from relrep.vectors.formats.text_rows import read_text


def read(stream: ByteStream, request: Request) -> tuple[list[str], NDArray[Any]]:
    """The words and vectors of a file with a header."""
    return read_text(stream, request, has_header=True)


def write(
    stream: IO[bytes],
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    progress: ProgressCallback = ignore,
) -> None:
    """Writes header and lines."""
    stream.write(b"%d %d\n" % vectors.shape)
    write_lines(stream, path, words, vectors, progress=progress)
