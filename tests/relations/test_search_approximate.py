import shutil

import numpy as np
import pytest

from relrep.corpus.vocabulary import Vocabulary
from relrep.errors import RelrepError
from relrep.model import Model, write_model
from relrep.relations.search import SearchFilters, search_pairs
from relrep.relations.search_approximate import INDEX_FILE, ApproximatePairs
from relrep.relations.store import Relations
from tiny_model import build

pytest.importorskip("usearch")


def random_model(folder, n_words=600, n_pairs=4000, dim=24) -> Model:
    """Random words in clusters, random pairs, one pattern."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(20, dim))
    vectors = centres[rng.integers(20, size=n_words)] + rng.normal(size=(n_words, dim)) * 0.4
    codes = np.unique(rng.integers(0, n_words**2, size=n_pairs))
    u, v = (codes // n_words).astype(np.int32), (codes % n_words).astype(np.int32)
    u, v = u[u != v], v[u != v]
    relations = Relations(
        u, v, np.full(len(u), 50), ["of"], ["unigram"], np.zeros(1, bool), np.array([len(u)]), np.array([len(u) * 1.0]),
        np.arange(len(u) + 1), np.zeros(len(u), np.int32), np.ones(len(u), np.float32), np.ones(len(u), np.int64),
    )  # fmt: skip
    vocabulary = Vocabulary([f"w{word}" for word in range(n_words)], np.arange(n_words, 0, -1))
    return write_model(
        folder, vocabulary=vocabulary, vectors=vectors.astype(np.float32), relations=relations, config={}
    )


def test_approximate_finds_what_exact_finds(tmp_path):
    model = random_model(tmp_path / "m")
    approximate = ApproximatePairs.open(model)
    found = total = 0
    for number in range(0, 400, 10):
        query = [(f"w{number}", f"w{number + 3}")]
        exact = {(p.first, p.second): p.score for p in search_pairs(model, query, 10)}
        close = {(p.first, p.second): p.score for p in approximate.search(query, 10)}
        found += len(exact.keys() & close.keys())
        total += len(exact)
        for pair in exact.keys() & close.keys():
            assert close[pair] == pytest.approx(exact[pair], abs=1e-5)
    assert found / total > 0.95


def test_the_index_is_kept_and_checked(tmp_path, tiny_model_folder):
    model = Model.load(shutil.copytree(tiny_model_folder, tmp_path / "m"))
    query = [("paris", "france")]
    first = ApproximatePairs.open(model).search(query, 5)
    path = model.folder / "relations" / INDEX_FILE
    written = path.stat().st_mtime_ns
    again = ApproximatePairs.open(Model.load(model.folder))
    assert again.search(query, 5) == first and path.stat().st_mtime_ns == written
    filters = SearchFilters(distinct=True, pattern="capital of")
    exact, close = search_pairs(model, query, 3, filters), again.search(query, 3, filters)
    assert [(pair.first, pair.second) for pair in close] == [(pair.first, pair.second) for pair in exact]
    random_model(tmp_path / "other", n_pairs=100)
    ApproximatePairs.open(Model.load(tmp_path / "other"))
    shutil.copy(tmp_path / "other" / "relations" / INDEX_FILE, path)
    with pytest.raises(RelrepError, match="remove it"):
        ApproximatePairs.open(model)
    path.write_bytes(b"broken")
    with pytest.raises(RelrepError, match="remove it"):
        ApproximatePairs.open(model)


def test_without_relations_it_is_told(tmp_path):
    with pytest.raises(RelrepError, match="no mined relations"):
        ApproximatePairs.open(build(tmp_path / "bare", relations=False))
