"""What the corpus says about one pair: its patterns with weight and count, in both directions, and examples."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

import numpy as np

from relrep.corpus.encoded import UNKNOWN
from relrep.kernels import association
from relrep.model import Model
from relrep.relations.index import CorpusIndex
from relrep.relations.occurrences import (
    Example,
    Occurrences,
    choose_examples,
    find_occurrences,
    midfixes,
    pattern_counts,
    text_of,
)
from relrep.relations.store import Relations, pattern_label

MOST_READ = 20_000
"""Of a pair that meets more often, this many meetings, evenly spread, are read for patterns."""
DEFAULT_MAX_GAP = 5

_Pattern = tuple[str, tuple[int, ...]]
_Weights = dict[_Pattern, float]


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


def max_gap_of(model: Model) -> int:
    """The gap the model was mined with."""
    gap = _setting(model, "max_gap")
    return gap if isinstance(gap, int) else DEFAULT_MAX_GAP


def _setting(model: Model, name: str) -> object:
    """A setting of the model by name, whether settings stand in a row or stage by stage; None if it is not there."""
    settings = model.config.get("settings")
    if not isinstance(settings, dict):
        return None
    stages = [stage for stage in settings.values() if isinstance(stage, dict)]
    return next((place[name] for place in (settings, *stages) if name in place), None)


def _measure(model: Model) -> int:
    """The association measure of the model, as its kernel knows it; PPMI where nothing is said."""
    measures = {"ppmi": association.PPMI, "llr": association.LLR, "lmi": association.LMI}
    named = _setting(model, "measure") or _setting(model, "association")
    return measures.get(named, association.PPMI) if isinstance(named, str) else association.PPMI


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
    counts = [pattern_counts(midfixes(index, _thinned(half), max_gap)) for half in halves]
    row = _Row(model, pair, words, counts)
    evidence = []
    wanted = []
    for side, half in enumerate(halves):
        phrases, parts = _ranked(counts[side], row.weights[side])
        evidence.append(
            Evidence(
                meetings=len(half),
                adjacent=int(np.count_nonzero(np.abs(half.first - half.second) == 1)),
                read=min(len(half), MOST_READ),
                phrases=_told(phrases, counts[side], row.weights[side], words, side == 1, n),
                patterns=_told(parts, counts[side], row.weights[side], words, side == 1, n),
            )
        )
        wanted.append([(tokens, side == 0) for _, tokens in phrases[:n_examples]])
    in_turn = [w for both in zip_longest(*wanted) for w in both if w is not None]
    examples = choose_examples(index, words, occurrences, n_examples, in_turn)
    return PairEvidence(evidence[0], evidence[1], tuple(examples), row.entries, row.turned)


def _thinned(occurrences: Occurrences) -> Occurrences:
    """At most MOST_READ occurrences, evenly spread over the text."""
    if len(occurrences) <= MOST_READ:
        return occurrences
    kept = np.linspace(0, len(occurrences) - 1, MOST_READ).astype(np.int64)
    return Occurrences(occurrences.first[kept], occurrences.second[kept])


class _Row:
    """f(p,u,v) of one pair for the model's patterns, from its counts in both directions.

    Where the model has patterns marked as reversed, v … u supports (u, v) with these, as in mining. Where
    not, v … u speaks for the pair (v, u). A mined pair keeps the weights it was trained with.
    """

    def __init__(
        self,
        model: Model,
        pair: tuple[int, int],
        words: Sequence[str],
        counts: Sequence[Counter[_Pattern]],
    ) -> None:
        self.weights: list[_Weights] = [{}, {}]
        self.entries: tuple[tuple[int, float], ...] = ()
        self.turned = False
        relations = model.relations
        if relations is None:
            return
        measure = _measure(model)
        marked = bool(relations.reversed.any())
        ids = [_known(relations, counts[side], words, marked and side == 1) for side in (0, 1)]
        if marked:
            both = {**{p: counts[0][k] for k, p in ids[0].items()}, **{p: counts[1][k] for k, p in ids[1].items()}}
            rows = [_row_of_f(relations, pair, both, measure)] * 2
        else:
            orders = (pair, pair[::-1])
            rows = [
                _row_of_f(relations, orders[side], {p: counts[side][k] for k, p in ids[side].items()}, measure)
                for side in (0, 1)
            ]
        self.weights = [{k: rows[side].get(p, 0.0) for k, p in ids[side].items()} for side in (0, 1)]
        self.turned = not rows[0] and bool(rows[1])
        self.entries = tuple(sorted(rows[1 if self.turned else 0].items()))


def _known(
    relations: Relations, counts: Counter[_Pattern], words: Sequence[str], is_reversed: bool
) -> dict[_Pattern, int]:
    """The ids of those patterns that the model knows."""
    ids = {}
    for kind, tokens in counts:
        text = text_of(tokens, words)
        found = relations.ids_by_text.get(text, {}).get((kind, is_reversed)) if text is not None else None
        if found is not None:
            ids[kind, tokens] = found
    return ids


def _row_of_f(relations: Relations, pair: tuple[int, int], counts: dict[int, int], measure: int) -> dict[int, float]:
    """f > 0 by pattern id: stored for a mined pair, else from the pair's counts and the totals of mining."""
    mined = relations.pair_id(*pair)
    if mined is not None:
        at = slice(relations.indptr[mined], relations.indptr[mined + 1])
        return dict(zip(relations.pattern[at].tolist(), relations.weight[at].tolist(), strict=True))
    patterns, values = np.array(list(counts), dtype=np.int32), np.array(list(counts.values()), dtype=np.int32)
    totals = np.maximum(1, relations.occurrences).astype(np.float64)
    ends = np.array([0, len(counts)])
    _, kept, weights, _ = association.weigh(ends, patterns, values, 0, 1, totals, float(totals.sum()), measure)
    return dict(zip(kept.tolist(), weights.tolist(), strict=True))


def _weight(pattern: _Pattern, weights: _Weights) -> float:
    """f, or for a whole midfix that the model does not know the mean over its unigrams and bigrams."""
    kind, tokens = pattern
    if pattern in weights or kind != "midfix":
        return weights.get(pattern, 0.0)
    parts: list[_Pattern] = [("unigram", (token,)) for token in tokens]
    parts += [("bigram", two) for two in pairwise(tokens)]
    return sum(weights.get(part, 0.0) for part in parts) / len(parts)


def _ranked(counts: Counter[_Pattern], weights: _Weights) -> tuple[list[_Pattern], list[_Pattern]]:
    """Whole midfixes and parts, the most telling first; ties by count, then by tokens."""

    def order(pattern: _Pattern) -> tuple[float, int, _Pattern]:
        count = counts[pattern]
        return (-_weight(pattern, weights) * math.log1p(count), -count, pattern)

    ranked = sorted((pattern for pattern in counts if UNKNOWN not in pattern[1]), key=order)
    phrases = [pattern for pattern in ranked if pattern[0] == "midfix"]
    parts = [pattern for pattern in ranked if pattern[0] != "midfix"]
    telling = [pattern for pattern in parts if weights.get(pattern)]
    return phrases, telling or parts


def _told(
    ranked: Sequence[_Pattern],
    counts: Counter[_Pattern],
    weights: _Weights,
    words: Sequence[str],
    is_reversed: bool,
    n: int,
) -> tuple[PatternEvidence, ...]:
    told = []
    for kind, tokens in ranked[:n]:
        text = " ".join(words[token] for token in tokens)
        weight = _weight((kind, tokens), weights)
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
