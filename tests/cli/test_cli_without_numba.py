"""A question about vectors alone is answered without numba and SciPy: loading them takes longer than the answer."""

import subprocess
import sys
from pathlib import Path

import pytest

from relrep.vectors.word_vectors import WordVectors

CODE = """
import sys
from relrep.cli.main import main
failed = main(sys.argv[1:])
sys.exit(failed or ", ".join({"numba", "scipy"} & sys.modules.keys()) or 0)
"""


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", CODE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("arguments", [["analogy", "paris", "france", "rome"], ["neighbours", "paris"]])
def test_vectors_alone(tiny_model_folder: Path, tmp_path: Path, arguments: list[str]) -> None:
    command, *words = arguments
    vectors = tmp_path / "vectors.safetensors"
    WordVectors.load(tiny_model_folder).save(vectors)
    assert run(command, str(vectors), *words) == run(command, str(tiny_model_folder), *words, *_alone(command))


def _alone(command: str) -> list[str]:
    return ["--no-evidence"] if command == "analogy" else []
