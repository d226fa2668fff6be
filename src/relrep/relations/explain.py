"""Explanation by relational duality: the pairs most alike tell which patterns matter.

    support(p) = share of the neighbours that p joins
    lift(p) = log(support(p) / share of all bound pairs that p joins)
    score(p) = support · max(0, lift)² · (1 + log(1 + g(p, u, v)))

A pattern counts from LEAST_LIFT on. Of a part and a longer pattern that holds it ("at", "at the"), the longer one is
told where it says nearly as much; the rest of such repetitions is left out.
"""

import math
from dataclasses import dataclass

import numpy as np

from relrep.analogy.measures import PairBoth, VectorMeasure
from relrep.analogy.terms import TermTable
from relrep.evidence.evidence import Evidence
from relrep.evidence.measures import PairMix, evidence_of_pairs
from relrep.evidence.occurrences import Example, Occurrences, Readable, choose_examples, find_occurrences
from relrep.evidence.rerank import SharedPattern, shared_patterns
from relrep.model.model import Model
from relrep.model.relations import MIDFIX, RelationTable
from relrep.relations.search import RankedPairs, RelatedPair, RelationSearch, SearchFilters, ids_of

NEIGHBOURS = 60
"""So many pairs most alike, or a quarter of a small table, are asked which patterns join them."""
LEAST_SUPPORT, LEAST_LIFT = 0.1, math.log(2)
"""A pattern never seen between the two words must join so many of the neighbours; any must join them twice as often as
pairs at large."""
NEARLY, OWN_SHARE = 0.4, 0.25
"""A longer pattern stands for its part with so much of the part's score and own count."""
COHERENT, ENOUGH_MEETINGS = 0.55, 3
"""Two words that meet less often are explained only where the ten pairs most alike score so high on average."""
LEAST_FRAMED, FRAMED_SHARE = 3, 0.01
"""So many meetings, and such a share of them, must stand in a frame of contrast to be told."""
_FRAMES = (("both", "and"), ("either", "or"), ("neither", "nor"), ("whether", "or"), ("", "nor"), ("", "versus"))
_WEAK_FRAMES = (("from", "to"), ("between", "and"))
"""English frames of opposites and alternatives (what stands before the first word, and between the two); the weak ones
are of places and times as well."""
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
    that are related alike; `contrasts` are frames that hold the two against each other ("both X and Y"), with counts.
    """

    first: str
    second: str
    has_text: bool
    is_bound: bool
    meetings: int
    meetings_reversed: int
    patterns: tuple[PatternEvidence, ...]
    contrasts: tuple[tuple[str, int], ...]
    alike: tuple[RelatedPair, ...]
    examples: tuple[Example, ...]

    @property
    def summary(self) -> str:
        """One line: the two words, and the patterns that say most."""
        if not self.patterns and not self.contrasts:
            return f"{self.first} … {self.second}: nothing to say"
        told = [each.label for each in self.patterns[:3]]
        if self.contrasts:
            told.insert(0, "opposites or alternatives")
        return f"{self.first} … {self.second}: " + ", ".join(told)


def explain(
    search: RelationSearch,
    first: str,
    second: str,
    n: int = 10,
    n_examples: int = 5,
    distinct: bool = True,
    coherent: float = COHERENT,
) -> Explanation:
    """Explains the relation of any two words of the vocabulary, also of words that never meet.

    `distinct` leaves out alike pairs that share a word with this one.
    """
    model, table = search.model, search.table
    (pair,) = ids_of(model, [(first, second)])
    first, second = (model.vocabulary.words[word] for word in pair)  # as the model writes them
    n_neighbours = min(NEIGHBOURS, max(3, table.n_pairs // 4))
    ranked = search.rank([pair], max(n, n_neighbours), SearchFilters(distinct=distinct))
    own = own_counts(search, *pair)
    occurrences = None if model.index is None else find_occurrences(model.index, *pair, model.max_gap)
    forward = 0 if occurrences is None else int(np.count_nonzero(occurrences.is_forward))
    neighbours = ranked.first(n_neighbours)
    meets = table.row(*pair) is not None or (occurrences is not None and len(occurrences) >= ENOUGH_MEETINGS)
    meets &= not model.is_stop_word[list(pair)].all()  # grammar, not relations, joins "the" and "of"
    is_told = meets or float(np.mean(neighbours.first(10).scores)) >= coherent
    patterns = _ranked_patterns(table, neighbours, own, n, {first, second}) if is_told else ()
    return Explanation(
        first=first,
        second=second,
        has_text=model.index is not None,
        is_bound=table.row(*pair) is not None,
        meetings=forward,
        meetings_reversed=0 if occurrences is None else len(occurrences) - forward,
        patterns=patterns,
        contrasts=() if occurrences is None else contrasts(model, occurrences),
        alike=search.named(ranked)[:n] if is_told else (),
        examples=() if occurrences is None else _examples(search, occurrences, patterns, n_examples),
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
    table: RelationTable, ranked: RankedPairs, own: dict[int, int], n: int, asked: set[str]
) -> tuple[PatternEvidence, ...]:
    """The `n` patterns with the highest scores, without near repetitions and without the words asked for."""
    entries = [table.entries(row)[0] ^ turned for row, turned in zip(ranked.rows.tolist(), ranked.turned, strict=True)]
    keys, n_joined = np.unique(np.concatenate([*entries, np.zeros(0, dtype=np.int64)]), return_counts=True)
    support, count = n_joined / max(1, len(entries)), np.array([own.get(key, 0) for key in keys.tolist()])
    usual = np.maximum(1, table.pairs_per_pattern[keys >> 1]) / (2 * table.n_pairs)  # of all oriented pairs
    lift = np.log(support / usual)
    score = support * lift**2 * (1 + np.log1p(count))
    is_told = (lift >= LEAST_LIFT) & ((count > 0) | (support >= LEAST_SUPPORT))
    by_score: list[PatternEvidence] = []
    for at in np.flatnonzero(is_told)[np.argsort(-score[is_told], kind="stable")].tolist():
        key, text = int(keys[at]), table.texts[keys[at] >> 1]
        if not asked & set(text.split(" ")):
            facts = int(count[at]), float(support[at]), float(score[at])
            is_whole = bool(table.patterns.kinds[key >> 1] == MIDFIX)
            by_score.append(PatternEvidence(table.label(key), text, is_whole, bool(key & 1), *facts))
    told: list[PatternEvidence] = []
    while by_score and len(told) < n:
        told.append(_longer(by_score[0], by_score))
        by_score = [each for each in by_score if not _holds(each, told[-1]) and not _holds(told[-1], each)]
    return tuple(told)


def _holds(longer: PatternEvidence, part: PatternEvidence) -> bool:
    """Whether one pattern of the same direction holds the other's words."""
    return longer.is_reversed == part.is_reversed and f" {part.text} " in f" {longer.text} "


