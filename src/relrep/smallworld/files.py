"""Text files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from relrep.errors import RelrepError


@contextmanager
def atomic_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A UTF-8 file to write to; it takes its name when the block ends well, and leaves nothing otherwise."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        temporary.replace(target)
    except OSError as error:
        raise RelrepError(f"Cannot write {target}: {error.strerror or error}; choose another place.") from error
    finally:
        temporary.unlink(missing_ok=True)
