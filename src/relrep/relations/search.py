"""Relational search: the mined pairs whose difference points the way the query's does, and words for a free slot."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.errors import RelrepError
from relrep.model import Model
from relrep.relations.mined_with import stop_word_ids
from relrep.relations.patterns import matching_patterns, pairs_with_patterns
from relrep.relations.space import best, space_of
from relrep.relations.store import Relations

Slot = Literal["first", "second"]


@dataclass(frozen=True)
class RelatedPair:
    """A found pair: how similar its relation is (cosine), and in how many sentences it stands in each order."""

    first: str
    second: str
    score: float
    sentences: int
    sentences_reversed: int


@dataclass(frozen=True)
class SearchFilters:
    """Which pairs may be found.

    `pattern`: only pairs that this pattern joins. `min_sentences`: only pairs seen in so many sentences, both
    orders together. `max_rank`, `min_rank`: only words from this part of the vocabulary, ranked by frequency
    from 1 (max_rank 0: to its end). `distinct`: no pair that shares a word with the query. `stop_words`: also
    mined pairs with a stop word; they are always in if the query holds one.
    """

    pattern: str | None = None
    min_sentences: int = 0
    min_rank: int = 1
    max_rank: int = 0
    distinct: bool = False
    stop_words: bool = False

    def __post_init__(self) -> None:
        if self.min_sentences < 0:
            raise RelrepError(f"min_sentences is {self.min_sentences}; give 0 or more")
        if self.min_rank < 1:
            raise RelrepError(f"min_rank is {self.min_rank}; ranks start at 1")
        if self.max_rank and self.max_rank < self.min_rank:
            raise RelrepError(f"max_rank {self.max_rank} lies below min_rank {self.min_rank}; no word is left")


NO_FILTERS = SearchFilters()


def search_pairs(
    model: Model, pairs: Sequence[tuple[str, str]], n: int = 20, filters: SearchFilters = NO_FILTERS
) -> tuple[RelatedPair, ...]:
    """The `n` mined pairs most similar in relation to the query pairs' mean difference; exact, ties by pair id.

    A pair mined as (u, v) can be found as (v, u): then its difference is taken the other way round.
    """
    asked = ids_of(model, pairs)
    space = space_of(model)
    cosines = space.pair_cosines(space.mean_difference(asked))
    scores = np.abs(cosines)
    scores[~allowed_pairs(model, asked, filters)] = -np.inf
    rows = best(scores, 2 * n)
    return merge_orders(model, rows, cosines[rows], n)


def complete_pairs(
    model: Model,
    pairs: Sequence[tuple[str, str]],
    fixed: str,
    slot: Slot,
    n: int = 20,
    filters: SearchFilters = NO_FILTERS,
) -> tuple[RelatedPair, ...]:
    """The words of the whole vocabulary that best fill the pair's other slot; `slot` tells where `fixed` stands.

    For the query ostrich : bird and lion fixed as first, candidates x are ranked by cos(lion − x, ostrich − bird).
    """
    asked = ids_of(model, pairs)
    here = model.vectors.index_of(fixed)
    space = space_of(model)
    scores = space.slot_cosines(space.mean_difference(asked), here)
    if slot == "second":
        scores = -scores
    scores[~_allowed_words(model, asked, here, filters)] = -np.inf
    found = []
    for word in best(scores, n).tolist():
        u, v = (here, word) if slot == "first" else (word, here)
        found.append(_related(model, u, v, float(scores[word])))
    return tuple(found)


def ids_of(model: Model, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """The query's word ids; a RelrepError for an unknown word or a word paired with itself."""
    if not pairs:
        raise RelrepError("the query holds no pair; give two words")
    asked = [(model.vectors.index_of(u), model.vectors.index_of(v)) for u, v in pairs]
    for (u, v), (first, _) in zip(asked, pairs, strict=True):
        if u == v:
            raise RelrepError(f"the pair {first} {first} is one word twice; give two different words")
    return asked


