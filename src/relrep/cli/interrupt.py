"""Ctrl-C ends a long command within two seconds, whatever its threads are at."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

GRACE_SECONDS = 1.0
"""So long the command may take to end by itself; a kernel in a thread cannot be stopped otherwise."""
EXIT_CODE = 130
_SHOW_CURSOR = "\x1b[?25h"


@contextlib.contextmanager
def ending_promptly(sentence: str) -> Iterator[None]:
    """Within, Ctrl-C raises KeyboardInterrupt as ever; a process still there after the grace time is ended.

    Nothing is lost by that: results appear by rename, so a process may end at any moment. The signal is seen by a
    thread of its own, because the main one may be deep in a kernel.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(reading, sentence), name="interrupt", daemon=True)
    watcher.start()
    try:
        yield
    except KeyboardInterrupt:
        raise  # the watcher stays, should threads hold up the end of the process
    except BaseException:
        _dismiss(before, writing)
        raise
    else:
        _dismiss(before, writing)


def _dismiss(before: int, writing: int) -> None:
    signal.set_wakeup_fd(before)
    os.close(writing)


def _watch(reading: int, sentence: str) -> None:
    while signals := os.read(reading, 1):
        if signals[0] == signal.SIGINT:
            time.sleep(GRACE_SECONDS)
            _end(sentence)
    os.close(reading)


def _end(sentence: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
        if not told.is_set():
            os.write(sys.stderr.fileno(), f"{cursor}\n{sentence}\n".encode())
    os._exit(EXIT_CODE)


told = threading.Event()
"""Set by whoever has printed the sentence already."""
