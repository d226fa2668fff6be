"""A corpus small enough for quick tests and rich enough to be mined: the first part of the small world."""

from pathlib import Path

from relrep.config import Config
from relrep.datasets.smallworld import write_corpus

SETTINGS = {
    "mining": {"n_patterns": 200, "min_pair_sentences": 20},
    "instances": {"positives": 500, "negatives": 500},
    "training": {"dim": 16, "iterations": 3, "objective": "paper"},
}


def small_corpus(folder: Path, tokens: int = 150_000) -> Path:
    """Writes the corpus into `folder`."""
    path = folder / "world.txt"
    write_corpus(path, tokens, seed=1)
    return path


def small_config(**tables) -> Config:
    """Settings that suit it."""
    config = Config().with_values(SETTINGS, "test")
    return config.with_values(tables, "test")
