"""Queries to begin with, what may follow while one is typed, and a first round of all questions in the background."""

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from relrep.core.linalg import top_rows
from relrep.errors import RelrepError
from relrep.relations.search import SearchFilters
from relrep.vectors.word_vectors import spellings
from relrep.web.answers import lmi, look_up, map_of_pair, partners_of, solve_analogy, tell_pair
from relrep.web.explorer import Explorer

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
logger = logging.getLogger(__name__)
_PER_KIND = 5
_TRIED_PAIRS = 100
_RANKS = (200, 12_000)


@dataclass(frozen=True)
class Examples:
    """Queries by what they show."""

    analogies: tuple[str, ...]
    pairs: tuple[str, ...]
    words: tuple[str, ...]
    patterns: tuple[str, ...]


def find_examples(explorer: Explorer) -> Examples:
    """Analogies that the model solves, pairs that are bound most strongly, their words, and patterns."""
    pairs = list(_strong_pairs(explorer))
    analogies = list(islice(_analogies(explorer, pairs), _PER_KIND))
    shown = list(dict.fromkeys([*((a, b) for a, b, _ in analogies), *pairs]))[:_PER_KIND]
    words = dict.fromkeys([*(c for _, _, c in analogies), *(first for first, _ in shown)])
    return Examples(
        analogies=tuple(f"{a} {b} {c} ?" for a, b, c in analogies),
        pairs=tuple(" ".join(pair) for pair in shown),
        words=tuple(words)[:_PER_KIND],
        patterns=tuple(f'"{text}"' for text in _telling_patterns(explorer)[:_PER_KIND]),
    )


def _strong_pairs(explorer: Explorer) -> Iterator[tuple[str, str]]:
    """Bound pairs of plain, neither very frequent nor rare words that meet far more often than by chance."""
    vocabulary = explorer.model.vocabulary
    if not explorer.has_pairs:
        return
    bound = explorer.model.require_relations().bound
    low, high = (0, len(vocabulary)) if len(vocabulary) < _RANKS[1] else _RANKS
    fits = explorer.is_plain[bound.first] & explorer.is_plain[bound.second]
    rows = np.flatnonzero(fits & (bound.first >= low) & (bound.second < high))
    used: set[str] = set()
    for at in rows[top_rows(lmi(explorer, rows), _TRIED_PAIRS)].tolist():
        pair = vocabulary.words[bound.first[at]], vocabulary.words[bound.second[at]]
        if used.isdisjoint(pair):
            used.update(pair)
            yield pair


def _analogies(explorer: Explorer, pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The well-known ones that the model solves; then a pair and one most alike."""
    for a, b, c, d in WELL_KNOWN:
        if all(explorer.id_of(word) >= 0 for word in (a, b, c, d)) and _answer(explorer, a, b, c) == d:
            yield a, b, c
    for a, b in pairs:
        for alike in explorer.search.search([(a, b)], 3, SearchFilters(distinct=True)):
            ids = explorer.ids(alike.first, alike.second)
            if explorer.is_plain[ids].all() and _answer(explorer, a, b, alike.first) == alike.second:
                yield a, b, alike.first
                break


def _answer(explorer: Explorer, a: str, b: str, c: str) -> str:
    candidates = solve_analogy(explorer, a, b, c, 1).columns[0].candidates
    return candidates[0].word if candidates else ""


def _telling_patterns(explorer: Explorer) -> list[str]:
    """The well-known ones; else frequent patterns of several words that join few kinds of pairs: little entropy."""
    table = explorer.model.relations
    if table is None or not table.n_patterns:
        return []
    if known := [text for text in WELL_KNOWN_PATTERNS if text in table.ids_by_text]:
        return known
    several = np.array([" " in text for text in table.texts])
    often = table.patterns.occurrences >= np.median(table.patterns.occurrences)
    scores = np.where(several & often, table.space.entropy_weights, -np.inf)
    return list(dict.fromkeys(table.texts[at] for at in top_rows(scores, 4 * _PER_KIND).tolist()))


@dataclass(frozen=True)
class Suggestion:
    """A whole query to choose, and what it is."""

    query: str
    what: str


def suggest(explorer: Explorer, typed: str, n: int = 8) -> tuple[Suggestion, ...]:
    """Completions of the last word, of a pattern in quotes, or, after one word and a space, words it is paired with."""
    line = typed.lstrip()
    if line[:1] in ('"', "“"):
        table, text = explorer.model.relations, line.strip('"“” ')
        known = (
            [] if table is None else [pattern for pattern in table.ids_by_text if pattern.startswith(spellings(text))]
        )
        return tuple(Suggestion(f'"{pattern}"', "pattern") for pattern in known[:n])
    *done, last = line.split(" ")
    done = [word for word in done if word]
    if not last:
        row = explorer.id_of(done[0]) if len(done) == 1 else -1
        if row < 0:
            return ()
        first = explorer.model.vocabulary.words[row]
        return tuple(Suggestion(f"{first} {other}", "pair") for other in partners_of(explorer, row, n))
    if len(done) > 3 or last == "?":
        return ()
    before = "".join(f"{word} " for word in done)
    words = next(filter(None, (explorer.spellings.completions(each, n) for each in spellings(last))), [])
    return tuple(Suggestion(before + word, "" if done else "word") for word in words)


class Warming:
    """The start of an explorer: one round of every kind of question, the examples, then the corpus evidence."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._lock = threading.Lock()
        self._examples: Examples | None = None

    def run(self) -> None:
        """All of it; a model that cannot answer something still answers the rest."""
        for step in (self._ask_once, self.examples, self._explorer.prepare_evidence):
            try:
                step()
            except RelrepError as error:
                logger.warning("%s", error)

    def examples(self) -> Examples:
        """Queries to begin with; found once."""
        with self._lock:
            if self._examples is None:
                self._examples = find_examples(self._explorer)
            return self._examples

    def _ask_once(self) -> None:
        """The first question of each kind loads vectors and compiled kernels."""
        explorer = self._explorer
        words = explorer.model.vocabulary.words
        explorer.spellings.completions("a", 1)
        if len(words) > 2:
            solve_analogy(explorer, words[0], words[1], words[2], 1)
        if words:
            look_up(explorer, words[0], 1)
        if explorer.has_pairs:
            bound = explorer.model.require_relations().bound
            first, second = words[bound.first[0]], words[bound.second[0]]
            tell_pair(explorer, first, second, 1, 1)
            map_of_pair(explorer, first, second, 1)
