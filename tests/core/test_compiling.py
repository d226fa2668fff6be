"""Kernels are compiled when they are called, not when they are imported."""

import subprocess
import sys

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
