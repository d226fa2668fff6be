"""`relrep analogy` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from relrep.cli.main import main
from relrep.vectors import WordVectors

WORDS = ["man", "woman", "king", "queen", "nil"]
ROWS = [[3, 0, 0], [3, 2, 0], [3, 0, 2], [3, 2, 2], [0, 0, 0]]


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    WordVectors(WORDS, np.array(ROWS, dtype=np.float32)).save(tmp_path / "a.vec")
    return str(tmp_path / "a.vec")


def test_the_three_measures_side_by_side(vectors: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analogy", vectors, "man", "woman", "King", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("queen") == 3
    assert "man : woman :: King : ?" in shown


def test_json_of_one_measure(vectors: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analogy", vectors, "man", "woman", "king", "--quiet", "--json", "--measure", "pairdiff"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [each["word"] for each in result["pairdiff"]] == ["queen"]
    assert "cosadd" not in result


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["man", "woman", "kin"], "the word 'kin' has no vector; did you mean 'king'"),
        (["man", "woman", "nil"], "the vector of 'nil' is zero"),
        (["man", "woman", "king", "--top", "0"], "--top is 0"),
    ],
)
def test_bad_use_is_one_sentence(vectors: str, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["analogy", vectors, *words, "--quiet"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
