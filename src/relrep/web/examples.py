"""Queries to begin with, taken from the model itself: each was tried, and has an answer worth seeing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from relrep.relations.pattern_neighbours import pattern_neighbours
from relrep.relations.search import SearchFilters, search_pairs
from relrep.relations.space import best
from relrep.web.analogies import solve_analogy
from relrep.web.explorer import Explorer
from relrep.web.words import association_of

WELL_KNOWN = (
    ("man", "woman", "king", "queen"),
    ("paris", "france", "rome", "italy"),
    ("good", "better", "bad", "worse"),
    ("walk", "walked", "play", "played"),
    ("ostrich", "bird", "salmon", "fish"),
    ("france", "french", "spain", "spanish"),
)
"""Analogies that people know; shown only where the model answers them."""
WELL_KNOWN_PATTERNS = ("capital of", "such as", "and other", "part of", "known as")
_PER_KIND = 5
_TRIED_PAIRS = 30
_RANKS = (200, 12_000)


@dataclass(frozen=True)
class Examples:
    """Queries by what they show."""

    analogies: tuple[str, ...]
    pairs: tuple[str, ...]
    words: tuple[str, ...]
    patterns: tuple[str, ...]


def find_examples(explorer: Explorer) -> Examples:
    """Analogies that the model solves, pairs that the corpus says much about, their words and their patterns."""
    patterns = _known_patterns(explorer)
    by_pattern = [_pairs_of(explorer, text) for text in patterns]
    joined = [pair for pairs in by_pattern for pair in pairs[:2]]
    pairs = list(dict.fromkeys(joined)) or list(islice(_strong_pairs(explorer), _TRIED_PAIRS))
    analogies = list(islice(_analogies(explorer, by_pattern, pairs), _PER_KIND))
    solved = [(a, b) for a, b, _, _ in map(str.split, analogies)]
    shown = list(dict.fromkeys([*solved, *pairs]))[:_PER_KIND]
    words = dict.fromkeys([c for _, _, c, _ in map(str.split, analogies)] + [first for first, _ in shown])
    return Examples(
        analogies=tuple(analogies),
        pairs=tuple(" ".join(pair) for pair in shown),
        words=tuple(words)[:_PER_KIND],
        patterns=tuple(f'"{text}"' for text in (patterns or _telling_patterns(explorer))[:_PER_KIND]),
    )


def _known_patterns(explorer: Explorer) -> list[str]:
    relations = explorer.model.relations
    return [] if relations is None else [text for text in WELL_KNOWN_PATTERNS if text in relations.ids_by_text]


def _pairs_of(explorer: Explorer, pattern: str) -> list[tuple[str, str]]:
    """Plain pairs that a pattern joins, the most telling first; no word twice."""
    found: list[tuple[str, str]] = []
    used: set[str] = set()
    for pair in pattern_neighbours(explorer.model, pattern, 40).pairs:
        two = (pair.first, pair.second)
        if used.isdisjoint(two) and explorer.is_plain[explorer.ids(*two)].all():
            used.update(two)
            found.append(two)
    return found


def _strong_pairs(explorer: Explorer) -> Iterator[tuple[str, str]]:
    """Mined pairs of plain, neither very frequent nor rare words that meet far more often than by chance."""
    relations, vocabulary = explorer.model.relations, explorer.model.vocabulary
    if relations is None or not relations.n_pairs:
        return
    low, high = (0, len(vocabulary)) if len(vocabulary) < _RANKS[1] else _RANKS
    u, v = relations.u, relations.v
    fits = explorer.is_plain[u] & explorer.is_plain[v] & (np.minimum(u, v) >= low) & (np.maximum(u, v) < high)
    rows = np.flatnonzero(fits)
    scores = association_of(relations, rows, vocabulary.counts).astype(np.float32)
    used: set[int] = set()
    found = 0
    for at in best(scores, 40 * _TRIED_PAIRS).tolist():
        pair = int(u[rows[at]]), int(v[rows[at]])
        if used.isdisjoint(pair) and found < _TRIED_PAIRS:
            used.update(pair)
            found += 1
            yield vocabulary.words[pair[0]], vocabulary.words[pair[1]]


def _analogies(
    explorer: Explorer, by_pattern: list[list[tuple[str, str]]], pairs: list[tuple[str, str]]
) -> Iterator[str]:
    """The well-known ones that the model solves; then two pairs of one pattern, or a pair and the one most alike."""
    for a, b, c, d in WELL_KNOWN:
        if all(explorer.id_of(word) >= 0 for word in (a, b, c, d)) and _answer(explorer, a, b, c) == d:
            yield f"{a} {b} {c} ?"
    for joined in by_pattern:
        for (a, b), (c, d) in zip(joined[:-1:2], joined[1::2], strict=False):
            if _answer(explorer, a, b, c) == d:
                yield f"{a} {b} {c} ?"
                break
    for a, b in pairs:
        for alike in search_pairs(explorer.model, [(a, b)], 3, SearchFilters(distinct=True, min_sentences=5)):
            ids = explorer.ids(alike.first, alike.second)
            if explorer.is_plain[ids].all() and _answer(explorer, a, b, alike.first) == alike.second:
                yield f"{a} {b} {alike.first} ?"
                break


def _answer(explorer: Explorer, a: str, b: str, c: str) -> str:
    candidates = solve_analogy(explorer, a, b, c, 1).columns[0].candidates
    return candidates[0].word if candidates else ""


def _telling_patterns(explorer: Explorer) -> list[str]:
    """Frequent patterns of several words that join few kinds of pairs: high f, on average."""
    relations = explorer.model.relations
    if relations is None or not relations.n_patterns:
        return []
    occurrences = np.maximum(relations.occurrences, 1).astype(np.float64)
    several = np.array([" " in text for text in relations.texts]) & ~relations.reversed
    often = occurrences >= np.median(occurrences)
    scores = np.where(several & often, relations.weights / np.sqrt(occurrences), -np.inf).astype(np.float32)
    return list(dict.fromkeys(relations.texts[at] for at in best(scores, 4 * _PER_KIND).tolist()))
