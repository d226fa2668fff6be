"""Patterns that mean alike: similar in use (they join the same pairs) and in vector, with the pairs they join."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.kernels.pair_search_rows import find_entries, pattern_products
from relrep.model import Model
from relrep.relations.by_pattern import BY_PATTERN_FILE
from relrep.relations.mined_with import stop_word_ids
from relrep.relations.patterns import matching_patterns
from relrep.relations.space import best, space_of
from relrep.relations.store import Relations

_FAR_BELOW = np.float32(1e6)


@dataclass(frozen=True)
class PatternFacts:
    """One pattern: its text, kind and direction, how often it occurs, and how many pairs it joins (f > 0)."""

    text: str
    kind: str
    is_reversed: bool
    label: str
    occurrences: int
    pairs: int


@dataclass(frozen=True)
class PatternNeighbour:
    """A pattern and how similar it is (cosine)."""

    pattern: PatternFacts
    score: float


@dataclass(frozen=True)
class JoinedPair:
    """A pair that the pattern joins: how often (g), and how telling that is (f)."""

    first: str
    second: str
    count: int
    weight: float


@dataclass(frozen=True)
class PatternNeighbours:
    """A pattern, its neighbours in use and in vector, and the pairs it joins most tellingly.

    `others` are the same text's other readings: another kind or direction.
    """

    pattern: PatternFacts
    in_use: tuple[PatternNeighbour, ...]
    in_vector: tuple[PatternNeighbour, ...]
    pairs: tuple[JoinedPair, ...]
    others: tuple[PatternFacts, ...]


def pattern_neighbours(
    model: Model, text: str, n: int = 10, kind: str | None = None, is_reversed: bool | None = None
) -> PatternNeighbours:
    """The neighbours of the pattern written `text`; of several readings the most frequent, unless one is asked for."""
    relations = model.require_relations()
    pattern, *others = matching_patterns(relations, text, kind, is_reversed)
    rows, entries = entries_of(relations, pattern)
    in_use = use_cosines(relations, pattern, rows, entries)
    space = space_of(model)
    in_vector = space.pattern_cosines(space.pattern_vectors[pattern].astype(np.float64))
    for scores in (in_use, in_vector):
        scores[pattern] = -np.inf
        scores[scores <= 0] = -np.inf
    return PatternNeighbours(
        pattern=_facts(relations, pattern),
        in_use=_neighbours(relations, in_use, n),
        in_vector=_neighbours(relations, in_vector, n),
        pairs=_pairs(model, relations, rows, entries, n),
        others=tuple(_facts(relations, other) for other in others),
    )


def entries_of(relations: Relations, pattern: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs that a pattern joins, rising, and the places of its entries in f."""
    relations.check_entries()
    held = relations.by_pattern
    rows = np.asarray(held.pair[held.entries(pattern)])
    entries = find_entries(relations.indptr, relations.pattern, rows, pattern)
    if (entries < 0).any():
        raise RelrepError(f"{BY_PATTERN_FILE} does not fit the entries of f; remove it, it can be done without")
    return rows.astype(np.int64), entries


def use_cosines(
    relations: Relations, pattern: int, rows: NDArray[np.int64], entries: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The cosine of every pattern's row of f with this one's; only the pairs of this one can add to it."""
    lengths = relations.measured.pattern_lengths  # which checks the entries, too
    weights = np.asarray(relations.weight[entries])
    products = pattern_products(
        relations.indptr, relations.pattern, relations.weight, rows, weights, relations.n_patterns
    )
    scale = np.where(lengths > 0, lengths, 1) * max(lengths[pattern], np.finfo(float).tiny)
    return np.asarray(products / scale, dtype=np.float32)


def _neighbours(relations: Relations, scores: NDArray[np.float32], n: int) -> tuple[PatternNeighbour, ...]:
    found = best(scores, n).tolist()
    return tuple(PatternNeighbour(_facts(relations, other), float(scores[other])) for other in found)


def _facts(relations: Relations, pattern: int) -> PatternFacts:
    return PatternFacts(
        text=relations.texts[pattern],
        kind=relations.kinds[pattern],
        is_reversed=bool(relations.reversed[pattern]),
        label=relations.label(pattern),
        occurrences=int(relations.occurrences[pattern]),
        pairs=int(relations.measured.pairs_per_pattern[pattern]),
    )


def _pairs(
    model: Model, relations: Relations, rows: NDArray[np.int64], entries: NDArray[np.int64], n: int
) -> tuple[JoinedPair, ...]:
    """The pairs by falling f · log(1 + g), those with a stop word last: f alone prefers what was seen hardly ever."""
    weights, counts = relations.weight[entries], relations.count[entries]
    words = model.vocabulary.words
    is_stop = np.zeros(len(words), dtype=np.bool_)
    is_stop[stop_word_ids(model)] = True
    telling = np.asarray(weights * np.log1p(counts), dtype=np.float32)
    with_stop = is_stop[relations.u[rows]] | is_stop[relations.v[rows]]
    chosen = best(np.where(with_stop, telling - _FAR_BELOW, telling), n).tolist()
    return tuple(
        JoinedPair(
            first=words[relations.u[rows[place]]],
            second=words[relations.v[rows[place]]],
            count=int(counts[place]),
            weight=float(weights[place]),
        )
        for place in chosen
    )
