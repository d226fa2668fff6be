"""Where pairs of words meet and which patterns join them, for a few pairs, in NumPy.

The kernels (`relrep.kernels.index_occurrences`, `index_profiles`) find the same for many pairs much faster, but
loading them takes longer than one question has. Places that cannot be (a damaged index) are left out, as there.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from relrep.corpus.encoded import SENTENCE_END
from relrep.kernels.index_occurrences import Positions
from relrep.kernels.pair_profiles import BIGRAM, KIND_SHIFT, MIDFIX, TOKEN_BITS, UNIGRAM

_Meetings = tuple[NDArray[np.int64], NDArray[np.int64]]
FEW_PLACES = 1 << 20
"""Up to so many places are walked here, within a tenth of a second; more frequent words are left to the kernels."""
_NO_KEY = -1
_SEED, _PRIME = np.uint64(1469598103934665603), np.uint64(1099511628211)


def meetings(tokens: NDArray[np.int32], places: Positions, others: Positions, max_gap: int) -> _Meetings:
    """All (place, other place) with at most `max_gap` tokens between, in one sentence, either order.

    Sorted by place, then by other place; fastest where `places` is the shorter row.

    >>> tokens = np.array([0, 1, 0, SENTENCE_END, 1], dtype=np.int32)
    >>> [found.tolist() for found in meetings(tokens, np.array([1, 4]), np.array([0, 2]), 5)]
    [[1, 1], [0, 2]]
    """
    reach = max_gap + 1
    here = places[(places >= 0) & (places < len(tokens))]
    at = np.searchsorted(others, here - reach)
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
    for _ in range(2 * reach + 1):  # so many of the others can be near
        inside = at < len(others)
        here, at = here[inside], at[inside]
        there = others[at]
        near = (there < len(tokens)) & (there - here <= reach)
        here, at, there = here[near], at[near] + 1, there[near]
        found.append((here.astype(np.int64), there.astype(np.int64)))
    first, second = (np.concatenate(each) for each in zip(*found, strict=True))
    kept = (first != second) & (second >= 0)
    kept[kept] = _in_one_sentence(tokens, first[kept], second[kept], reach)
    first, second = first[kept], second[kept]
    order = np.lexsort((second, first))
    return first[order], second[order]


def _in_one_sentence(
    tokens: NDArray[np.int32], here: NDArray[np.int64], there: NDArray[np.int64], reach: int
) -> NDArray[np.bool_]:
    """Where no sentence ends between two places."""
    low, high = np.minimum(here, there), np.maximum(here, there)
    whole = np.ones(len(low), dtype=np.bool_)
    for step in range(reach):
        whole &= tokens[np.minimum(low + step, high - 1)] != SENTENCE_END
    return whole


def meetings_of_pairs(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    positions: Positions,
    pair_word: NDArray[np.int32],
    pair_partner: NDArray[np.int32],
    max_gap: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """(pair, place of its word, place of its partner) for all meetings."""
    found = [
        meetings(tokens, _of(word, starts, positions), _of(partner, starts, positions), max_gap)
        for word, partner in zip(pair_word, pair_partner, strict=True)
    ]
    here, there = (np.concatenate(each) for each in zip(*found, strict=True))
    return np.repeat(np.arange(len(found), dtype=np.int32), [len(each) for each, _ in found]), here, there


def _of(word: np.int32, starts: NDArray[np.int64], positions: Positions) -> Positions:
    return positions[starts[word] : starts[word + 1]]


def patterns_of_meetings(
    tokens: NDArray[np.int32],
    met: NDArray[np.int32],
    here: NDArray[np.int64],
    there: NDArray[np.int64],
    n_pairs: int,
    max_gap: int,
    adjacent: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """(row ends, pattern keys rising within a row, how often each); backward where the word stands first.

    `met`, the pairs, rise. The two words side by side have no pattern, or, with `adjacent`, the empty midfix as the
    only one.
    """
    kept = np.abs(here - there) > (0 if adjacent else 1)
    pair, here, there = met[kept], here[kept], there[kept]
    begin, gap = np.minimum(here, there) + 1, np.abs(here - there) - 1
    midfixes = np.zeros((len(gap), max_gap), dtype=np.int32)
    for step in range(max_gap):
        midfixes[gap > step, step] = tokens[begin[gap > step] + step]
    keys = np.sort(np.column_stack([*_part_keys(midfixes, gap), whole_keys(midfixes, gap)]), axis=1)
    is_key = keys != _NO_KEY
    is_key[:, 1:] &= keys[:, 1:] != keys[:, :-1]  # a pattern counts once a meeting
    pairs = np.repeat(pair, is_key.sum(axis=1))
    flat = (keys | (here < there)[:, None])[is_key]
    bounds = np.searchsorted(pairs, np.arange(n_pairs + 1))
    for begin_row, end_row in pairwise(bounds.tolist()):
        flat[begin_row:end_row].sort()
    first = np.flatnonzero((np.diff(pairs, prepend=-1) != 0) | (np.diff(flat, prepend=_NO_KEY) != 0))
    counts = np.diff(first, append=len(flat)).astype(np.int32)
    return np.searchsorted(pairs[first], np.arange(n_pairs), side="right").astype(np.int64), flat[first], counts


def _part_keys(midfixes: NDArray[np.int32], gap: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The keys of the unigrams and bigrams of midfixes, of which the first `gap` tokens count, without direction."""
    ids = midfixes.astype(np.int64) + 3
    columns = [
        np.where(gap > step, (UNIGRAM << KIND_SHIFT) | (ids[:, step] << 1), _NO_KEY) for step in range(ids.shape[1])
    ]
    for step in range(1, ids.shape[1]):
        key = (BIGRAM << KIND_SHIFT) | (ids[:, step - 1] << (TOKEN_BITS + 1)) | (ids[:, step] << 1)
        columns.append(np.where(gap > step, key, _NO_KEY))
    return columns


def whole_keys(midfixes: NDArray[np.int32], gap: NDArray[np.int64]) -> NDArray[np.int64]:
    """The keys of midfixes as wholes, of which the first `gap` tokens count, without direction.

    >>> one, same, other = whole_keys(np.array([[7, 0], [7, 5], [7, 5]], dtype=np.int32), np.array([1, 1, 2]))
    >>> bool(one == same), bool(one == other)
    (True, False)
    """
    fingerprint = np.full(len(midfixes), _SEED)
    for step in range(midfixes.shape[1]):
        ids = (midfixes[:, step].astype(np.int64) + 3).astype(np.uint64)
        further = (fingerprint ^ ids) * _PRIME
        fingerprint = np.where(gap > step, further ^ (further >> np.uint64(29)), fingerprint)
    whole = (fingerprint & np.uint64((1 << (KIND_SHIFT - 1)) - 1)).astype(np.int64)
    return np.asarray((MIDFIX << KIND_SHIFT) | (whole << 1))
