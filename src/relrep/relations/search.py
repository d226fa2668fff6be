"""Relational search: which pairs are related as the query's are? All bound pairs, ranked by vectors and text together.

    score = (1 − α) PairDiff + α s PairPattern + β (cos(u, u') + cos(v, v'))     of every bound pair, either way round

PairDiff (Eq. 17) is cos(u − v, q) with the query's mean difference q, PairPattern the cosine of whitened profiles, and
s in [0, 1] how much the text says of both; the last term prefers words of the query's kinds. A word of a free slot is
sought in the whole vocabulary by 3CosAvg and, given several pairs, the class of their answers (as in LRCos).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from relrep.core.arrays import Doubles, Flags, Floats, Longs
from relrep.core.linalg import row_products, top_rows, unit_rows
from relrep.errors import RelrepError
from relrep.evidence.evidence import SHRINKAGE, Evidence, NeighbourBackoff
from relrep.model.model import Model
from relrep.relations.patterns import matching_patterns

Slot = Literal["first", "second"]
ALPHA, BETA = 0.45, 0.1
"""The weights of the text beside the vectors, and of the kinds of the words (benchmarks/relation_search.py)."""
CLASS_WEIGHT = 0.5
"""With several pairs: how much the likeness to their answers counts beside the analogy (as in LRCos)."""
_ROWS_AT_ONCE = 1 << 15
_MOST_OF_A_WORD = 2
"""No word stands in more of the pairs that are found."""


@dataclass(frozen=True)
class RelatedPair:
    """A pair that was found: its score, what vectors and text alone say (None: the text says nothing), its meetings."""

    first: str
    second: str
    score: float
    cosine: float
    evidence: float | None
    meetings: int


@dataclass(frozen=True)
class SearchFilters:
    """Which pairs may be found.

    `pattern`: only pairs that this pattern joins. `min_meetings`: only pairs that meet in so many sentences.
    `max_rank`, `min_rank`: only words from this part of the vocabulary, by frequency from 1 (max_rank 0: to its end).
    `distinct`: no pair that shares a word with the query.
    """

    pattern: str | None = None
    min_meetings: int = 0
    min_rank: int = 1
    max_rank: int = 0
    distinct: bool = False

    def __post_init__(self) -> None:
        if self.min_meetings < 0:
            raise RelrepError(f"min_meetings is {self.min_meetings}; give 0 or more")
        if self.min_rank < 1:
            raise RelrepError(f"min_rank is {self.min_rank}; ranks start at 1")
        if self.max_rank and self.max_rank < self.min_rank:
            raise RelrepError(f"max_rank {self.max_rank} lies below min_rank {self.min_rank}; no word is left")


NO_FILTERS = SearchFilters()


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Rows of the relation table by falling score, the orientation that is alike, and what the score is made of."""

    rows: Longs
    turned: Flags
    scores: Doubles
    cosines: Doubles
    evidence: Doubles

    def first(self, n: int) -> "RankedPairs":
        """The `n` best of them."""
        return RankedPairs(*(getattr(self, each.name)[:n] for each in fields(self)))


