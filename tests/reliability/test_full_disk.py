"""A disk that is full again and again: one sentence each time, and the same bits once there is room."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from killed_runs import PAIRS, PAPER, digests, unfinished

from relrep.cli.main import main
from small_corpus import small_corpus

STEP = 16 << 10
"""So much room is made at first; more where the disk is full at the same place again."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("world"), 100_000)


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A disk of a few kilobytes; `resize` changes that."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("a small disk may not be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def resize(place: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", place], check=True)


def full_until_it_fits(corpus: Path, disk: Path, tmp_path: Path, capsys, growth: float, flags: list[str]) -> set[str]:
    """Runs one command with more and more room until it gets through; returns where the disk was full."""
    flags = ["--memory", "1MB", "--threads", "2", "--quiet", *flags]
    assert main(["train", str(corpus), "--out", str(tmp_path / "roomy"), *flags]) == 0
    capsys.readouterr()
    out, more, full = disk / "model", STEP, list[str]()
    while more < 64 << 20:
        resize(disk, shutil.disk_usage(disk).used + more)
        code = main(["train", str(corpus), "--out", str(out), *flags])
        told = capsys.readouterr().err
        if code == 0:
            break
        assert code == 2 and told.count("\nrelrep: ") + told.startswith("relrep: ") == 1
        assert "the disk is full" in told or "alone need" in told, told
        assert not out.exists()
        place = re.sub(r"(-?[0-9a-f]{12,}|scratch-glove-).*", "", told.split(": ")[-2].removeprefix(str(disk)))
        more = int(more * growth) if place in full else STEP
        full.append(place)
    assert digests(out) == digests(tmp_path / "roomy")
    assert not unfinished(disk)
    return set(full)


def test_every_stage_may_meet_a_full_disk(corpus, small_disk, tmp_path, capsys):
    full = full_until_it_fits(corpus, small_disk, tmp_path, capsys, 1.2, PAPER)
    assert len(full) >= 5, full


@pytest.mark.slow
@pytest.mark.parametrize("flags", [PAPER, PAIRS], ids=["paper", "pairs from glove"])
def test_a_disk_that_grows_slowly(corpus, small_disk, tmp_path, capsys, flags):
    full = full_until_it_fits(corpus, small_disk, tmp_path, capsys, 1.5, flags)
    print(f"full at {len(full)} places: {', '.join(sorted(full))}")
    assert len(full) >= 5, full
