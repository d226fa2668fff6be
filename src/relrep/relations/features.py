"""Pair features for relation classification: a scikit-learn transformer from word pairs to numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags, hstack

from relrep.core.arrays import Floats, Longs
from relrep.core.threads import available_threads
from relrep.errors import RelrepError
from relrep.evidence.profiles import ProfileMiner
from relrep.model.model import Model
from relrep.vectors.word_vectors import WordVectors

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    raise RelrepError("scikit-learn is not installed; install it with pip install 'relrep[sklearn]'") from None

KINDS = ("diff", "concat", "product", "patterns")
"""u − v; u and v; u · v number by number; the patterns between u and v in the corpus. All of unit vectors."""

Pairs = Sequence[tuple[str, str]] | NDArray[Any]


class PairFeatures(BaseEstimator, TransformerMixin):  # type: ignore[misc]
    """Turns word pairs (two columns of words) into features.

    `model` is a Model or, without "patterns", any WordVectors. `evidence` is the model whose corpus index the
    patterns are read from (default: `model`). "patterns" are the `n_patterns` that join the most of the pairs
    seen by `fit`, as log(1 + g) in rows of unit length; the result is then a sparse matrix. A word without
    a vector is all zeros, a pair that never meets has no patterns.

    >>> vectors = WordVectors(["a", "b"], np.array([[1, 0], [0, 1]], np.float32))
    >>> PairFeatures(vectors, kinds=("diff", "product")).fit_transform([("a", "b"), ("a", "?")]).tolist()
    [[1.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        model: Model | WordVectors,
        kinds: Sequence[str] = KINDS,
        evidence: Model | None = None,
        n_patterns: int = 20_000,
        threads: int | None = None,
    ) -> None:
        self.model = model
        self.kinds = kinds
        self.evidence = evidence
        self.n_patterns = n_patterns
        self.threads = threads

    def __sklearn_clone__(self) -> "PairFeatures":
        """A new transformer over the same model: a model is large and never changes, so it is shared."""
        return type(self)(**self.get_params(deep=False))

    def fit(self, pairs: Pairs, y: object = None) -> "PairFeatures":
        """Checks the settings and, for "patterns", chooses those that join the most of these pairs."""
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown or not len(self.kinds):
            raise RelrepError(f"kinds is {tuple(self.kinds)}; choose one or more of {', '.join(KINDS)}")
        if self.n_patterns < 1:
            raise RelrepError(f"n_patterns is {self.n_patterns}; give 1 or more")
        rows = _checked(pairs)
        self.n_features_in_ = 2
        if "patterns" in self.kinds:
            model = self._evidence_model()
            threads = self.threads or available_threads()
            self.miner_ = ProfileMiner(model.require_index(), model.max_gap, threads, adjacent=True)
            keys, joined = np.unique(self.miner_.mine(self._evidence_ids(rows)).keys, return_counts=True)
            order = np.lexsort((keys, -joined))[: self.n_patterns]
            self.pattern_keys_ = np.sort(keys[order])
        return self

    def transform(self, pairs: Pairs) -> Any:
        """The features: a float32 array, or, with "patterns", a sparse matrix."""
        rows = _checked(pairs)
        u, v = self._unit([u for u, _ in rows]), self._unit([v for _, v in rows])
        blocks: list[Any] = []
        for kind in self.kinds:
            if kind == "diff":
                blocks.append(u - v)
            elif kind == "concat":
                blocks += [u, v]
            elif kind == "product":
                blocks.append(u * v * np.float32(np.sqrt(u.shape[1])))  # products of unit vectors are tiny
            else:
                blocks.append(self._patterns(rows))
        if "patterns" in self.kinds:
            return hstack([csr_matrix(block) for block in blocks], format="csr", dtype=np.float32)
        return np.hstack(blocks)

    def coverage(self, pairs: Pairs) -> float:
        """The share of pairs of which both words have a vector."""
        find = self._vectors().find
        rows = _checked(pairs)
        return sum(find(u) is not None and find(v) is not None for u, v in rows) / max(1, len(rows))

    def seen(self, pairs: Pairs) -> float:
        """The share of pairs that meet in the corpus within the model's gap; after `fit`, with "patterns"."""
        profiles = self.miner_.mine(self._evidence_ids(_checked(pairs)))
        return float(np.mean(np.diff(profiles.indptr) > 0)) if len(profiles) else 0.0

    def _vectors(self) -> WordVectors:
        return self.model.vectors if isinstance(self.model, Model) else self.model

    def _evidence_model(self) -> Model:
        model = self.evidence or self.model
        if not isinstance(model, Model):
            raise RelrepError("pattern features need a model with a corpus index; name one as evidence")
        return model

    def _evidence_ids(self, pairs: Sequence[tuple[str, str]]) -> Longs:
        find = self._evidence_model().vectors.find
        ids = [-1 if row is None else row for pair in pairs for row in map(find, pair)]
        return np.array(ids, dtype=np.int64).reshape(-1, 2)

    def _unit(self, words: Sequence[str]) -> Floats:
        vectors = self._vectors()
        places = [vectors.find(word) for word in words]
        rows = np.zeros((len(words), vectors.vector_size), dtype=np.float32)
        known = np.array([place is not None for place in places], dtype=np.bool_)
        rows[known] = vectors.normalised[[place for place in places if place is not None]]
        return rows

    def _patterns(self, pairs: Sequence[tuple[str, str]]) -> csr_matrix:
        counts = self.miner_.mine(self._evidence_ids(pairs)).matrix(self.pattern_keys_)
        counts.data = np.log1p(counts.data)
        lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
        return (diags(1 / np.where(lengths > 0, lengths, 1)) @ counts).astype(np.float32).tocsr()


def _checked(pairs: Pairs) -> list[tuple[str, str]]:
    rows = [tuple(pair) for pair in pairs]
    for number, pair in enumerate(rows):
        if len(pair) != 2 or not all(isinstance(word, str) for word in pair):
            raise RelrepError(f"row {number} of the pairs is {pair!r}; each row must hold two words")
    return rows
