"""The plain method as a program: both objectives on a small text, and what it says of bad input."""

import math
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from relrep.datasets.smallworld import generate
from relrep.reference.analogy import ranking, unit
from relrep.reference.coherence import bound_pairs

TITLES = {
    "paper": [
        "Text", "Pairs (§ 3.1)", "Patterns (§ 3.1)", "Association f(p, u, v) (Eq. 1)", "Most similar patterns",
        "Least similar patterns", "Algorithm 1", "Nearest words",
    ],
    "coherence": [
        "Text", "Bound pairs", "Profiles", "Neighbours of pairs", "Agreement", "The step", "Words moved",
        "Nearest words",
    ],
}  # fmt: skip


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "relrep.reference", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reference") / "text.txt"
    path.write_text("\n".join(generate(tokens=3000, seed=1)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def output(text: Path) -> dict[str, str]:
    outputs = {}
    for objective in TITLES:
        result = run(text, "--objective", objective)
        assert (result.returncode, result.stderr) == (0, "")
        outputs[objective] = result.stdout
    return outputs


def numbers(name: str, shown: str) -> list[float]:
    return [float(number) for number in re.findall(rf"{name} (\d+\.\d+)", shown)]


@pytest.mark.parametrize("objective", TITLES)
def test_every_step_is_shown_in_order_within_80_columns(output: dict[str, str], objective: str) -> None:
    steps = [step.splitlines() for step in output[objective].strip().split("\n\n")]
    assert len(steps) == len(TITLES[objective])
    for step, title in zip(steps, TITLES[objective], strict=True):
        assert step[0].startswith(title + ":")
        assert len(step) > 2
    assert max(len(line) for step in steps for line in step) < 80


def test_the_loss_of_algorithm_1_falls_in_every_iteration(output: dict[str, str]) -> None:
    losses = numbers("loss", output["paper"])
    assert len(losses) == 20
    assert all(after < before for before, after in pairwise(losses))
    assert losses[-1] < losses[0] / 10


def test_the_step_brings_differences_nearer_to_what_neighbours_agree_on(output: dict[str, str]) -> None:
    before, after = numbers("distance", output["coherence"])
    assert after < 0.6 * before


def test_the_same_command_shows_the_same(output: dict[str, str], text: Path) -> None:
    assert run(text).stdout == output["paper"]
    assert run(text, "--seed", "2").stdout != output["paper"]


@pytest.mark.parametrize("objective", TITLES)
def test_too_little_text_is_one_sentence(tmp_path: Path, objective: str) -> None:
    path = tmp_path / "short.txt"
    path.write_text("Riga is the capital of Latvia.", encoding="utf-8")
    result = run(path, "--objective", objective)
    assert result.returncode == 2
    assert "too little text" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Málaga".encode("latin-1"))
    for path, expected in ((tmp_path / "none.txt", "No such file"), (tmp_path, "directory"), (latin, "not UTF-8")):
        result = run(path)
        assert (result.returncode, result.stdout) == (2, "")
        assert str(path) in result.stderr and expected in result.stderr
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("flag", ["--dim", "--patterns", "--pairs", "--min-sentences"])
def test_a_flag_below_one_is_refused(text: Path, flag: str) -> None:
    result = run(text, flag, "0")
    assert (result.returncode, result.stderr) == (2, f"relrep.reference: {flag} is 0; give 1 or more\n")


def test_bound_pairs_meet_in_either_order_within_the_gap_and_are_no_stop_words() -> None:
    sentences = [["x", "the", "y"], ["y", "x"], ["x", "the", "the", "y"], ["z"] * 30]
    bound = bound_pairs(sentences, frozenset({"the"}), max_gap=1, min_meetings=2, min_pmi=0)
    assert bound == {("x", "y"): pytest.approx(math.log(2 / (3 * 3 * 4 / 39)))}
    assert not bound_pairs(sentences, frozenset({"the"}), max_gap=1, min_meetings=3, min_pmi=0)
    assert not bound_pairs(sentences, frozenset({"the"}), max_gap=1, min_meetings=2, min_pmi=1)


@pytest.mark.parametrize("measure", ["cosadd", "cosmult", "pairdiff"])
def test_a_parallelogram_is_completed_and_the_question_is_no_answer(measure: str) -> None:
    corners = [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [-1.0, 1.0, 1.0], [0.0, -1.0, 1.0]]
    ranked = ranking(measure, [unit(corner) for corner in corners], [0, 1, 2], range(5))
    assert [word for word, _ in ranked] == [3, 4]
