"""What the corpus says about one pair: its patterns with weight and count, in both directions, and examples."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from relrep.corpus.encoded import UNKNOWN
from relrep.model import Model
from relrep.relations.index import CorpusIndex
from relrep.relations.mined_with import max_gap_of
from relrep.relations.occurrences import (
    Example,
    Occurrences,
    choose_examples,
    find_occurrences,
    midfixes,
    pattern_counts,
    words_of,
)
from relrep.relations.pair_row import PairRow, Pattern, Weights, weight_of
from relrep.relations.store import Relations, pattern_label

MOST_READ = 20_000
"""Of a pair that meets more often, this many meetings, evenly spread, are read for patterns."""


@dataclass(frozen=True)
class PatternEvidence:
    """One pattern between the two words: in how many meetings (g), and how telling it is (f).

    The weight of a whole midfix that is not itself among the model's patterns is the mean of its parts' weights.
    """

    text: str
    kind: str
    label: str
    count: int
    weight: float


@dataclass(frozen=True)
class Evidence:
    """One direction: how often the words meet (side by side, too), whole midfixes, and their parts.

    `phrases` ("X is a large Y") and `patterns` ("X … large … Y"): the most telling first, that is, by
    weight · log(1 + count). Their counts are those in the `read` meetings.
    """

    meetings: int = 0
    adjacent: int = 0
    read: int = 0
    phrases: tuple[PatternEvidence, ...] = ()
    patterns: tuple[PatternEvidence, ...] = ()


@dataclass(frozen=True)
class PairEvidence:
    """Both directions, example sentences, and the pair's row of f: (pattern id, weight).

    `turned`: the row is that of (v, u), since nothing was found between u and v in this order.
    """

    forward: Evidence
    backward: Evidence
    examples: tuple[Example, ...]
    weights: tuple[tuple[int, float], ...]
    turned: bool = False


def gather_evidence(model: Model, u: int, v: int, n: int, n_examples: int) -> PairEvidence:
    """The evidence for a pair of word ids: read from the corpus index, or else the stored rows of f."""
    if model.index is not None:
        return _from_index(model, model.index, (u, v), n, n_examples)
    if model.relations is not None:
        return _from_relations(model.relations, u, v, n)
    return PairEvidence(Evidence(), Evidence(), (), ())


def _from_index(model: Model, index: CorpusIndex, pair: tuple[int, int], n: int, n_examples: int) -> PairEvidence:
    max_gap, words = max_gap_of(model), model.vocabulary.words
    occurrences = find_occurrences(index, *pair, max_gap)
    halves = [occurrences.in_direction(True), occurrences.in_direction(False)]
    read = [_thinned(half) for half in halves]
    counts = [pattern_counts(midfixes(index, half, max_gap)) for half in read]
    row = PairRow(model, pair, words, counts)
    evidence = []
    wanted = []
    for side, half in enumerate(halves):
        phrases, parts = _ranked(counts[side], row.weights[side])
        evidence.append(
            Evidence(
                meetings=len(half),
                adjacent=int(np.count_nonzero(np.abs(half.first - half.second) == 1)),
                read=len(read[side]),
                phrases=_told(phrases, counts[side], row.weights[side], words, side == 1, n),
                patterns=_told(parts, counts[side], row.weights[side], words, side == 1, n),
            )
        )
        wanted.append([(tokens, side == 0) for _, tokens in phrases[:n_examples]])
    in_turn = [one for two in zip_longest(*wanted) for one in two if one is not None]
    both = Occurrences(*(np.concatenate([getattr(half, name) for half in read]) for name in ("first", "second")))
    examples = choose_examples(index, words, both, n_examples, in_turn)
    return PairEvidence(evidence[0], evidence[1], tuple(examples), row.entries, row.turned)


def _thinned(occurrences: Occurrences) -> Occurrences:
    """At most MOST_READ occurrences, evenly spread over the text."""
    if len(occurrences) <= MOST_READ:
        return occurrences
    kept = np.linspace(0, len(occurrences) - 1, MOST_READ).astype(np.int64)
    return Occurrences(occurrences.first[kept], occurrences.second[kept])


def _ranked(counts: Counter[Pattern], weights: Weights) -> tuple[list[Pattern], list[Pattern]]:
    """Whole midfixes and parts, the most telling first; ties by count, then by tokens."""

    def order(pattern: Pattern) -> tuple[float, int, Pattern]:
        count = counts[pattern]
        return (-weight_of(pattern, weights) * math.log1p(count), -count, pattern)

    ranked = sorted((pattern for pattern in counts if UNKNOWN not in pattern[1]), key=order)
    phrases = [pattern for pattern in ranked if pattern[0] == "midfix"]
    parts = [pattern for pattern in ranked if pattern[0] != "midfix"]
    telling = [pattern for pattern in parts if weights.get(pattern)]
    return phrases, telling or parts


def _told(
    ranked: Sequence[Pattern],
    counts: Counter[Pattern],
    weights: Weights,
    words: Sequence[str],
    is_reversed: bool,
    n: int,
) -> tuple[PatternEvidence, ...]:
    told = []
    for kind, tokens in ranked[:n]:
        text = " ".join(words_of(tokens, words))
        weight = weight_of((kind, tokens), weights)
        label = pattern_label(text, kind, is_reversed)
        told.append(PatternEvidence(text, kind, label, counts[kind, tokens], weight))
    return tuple(told)


def _from_relations(relations: Relations, u: int, v: int, n: int) -> PairEvidence:
    """What is stored of a mined pair: no examples, and only the model's patterns with f > 0."""
    marked = bool(relations.reversed.any())
    rows = [_stored(relations, relations.pair_id(*pair)) for pair in ((u, v), (v, u))]
    met = [_sentences(relations, relations.pair_id(*pair)) for pair in ((u, v), (v, u))]
    sides: list[list[tuple[int, float, int]]] = [
        [entry for entry in rows[0] if not relations.reversed[entry[0]]],
        [e for e in rows[0] if relations.reversed[e[0]]] if marked else rows[1],
    ]
    evidence = [
        Evidence(meetings=met[side], read=met[side], phrases=told[0], patterns=told[1])
        for side in (0, 1)
        for told in [_stored_evidence(relations, sides[side], side == 1, n)]
    ]
    turned = not rows[0] and bool(rows[1])
    entries = tuple((pattern, weight) for pattern, weight, _ in rows[1 if turned else 0])
    return PairEvidence(evidence[0], evidence[1], (), entries, turned)


