"""`relrep train` as a user types it."""

import json
import os
from pathlib import Path

import pytest

from relrep.cli.main import main
from small_corpus import small_corpus

QUICK = ["--n-patterns", "200", "--min-pair-sentences", "20", "--positives", "300", "--negatives", "300",
         "--objective", "paper", "--init", "random", "--dim", "8", "--iterations", "2", "--quiet"]  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("world"))


def test_trains_and_says_so(corpus, tmp_path, capsys):
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "8 dimensions" in shown and "bound pairs" in shown and "2 iterations" in shown
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), *QUICK, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["settings"]["training"]["dim"] == 8


def test_settings_come_from_toml_and_flags_win(corpus, tmp_path, capsys):
    settings = tmp_path / "relrep.toml"
    settings.write_text('[mining]\nn_patterns = 100\npattern_kinds = ["unigram"]\n[training]\ndim = 4\n')
    command = ["train", str(corpus), "--out", str(tmp_path / "m"), "--config", str(settings), *QUICK, "--json"]
    assert main(command) == 0
    held = json.loads(capsys.readouterr().out)["config"]["settings"]
    assert held["mining"]["n_patterns"] == 200 and held["mining"]["pattern_kinds"] == ["unigram"]


def test_plan_shows_stages_and_does_nothing(corpus, tmp_path, capsys):
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), *QUICK, "--plan"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split()[:2] == ["run", "ids"]
    assert not (tmp_path / "m").exists()


def test_no_index(corpus, tmp_path):
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), *QUICK, "--no-index"]) == 0
    assert not (tmp_path / "m" / "index").exists()


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (["--min-count", "0"], "min_count is 0"),
        (["--solver", "magic"], "solver is 'magic'"),
        (["--memory", "much"], "--memory is 'much'"),
        (["--init", "missing.txt"], "init is 'missing.txt', which is no file of vectors"),
        (["--init", "ivlbl+glov"], "init is 'glov' of init 'ivlbl+glov', which is no file of vectors"),
        (["--stop-words", "missing.txt"], "missing.txt"),
        (["--n-patterns", "1000000"], "--n-patterns"),
    ],
)
def test_bad_settings_are_one_sentence(corpus, tmp_path, capsys, extra, sentence):
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), *QUICK, *extra]) == 2
    shown = capsys.readouterr().err
    assert sentence in shown and shown.count("\n") == 1 and "Traceback" not in shown
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[mining\n", "not a TOML file"),
        ("[minning]\nx = 1\n", r"no table [minning]"),
        ("[mining]\ngap = 1\n", "no setting 'gap'"),
        ('[mining]\nmax_gap = "five"\n', "max_gap is 'five'"),
    ],
)
def test_bad_toml_is_one_sentence(corpus, tmp_path, capsys, text, sentence):
    settings = tmp_path / "relrep.toml"
    settings.write_text(text)
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), "--config", str(settings)]) == 2
    assert sentence in capsys.readouterr().err


def test_vectors_with_a_fault_are_refused(corpus, tmp_path, capsys):
    for text in ("king 1 2\nqueen 1\n", "king 1 2\nking 1 2\n", "king nan 2\nqueen 1 2\n"):
        (tmp_path / "v.txt").write_text(text)
        command = ["train", str(corpus), "--out", str(tmp_path / "m"), *QUICK, "--init", str(tmp_path / "v.txt")]
        assert main(command) == 2
        assert "v.txt, line" in capsys.readouterr().err
        assert not (tmp_path / "m").exists()


def test_missing_corpus_and_foreign_target(corpus, tmp_path, capsys):
    assert main(["train", str(tmp_path / "none.txt"), "--out", str(tmp_path / "m"), *QUICK]) == 2
    assert "none.txt" in capsys.readouterr().err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.doc").write_text("precious")
    assert main(["train", str(corpus), "--out", str(tmp_path / "mine"), *QUICK]) == 2
    assert (tmp_path / "mine" / "thesis.doc").read_text() == "precious"


def test_full_disk_is_one_sentence(corpus, tmp_path, capsys):
    if not Path("/dev/full").exists() or os.geteuid() != 0:
        pytest.skip("needs /dev/full and leave to mount")
    place = tmp_path / "small"
    place.mkdir()
    if os.system(f"mount -t tmpfs -o size=1m tmpfs {place} 2>/dev/null"):
        pytest.skip("may not mount a small disk")
    try:
        assert main(["train", str(corpus), "--out", str(place / "m"), *QUICK]) == 2
        assert "disk is full" in capsys.readouterr().err
        assert not (place / "m").exists()
    finally:
        os.system(f"umount {place}")
