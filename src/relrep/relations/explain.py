"""How are two words related? Explanation by relational duality: a relation is known by its pairs or by its patterns.

The pairs most alike tell which patterns matter: those that join them much more often than pairs at large.

    support(p) = share of the neighbours that p joins
    lift(p) = log(support(p) / share of all bound pairs that p joins)
    score(p) = support · max(0, lift) · (1 + log(1 + g(p, u, v)))
"""

import math
from dataclasses import dataclass

import numpy as np

from relrep.evidence.occurrences import Example, Occurrences, choose_examples, find_occurrences
from relrep.model.relations import MIDFIX, RelationTable
from relrep.relations.search import RankedPairs, RelatedPair, RelationSearch, SearchFilters, ids_of

NEIGHBOURS = 60
"""So many pairs most alike are asked which patterns join them."""
LEAST_SUPPORT = 0.05
"""A pattern must join so large a share of them to be told without having been seen between the two words."""
_MOST_READ = 20_000
"""Of a pair that meets more often, so many meetings, evenly spread, are read for examples."""


@dataclass(frozen=True)
class PatternEvidence:
    """One pattern: how often it stands between the two words, and which share of the pairs most alike it joins.

    `inferred`: it was never seen between these two words.
    """

    label: str
    text: str
    is_whole: bool
    is_reversed: bool
    count: int
    support: float
    score: float

    @property
    def inferred(self) -> bool:
        """Whether only the neighbours have it."""
        return self.count == 0


@dataclass(frozen=True)
class Explanation:
    """All that the model says about how `first` and `second` are related.

    `meetings` and `meetings_reversed` tell in how many places first stands before second, and after it (0 without
    `has_text`, the corpus index). `patterns` are the telling ones, both directions in one list; `alike` are the pairs
    that are related alike.
    """

    first: str
    second: str
    has_text: bool
    is_bound: bool
    meetings: int
    meetings_reversed: int
    patterns: tuple[PatternEvidence, ...]
    alike: tuple[RelatedPair, ...]
    examples: tuple[Example, ...]

    @property
    def summary(self) -> str:
        """One line: the two words, and the patterns that say most."""
        if not self.patterns:
            return f"{self.first} … {self.second}: nothing to say"
        return f"{self.first} … {self.second}: " + ", ".join(each.label for each in self.patterns[:3])


def explain(
    search: RelationSearch, first: str, second: str, n: int = 10, n_examples: int = 5, distinct: bool = True
) -> Explanation:
    """Explains the relation of any two words of the vocabulary, also of words that never meet.

    `distinct` leaves out alike pairs that share a word with this one.
    """
    model, table = search.model, search.table
    (pair,) = ids_of(model, [(first, second)])
    ranked = search.rank([pair], NEIGHBOURS, SearchFilters(distinct=distinct))
    patterns = _ranked_patterns(table, ranked, own_counts(search, *pair), n)
    meetings = [0, 0]
    examples: tuple[Example, ...] = ()
    if model.index is not None:
        occurrences = find_occurrences(model.index, *pair, model.max_gap)
        forward = int(np.count_nonzero(occurrences.is_forward))
        meetings = [forward, len(occurrences) - forward]
        examples = _examples(search, occurrences, patterns, n_examples)
    return Explanation(
        first=first,
        second=second,
        has_text=model.index is not None,
        is_bound=table.row(*pair) is not None,
        meetings=meetings[0],
        meetings_reversed=meetings[1],
        patterns=patterns,
        alike=search.named(ranked)[:n],
        examples=examples,
    )


def own_counts(search: RelationSearch, u: int, v: int) -> dict[int, int]:
    """g(p, u, v) by key (2 · pattern + 1 where v stands first): of the table, or read from the text."""
    row = search.table.row(u, v)
    if row is not None:
        keys, counts = search.table.entries(row)
        return dict(zip((keys ^ int(u > v)).tolist(), counts.tolist(), strict=True))
    if search.evidence is None:
        return {}
    counts_of = search.evidence.counts(np.array([[u, v]], dtype=np.int64))
    return dict(zip(counts_of.keys.tolist(), np.asarray(counts_of.counts, dtype=np.int64).tolist(), strict=True))


def _ranked_patterns(
    table: RelationTable, ranked: RankedPairs, own: dict[int, int], n: int
) -> tuple[PatternEvidence, ...]:
    """The `n` patterns with the highest scores, without near repetitions."""
    joined: dict[int, int] = {}
    for row, turned in zip(ranked.rows.tolist(), ranked.turned.tolist(), strict=True):
        for key in (table.entries(row)[0] ^ int(turned)).tolist():
            joined[key] = joined.get(key, 0) + 1
    scored = []
    for key, n_joined in joined.items():
        support = n_joined / max(1, len(ranked.rows))
        if key not in own and support < LEAST_SUPPORT:
            continue
        usual = table.pairs_per_pattern[key >> 1] / (2 * table.n_pairs)  # of all oriented pairs
        lift = math.log(support / usual) if usual > 0 else 0.0
        score = support * max(0.0, lift) * (1 + math.log1p(own.get(key, 0)))
        if score > 0:
            scored.append((-score, key, support))
    told: list[PatternEvidence] = []
    for negative, key, support in sorted(scored):
        text, is_whole = table.texts[key >> 1], bool(table.patterns.kinds[key >> 1] == MIDFIX)
        if len(told) < n and not any(_repeats(text, key & 1, other) for other in told):
            label = table.label(key)
            told.append(PatternEvidence(label, text, is_whole, bool(key & 1), own.get(key, 0), support, -negative))
    return tuple(told)


def _repeats(text: str, is_reversed: int, other: PatternEvidence) -> bool:
    """Whether a pattern says what another of the same direction says: one holds the other."""
    if bool(is_reversed) != other.is_reversed:
        return False
    return f" {text} " in f" {other.text} " or f" {other.text} " in f" {text} "


def _examples(
    search: RelationSearch, occurrences: Occurrences, patterns: tuple[PatternEvidence, ...], n: int
) -> tuple[Example, ...]:
    """Sentences that show the telling whole patterns first."""
    index, words = search.model.require_index(), search.model.vocabulary.words
    if len(occurrences) > _MOST_READ:
        kept = np.linspace(0, len(occurrences) - 1, _MOST_READ).astype(np.int64)
        occurrences = Occurrences(occurrences.first[kept], occurrences.second[kept])
    ids = search.model.vocabulary.id_of
    wanted = [
        (tuple(ids[word] for word in each.text.split(" ")), not each.is_reversed)
        for each in patterns
        if each.is_whole and not each.inferred
    ]
    return tuple(choose_examples(index, words, occurrences, n, wanted))
