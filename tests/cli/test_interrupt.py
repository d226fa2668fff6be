"""A command that is deep in a kernel when Ctrl-C comes ends all the same, with one sentence."""

import signal
import subprocess
import sys
import time

import pytest

from interrupts import hear_interrupts

STUCK = """
import hashlib, sys, threading
from relrep.cli import main

def kernel():  # as a kernel does, it lets go of the lock and cannot be interrupted
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)

try:
    with main.ending_promptly("how to go on"):
        print("ready", flush=True)
        {where}
except KeyboardInterrupt:
    main.sentence_printed.set()
    print("how to go on", file=sys.stderr)
    sys.exit(130)
"""
IN_MAIN_THREAD = "kernel()"
IN_ANOTHER = "thread = threading.Thread(target=kernel); thread.start(); thread.join()"


@pytest.mark.parametrize("where", [IN_MAIN_THREAD, IN_ANOTHER], ids=["main thread", "another thread"])
def test_a_kernel_that_runs_on_does_not_hold_up_the_end(where):
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK.format(where=where)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.strip() == "how to go on"
    assert time.monotonic() - begin < 10  # about one second where the machine is not crowded
