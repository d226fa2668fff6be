"""`relrep train` as a user types it."""

import json
import os
from pathlib import Path

import numpy as np
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


@pytest.mark.parametrize(
    ("flags", "owner"),
    [
        (["--n-patterns", "200"], "paper"),
        (["--solver", "sgd"], "paper"),
        (["--association", "llr"], "paper"),
        (["--positives", "5"], "paper"),
        (["--coherence-min-meetings", "3", "--objective", "paper"], "coherence"),
    ],
)
def test_a_flag_of_another_objective_is_refused_before_any_work(corpus, tmp_path, capsys, flags, owner):
    assert main(["train", str(corpus), "--out", str(tmp_path / "m"), "--quiet", *flags]) == 2
    sentence = f"relrep: {flags[0]} belongs to --objective {owner}; leave it out or choose that objective\n"
    assert capsys.readouterr().err == sentence
    assert not list(tmp_path.iterdir())


def test_mine_refuses_flags_of_the_other_objective_too(corpus, tmp_path, capsys):
    assert main(["mine", str(corpus), "--out", str(tmp_path / "m"), "--n-patterns", "9"]) == 2
    assert "--n-patterns belongs to --objective paper" in capsys.readouterr().err


def test_a_file_of_settings_may_serve_both_objectives(corpus, tmp_path, capsys):
    settings = tmp_path / "relrep.toml"
    settings.write_text('[mining]\nn_patterns = 100\n[training]\nsolver = "sgd"\n[coherence]\nmin_meetings = 3\n')
    for objective in ("paper", "coherence"):
        command = ["train", str(corpus), "--out", str(tmp_path / "m"), "--config", str(settings), "--plan"]
        assert main([*command, "--objective", objective]) == 0


@pytest.mark.parametrize("command", ["train", "mine"])
def test_a_missing_file_of_stop_words_is_told_before_any_work(corpus, tmp_path, capsys, command):
    assert main([command, str(corpus), "--out", str(tmp_path / "m"), "--stop-words", "missing.txt", "--quiet"]) == 2
    assert "missing.txt: the stop words cannot be read" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", [["train", "--init", "skipgram"], ["train", "--init", "ivlbl+fasttext"], ["baseline", "cbow"]]
)
def test_a_missing_gensim_is_told_before_any_work(corpus, tmp_path, capsys, monkeypatch, command):
    monkeypatch.setattr("relrep.baselines.word2vec.find_spec", lambda name: None)
    assert main([*command, str(corpus), "--out", str(tmp_path / "m.safetensors"), "--quiet"]) == 2
    assert "need gensim, which is missing; run: pip install" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


PAPER = ["--objective", "paper", "--init", "random", "--dim", "8", "--iterations", "2", "--min-pair-sentences", "40"]


@pytest.fixture(scope="module")
def little(tmp_path_factory) -> Path:
    return small_corpus(tmp_path_factory.mktemp("little"), 20_000)


def test_defaults_that_little_text_cannot_meet_are_warnings(little, tmp_path, caplog):
    assert main(["train", str(little), "--out", str(tmp_path / "m"), "--quiet", *PAPER]) == 0
    warnings = " ".join(record.message for record in caplog.records)
    assert "patterns, not 10,000" in warnings and "pairs of patterns share a word pair" in warnings
    with np.load(tmp_path / "m.work" / "instances.npz") as kept:
        target = kept["target"]
        pairs = set(zip(kept["left"].tolist(), kept["right"].tolist(), strict=True))
    assert len(pairs) == len(target) and abs(2 * target.sum() - len(target)) <= 1


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--n-patterns", "1000000"], "patterns and n_patterns asks for 1,000,000; set --n-patterns"),
        (["--positives", "999999"], "similar pattern pairs and positives asks for 999,999; set --positives"),
        (["--negatives", "999999"], "dissimilar pattern pairs and negatives asks for 999,999; set --negatives"),
    ],
)
def test_a_number_that_cannot_be_met_is_told_before_baselines_are_trained(little, tmp_path, capsys, flags, sentence):
    command = ["train", str(little), "--out", str(tmp_path / "m"), "--quiet", *PAPER, "--init", "ivlbl", *flags]
    assert main(command) == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "m").exists() and not list((tmp_path / "m.work").glob("initial-*"))
