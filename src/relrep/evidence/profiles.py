"""Pattern profiles of any pairs of words, mined on request from the corpus index, many at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relrep.core.arrays import Flags, Ints, Longs
from relrep.core.threads import run_in_threads
from relrep.evidence import _kernels
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.index import CorpusIndex

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

STEP = "mining profiles"
_TASK_PLACES = 2_000_000
"""About so many places of words are walked in one task."""

_Found = tuple[Longs, Longs, Ints]
_Row = tuple[Longs, Ints]


@dataclass(frozen=True, eq=False)
class PairProfiles:
    """For each pair the keys of its patterns, rising, and in how many of its occurrences each stands.

    The patterns are the unigrams, bigrams and the whole of each midfix (an empty midfix only if the miner was
    told that two words side by side count). The lowest bit of a key tells the
    direction: 0 where u stands before v. The patterns of pair i stand at indptr[i] : indptr[i + 1].
    """

    indptr: Longs
    keys: Longs
    counts: Ints

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def row(self, pair: int) -> dict[int, int]:
        """One pair's profile as key → count."""
        at = slice(self.indptr[pair], self.indptr[pair + 1])
        return dict(zip(self.keys[at].tolist(), self.counts[at].tolist(), strict=True))

    def matrix(self, columns: Longs) -> "csr_matrix":
        """The counts g as a sparse matrix, pairs × patterns with these keys (rising)."""
        from scipy.sparse import csr_matrix

        kept = np.isin(self.keys, columns)
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))[kept]
        at = np.searchsorted(columns, self.keys[kept])
        return csr_matrix((self.counts[kept].astype(np.float64), (rows, at)), shape=(len(self), len(columns)))


class ProfileMiner:
    """Mines the profiles of pairs of word ids and remembers them.

    Pairs are grouped by their rarer word, whose places are walked once for all its pairs. The same pairs
    give the same profiles for any number of threads and in any company.
    """

    def __init__(
        self,
        index: CorpusIndex,
        max_gap: int = 5,
        threads: int = 1,
        adjacent: bool = False,
        remembered: int = 20_000_000,
    ) -> None:
        self.index = index
        self.max_gap = max_gap
        self.adjacent = adjacent
        self.threads = threads
        self.remembered = remembered
        self._rows: dict[int, _Row] = {}
        self._size = 0

    def mine(
        self, pairs: NDArray[np.integer] | list[tuple[int, int]], progress: ProgressCallback = ignore
    ) -> PairProfiles:
        """The profiles of (u, v) rows; empty for negative ids and for a word with itself."""
        asked = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        n_words = self.index.n_words
        if asked.size and asked.max() >= n_words:
            raise ValueError(f"a pair holds a word id beyond the {n_words} words of the index")
        word, partner = asked.max(axis=1), asked.min(axis=1)  # the larger id is the rarer word
        code = np.where((partner >= 0) & (word != partner), word * n_words + partner, -1)
        new = np.array(sorted(set(code.tolist()) - self._rows.keys() - {-1}), dtype=np.int64)
        rows = self._rows if len(self._rows) else {}
        if len(new):
            found = dict(zip(new.tolist(), self._mine_new(new, progress), strict=True))
            rows = {**rows, **found} if rows else found
            self._remember(found)
        return _assemble(code, asked[:, 0] > asked[:, 1], rows)

    def _remember(self, found: dict[int, _Row]) -> None:
        size = sum(len(keys) for keys, _ in found.values())
        if self._size + size > self.remembered:  # forget all: a cache that is full of old pairs helps nobody
            self._rows, self._size = {}, 0
        if size <= self.remembered:
            self._rows.update(found)
            self._size += size

    def _mine_new(self, codes: Longs, progress: ProgressCallback) -> Iterator[_Row]:
        word = (codes // self.index.n_words).astype(np.int32)
        partner = (codes % self.index.n_words).astype(np.int32)
        tokens, starts, positions = self.index.tokens, self.index.starts, self.index.positions

        def work(task: tuple[int, int]) -> _Found:
            words, partners = word[slice(*task)], partner[slice(*task)]
            met = _kernels.meetings_of_pairs(tokens, starts, positions, words, partners, self.max_gap)
            found: _Found = _kernels.patterns_of_meetings(tokens, *met, len(words), self.max_gap, self.adjacent)
            return found

        tasks = list(_tasks(word, starts))
        for task, (ends, keys, counts) in zip(tasks, run_in_threads(work, tasks, self.threads), strict=True):
            begin = 0
            for end in ends.tolist():
                yield keys[begin:end], counts[begin:end]
                begin = end
            progress(Progress(STEP, task[1], len(codes), "pairs"))


def _tasks(word: Ints, starts: Longs) -> Iterator[tuple[int, int]]:
    """Runs of pairs, never cutting through a word's, with about as many places each."""
    firsts = np.flatnonzero(np.diff(word, prepend=-1))
    begin, places = 0, 0
    for first in firsts.tolist():
        if places > _TASK_PLACES:
            yield begin, first
            begin, places = first, 0
        places += int(starts[word[first] + 1] - starts[word[first]])
    yield begin, len(word)


def _assemble(code: Longs, flipped: Flags, rows: dict[int, _Row]) -> PairProfiles:
    """Rows in the order asked for; where u is the rarer word the directions are turned round."""
    nothing: _Row = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))
    found = [rows.get(c, nothing) for c in code.tolist()]
    indptr = np.zeros(len(code) + 1, dtype=np.int64)
    np.cumsum([len(keys) for keys, _ in found], out=indptr[1:])
    keys = np.concatenate([keys for keys, _ in found] or [nothing[0]])
    counts = np.concatenate([counts for _, counts in found] or [nothing[1]])
    turned = np.repeat(flipped, np.diff(indptr))
    keys[turned] ^= 1
    # Turning swaps a pattern's two directions, which stand side by side: put them in rising order again.
    left = np.flatnonzero(turned[:-1] & (keys[:-1] == keys[1:] + 1) & (keys[1:] & 1 == 0))
    is_first = np.zeros(len(keys) + 1, dtype=np.bool_)
    is_first[indptr] = True
    left = left[~is_first[left + 1]]
    keys[left], keys[left + 1] = keys[left + 1].copy(), keys[left].copy()
    counts[left], counts[left + 1] = counts[left + 1].copy(), counts[left].copy()
    return PairProfiles(indptr, keys, counts)
