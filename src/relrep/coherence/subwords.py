"""Subwords: what the character n-grams of a word say of its vector, for words that were seen too seldom to learn it.

A word's vector is predicted from its n-grams (bag of substrings), which ridge regression learns on the vocabulary:

    û_w = Σ_{g ∈ G_w} z_g / √|G_w|          z = argmin Σ_w b_w |u_w − û_w|² + λ Σ_g |z_g|²
    b_w = n_w / (n_w + k)                   how far a vector u_w learnt from n_w occurrences is believed

and vectors are shrunk towards what is predicted: v_w = b_w u_w + (1 − b_w) û_w / |û_w|.
relrep.reference.arrays says the same slowly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relrep.core.arrays import Doubles, Floats, Ints, Longs
from relrep.core.csr import row_ends, sparse_product, transpose
from relrep.core.linalg import unit_rows

SHORTEST, LONGEST = 3, 6
"""Characters of an n-gram, the marks at both ends of a word among them."""
LEAST_WORDS = 2
"""An n-gram counts if so many words have it."""
RIDGE = 1.0
"""λ: how dear long vectors of n-grams are."""
ITERATIONS = 15
"""Steps of conjugate gradients: the loss no longer changes in its fourth digit."""


def ngrams_of(word: str) -> list[str]:
    """The distinct n-grams of a word between its marks, the marked word itself left out.

    >>> ngrams_of("cat")
    ['<ca', 'cat', 'at>', '<cat', 'cat>']
    """
    marked = f"<{word}>"
    found = dict.fromkeys(
        marked[at : at + size] for size in range(SHORTEST, LONGEST + 1) for at in range(len(marked) - size + 1)
    )
    found.pop(marked, None)
    return list(found)


@dataclass(frozen=True, eq=False)
class Subwords:
    """Which n-grams each word has (CSR); `values` are 1 / √|G_w|. `ids` numbers the n-grams."""

    ids: dict[str, int]
    ends: Longs
    columns: Ints
    values: Floats

    @classmethod
    def of(cls, words: Sequence[str]) -> "Subwords":
        """All n-grams that at least LEAST_WORDS of the words have."""
        ids: dict[str, int] = {}
        rows = [[ids.setdefault(ngram, len(ids)) for ngram in ngrams_of(word)] for word in words]
        sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        columns = np.fromiter((column for row in rows for column in row), dtype=np.int32, count=int(sizes.sum()))
        kept = np.bincount(columns, minlength=len(ids)) >= LEAST_WORDS
        renumbered = np.cumsum(kept, dtype=np.int32) - 1
        of_word = np.repeat(np.arange(len(rows)), sizes)[kept[columns]]
        sizes = np.bincount(of_word, minlength=len(rows))
        values = np.asarray(1 / np.sqrt(np.maximum(sizes, 1)), dtype=np.float32)
        ids = {ngram: int(renumbered[at]) for ngram, at in ids.items() if kept[at]}
        return cls(ids, row_ends(sizes), renumbered[columns[kept[columns]]], values[of_word])

    def predict(self, ngram_vectors: Floats, threads: int = 1) -> Floats:
        """û: the vectors that the n-grams give each word; zero for a word without any."""
        return sparse_product(self.ends, self.columns, self.values, ngram_vectors, threads)

    def fit(self, vectors: Floats, belief: Floats, threads: int = 1) -> Floats:
        """z: the vectors of the n-grams, by conjugate gradients on the normal equations, all dimensions at once."""
        ends, columns, values = transpose(self.ends, self.columns, self.values, len(self.ids))
        weights = belief[:, None]

        def gather(rows: Floats) -> Floats:
            return sparse_product(ends, columns, values, weights * rows, threads)

        fitted = np.zeros((len(self.ids), vectors.shape[1]), dtype=np.float32)
        residual = gather(vectors)
        direction, square = residual.copy(), _squares(residual)
        for _ in range(ITERATIONS):
            image = gather(self.predict(direction, threads)) + np.float32(RIDGE) * direction
            size = square / np.maximum(_products(direction, image), np.finfo(np.float32).tiny)
            fitted += size.astype(np.float32) * direction
            residual -= size.astype(np.float32) * image
            square, before = _squares(residual), square
            direction *= (square / np.maximum(before, np.finfo(np.float32).tiny)).astype(np.float32)
            direction += residual
        return fitted


def shrink_to_subwords(
    vectors: Floats, words: Sequence[str], occurrences: Longs, count: float, threads: int = 1
) -> Floats:
    """Unit vectors, shrunk towards what their n-grams say; spelling counts as much as `count` occurrences of a word.

    A row of zeros, a word without a vector, stays one.
    """
    unit = unit_rows(vectors)
    if count == 0:
        return unit
    has_vector = (unit != 0).any(axis=1)
    belief = np.where(has_vector, occurrences / (occurrences + count), 0).astype(np.float32)
    subwords = Subwords.of(words)
    predicted = unit_rows(subwords.predict(subwords.fit(unit, belief, threads), threads))
    predicted[~has_vector] = 0
    return np.asarray(belief[:, None] * unit + (1 - belief[:, None]) * predicted, dtype=np.float32)


def _products(left: Floats, right: Floats) -> Doubles:
    """Σ left · right, a number a column."""
    return np.asarray(np.einsum("ij,ij->j", left, right, dtype=np.float64))


def _squares(rows: Floats) -> Doubles:
    return _products(rows, rows)
