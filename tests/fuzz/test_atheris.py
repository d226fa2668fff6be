"""Coverage-guided fuzzing of every reader, for a few seconds each."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_readers import targets

SECONDS = int(os.environ.get("RELREP_FUZZ_SECONDS", "20"))
"""For each reader; set the variable for a longer hunt."""


@pytest.mark.slow
@pytest.mark.timeout(SECONDS * 4 + 240)
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris: pip install atheris")
@pytest.mark.parametrize("name", list(targets()))
def test_no_input_breaks_a_reader(name, tmp_path):
    corpus = tmp_path / "inputs"
    corpus.mkdir()
    (corpus / "sound").write_bytes(b"\0" + targets()[name][1])
    options = [f"-max_total_time={SECONDS}", "-max_len=4096", "-rss_limit_mb=4096", "-timeout=60", str(corpus)]
    found = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("atheris_target.py")), name, *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    print(name, found.stderr.strip().splitlines()[-1])
