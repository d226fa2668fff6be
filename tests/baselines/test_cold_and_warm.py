"""The process that compiles the kernels and those that load them from the cache give the same bits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from small_corpus import small_corpus

CODE = """
import hashlib, sys
from pathlib import Path
from relrep.baselines import train_baseline
from relrep.baselines.settings import GloveSettings, IvlblSettings
from relrep.config import Config
from relrep.pipeline.train import TrainingRun

text, work = Path(sys.argv[1]), Path(sys.argv[2])
few = {"dim": 12, "init": "random", "iterations": 2}
tables = {
    "coherence": {"training": {**few, "objective": "coherence"}, "coherence": {"min_meetings": 5}},
    "paper": {"training": {**few, "objective": "paper"}},
    "sgd": {"training": {**few, "objective": "paper", "solver": "sgd"}},
}
small = {"mining": {"n_patterns": 100, "min_pair_sentences": 10}, "instances": {"positives": 200, "negatives": 200}}
for name, table in tables.items():
    run = TrainingRun([text], work, Config().with_values({**small, **table}, "test"))
    print(name, hashlib.sha256(run.make(work.with_name(name + work.name)).vectors.vectors.tobytes()).hexdigest())
corpus = run.graph.corpus
for name, settings in (("ivlbl", IvlblSettings(dim=20, epochs=1)), ("glove", GloveSettings(dim=20, iterations=3))):
    print(name, hashlib.sha256(train_baseline(name, corpus, settings).tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_a_cold_and_a_warm_cache_give_the_same_bits(tmp_path: Path) -> None:
    text = small_corpus(tmp_path, 60_000)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    digests = []
    for number in range(2):
        command = [sys.executable, "-c", CODE, str(text), str(tmp_path / f"work{number}")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        digests.append(done.stdout.splitlines())
    assert digests[0] == digests[1] and len(digests[0]) == 5
