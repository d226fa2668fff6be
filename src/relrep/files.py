"""Files that appear whole or not at all."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from relrep.errors import RelrepError


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary sibling of `path` to write to; it takes the name `path` only when all went well.

    Works for files and for folders. Errors of the disk become one clear sentence.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove(temporary)
        yield temporary
        if path.is_dir() and not path.is_symlink():  # a folder is not replaced by rename unless it is empty
            remove(path)
        temporary.replace(path)
    except OSError as error:
        remove(temporary)
        raise disk_error(error, path) from error
    except BaseException:
        remove(temporary)
        raise


def remove(path: Path) -> None:
    """Removes a file or folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def disk_error(error: OSError, path: Path) -> RelrepError:
    """The sentence for a failed write."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RelrepError(f"{path}: the disk is full; make room and run the same command again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return RelrepError(f"{path}: may not be written; choose another place or change its permissions")
    return RelrepError(f"{path}: cannot be written ({error.strerror or error}); choose another place")
