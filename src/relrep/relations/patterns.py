"""Questions about a pattern: which pairs it joins, and which patterns join the same pairs."""

import difflib
from dataclasses import dataclass

import numpy as np

from relrep.core.arrays import Flags, Longs
from relrep.core.linalg import top_rows
from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.model.relations import MIDFIX, RelationTable, pattern_label


@dataclass(frozen=True)
class PatternFacts:
    """One pattern: its text, whether that is all that stands in between, its occurrences, and its pairs."""

    text: str
    is_whole: bool
    label: str
    occurrences: int
    pairs: int


@dataclass(frozen=True)
class PatternNeighbour:
    """A pattern and how similar it is in use (cosine); `label` tells its direction beside the one asked for."""

    pattern: PatternFacts
    label: str
    score: float


@dataclass(frozen=True)
class JoinedPair:
    """A pair that the pattern joins: how often (g), and how telling that is (PPMI)."""

    first: str
    second: str
    count: int
    weight: float


@dataclass(frozen=True)
class PatternAnswer:
    """A pattern, the patterns that join the same pairs, and the pairs it joins most tellingly.

    `others` are the same text's other readings: as a part of what stands in between, or as all of it.
    """

    pattern: PatternFacts
    neighbours: tuple[PatternNeighbour, ...]
    pairs: tuple[JoinedPair, ...]
    others: tuple[PatternFacts, ...]


def matching_patterns(table: RelationTable, text: str, is_whole: bool | None = None) -> list[int]:
    """The patterns written `text`, the most frequent first; a RelrepError where there is none."""
    wanted = " ".join(text.split())
    known = [
        pattern
        for pattern in table.written(wanted)
        if is_whole is None or (table.patterns.kinds[pattern] == MIDFIX) == is_whole
    ]
    if not known:
        alike = similar_texts(table, wanted.lower())
        hint = f"did you mean {' or '.join(repr(t) for t in alike)}?" if alike else "try a more frequent one"
        raise RelrepError(f"the pattern {wanted!r} is not among the model's patterns; {hint}")
    return sorted(known, key=lambda pattern: (-int(table.patterns.occurrences[pattern]), pattern))


def similar_texts(table: RelationTable, text: str, n: int = 3) -> list[str]:
    """Up to `n` patterns with words of `text` in them, the most alike first."""
    words = set(text.split())
    sharing = [known for known in table.ids_by_text if words & set(known.split())]
    close = difflib.get_close_matches(text, sharing[:2000], n, cutoff=0.5)
    return close or difflib.get_close_matches(text, list(table.ids_by_text)[:2000], n, cutoff=0.7)


def ask_pattern(
    model: Model, text: str, n: int = 10, is_whole: bool | None = None, is_reversed: bool = False
) -> PatternAnswer:
    """What the model knows of the pattern written `text`; of several readings the most frequent, unless one is named.

    With `is_reversed` Y stands before X.
    """
    table = model.require_relations()
    pattern, *others = matching_patterns(table, text, is_whole)
    rows, turned, counts = _joined(table, pattern)
    pairs = _telling_pairs(model, table, pattern, rows, turned != is_reversed, counts, n)
    return PatternAnswer(
        pattern=facts_of(table, pattern, is_reversed),
        neighbours=_neighbours(table, pattern, rows, turned, counts, n),
        pairs=pairs,
        others=tuple(facts_of(table, other, is_reversed) for other in others),
    )


def facts_of(table: RelationTable, pattern: int, is_reversed: bool = False) -> PatternFacts:
    """What is known of a pattern."""
    text, is_whole = table.texts[pattern], bool(table.patterns.kinds[pattern] == MIDFIX)
    return PatternFacts(
        text=text,
        is_whole=is_whole,
        label=pattern_label(text, is_whole, is_reversed),
        occurrences=int(table.patterns.occurrences[pattern]),
        pairs=int(table.pairs_per_pattern[pattern]),
    )


def _joined(table: RelationTable, pattern: int) -> tuple[Longs, Flags, Longs]:
    """The rows that a pattern joins, whether with their words turned round, and how often."""
    ends, rows, counts = table.by_key
    both = [slice(int(ends[key]), int(ends[key + 1])) for key in (2 * pattern, 2 * pattern + 1)]
    turned = np.repeat([False, True], [some.stop - some.start for some in both])
    joined, times = (np.concatenate([array[some] for some in both]).astype(np.int64) for array in (rows, counts))
    return joined, turned, times


def _telling_pairs(
    model: Model, table: RelationTable, pattern: int, rows: Longs, turned: Flags, counts: Longs, n: int
) -> tuple[JoinedPair, ...]:
    """The pairs by falling PPMI · log(1 + g): PPMI alone prefers what was seen hardly ever."""
    totals = table.space.totals
    sums = np.array([int(table.entries(row)[1].sum()) for row in rows.tolist()])
    ratio = counts * float(totals.sum()) / (np.maximum(sums, 1) * max(1.0, float(totals[pattern])))
    ppmi = np.log(np.maximum(ratio, 1))
    words, bound = model.vocabulary.words, table.bound
    answers = []
    for at in top_rows(ppmi * np.log1p(counts), n).tolist():
        pair = (words[bound.first[rows[at]]], words[bound.second[rows[at]]])
        first, second = pair[::-1] if turned[at] else pair
        answers.append(JoinedPair(first, second, int(counts[at]), float(ppmi[at])))
    return tuple(answers)


def _neighbours(
    table: RelationTable, pattern: int, rows: Longs, turned: Flags, counts: Longs, n: int
) -> tuple[PatternNeighbour, ...]:
    """The patterns whose use over all oriented pairs has the highest cosine with this one's; weights log(1 + g)."""
    products = np.zeros(2 * table.n_patterns)
    for row, is_turned, count in zip(rows.tolist(), turned.tolist(), counts.tolist(), strict=True):
        keys, others = table.entries(row)
        np.add.at(products, keys ^ int(is_turned), np.log1p(others) * float(np.log1p(count)))
    norms = table.pattern_norms
    scores = products / np.maximum(np.repeat(norms, 2) * norms[pattern], 1e-12)
    scores[[2 * pattern, 2 * pattern + 1]] = -np.inf
    scores[scores <= 0] = -np.inf
    text = table.texts[pattern]
    answers: list[PatternNeighbour] = []
    for key in top_rows(scores, 3 * n).tolist():
        facts = facts_of(table, key >> 1)
        if len(answers) < n and facts.text != text:
            answers.append(PatternNeighbour(facts, table.label(key), float(scores[key])))
    return tuple(answers)
