"""Partial whitening: no few directions outweigh all others when differences are held against each other.

The first principal directions of word vectors hold much of their squares. Where they tell mostly how frequent a word is
and of which broad topic (GloVe), they drown what else a difference of two words says; where they carry relations
(ivLBL), they are best left alone. Which it is, the text can tell: its own likeness of pairs should be that of their
differences.
"""

import numpy as np

from relrep.core.arrays import Flags, Floats, Ints
from relrep.core.linalg import product_over_rows, unit_rows

_ROWS_AT_ONCE = 4096
"""Fixed, whatever the number of threads: the bits of a product may depend on its shape."""
_LEAST = 1e-4
"""A direction with less than this part of the mean variance counts as having that much: it holds nothing but chance."""


def whiten_if_text_agrees(
    vectors: Floats, word: Ints, partner: Ints, odd: Floats, power: float, n_words: int
) -> tuple[Floats, bool]:
    """Unit vectors, whitened if their differences then agree better with the profiles of pairs; and whether they were.

    `odd` are the odd parts of the profiles of (partner, word): the even parts, like sums of two words, do not know
    which word comes first.
    """
    plain = unit_rows(vectors)
    if power == 0 or not len(word):
        return plain, False
    changed = whiten(plain, power, n_words)
    before, after = (linear_cka(unit_rows(each[partner] - each[word]), odd) for each in (plain, changed))
    return (changed, True) if after > before else (plain, False)


def linear_cka(differences: Floats, profiles: Floats) -> float:
    """How far two descriptions of the same pairs agree on which pairs are alike (uncentred linear CKA): 0 to 1.

    Σ (dᵢ·dⱼ)(fᵢ·fⱼ) / √(Σ (dᵢ·dⱼ)² · Σ (fᵢ·fⱼ)²) over all i and j, the cosine of the two tables of products, which need
    not be made: it is |DᵀF|² / (|DᵀD| · |FᵀF|).

    >>> turned = np.array([[0, 1], [1, 0]], dtype=np.float32)
    >>> linear_cka(np.eye(2, dtype=np.float32), turned)
    1.0
    """
    sides = {"df": (differences, profiles), "dd": (differences, differences), "ff": (profiles, profiles)}
    squares = {name: float((product_over_rows(*two) ** 2).sum()) for name, two in sides.items()}
    scale = float(np.sqrt(squares["dd"] * squares["ff"]))
    return squares["df"] / scale if scale else 0.0


def whiten(vectors: Floats, power: float, n_words: int) -> Floats:
    """Vectors at unit length whose principal variances λ have become λ^(1 − 2 · power); 0 leaves them as they are.

    With m the mean and V Λ Vᵀ the covariance of the first `n_words` words, at unit length, x becomes
    V Λ^−power Vᵀ (x − m), again at unit length: partial ZCA whitening, 0.5 being the
    whole. A row of zeros, a word without a vector, stays one.

    >>> long_and_flat = np.array([[3, 0.1], [-3, 0.1], [3, -0.1], [-3, -0.1]], dtype=np.float32)
    >>> whiten(long_and_flat, 0.5, 4).round(2).astype(float).round(2).tolist()
    [[0.71, 0.71], [-0.71, 0.71], [0.71, -0.71], [-0.71, -0.71]]
    """
    unit = unit_rows(vectors)
    has_vector: Flags = (unit != 0).any(axis=1)
    frequent = unit[:n_words][has_vector[:n_words]]
    if power == 0 or not len(frequent):
        return unit
    mean = frequent.mean(axis=0, dtype=np.float64)
    covariance = product_over_rows(frequent, frequent) / len(frequent) - np.outer(mean, mean)
    variances, directions = np.linalg.eigh(covariance)
    least = _LEAST * max(float(np.trace(covariance)) / len(covariance), float(np.finfo(np.float32).tiny))
    change = (directions * np.maximum(variances, least) ** -power) @ directions.T
    for low in range(0, len(unit), _ROWS_AT_ONCE):
        some = slice(low, low + _ROWS_AT_ONCE)
        unit[some] = np.where(has_vector[some, None], (unit[some] - mean) @ change, 0)
    return unit_rows(unit)
