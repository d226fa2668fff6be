"""gensim reads our files, and we read gensim's."""

from pathlib import Path

import numpy as np
import pytest

from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

gensim_models = pytest.importorskip("gensim.models", reason="gensim is an extra")


@pytest.fixture(scope="module")
def table() -> WordVectors:
    words = ["the", "naïve", "東京", "x\xa0y", *(f"w{i}" for i in range(200))]
    return WordVectors(words, np.random.default_rng(6).normal(size=(len(words), 20)).astype(np.float32))


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        (".txt", {}),
        (".vec", {}),
        (".txt.gz", {}),
        (".bin", {"binary": True}),
        (".glove", {"no_header": True}),
    ],
)
def test_gensim_reads_ours(tmp_path: Path, table: WordVectors, suffix: str, options: dict[str, bool]) -> None:
    path = tmp_path / f"v{suffix}"
    table.save(path)
    read = gensim_models.KeyedVectors.load_word2vec_format(str(path), **options)
    assert read.index_to_key == table.index_to_key
    assert read.vectors.tobytes() == table.vectors.tobytes()


@pytest.mark.parametrize(("binary", "header"), [(False, True), (False, False), (True, True)])
def test_we_read_gensims(tmp_path: Path, table: WordVectors, binary: bool, header: bool) -> None:
    path = tmp_path / "v"
    table.to_gensim().save_word2vec_format(str(path), binary=binary, write_header=header)
    read = WordVectors.load(path)
    assert read.index_to_key == table.index_to_key
    assert read.vectors.tobytes() == table.vectors.tobytes()


def test_a_gensim_pickle_is_refused_with_the_remedy(tmp_path: Path, table: WordVectors) -> None:
    path = tmp_path / "v.kv"
    table.to_gensim().save(str(path))
    with pytest.raises(RelrepError, match="save_word2vec_format"):
        WordVectors.load(path)


def test_most_similar_and_similarity_are_gensims(table: WordVectors) -> None:
    keyed = table.to_gensim()
    for query in (
        {"positive": "the"},
        {"positive": ["the", "東京"], "negative": ["naïve"]},
        {"positive": [("the", 0.5), "w7"], "negative": [("w3", 2.0)]},
        {"negative": ["w1"]},
    ):
        ours, theirs = table.most_similar(**query, topn=25), keyed.most_similar(**query, topn=25)
        assert [word for word, _ in ours] == [word for word, _ in theirs]
        assert np.allclose([score for _, score in ours], [score for _, score in theirs], atol=1e-5)
    assert table.similarity("the", "w9") == pytest.approx(keyed.similarity("the", "w9"), abs=1e-5)