def _stored(relations: Relations, pair: int | None) -> list[tuple[int, float, int]]:
    if pair is None:
        return []
    at = slice(relations.indptr[pair], relations.indptr[pair + 1])
    columns = relations.pattern[at].tolist(), relations.weight[at].tolist(), relations.count[at].tolist()
    return list(zip(*columns, strict=True))


def _sentences(relations: Relations, pair: int | None) -> int:
    return 0 if pair is None else int(relations.sentences[pair])


def _stored_evidence(
    relations: Relations, entries: Sequence[tuple[int, float, int]], is_reversed: bool, n: int
) -> tuple[tuple[PatternEvidence, ...], tuple[PatternEvidence, ...]]:
    ranked = sorted(entries, key=lambda entry: (-entry[1] * math.log1p(entry[2]), -entry[2], entry[0]))
    told = [
        PatternEvidence(
            text=relations.texts[pattern],
            kind=relations.kinds[pattern],
            label=pattern_label(relations.texts[pattern], relations.kinds[pattern], is_reversed),
            count=count,
            weight=weight,
        )
        for pattern, weight, count in ranked
    ]
    phrases = [pattern for pattern in told if pattern.kind == "midfix"]
    return tuple(phrases[:n]), tuple([pattern for pattern in told if pattern.kind != "midfix"][:n])
