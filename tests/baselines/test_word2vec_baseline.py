"""Skip-gram, CBOW and fastText: what gensim is fed, and what comes back."""

import sys
from pathlib import Path

import numpy as np
import pytest
from analogy_world import analogy_accuracy, world

import relrep.baselines.word2vec as word2vec
from relrep.baselines import train_baseline
from relrep.baselines.settings import SYSTEMS, CbowSettings, FasttextSettings, GloveSettings, SkipgramSettings
from relrep.baselines.word2vec import write_text
from relrep.errors import RelrepError
from relrep.text.encoded import EncodedCorpus


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    return world(4000)


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_sentences_are_written_without_unknown_words(tmp_path: Path, monkeypatch, at_once):
    monkeypatch.setattr(word2vec, "WRITTEN_AT_ONCE", at_once)
    path = tmp_path / "ids.txt"
    tokens = np.array([3, -2, 0, -1, -1, -2, -1, 15, 7, -1, 5], dtype=np.int32)
    write_text(tokens, [f"w{word}" for word in range(16)], path)
    assert [line.split() for line in path.read_text().splitlines()] == [["w3", "w0"], ["w15", "w7"], ["w5"]]


def test_long_sentences_are_cut_where_gensim_would(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(word2vec, "LONGEST_LINE", 2)
    path = tmp_path / "ids.txt"
    write_text(np.array([1, 2, 3, 4, 5, -1], dtype=np.int32), list("abcdef"), path)
    assert [line.split() for line in path.read_text().splitlines()] == [["b", "c"], ["d", "e"], ["f"]]


@pytest.mark.parametrize(
    ("name", "kind"), [("skipgram", SkipgramSettings), ("cbow", CbowSettings), ("fasttext", FasttextSettings)]
)
def test_they_learn_and_repeat(corpus, name, kind, tmp_path):
    pytest.importorskip("gensim")
    buckets = {"buckets": 1000} if kind is FasttextSettings else {}
    settings = kind(dim=16, epochs=12, sample=0.0, **buckets)
    notes = []
    vectors = train_baseline(name, corpus, settings, tmp_path, progress=lambda p: notes.append(p.note))
    assert analogy_accuracy(corpus, vectors) > 0.9
    assert sum(note.startswith("loss ") for note in notes) == 12
    assert np.array_equal(vectors, train_baseline(name, corpus, settings, threads=2))
    assert not list(tmp_path.iterdir())


def test_fasttext_sees_spelling(corpus):
    pytest.importorskip("gensim")
    settings = FasttextSettings(dim=16, epochs=3, buckets=1000)
    other = FasttextSettings(dim=16, epochs=3, buckets=1000, min_n=5)
    assert not np.array_equal(train_baseline("fasttext", corpus, settings), train_baseline("fasttext", corpus, other))


def test_several_workers_are_a_choice(corpus):
    pytest.importorskip("gensim")
    vectors = train_baseline("skipgram", corpus, SkipgramSettings(dim=8, epochs=1, reproducible=False), threads=2)
    assert vectors.shape == (len(corpus.vocabulary), 8) and np.isfinite(vectors).all() and vectors.any(axis=1).all()


def test_a_missing_gensim_is_one_sentence(corpus, monkeypatch):
    monkeypatch.setattr(word2vec, "find_spec", lambda name: None)
    with pytest.raises(RelrepError, match=r"pip install 'relrep\[baselines\]'"):
        train_baseline("cbow", corpus)


def test_unknown_names_and_foreign_settings_are_refused(corpus):
    with pytest.raises(RelrepError, match="no baseline called 'elmo'"):
        train_baseline("elmo", corpus)
    with pytest.raises(RelrepError, match="IvlblSettings"):
        train_baseline("ivlbl", corpus, GloveSettings())


@pytest.mark.parametrize(("setting", "value"), [("dim", 0), ("seed", -1), ("window", 0), ("learning_rate", 0.0)])
@pytest.mark.parametrize("name", SYSTEMS)
def test_settings_are_checked_by_name(name, setting, value):
    with pytest.raises(RelrepError, match=f"^{setting} is {value}; give"):
        SYSTEMS[name](**{setting: value})


def test_gensim_is_not_loaded_before_it_is_needed():
    import subprocess

    code = "import sys, relrep.baselines, relrep.baselines.word2vec; sys.exit('gensim' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
