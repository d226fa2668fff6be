"""`relrep analogy` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from relrep.analogy.search import best_candidates
from relrep.analogy.solve import solve
from relrep.analogy.terms import TermTable
from relrep.cli.main import main
from relrep.vectors.word_vectors import WordVectors

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


def test_a_model_with_its_text_also_answers_by_evidence(
    tiny_model_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tiny_model_folder)
    assert main(["analogy", model, "paris", "france", "rome", "--quiet", "--top", "3"]) == 0
    shown = capsys.readouterr().out
    assert "CosMix" in shown and "CosAdd" in shown and "† reads the corpus at query time" in shown
    assert "rome … italy: " in shown and "paris … france: " in shown
    assert main(["analogy", model, "paris", "france", "rome", "--quiet", "--json", "--measure", "cosmix"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["reads_corpus"] == ["cosmix"] and set(told) == {"a", "b", "c", "cosadd", "cosmix", "reads_corpus"}
    best = told["cosmix"][0]
    assert best["word"] == "italy" and best["evidence"] > 0.5 and best["shared"]
    assert best["score"] > next(each["score"] for each in told["cosadd"] if each["word"] == "italy")


def test_evidence_can_be_left_out_and_needs_a_model(
    tiny_model_folder: Path, vectors: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analogy", str(tiny_model_folder), "paris", "france", "rome", "--quiet", "--no-evidence"]) == 0
    assert "CosMix" not in capsys.readouterr().out
    assert main(["analogy", vectors, "man", "woman", "king", "--measure", "cosmix"]) == 2
    assert "cosmix reads the corpus" in capsys.readouterr().err
    assert main(["analogy", vectors, "man", "woman", "king", "--measure", "cosmix", "--no-evidence"]) == 2
    assert "leaves no measure" in capsys.readouterr().err


def test_the_quick_look_finds_what_the_whole_search_finds() -> None:
    generator = np.random.default_rng(5)
    rows = generator.standard_normal((3000, 8)).astype(np.float32)
    rows[100], rows[200:230] = 0, rows[7]  # a zero row, and many that tie
    rows[300] = rows[2] * 1e-30
    held = WordVectors([f"w{n}" for n in range(len(rows))], rows)
    terms = TermTable(held)
    everything = np.delete(np.arange(len(rows)), terms.zero_rows)
    for a, b, c in ((0, 1, 2), (7, 8, 9), (3, 3, 4), (5, 6, 5)):
        found = solve(held, f"w{a}", f"w{b}", f"w{c}", top=20)
        best = best_candidates(terms, np.array([[a, b, c]]), everything, k=20)
        for number, name in enumerate(("cosadd", "cosmult", "pairdiff")):
            assert [each.word for each in found[name]] == [f"w{row}" for row in best.rows[0, number]]
            assert [each.score for each in found[name]] == best.scores[0, number].tolist()
