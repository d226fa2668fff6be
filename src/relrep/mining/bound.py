"""Bound pairs and what joins them: the miner's counts with both orders of a pair in one row; patterns as numbers.

One 64-bit code a pattern, so that rows of patterns can be sorted and compared without texts. A code holds the kind and,
for a unigram or bigram, its tokens; for a whole midfix a 59-bit fingerprint of them. A key is a code with the direction
as its lowest bit: 0 where the pair's first word stands before its second.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relrep.core.compiling import njit
from relrep.core.csr import row_ends, take_rows
from relrep.mining.settings import PATTERN_KINDS

if TYPE_CHECKING:  # a model's table needs nothing of the miner
    from relrep.mining.pairs import Pairs
    from relrep.mining.patterns import Patterns
    from relrep.mining.runs import Run

TOKEN_BITS = 28
"""Ids in a code have this many bits; a vocabulary is smaller than 2²⁸ words."""
UNIGRAM, BIGRAM, MIDFIX = 1, 2, 3
KIND_SHIFT = 60
"""Where the kind stands in a key."""
MIDFIX_MASK = (1 << (KIND_SHIFT - 1)) - 1
SEED, PRIME = 1469598103934665603, 1099511628211
OFFSET = 3
"""Added to a token, so that unknown tokens and sentence ends are positive too."""


@dataclass(frozen=True, eq=False)
class DirectedCounts:
    """How often each pattern stands between each pair: row r holds the entries ends[r] : ends[r + 1].

    keys = 2 · pattern + backward, rising within a row.
    """

    ends: NDArray[np.int64]
    keys: NDArray[np.int32]
    counts: NDArray[np.int32] | NDArray[np.float64]
    n_patterns: int

    @property
    def n_rows(self) -> int:
        """How many pairs there are, whether or not a pattern joins them."""
        return len(self.ends) - 1

    def rows(self, chosen: NDArray[np.bool_]) -> "DirectedCounts":
        """The chosen pairs alone."""
        ends, (keys, counts) = take_rows(self.ends, chosen, self.keys, self.counts)
        return DirectedCounts(ends, keys, counts, self.n_patterns)

    def row_range(self, low: int, high: int) -> "DirectedCounts":
        """The pairs low ≤ r < high."""
        entries = slice(int(self.ends[low]), int(self.ends[high]))
        ends = self.ends[low : high + 1] - self.ends[low]
        return DirectedCounts(ends, self.keys[entries], self.counts[entries], self.n_patterns)

    def totals(self) -> NDArray[np.int64]:
        """All counts of each pair together."""
        return np.diff(np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])[self.ends])

    def pairs_per_pattern(self) -> NDArray[np.int64]:
        """How many pairs each pattern joins, in either direction."""
        is_first = np.ones(len(self.keys), dtype=np.bool_)  # the two directions of a pattern stand side by side
        is_first[1:] = self.keys[1:] >> 1 != self.keys[:-1] >> 1
        is_first[self.ends[:-1][self.ends[:-1] < len(self.keys)]] = True
        return np.bincount(self.keys[is_first] >> 1, minlength=self.n_patterns)

    def with_patterns(self, chosen: NDArray[np.bool_]) -> "DirectedCounts":
        """The entries of the chosen patterns alone; their numbers stay."""
        kept = chosen[self.keys >> 1]
        ends = np.concatenate([[0], np.cumsum(kept)])[self.ends]
        return replace(self, ends=ends, keys=self.keys[kept], counts=self.counts[kept])


@dataclass(frozen=True, eq=False)
class PatternList:
    """Patterns sorted by code: token ids (rows, −1 behind the last), kinds, and how often they occur.

    A pattern stands between the words of a pair in either order; `DirectedCounts` tells which.
    """

    ngrams: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    occurrences: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kinds)

    def tokens(self, pattern: int) -> tuple[int, ...]:
        """The token ids of a pattern."""
        return tuple(token for token in self.ngrams[pattern].tolist() if token >= 0)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The patterns as numbers, which rise."""
        return pattern_codes(self.ngrams, self.kinds)

    @classmethod
    def of(cls, patterns: "Patterns") -> "tuple[PatternList, NDArray[np.int64]]":
        """The miner's patterns as arrays, sorted by code, and for each its number among the miner's."""
        ngrams = patterns.table()
        kinds = np.array([PATTERN_KINDS.index(kind) for kind in patterns.kinds], dtype=np.uint8)
        order = np.argsort(pattern_codes(ngrams, kinds), kind="stable")
        return cls(ngrams[order], kinds[order], patterns.occurrences[order]), order


@dataclass(frozen=True, eq=False)
class BoundPairs:
    """Pairs (first, second), sorted, first the more frequent word; in how many sentences they meet; what joins them.

    A pattern is forward where `first` stands before `second` in the text; `reach` is the largest distance of the two.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    meetings: NDArray[np.int64]
    counts: DirectedCounts

    reach: int

    def __len__(self) -> int:
        return len(self.first)

    def pmi(self, word_counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The log of how much more often the words of each pair meet than by chance."""
        return pointwise_information(self.first, self.second, self.meetings, word_counts, self.reach)


