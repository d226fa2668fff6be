"""Collocates of a word: what stands with it more often than by chance, all together and by what joins the two.

    logDice = 14 + log2(2 f(x, y) / (f(x) + f(y)))        (Rychlý 2008): does not grow with the text
    LLR     = 2 Σ o log(o / e)                            (Dunning 1993): how surely it is no chance
    PMI     = log(f(x, y) / chance)                       how much more often than by chance

f(x, y) counts the sentences in which the two meet within the model's gap; only bound pairs are told.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from relrep.core.arrays import Doubles, Longs
from relrep.core.linalg import top_rows
from relrep.errors import RelrepError
from relrep.evidence.occurrences import Example, Readable, choose_examples, find_occurrences
from relrep.model.model import Model
from relrep.model.relations import MIDFIX

Association = Literal["logdice", "llr", "pmi"]
ASSOCIATIONS: tuple[Association, ...] = ("logdice", "llr", "pmi")
LEAST_COUNT = 3
"""A pattern must join the word and a collocate so often to be told of them."""
LEAST_COLLOCATES = 2
"""A pattern is told with so many collocates or more."""


@dataclass(frozen=True)
class Collocate:
    """A word that stands with the one asked for: in how many sentences, and the three scores."""

    word: str
    meetings: int
    logdice: float
    llr: float
    pmi: float


@dataclass(frozen=True)
class JoinedCollocates:
    """A pattern ("X of Y", X the word asked for) with the words that it joins to it, how often, and a sentence."""

    label: str
    text: str
    is_reversed: bool
    collocates: tuple[tuple[str, int], ...]
    example: Example | None = None


@dataclass(frozen=True)
class Collocates:
    """What stands with a word: the strongest collocates, and by what joins them (side by side: "X Y" and "Y X")."""

    word: str
    count: int
    by: Association
    collocates: tuple[Collocate, ...]
    by_pattern: tuple[JoinedCollocates, ...]


def collocates(model: Model, word: str, n: int = 20, by: Association = "logdice", n_patterns: int = 8) -> Collocates:
    """The `n` strongest collocates, and the `n_patterns` patterns that join most of them.

    Side by side needs the corpus index, the rest only the relation table.
    """
    if by not in ASSOCIATIONS:
        raise RelrepError(f"collocates are ranked by {by!r}; choose among {', '.join(ASSOCIATIONS)}")
    table, vocabulary = model.require_relations(), model.vocabulary
    here, words = model.vectors.row_of(word), vocabulary.words
    bound = table.bound
    rows = np.flatnonzero((bound.first == here) | (bound.second == here))
    others = np.where(bound.first[rows] == here, bound.second[rows], bound.first[rows])
    scores = _scores(bound.meetings[rows], int(vocabulary.counts[here]), vocabulary.counts[others], bound.reach, model)
    told = [
        Collocate(words[others[at]], int(bound.meetings[rows[at]]), *(float(scores[name][at]) for name in ASSOCIATIONS))
        for at in top_rows(scores[by], n).tolist()
    ]
    strength = dict(zip(others.tolist(), scores[by].tolist(), strict=True))
    joined = _side_by_side(model, here, strength, n) + _by_pattern(model, here, rows, others, strength, n, n_patterns)
    shown = tuple(replace(each, example=_example(model, here, each)) for each in joined)
    return Collocates(words[here], int(vocabulary.counts[here]), by, tuple(told), shown)


def _example(model: Model, here: int, joined: JoinedCollocates) -> Example | None:
    """The shortest of the first sentences in which the pattern joins the word to its first collocate."""
    if model.index is None:
        return None
    pattern = tuple(model.vocabulary.id_of[word] for word in joined.text.split()) if joined.text else ()
    other = model.vocabulary.id_of[joined.collocates[0][0]]
    occurrences = find_occurrences(model.index, here, other, model.max_gap)
    read = Readable(model.index, model.vocabulary.words, model.text)
    found = choose_examples(read, occurrences, 1, [(pattern, not joined.is_reversed, True)])
    return found[0] if found else None


def _scores(meetings: Longs, of_word: int, of_others: Longs, reach: int, model: Model) -> dict[str, Doubles]:
    """The three measures of association; chance is that of a window of `reach` words to each side."""
    total = float(max(1, int(model.vocabulary.counts.sum())))
    observed = np.asarray(meetings, dtype=np.float64)
    windows = 2.0 * reach * of_word  # places beside the word
    expected = windows * of_others / total
    rest = np.maximum(windows - observed, 1e-9)
    llr = 2 * (observed * np.log(observed / expected) + rest * np.log(rest / np.maximum(windows - expected, 1e-9)))
    return {
        "logdice": 14 + np.log2(2 * observed / (of_word + of_others)),
        "llr": np.where(observed >= expected, llr, -llr),
        "pmi": np.log(observed / expected),
    }


def _side_by_side(model: Model, here: int, strength: dict[int, float], n: int) -> list[JoinedCollocates]:
    """The collocates right behind the word, and right before it; none where the model has no index."""
    if model.index is None:
        return []
    tokens, positions = model.index.tokens, np.asarray(model.index.positions_of(here), dtype=np.int64)
    joined = []
    for step, label in ((1, "X Y"), (-1, "Y X")):
        places = positions + step
        beside = tokens[places[(places >= 0) & (places < len(tokens))]]
        counts = np.bincount(beside[beside >= 0], minlength=len(model.vocabulary))
        own = {other: int(counts[other]) for other in strength if counts[other] >= LEAST_COUNT}
        joined += _joined(model, label, "", step < 0, own, strength, n)
    return joined


def _by_pattern(
    model: Model, here: int, rows: Longs, others: Longs, strength: dict[int, float], n: int, n_patterns: int
) -> list[JoinedCollocates]:
    """The whole midfixes that join the word to most collocates, the ones that join most occurrences first."""
    table = model.require_relations()
    by_key: dict[int, dict[int, int]] = {}
    for row, other in zip(rows.tolist(), others.tolist(), strict=True):
        keys, counts = table.entries(row)
        turned = int(table.bound.first[row] != here)
        kept = (counts >= LEAST_COUNT) & (table.patterns.kinds[keys >> 1] == MIDFIX)
        for key, count in zip((keys[kept] ^ turned).tolist(), counts[kept].tolist(), strict=True):
            by_key.setdefault(key, {})[other] = count
    ranked = sorted(by_key, key=lambda key: (-sum(by_key[key].values()), key))
    joined: list[JoinedCollocates] = []
    for key in ranked[: 4 * n_patterns]:
        if len(joined) < n_patterns:
            joined += _joined(model, table.label(key), table.texts[key >> 1], bool(key & 1), by_key[key], strength, n)
    return joined


def _joined(
    model: Model, label: str, text: str, is_reversed: bool, counts: dict[int, int], strength: dict[int, float], n: int
) -> list[JoinedCollocates]:
    """One pattern with its collocates by strength times log(1 + count), or nothing where it has too few."""
    if len(counts) < LEAST_COLLOCATES:
        return []
    words = model.vocabulary.words
    best = sorted(counts, key=lambda other: (-strength[other] * np.log1p(counts[other]), other))[:n]
    return [JoinedCollocates(label, text, is_reversed, tuple((words[other], counts[other]) for other in best))]
