"""Lets the fuzz tests use the makers of sound files that other tests have."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "analogy"))
collect_ignore = ["atheris_target.py"]  # a program of its own, for those who have atheris