def _longer(pattern: PatternEvidence, by_score: list[PatternEvidence]) -> PatternEvidence:
    """The longer pattern that stands for a part: a whole midfix rather than a part, the highest score first."""
    stands_for = [
        other
        for other in by_score
        if other is not pattern and _holds(other, pattern)
        and other.score >= NEARLY * pattern.score and other.count >= OWN_SHARE * pattern.count
    ]  # fmt: skip
    return next((other for other in stands_for if other.is_whole), next(iter(stands_for), pattern))


def contrasts(model: Model, occurrences: Occurrences) -> tuple[tuple[str, int], ...]:
    """Frames that hold the two words against each other, the most frequent first; none where there are too few."""
    index = model.require_index()
    ids = {word: model.vocabulary.place(word) for frame in (*_FRAMES, *_WEAK_FRAMES) for word in frame if word}
    before = np.minimum(occurrences.first, occurrences.second) - 1
    gap = np.abs(occurrences.first - occurrences.second) - 1
    tokens = index.tokens
    between = np.where(gap == 1, tokens[np.minimum(before + 2, len(tokens) - 1)], -1)
    preceding = np.where(before >= 0, tokens[before], -1)

    def count(opening: str, middle: str) -> int:
        if ids[middle] is None or (opening and ids[opening] is None):
            return 0
        framed = between == ids[middle]
        return int(np.count_nonzero(framed & (preceding == ids[opening]) if opening else framed))

    strong = {f"{opening} X {middle} Y".strip(): count(opening, middle) for opening, middle in _FRAMES}
    if sum(strong.values()) < max(LEAST_FRAMED, FRAMED_SHARE * len(occurrences)):
        return ()
    weak = {f"{opening} X {middle} Y": count(opening, middle) for opening, middle in _WEAK_FRAMES}
    return tuple(
        sorted(((frame, n) for frame, n in (strong | weak).items() if n), key=lambda each: (-each[1], each[0]))
    )


def _examples(
    search: RelationSearch, occurrences: Occurrences, patterns: tuple[PatternEvidence, ...], n: int
) -> tuple[Example, ...]:
    """Sentences that show the telling whole patterns first."""
    model = search.model
    read = Readable(model.require_index(), model.vocabulary.words, model.text)
    if len(occurrences) > _MOST_READ:
        kept = np.linspace(0, len(occurrences) - 1, _MOST_READ).astype(np.int64)
        occurrences = Occurrences(occurrences.first[kept], occurrences.second[kept])
    table = search.table
    wanted = [
        (table.patterns.tokens(table.ids_by_text[each.text][0]), not each.is_reversed, each.is_whole)
        for each in patterns
        if not each.inferred
    ]
    return tuple(choose_examples(read, occurrences, n, wanted))


@dataclass(frozen=True)
class PairSimilarity:
    """Two pairs under the measures for given pairs; PairPattern is None where the text says nothing of one of them."""

    first: tuple[str, str]
    second: tuple[str, str]
    pairdiff: float
    pairboth: float
    pairpattern: float | None
    pairmix: float
    shared: tuple[SharedPattern, ...]


def compare_pairs(model: Model, first: tuple[str, str], second: tuple[str, str], threads: int = 1) -> PairSimilarity:
    """How alike the relations of two given pairs are: by the vectors, by the text, and by both."""
    one, other = ids_of(model, [first, second])
    plain = Evidence.of(model, threads)
    of_pairs = evidence_of_pairs(model.vectors, plain)
    terms, quadruple = TermTable(model.vectors), np.array([[*one, *other]])
    pattern, confidence = of_pairs.similarity(quadruple[:, :2], quadruple[:, 2:])
    words = model.vocabulary.words
    return PairSimilarity(
        (words[one[0]], words[one[1]]),
        (words[other[0]], words[other[1]]),
        float(VectorMeasure("pairdiff").score(terms, quadruple)[0]),
        float(PairBoth().score(terms, quadruple)[0]),
        float(pattern[0]) if confidence[0] else None,
        float(PairMix(of_pairs).score(terms, quadruple)[0]),
        shared_patterns(model, plain, one, [other])[0],
    )