class RelationSearch:
    """A model opened for questions about relations: what they share is computed once and kept.

    `alpha` and `beta` are the weights of the text and of the kinds of the words.
    """

    def __init__(self, model: Model, threads: int = 1, alpha: float = ALPHA, beta: float = BETA) -> None:
        self.model, self.threads, self.alpha, self.beta = model, threads, alpha, beta
        self.table = model.require_relations()

    @cached_property
    def unit(self) -> Floats:
        return self.model.vectors.normalised

    @cached_property
    def evidence(self) -> Evidence | None:
        """What the text says of pairs that are not in the table; None where the model has no index."""
        return None if self.model.index is None else Evidence.of(self.model, self.threads)

    @cached_property
    def _unit_in_pairs(self) -> Floats:
        """The vectors of the words down to the rarest of a bound pair."""
        return self.unit[: int(self.table.bound.second.max(initial=-1)) + 1]

    @cached_property
    def _lengths(self) -> Floats:
        """|u − v| of all pairs."""
        bound, lengths = self.table.bound, np.empty(self.table.n_pairs, dtype=np.float32)
        for low in range(0, len(lengths), _ROWS_AT_ONCE):
            some = slice(low, low + _ROWS_AT_ONCE)
            lengths[some] = np.linalg.norm(self.unit[bound.first[some]] - self.unit[bound.second[some]], axis=1)
        return lengths

    @cached_property
    def _confidence(self) -> Floats:
        """How far the text is believed of each pair: √(n / (n + SHRINKAGE)), n all counts of its patterns."""
        totals = self.table.pair_totals
        return np.asarray(np.sqrt(totals / (totals + SHRINKAGE)), dtype=np.float32)

    def difference(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """The mean of u − v over pairs of word ids."""
        return np.asarray(np.mean([self.unit[u] - self.unit[v] for u, v in pairs], axis=0), dtype=np.float32)

    def query_profile(self, pairs: Sequence[tuple[int, int]]) -> tuple[Floats, float]:
        """The mean whitened profile of pairs of word ids, at unit length, and the confidence in it.

        A pair that is not in the table is read from the text, and backs off to near words where it hardly meets.
        """
        profiles, confidence = zip(*(self._profile_of(u, v) for u, v in pairs), strict=True)
        total = np.asarray(confidence, dtype=np.float32) @ np.stack(profiles)
        length = float(np.linalg.norm(total))
        return total / np.float32(length if length > 0 else 1), float(np.mean(confidence)) if length > 0 else 0.0

    def _profile_of(self, u: int, v: int) -> tuple[Floats, float]:
        table = self.table
        row = table.row(u, v)
        if row is not None:
            return table.profiles.row(row, turned=u > v), float(self._confidence[row])
        if self.evidence is None:
            return np.zeros(table.profiles.values.shape[1], dtype=np.float32), 0.0
        counts = NeighbourBackoff(self.model.vectors.vectors).counts(self.evidence, np.array([[u, v]], dtype=np.int64))
        folded, total = table.space.fold(counts), float(np.sum(counts.counts))
        profile = table.whitening(np.hstack([folded.even, folded.odd]))[0]
        return profile, float(np.sqrt(total / (total + SHRINKAGE)))

    def scores(self, pairs: Sequence[tuple[int, int]]) -> tuple[NDArray[np.floating], ...]:
        """(score, score turned round, cosine, even and odd part of PairPattern) of all bound pairs."""
        first, second = self.table.bound.first, self.table.bound.second
        query, (profile, belief) = self.difference(pairs), self.query_profile(pairs)
        ids = np.array(pairs)
        centres = unit_rows(np.stack([self.unit[ids[:, 0]].mean(axis=0), self.unit[ids[:, 1]].mean(axis=0)]))
        length = max(float(np.linalg.norm(query)), 1e-12)
        queries = np.stack([query / length, *centres])
        along, like_first, like_second = row_products(self._unit_in_pairs, queries, self.threads)
        cosines = (along[first] - along[second]) / np.maximum(self._lengths, 1e-12)  # Eq. 17
        even, odd = self.table.profiles.products(profile, self.threads)
        text_weight = np.float32(self.alpha * belief) * self._confidence
        straight = (1 - self.alpha) * cosines + text_weight * (even + odd)
        straight += self.beta * (like_first[first] + like_second[second])
        turned = -(1 - self.alpha) * cosines + text_weight * (even - odd)
        turned += self.beta * (like_second[first] + like_first[second])
        return straight, turned, cosines, even, odd

    def rank(self, pairs: Sequence[tuple[int, int]], n: int, filters: SearchFilters = NO_FILTERS) -> RankedPairs:
        """The `n` bound pairs most alike in relation to pairs of word ids; no word in more than two of them."""
        straight, turned, cosines, even, odd = self.scores(pairs)
        is_turned = turned > straight
        scores = np.where(is_turned, turned, straight).astype(np.float64)
        scores[~self._allowed(pairs, filters)] = -np.inf
        rows = self._diverse(top_rows(scores, 8 * n + 64), n)
        sign = np.where(is_turned[rows], -1.0, 1.0)
        return RankedPairs(rows, is_turned[rows], scores[rows], sign * cosines[rows], even[rows] + sign * odd[rows])

    def _diverse(self, rows: Longs, n: int) -> Longs:
        used: dict[int, int] = {}
        kept: list[int] = []
        for row in rows.tolist():
            words = (int(self.table.bound.first[row]), int(self.table.bound.second[row]))
            if len(kept) < n and all(used.get(word, 0) < _MOST_OF_A_WORD for word in words):
                kept.append(row)
                for word in words:
                    used[word] = used.get(word, 0) + 1
        return np.array(kept, dtype=np.int64)

    def _allowed(self, pairs: Sequence[tuple[int, int]], filters: SearchFilters) -> Flags:
        """True for the pairs that the filters let through; never for the query's own."""
        bound = self.table.bound
        allowed = np.ones(len(bound), dtype=np.bool_)
        if filters.min_rank > 1 or filters.max_rank:
            low, high = filters.min_rank - 1, filters.max_rank or len(self.model.vocabulary)
            allowed &= (bound.first >= low) & (bound.second < high)  # first is the more frequent
        if filters.min_meetings:
            allowed &= bound.meetings >= filters.min_meetings
        if filters.distinct:
            used = np.zeros(len(self.model.vocabulary), dtype=np.bool_)
            used[[word for pair in pairs for word in pair]] = True
            allowed &= ~(used[bound.first] | used[bound.second])
        if filters.pattern is not None:
            ends, rows, _ = self.table.by_key
            joined = np.zeros(len(bound), dtype=np.bool_)
            for pattern in matching_patterns(self.table, filters.pattern):
                joined[rows[ends[2 * pattern] : ends[2 * pattern + 2]]] = True
            allowed &= joined
        for pair in pairs:
            row = self.table.row(*pair)
            if row is not None:
                allowed[row] = False
        return allowed

    def search(
        self, pairs: Sequence[tuple[str, str]], n: int = 20, filters: SearchFilters = NO_FILTERS
    ) -> tuple[RelatedPair, ...]:
        """The `n` bound pairs most alike in relation to pairs of words; ties by row."""
        return self.named(self.rank(ids_of(self.model, pairs), n, filters))

    def named(self, ranked: RankedPairs) -> tuple[RelatedPair, ...]:
        """Ranked rows as words."""
        bound, words = self.table.bound, self.model.vocabulary.words
        answers = []
        for at, row in enumerate(ranked.rows.tolist()):
            pair = (words[bound.first[row]], words[bound.second[row]])
            first, second = pair[::-1] if ranked.turned[at] else pair
            evidence = float(ranked.evidence[at]) if self._confidence[row] > 0 else None
            score, cosine = float(ranked.scores[at]), float(ranked.cosines[at])
            answers.append(RelatedPair(first, second, score, cosine, evidence, int(bound.meetings[row])))
        return tuple(answers)

    def complete(
        self, pairs: Sequence[tuple[str, str]], fixed: str, slot: Slot, n: int = 20, filters: SearchFilters = NO_FILTERS
    ) -> tuple[RelatedPair, ...]:
        """The words that best fill the pair's other slot; `slot` tells where `fixed` stands.

        3CosAvg: for a : b pairs and c fixed as first, d is ranked by cos(d, c + mean(b − a)); with several pairs the
        likeness of d to the b counts as well.
        """
        asked, here = ids_of(self.model, pairs), self.model.vectors.row_of(fixed)
        known, sought = (0, 1) if slot == "first" else (1, 0)
        ids = np.array(asked)
        target = self.unit[here] + self.unit[ids[:, sought]].mean(axis=0) - self.unit[ids[:, known]].mean(axis=0)
        scores = (self.unit @ (target / max(float(np.linalg.norm(target)), 1e-12))).astype(np.float64)
        cosines = scores.copy()
        if len(asked) > 1:
            centre = self.unit[ids[:, sought]].mean(axis=0)
            likeness = self.unit @ (centre / max(float(np.linalg.norm(centre)), 1e-12))
            scores = (1 - CLASS_WEIGHT) * scores + CLASS_WEIGHT * likeness
        allowed = ~self.model.vocabulary.is_punctuation & ~self.model.is_stop_word
        allowed[: filters.min_rank - 1] = False
        allowed[filters.max_rank or len(allowed) :] = False
        allowed[[here, *ids.ravel().tolist()]] = False
        if filters.pattern is not None or filters.min_meetings:
            bound, pairs_allowed = self.table.bound, self._allowed([], filters)
            partners = np.zeros(len(allowed), dtype=np.bool_)
            partners[bound.second[pairs_allowed & (bound.first == here)]] = True
            partners[bound.first[pairs_allowed & (bound.second == here)]] = True
            allowed &= partners
        scores[~allowed] = -np.inf
        words, answers = self.model.vocabulary.words, []
        for word in top_rows(scores, n).tolist():
            row = self.table.row(here, word)
            meetings = 0 if row is None else int(self.table.bound.meetings[row])
            first, second = (words[here], words[word]) if slot == "first" else (words[word], words[here])
            answers.append(RelatedPair(first, second, float(scores[word]), float(cosines[word]), None, meetings))
        return tuple(answers)


def ids_of(model: Model, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """The query's word ids; a RelrepError for an unknown word or a word paired with itself."""
    if not pairs:
        raise RelrepError("the query holds no pair; give two words")
    asked = [(model.vectors.row_of(u), model.vectors.row_of(v)) for u, v in pairs]
    for (u, v), (first, _) in zip(asked, pairs, strict=True):
        if u == v:
            raise RelrepError(f"the pair {first} {first} is one word twice; give two different words")
    return asked
