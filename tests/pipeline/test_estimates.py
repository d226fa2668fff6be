"""What a run needs is told before it starts."""

import logging
from pathlib import Path

import pytest

from relrep.config import Config
from relrep.errors import RelrepError
from relrep.pipeline.estimates import check_limits, estimates, free_disk, physical_memory, size
from relrep.pipeline.stages import RunSettings
from relrep.pipeline.train import TrainingRun
from relrep.text.sources import find_sources, text_bytes
from small_corpus import small_config, small_corpus

STAGES = ["ids", "pairs", "patterns", "counts", "paper-counts", "association", "instances", "initial-glove", "training"]
WIKIPEDIA = 401_887_342


def test_the_measured_corpus_is_estimated_well():
    found = estimates(Config(), WIKIPEDIA, 2, 4 << 30, STAGES)
    measured = {
        "paper-counts": 805e6,
        "association": 1.1e9 * 8 / 12,
    }  # of 64.7 million tokens, when associations kept a count (4 bytes) too
    for stage, disk in measured.items():
        assert 0.8 < found[stage].disk / disk < 1.25


def test_little_room_is_told_and_no_room_refused():
    needs = estimates(Config(), WIKIPEDIA, 2, 4 << 30, STAGES)
    assert check_limits(needs, WIKIPEDIA, 4 << 30, Path("here"), free=1 << 50) == []
    (told,) = check_limits(needs, WIKIPEDIA, 4 << 30, Path("here"), free=10**9)
    assert "1 GB are free" in told
    with pytest.raises(RelrepError, match="the token ids of 402 MB of text alone"):
        check_limits(needs, WIKIPEDIA, 4 << 30, Path("here"), free=10**7)
    (told,) = check_limits(needs, WIKIPEDIA, 2 * physical_memory(), Path("here"), free=1 << 50)
    assert "--memory is" in told


def test_a_run_tells_its_limits_first(tmp_path, caplog):
    corpus = small_corpus(tmp_path, 5_000)
    pipeline = TrainingRun([corpus], tmp_path / "work", small_config(), RunSettings(memory=1 << 60))
    with caplog.at_level(logging.WARNING), pytest.raises(RelrepError, match="no word pair co-occurs in 20 sentences"):
        pipeline.make(tmp_path / "model")
    assert [record.message.split(" is ")[0] for record in caplog.records] == ["--memory"]


def test_places_and_sizes(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(b"x" * 1000)
    assert text_bytes(find_sources([tmp_path])) == 3500
    assert text_bytes(find_sources(["-"])) == 0
    assert free_disk(tmp_path / "not" / "there") > 0
    assert [size(n) for n in (5, 5_000, 1_500_000, 2e12)] == ["5 bytes", "5 kB", "1.5 MB", "2 TB"]
