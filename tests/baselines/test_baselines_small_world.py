"""The baselines learn the analogies of the embedded small world."""

from pathlib import Path

import pytest

from relrep.analogy.evaluate import evaluate
from relrep.baselines import train_baseline
from relrep.baselines.settings import BaselineSettings, CbowSettings, GloveSettings, IvlblSettings, SkipgramSettings
from relrep.datasets import smallworld
from relrep.text.encode import encode
from relrep.text.encoded import EncodedCorpus
from relrep.text.settings import CorpusSettings
from relrep.vectors.word_vectors import WordVectors


@pytest.fixture(scope="module")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> tuple[EncodedCorpus, Path]:
    folder = tmp_path_factory.mktemp("small-world")
    smallworld.write_corpus(folder / "corpus.txt", tokens=400_000)
    smallworld.write_questions(folder / "questions.txt")
    return encode([folder / "corpus.txt"], folder / "ids", CorpusSettings())[0], folder / "questions.txt"


@pytest.mark.parametrize(
    ("name", "settings", "least"),
    [
        ("glove", GloveSettings(dim=40, iterations=15), 15.0),
        ("ivlbl", IvlblSettings(dim=40, epochs=4), 20.0),
        pytest.param("skipgram", SkipgramSettings(dim=40), 12.0, marks=pytest.mark.slow),
        pytest.param("cbow", CbowSettings(dim=40), 10.0, marks=pytest.mark.slow),
    ],
)
def test_analogies_are_learnt(small_world, name: str, settings: BaselineSettings, least: float) -> None:
    """Whole vocabulary of some 3,000 words: guessing finds nothing."""
    corpus, questions = small_world
    vectors = WordVectors(list(corpus.vocabulary.words), train_baseline(name, corpus, settings, threads=2))
    accuracy = evaluate(vectors, google=questions)["google"].total("cosadd").percent
    assert accuracy > least
