"""The words that can be among the best answers to one question, found with quick float32 products."""

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.scores import EPSILON

ROOM = 60
"""So many more words than asked for are kept: float32 may order near ties otherwise."""
_NEAR, _FAR = np.float32(0.999), np.float32(-0.999)
"""Beyond these cosines a score divides by almost nothing, and float32 says little about it: such words are all kept."""


def shortlist(
    to_words: tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]],
    difference_to_c: float,
    excluded: NDArray[np.int64],
    n: int,
) -> NDArray[np.int64]:
    """The rows, rising, that can be among the `n` best of a : b :: c : ? under any of the three measures.

    `to_words` are the cosines of all words with a, b and c, `difference_to_c` is (b − a)·c; all three measures follow
    from them, as |d − c|² = 2 − 2 cos(c, d).

    >>> cosines = tuple(np.array(row, dtype=np.float32) for row in ([0.1, 0.9, 0.2], [0.9, 0.1, 0.2], [0.9, 0.5, 0.1]))
    >>> shortlist(cosines, 0.0, np.array([1]), 1).tolist()
    [0, 2]
    """
    to_a, to_b, to_c = to_words
    one, half = np.float32(1), np.float32(0.5)
    difference = to_b - to_a
    distance = np.sqrt(np.maximum(2 * (one - to_c), np.float32(1e-6)))
    scores = (
        difference + to_c,
        (to_b + one) * half * (to_c + one) * half / np.maximum((to_a + one) * half + np.float32(EPSILON), EPSILON),
        (difference - np.float32(difference_to_c)) / distance,
    )
    kept = (to_c > _NEAR) | (to_a < _FAR)
    for score in scores:
        score[excluded] = -np.inf
        if len(score) > n + ROOM:
            least = np.partition(score, -n - ROOM)[-n - ROOM]
            kept |= score >= least  # all of those that tie
        else:
            kept[:] = True
    kept[excluded] = False
    return np.flatnonzero(kept).astype(np.int64)
