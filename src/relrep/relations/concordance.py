"""Concordance: every place where two words meet, as lines around them (KWIC), sorted by context, counted by source."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from relrep.core.arrays import Ints, Longs
from relrep.errors import RelrepError
from relrep.evidence._kernels import sentence_around
from relrep.evidence.occurrences import Readable, find_occurrences
from relrep.model.model import Model
from relrep.relations.search import ids_of

Order = Literal["text", "left", "right"]
ORDERS: tuple[Order, ...] = ("text", "left", "right")
CONTEXT = 12
"""So many tokens stand to the left and to the right."""
_SORTED_BY = 4
"""Lines are sorted by so many tokens of their context, then by where they stand in the text."""


@dataclass(frozen=True)
class KwicLine:
    """One place: what stands before, the two words and what is between them, what stands behind; source and line."""

    left: str
    words: str
    right: str
    source: str
    line: int


@dataclass(frozen=True)
class Concordance:
    """One page of all lines, and how many there are: all together, and by source where the text was kept."""

    first: str
    second: str
    order: Order
    total: int
    page: int
    pages: int
    by_source: tuple[tuple[str, int], ...]
    lines: tuple[KwicLine, ...]


def concordance(
    model: Model, first: str, second: str, order: Order = "text", page: int = 1, per_page: int = 50
) -> Concordance:
    """The lines of one page; `order`: as in the text, by the words before, or by the words behind."""
    if order not in ORDERS:
        raise RelrepError(f"a concordance is sorted by {order!r}; choose among {', '.join(ORDERS)}")
    if page < 1 or per_page < 1:
        raise RelrepError(f"page {page} of {per_page} lines cannot be shown; both begin at 1")
    index = model.require_index()
    (pair,) = ids_of(model, [(first, second)])
    words, found = model.vocabulary.words, find_occurrences(index, *pair, model.max_gap)
    begin, end = np.minimum(found.first, found.second), np.maximum(found.first, found.second) + 1
    chosen = _sorted(index.tokens, begin, end, words, order)[(page - 1) * per_page : page * per_page]
    read = Readable(index, words, model.text)
    lines = tuple(_line(read, int(begin[at]), int(end[at])) for at in chosen.tolist())
    pages = -(-len(begin) // per_page)
    return Concordance(words[pair[0]], words[pair[1]], order, len(begin), page, pages, _by_source(model, begin), lines)


def _sorted(tokens: Ints, begin: Longs, end: Longs, words: Sequence[str], order: Order) -> Longs:
    """The places in their order; context is compared word by word, from the two words outwards."""
    if order == "text":
        return np.arange(len(begin))
    steps = range(_SORTED_BY)
    beside = np.stack([begin - 1 - step if order == "left" else end + step for step in steps])
    ids = np.where((beside >= 0) & (beside < len(tokens)), tokens[np.clip(beside, 0, len(tokens) - 1)], -1)
    ids[np.cumsum(ids == -1, axis=0) > 0] = -1  # nothing beyond the sentence
    spelt = np.array([words[token] if token >= 0 else "" for token in ids.ravel().tolist()]).reshape(ids.shape)
    return np.lexsort(spelt[::-1])


def _line(read: Readable, begin: int, end: int) -> KwicLine:
    low, high = sentence_around(read.index.tokens, begin, end, CONTEXT)
    text, spans, source, line = read.passage(low, high)
    start, stop = spans[begin - low][0], spans[end - 1 - low][1]
    left, middle, right = (" ".join(part.split()) for part in (text[:start], text[start:stop], text[stop:]))
    return KwicLine(left, middle, right, source, line)


def _by_source(model: Model, begin: Longs) -> tuple[tuple[str, int], ...]:
    """How many places each source has, the most first."""
    if model.text is None or not len(begin):
        return ()
    numbers, counts = np.unique(model.text.source_numbers(begin), return_counts=True)
    order = np.lexsort((numbers, -counts))
    return tuple((model.text.sources[int(numbers[at])], int(counts[at])) for at in order)