def allowed_pairs(model: Model, asked: Sequence[tuple[int, int]], filters: SearchFilters) -> NDArray[np.bool_]:
    """True for the mined pairs that the filters let through; never for the query's own pairs."""
    relations = model.require_relations()
    u, v = relations.u, relations.v
    allowed = np.ones(relations.n_pairs, dtype=np.bool_)
    if filters.min_rank > 1 or filters.max_rank:
        low, high = filters.min_rank - 1, filters.max_rank or len(model.vocabulary)
        allowed &= (u >= low) & (v >= low) & (u < high) & (v < high)
    if not filters.stop_words:
        stops = np.zeros(len(model.vocabulary), dtype=np.bool_)
        stops[stop_word_ids(model)] = True
        if not any(stops[word] for pair in asked for word in pair):
            allowed &= ~(stops[u] | stops[v])
    if filters.distinct:
        used = np.zeros(len(model.vocabulary), dtype=np.bool_)
        used[[word for pair in asked for word in pair]] = True
        allowed &= ~(used[u] | used[v])
    if filters.pattern is not None:
        joined = np.zeros(relations.n_pairs, dtype=np.bool_)
        joined[pairs_with_patterns(relations, matching_patterns(relations, filters.pattern))] = True
        allowed &= joined
    if filters.min_sentences:
        allowed &= both_orders(relations) >= filters.min_sentences
    for first, second in asked:
        for pair in (relations.pair_id(first, second), relations.pair_id(second, first)):
            if pair is not None:
                allowed[pair] = False
    return allowed


def both_orders(relations: Relations) -> NDArray[np.int64]:
    """The sentences of each pair and of its reverse together."""
    n = int(max(relations.u.max(initial=0), relations.v.max(initial=0))) + 1
    code = relations.u.astype(np.int64) * n + relations.v  # rises, as the pairs are sorted
    reverse = relations.v.astype(np.int64) * n + relations.u
    at = np.minimum(np.searchsorted(code, reverse), max(0, len(code) - 1))
    total = relations.sentences.copy()
    has_reverse = code[at] == reverse if len(code) else np.zeros(0, dtype=np.bool_)
    total[has_reverse] += relations.sentences[at[has_reverse]]
    return total


def merge_orders(
    model: Model, rows: NDArray[np.int64], cosines: NDArray[np.float32], n: int
) -> tuple[RelatedPair, ...]:
    """Up to `n` pairs from rows by falling |cosine|, each once, turned round where its cosine is negative.

    The two orders of a pair have the same |cosine|, so that twice as many rows as pairs are enough.
    """
    relations = model.require_relations()
    found: dict[tuple[int, int], RelatedPair] = {}
    for row, score in zip(rows.tolist(), cosines.tolist(), strict=True):
        u, v = int(relations.u[row]), int(relations.v[row])
        if score < 0:
            u, v, score = v, u, -score
        if (u, v) not in found:
            found[u, v] = _related(model, u, v, score)
        if len(found) == n:
            break
    return tuple(found.values())


def _allowed_words(
    model: Model, asked: Sequence[tuple[int, int]], fixed: int, filters: SearchFilters
) -> NDArray[np.bool_]:
    allowed = ~model.vocabulary.is_punctuation
    allowed[: filters.min_rank - 1] = False
    if filters.max_rank:
        allowed[filters.max_rank :] = False
    if filters.pattern is not None or filters.min_sentences:
        relations = model.require_relations()
        mined = allowed_pairs(model, (), replace(filters, stop_words=True))
        partners = np.zeros(len(allowed), dtype=np.bool_)
        partners[relations.v[mined & (relations.u == fixed)]] = True
        partners[relations.u[mined & (relations.v == fixed)]] = True
        allowed &= partners
    allowed[fixed] = False
    for first, second in asked:
        if filters.distinct:
            allowed[[first, second]] = False
        elif fixed in (first, second):
            allowed[second if fixed == first else first] = False
    return np.asarray(allowed)


def _related(model: Model, u: int, v: int, score: float) -> RelatedPair:
    sentences = [0, 0]
    if model.relations is not None:
        for place, pair in enumerate((model.relations.pair_id(u, v), model.relations.pair_id(v, u))):
            sentences[place] = int(model.relations.sentences[pair]) if pair is not None else 0
    words = model.vocabulary.words
    return RelatedPair(words[u], words[v], score, *sentences)
