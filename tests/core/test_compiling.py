"""Kernels are compiled when they are called, not when they are imported."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from relrep.core.compiling import Kernel, njit


@njit(nogil=True)
def doubled(number):
    """Twice a number."""
    return 2 * number


@njit(nogil=True)
def sum_of_doubled(numbers):
    total = 0.0
    for number in numbers:
        total += doubled(number)
    return total


def test_a_kernel_can_call_another() -> None:
    assert isinstance(doubled, Kernel) and doubled.__doc__ == "Twice a number."
    assert sum_of_doubled(np.ones(3)) == 6.0
    assert doubled(2) == 4


def test_importing_the_kernels_of_the_index_does_not_import_numba() -> None:
    code = "import sys, relrep.model.model, relrep.evidence._kernels; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


_PROCESS = """
import logging, sys
import numba.core.caching as caching
logging.basicConfig(format="%(message)s")
if sys.argv[1] == "no cache":
    caching.CacheImpl._locator_classes = []
from relrep.core.compiling import njit, on_first_compile
on_first_compile(lambda: print("compiles"))
from relrep.core.csr import multiply_rows
import numpy as np
out = np.zeros((1, 2), dtype=np.float32)
ends, columns, values = np.array([0, 1]), np.array([0], dtype=np.int32), np.ones(1, dtype=np.float32)
multiply_rows(0, 1, ends, columns, values, np.ones((1, 2), dtype=np.float32), out)
print(out.tolist())
"""


def _process(tmp_path: Path, mode: str) -> tuple[list[str], str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _PROCESS, mode]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines(), done.stderr


def test_the_first_compilation_is_told_once_and_loading_is_none(tmp_path: Path) -> None:
    assert _process(tmp_path, "cache") == (["compiles", "[[1.0, 1.0]]"], "")
    assert _process(tmp_path, "cache") == (["[[1.0, 1.0]]"], "")


def test_without_a_place_for_the_cache_kernels_work_and_the_price_is_told(tmp_path: Path) -> None:
    lines, warned = _process(tmp_path, "no cache")
    assert lines == ["compiles", "[[1.0, 1.0]]"]
    assert warned.count("set NUMBA_CACHE_DIR") == 1
