"""Killed runs of relrep go on and end with the same bits as one that nobody disturbed."""

import os
import signal
import time

import pytest
from killed_runs import (
    COMPARISON,
    PAIRS,
    PAPER,
    at_work,
    baseline_command,
    compare_command,
    digests,
    finish,
    kill_again_and_again,
    start,
    train_command,
    undisturbed,
    work_of,
)

from relrep.datasets.smallworld import write_questions
from small_corpus import small_corpus

RESUME = "run the same command again"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return small_corpus(tmp_path_factory.mktemp("world"), 100_000)


@pytest.fixture(scope="module")
def paper(corpus, tmp_path_factory):
    """The bits of an undisturbed run, and how long it worked."""
    out = tmp_path_factory.mktemp("undisturbed") / "model"
    return undisturbed(train_command(corpus, out, PAPER), out)


def test_five_kills(corpus, paper, tmp_path):
    bits, seconds = paper
    out = tmp_path / "model"
    killed, _ = kill_again_and_again(train_command(corpus, out, PAPER), out, bits, 5, seconds, seed=1)
    assert killed == 5


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("objective", "kills"), [(PAPER, 50), (PAIRS, 30)], ids=["paper", "pairs from glove"])
def test_many_kills(corpus, tmp_path, objective, kills):
    out = tmp_path / "undisturbed" / "model"
    bits, seconds = undisturbed(train_command(corpus, out, objective), out)
    out = tmp_path / "killed" / "model"
    killed, _ = kill_again_and_again(train_command(corpus, out, objective), out, bits, kills, seconds, seed=2)
    assert killed == kills


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("system", ["glove", "ivlbl"])
def test_many_kills_of_a_baseline(corpus, tmp_path, system):
    out = tmp_path / "undisturbed" / "vectors.safetensors"
    bits, seconds = undisturbed(baseline_command(corpus, out, system), out)
    out = tmp_path / "killed" / "vectors.safetensors"
    killed, _ = kill_again_and_again(baseline_command(corpus, out, system), out, bits, 15, seconds, seed=3)
    assert killed == 15


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A corpus and questions about it."""
    folder = tmp_path_factory.mktemp("world")
    small_corpus(folder, 100_000)
    write_questions(folder / "questions.txt", per_category=10)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_kills_of_a_comparison(world, tmp_path):
    out = tmp_path / "undisturbed" / COMPARISON
    bits, seconds = undisturbed(compare_command(world, out), out)
    out = tmp_path / "killed" / COMPARISON
    killed, _ = kill_again_and_again(compare_command(world, out), out, bits, 20, seconds, seed=4)
    assert killed == 20


def test_interrupt_ends_soon_and_a_second_run_is_told(corpus, paper, tmp_path):
    out = tmp_path / "model"
    first = start(train_command(corpus, out, PAPER))
    assert at_work(first, work_of(out))
    os.kill(first.pid, signal.SIGSTOP)  # so that it is still there when the second one looks
    second = start(train_command(corpus, out, PAPER))
    _, told = second.communicate(timeout=120)
    assert second.returncode == 2 and "another run" in told and str(first.pid) in told and "Traceback" not in told
    os.kill(first.pid, signal.SIGCONT)
    begin = time.monotonic()
    os.kill(first.pid, signal.SIGINT)
    _, told = first.communicate(timeout=120)
    seconds = time.monotonic() - begin
    assert first.returncode == 130 and told.count(RESUME) == 1 and "Traceback" not in told
    assert seconds < 2 + 4 * (os.getloadavg()[0] > os.cpu_count())  # a crowded machine may need longer
    finish(start(train_command(corpus, out, PAPER)))
    assert digests(out) == paper[0]
