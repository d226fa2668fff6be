"""One word: its neighbours before and after training, and the pairs it was mined in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.relations.space import RelationSpace, best
from relrep.relations.store import Relations
from relrep.web.explorer import Explorer


@dataclass(frozen=True)
class Neighbour:
    """A neighbour, its cosine, and its place among the neighbours in the other space (None without one)."""

    word: str
    score: float
    other_place: int | None


@dataclass(frozen=True)
class Partner:
    """A pair with the word in it, in the order in which it stands more often, and its sentences in both orders."""

    first: str
    second: str
    sentences: int


@dataclass(frozen=True)
class WordAnswer:
    """A word, how often it occurs, its neighbours after and before training, and what it is paired with."""

    word: str
    count: int
    rank: int
    after: tuple[Neighbour, ...]
    before: tuple[Neighbour, ...] | None
    partners: tuple[Partner, ...]


def look_up(explorer: Explorer, word: str, n: int = 12) -> WordAnswer:
    """All that is shown of a word; neighbours by cosine, partners by how much more often they meet than by chance."""
    (place,) = explorer.ids(word)
    vocabulary = explorer.model.vocabulary
    after = _cosines(explorer.after, place)
    before = None if explorer.before is None else _cosines(explorer.before, place)
    return WordAnswer(
        word=vocabulary.words[place],
        count=int(vocabulary.counts[place]),
        rank=place + 1,
        after=_neighbours(explorer, after, before, n),
        before=None if before is None else _neighbours(explorer, before, after, n),
        partners=partners_of(explorer, place, n),
    )


def partners_of(explorer: Explorer, word: int, n: int) -> tuple[Partner, ...]:
    """The mined pairs with the word, by LMI: sentences · log(observed / expected); plain words only."""
    relations, vocabulary = explorer.model.relations, explorer.model.vocabulary
    if relations is None or not relations.n_pairs:
        return ()
    rows = np.flatnonzero((relations.u == word) | (relations.v == word))
    other = np.where(relations.u[rows] == word, relations.v[rows], relations.u[rows])
    rows = rows[explorer.is_plain[other]]
    scores = association_of(relations, rows, vocabulary.counts)
    found: dict[frozenset[int], Partner] = {}
    for at in best(scores.astype(np.float32), 2 * n).tolist():
        u, v = int(relations.u[rows[at]]), int(relations.v[rows[at]])
        if frozenset((u, v)) not in found:  # the order that stands more often scores higher and so comes first
            reverse = relations.pair_id(v, u)
            sentences = int(relations.sentences[rows[at]])
            sentences += 0 if reverse is None else int(relations.sentences[reverse])
            found[frozenset((u, v))] = Partner(vocabulary.words[u], vocabulary.words[v], sentences)
    return tuple(found.values())[:n]


def association_of(relations: Relations, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """LMI of mined pairs, from their sentences and the counts of their words."""
    sentences = relations.sentences[rows].astype(np.float64)
    expected = counts[relations.u[rows]].astype(np.float64) * counts[relations.v[rows]] / max(1, int(counts.sum()))
    return np.asarray(sentences * np.log(sentences / np.maximum(expected, 1e-9)))


def _cosines(space: RelationSpace, word: int) -> NDArray[np.float32]:
    cosines = np.asarray(space.project(space.unit[[word]].astype(np.float64))[0], dtype=np.float32)
    cosines[word] = -np.inf
    return cosines


def _neighbours(
    explorer: Explorer, cosines: NDArray[np.float32], other: NDArray[np.float32] | None, n: int
) -> tuple[Neighbour, ...]:
    words = explorer.model.vocabulary.words
    return tuple(
        Neighbour(
            word=words[place],
            score=float(cosines[place]),
            other_place=None if other is None else int(np.count_nonzero(other > other[place])) + 1,
        )
        for place in best(cosines, n).tolist()
    )
