"""Interrupts in tests."""

import signal


def hear_interrupts() -> None:
    """For a process about to start: a shell's background jobs are born deaf to Ctrl-C, and so are their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
