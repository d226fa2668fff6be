"""Where two words meet in the corpus, what stands between them, and sentences that show it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from relrep.core.arrays import Flags, Longs
from relrep.evidence import _kernels
from relrep.text.index import CorpusIndex
from relrep.text.store import Passage, TextStore

UNKNOWN_TEXT = "…"
"""How a token outside the vocabulary is shown."""
_EXAMPLE_REACH = 40


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Places of the meetings of u and v: `first` and `second` say where u and v stand.

    Forward are those with u before v. Sorted by the place of whichever comes first in the text.
    """

    first: Longs
    second: Longs

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_forward(self) -> Flags:
        """True where u stands before v."""
        return np.asarray(self.first < self.second)


@dataclass(frozen=True, eq=False)
class Readable:
    """What sentences are read from: the index, the words of its ids, and the text as written where it was kept."""

    index: CorpusIndex
    words: Sequence[str]
    text: TextStore | None = None

    def passage(self, begin: int, end: int) -> Passage:
        """The tokens begin:end of one sentence, as written, or else in the words of the vocabulary."""
        if self.text is not None:
            return self.text.passage(begin, end)
        words = words_of(self.index.tokens[begin:end].tolist(), self.words)
        ends = np.cumsum([len(word) + 1 for word in words]).tolist()
        spans = tuple((stop - len(word) - 1, stop - 1) for word, stop in zip(words, ends, strict=True))
        return Passage(" ".join(words), spans, "", 0)


@dataclass(frozen=True)
class Example:
    """A sentence of the corpus in which the pair meets, and where u and v stand in it; source and line, if kept."""

    text: str
    first: tuple[int, int]
    second: tuple[int, int]
    source: str = ""
    line: int = 0


def find_occurrences(index: CorpusIndex, u: int, v: int, max_gap: int = 5) -> Occurrences:
    """All meetings of the word ids u and v with at most `max_gap` tokens between, in both directions."""
    walk_u = index.count(u) <= index.count(v)
    walked, other = (u, v) if walk_u else (v, u)
    here, there = _kernels.meetings(index.tokens, index.positions_of(walked), index.positions_of(other), max_gap)
    first, second = (here, there) if walk_u else (there, here)
    if u == v:  # each meeting of a word with itself is found from both sides
        first, second = first[first < second], second[first < second]
    order = np.argsort(np.minimum(first, second), kind="stable")  # ties already go by the later place
    return Occurrences(first[order], second[order])


def words_of(tokens: Sequence[int], words: Sequence[str]) -> tuple[str, ...]:
    """Token ids as words."""
    return tuple(words[token] if 0 <= token < len(words) else UNKNOWN_TEXT for token in tokens)


def example_at(read: Readable, first: int, second: int, reach: int = _EXAMPLE_REACH) -> Example:
    """The sentence around one occurrence, at most `reach` tokens to either side."""
    begin, end = min(first, second), max(first, second) + 1
    low, high = _bounds(read.index, first, second, reach)
    text, spans, source, line = read.passage(low, high)
    opening, closing = "… " * (begin - low == reach), " …" * (high - end == reach)
    u, v = (tuple(at + len(opening) for at in spans[place - low]) for place in (first, second))
    return Example(f"{opening}{text}{closing}", (u[0], u[1]), (v[0], v[1]), source, line)


def _bounds(index: CorpusIndex, first: int, second: int, reach: int) -> tuple[int, int]:
    """The bounds of the sentence in which both places are."""
    low, high = _kernels.sentence_around(index.tokens, min(first, second), max(first, second) + 1, reach)
    return int(low), int(high)


def choose_examples(
    read: Readable, occurrences: Occurrences, n: int, wanted: Sequence[tuple[tuple[int, ...], bool, bool]] = ()
) -> list[Example]:
    """Up to `n` sentences: one for each wanted (pattern, forward, whole midfix), then the first ones of the text.

    Of several the shortest is taken. No sentence is shown twice, also when the corpus repeats it.
    """
    chosen: dict[tuple[int, ...], Example] = {}
    groups = [_with_pattern(read.index, occurrences, *one) for one in wanted]
    groups += [np.array([at]) for at in range(min(len(occurrences), 20 * n))]
    for group in groups:
        if len(chosen) == n:
            break
        sentences = {}
        for at in group[:20].tolist():
            low, high = _bounds(read.index, int(occurrences.first[at]), int(occurrences.second[at]), _EXAMPLE_REACH)
            sentences[tuple(read.index.tokens[low:high].tolist())] = at
        new = [sentence for sentence in sentences if sentence not in chosen]
        if new:
            shortest = min(new, key=len)
            at = sentences[shortest]
            chosen[shortest] = example_at(read, int(occurrences.first[at]), int(occurrences.second[at]))
    return list(chosen.values())


def _with_pattern(
    index: CorpusIndex, occurrences: Occurrences, pattern: tuple[int, ...], forward: bool, whole: bool
) -> Longs:
    """Which occurrences have this pattern as their midfix, or as a part of it, in this direction."""
    begin = np.minimum(occurrences.first, occurrences.second)
    gap = np.abs(occurrences.first - occurrences.second) - 1
    has = np.zeros(len(occurrences), dtype=np.bool_)
    for offset in range(1 if whole else max(0, int(gap.max(initial=0)) - len(pattern) + 1)):
        rows = np.flatnonzero(gap == len(pattern) if whole else gap >= offset + len(pattern))
        for step, token in enumerate(pattern):
            rows = rows[index.tokens[begin[rows] + 1 + offset + step] == token]
        has[rows] = True
    return np.flatnonzero(has & (occurrences.is_forward == forward))
