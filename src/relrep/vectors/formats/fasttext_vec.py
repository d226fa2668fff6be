"""fastText's .vec: word2vec text whose lines end in a space, as fastText writes them.

    2 3
    cat 0.1 0.2 0.3␠
    dog 0.4 0.5 0.6␠

By content it is word2vec text, and so it is read by the same reader.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from relrep.progress import ProgressCallback, ignore
from relrep.vectors.formats.text_output import write_lines
from relrep.vectors.formats.word2vec_text import read

__all__ = ["read", "write"]


def write(
    stream: IO[bytes],
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    progress: ProgressCallback = ignore,
) -> None:
    """Writes header and lines."""
    stream.write(b"%d %d\n" % vectors.shape)
    write_lines(stream, path, words, vectors, trailing_space=True, progress=progress)