def pointwise_information(
    u: NDArray[np.int32], v: NDArray[np.int32], meetings: NDArray[np.int64], word_counts: NDArray[np.int64], reach: int
) -> NDArray[np.float64]:
    """PMI: the log of how much more often u and v meet than by chance, in a window of `reach` words to each side."""
    chance = word_counts[u] * (word_counts[v] * (2.0 * reach / max(1, int(word_counts.sum()))))
    return np.asarray(np.log(meetings / chance))


def bound_pairs(pairs: "Pairs", counts: "Run", patterns: "Patterns", reach: int) -> tuple[BoundPairs, PatternList]:
    """Of the miner's counts for both orders of each pair: one row a pair, and the patterns."""
    listed, order = PatternList.of(patterns)
    number_of = np.empty(len(order), dtype=np.int32)
    number_of[order] = np.arange(len(order), dtype=np.int32)
    u = pairs.u
    forward = np.flatnonzero(u < pairs.v)
    n_words = len(pairs.starts) - 1
    code = u.astype(np.int64) * n_words + pairs.v  # rises
    reverse = pairs.v[forward].astype(np.int64) * n_words + u[forward]
    backward = np.searchsorted(code, reverse)
    sizes = np.diff(counts.starts)
    ends = row_ends(sizes[forward] + sizes[backward])
    keys, values = _both_orders(ends, forward, backward, counts.starts, counts.columns, counts.values, number_of)
    directed = DirectedCounts(ends, keys, values, len(listed))
    return BoundPairs(u[forward], pairs.v[forward], pairs.sentences[forward], directed, reach), listed


@njit(cache=True, nogil=True)
def _both_orders(
    ends: NDArray[np.int64],
    forward: NDArray[np.int64],
    backward: NDArray[np.int64],
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.int32],
    number_of: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(keys, counts) of rows ends[r] : ends[r + 1]: the patterns of row forward[r] and those of row backward[r].

    keys = 2 · number_of[pattern] + backward, rising within a row.
    """
    keys = np.empty(ends[-1], dtype=np.int32)
    counts = np.empty(ends[-1], dtype=np.int32)
    for row in range(len(forward)):
        entries = np.empty(ends[row + 1] - ends[row], dtype=np.int64)
        n = 0
        for direction in range(2):
            source = backward[row] if direction else forward[row]
            for entry in range(starts[source], starts[source + 1]):
                entries[n] = (2 * number_of[columns[entry]] + direction) << 32 | values[entry]
                n += 1
        entries.sort()
        for entry in range(n):
            keys[ends[row] + entry] = entries[entry] >> 32
            counts[ends[row] + entry] = entries[entry] & 0xFFFFFFFF
    return keys, counts


def number_as(
    ends: NDArray[np.int64], keys: NDArray[np.int64], counts: NDArray[np.int32], codes: NDArray[np.int64]
) -> DirectedCounts:
    """Counts by 64-bit key as counts by the place of each pattern in `codes` (rising); other patterns are dropped.

    >>> number_as(np.array([0, 2, 3]), np.array([8, 13, 9]), np.array([1, 2, 3]), np.array([4])).keys.tolist()
    [0, 1]
    """
    patterns = keys >> 1
    number = np.searchsorted(codes, patterns)
    kept = np.append(codes, -1)[number] == patterns
    new_keys = (2 * number[kept] + (keys[kept] & 1)).astype(np.int32)
    new_ends = np.concatenate([[0], np.cumsum(kept)])[ends]
    return DirectedCounts(new_ends, new_keys, counts[kept], len(codes))


def pattern_codes(ngrams: NDArray[np.int32], kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The codes of patterns: rows of tokens (−1 behind the last) and places of their kinds in PATTERN_KINDS.

    >>> pattern_codes(np.array([[7, -1], [7, 5], [7, 5]], dtype=np.int32), np.array([0, 1, 2])).tolist()[0] - (1 << 59)
    10
    """
    tokens = ngrams.astype(np.int64) + OFFSET
    codes = (np.int64(UNIGRAM) << (KIND_SHIFT - 1)) | tokens[:, 0]
    if ngrams.shape[1] > 1:
        bigrams = (np.int64(BIGRAM) << (KIND_SHIFT - 1)) | (tokens[:, 0] << TOKEN_BITS) | tokens[:, 1]
        codes = np.where(kinds == PATTERN_KINDS.index("bigram"), bigrams, codes)
    fingerprint = np.full(len(ngrams), np.uint64(SEED))
    for step in range(ngrams.shape[1]):
        further = (fingerprint ^ tokens[:, step].astype(np.uint64)) * np.uint64(PRIME)
        fingerprint = np.where(ngrams[:, step] >= 0, further ^ (further >> np.uint64(29)), fingerprint)
    wholes = (np.int64(MIDFIX) << (KIND_SHIFT - 1)) | (fingerprint & np.uint64(MIDFIX_MASK)).astype(np.int64)
    return np.where(kinds == PATTERN_KINDS.index("midfix"), wholes, codes)
