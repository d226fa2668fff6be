"""Files that appear whole or not at all, and disappear at once."""

import contextlib
import errno
import os
import re
import shutil
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from safetensors import SafetensorError

from relrep.errors import RelrepError

DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    OverflowError,
    MemoryError,
    RecursionError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    SafetensorError,
    RelrepError,
)
"""What reading a damaged file may raise (NumPy parses headers with Python's own parser)."""
_UNFINISHED = re.compile(r"\..+\.(\d+)\.(part|gone)|\..+\.(unfinished|replaced)-(\d+)")
_SCRATCH = re.compile(r"scratch-[a-z]+-[a-z0-9_]+")
_CHECKED_AT_ONCE = 1 << 22
_NO_ROOM = 1 << 16


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
    except (OSError, SafetensorError) as error:
        told = disk_error(error, path)  # before the room that the unfinished file took is free again
        remove(temporary)
        raise told from error
    except BaseException:
        remove(temporary)
        raise


def remove(path: Path) -> None:
    """Removes a file or folder, if it is there; a folder is gone at once, never half there after a crash."""
    if path.is_dir() and not path.is_symlink():
        gone = path.with_name(f".{path.name}.{os.getpid()}.gone")
        try:
            shutil.rmtree(gone, ignore_errors=True)
            path.rename(gone)
        except OSError:
            gone = path
        shutil.rmtree(gone, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def remove_leftovers(folder: Path) -> None:
    """Removes what killed runs left unfinished in a folder that is this process's own, at any depth."""
    for parent, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            if _UNFINISHED.fullmatch(name) or _SCRATCH.fullmatch(name):
                remove(Path(parent) / name)
        folders[:] = [name for name in folders if not _UNFINISHED.fullmatch(name)]


def recover(path: Path) -> None:
    """Mends what a killed run left beside `path`: an old folder set aside comes back, unfinished siblings go."""
    if not path.parent.is_dir():
        return
    beginning = f".{path.name}."
    for sibling in sorted(path.parent.iterdir()):
        if not sibling.name.startswith(beginning):
            continue
        match = _UNFINISHED.fullmatch(sibling.name)
        if match is None or _is_running(int(match[1] or match[4])):
            continue
        if match[3] == "replaced" and not path.exists():
            sibling.rename(path)
        else:
            remove(sibling)


def _is_running(process: int) -> bool:
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def reserve(path: Path, size: int) -> None:
    """A file of `size` bytes that has its room already: a full disk is told here, not by a crash in a mapped array."""
    try:
        with path.open("wb") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
    except OSError as error:
        raise disk_error(error, path) from error


def link_or_copy(source: Path, target: Path) -> None:
    """A second name for a file that is never changed, or a copy where the disk is another."""
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)


def checksum(path: Path) -> int:
    """The CRC-32 of a file."""
    value = 0
    with path.open("rb") as file:
        while block := file.read(_CHECKED_AT_ONCE):
            value = zlib.crc32(block, value)
    return value


def keep_safe(path: Path) -> None:
    """Returns when the file (or folder entry) at `path` would survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def disk_error(error: OSError | SafetensorError, path: Path) -> RelrepError:
    """The sentence for a failed write."""
    number, reason = getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)
    told = re.search(r"os error (\d+)", str(error)) if isinstance(error, SafetensorError) else None
    if told:
        number, reason = int(told[1]), os.strerror(int(told[1]))
    if number in (errno.ENOSPC, errno.EDQUOT) or (number is None and _is_full(path)):
        return RelrepError(f"{path}: the disk is full; make room and run the same command again")
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return RelrepError(f"{path}: may not be written; choose another place or change its permissions")
    return RelrepError(f"{path}: cannot be written ({reason}); choose another place")


def _is_full(path: Path) -> bool:
    """For writers that say how much they wrote but not why they stopped."""
    while not path.exists() and path != path.parent:
        path = path.parent
    try:
        return shutil.disk_usage(path).free < _NO_ROOM
    except OSError:
        return False
