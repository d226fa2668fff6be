"""Training instances: the most and the least similar pairs of patterns (§ 3.1), without holding all similarities."""

import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from relrep.core.arrays import Doubles, Floats, Ints
from relrep.core.csr import transpose
from relrep.core.files import written_whole
from relrep.core.memory import let_go
from relrep.core.settings import Settings, setting, whole
from relrep.core.threads import run_in_threads
from relrep.errors import RelrepError
from relrep.paper._kernels import SparseRows, compare_patterns
from relrep.paper.association import Association
from relrep.progress import Progress, ProgressCallback, ignore

STEP = "comparing patterns"
PATTERNS_AT_ONCE = 8
logger = logging.getLogger(__name__)
Similar = tuple[Doubles, Ints, Ints]
"""Similarities of pattern pairs, their left and their right patterns."""


@dataclass(frozen=True)
class InstanceSettings(Settings):
    """How many pairs of patterns training looks at."""

    positives: int = setting(50_000, "so many most similar pattern pairs (t = 1)", whole(1))
    negatives: int = setting(50_000, "so many least similar pattern pairs (t = 0)", whole(1))


@dataclass(frozen=True, eq=False)
class Instances:
    """Pairs of patterns left[i] < right[i] with their target (1: similar, 0: dissimilar) and similarity."""

    left: Ints
    right: Ints
    target: Floats
    similarity: Doubles

    def __len__(self) -> int:
        return len(self.left)

    def write(self, path: Path) -> None:
        with written_whole(path) as part, part.open("wb") as file:
            np.savez(file, left=self.left, right=self.right, target=self.target, similarity=self.similarity)

    @classmethod
    def read(cls, path: Path) -> "Instances":
        with np.load(path, allow_pickle=False) as held:
            return cls(held["left"], held["right"], held["target"], held["similarity"])


class TopK:
    """The pattern pairs with the largest (sign 1) or smallest (−1) similarities; ids decide ties: a total order."""

    def __init__(self, k: int, sign: float) -> None:
        self.k, self.sign = k, sign
        self.bound = -np.inf
        self._parts: list[Similar] = []
        self._size = 0

    def add(self, similarity: Doubles, left: Ints, right: Ints) -> None:
        """Takes pairs that were not given before."""
        wanted = self.sign * similarity >= self.bound
        self._parts.append((similarity[wanted], left[wanted], right[wanted]))
        self._size += len(self._parts[-1][0])
        if self._size > 2 * self.k:
            self.cut()

    def cut(self) -> Similar:
        """The first k of all pairs given; no other pair below `bound` can become one."""
        if not self._parts:
            return np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)
        similarity, left, right = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        order = np.lexsort((right, left, -self.sign * similarity))[: self.k]
        kept = similarity[order], left[order], right[order]
        self._parts, self._size = [kept], len(order)
        if len(order) == self.k:
            self.bound = float(self.sign * kept[0][-1])
        return kept


def select_instances(
    association: Association, settings: InstanceSettings, threads: int = 1, progress: ProgressCallback = ignore
) -> Instances:
    """The `positives` most similar pattern pairs and the `negatives` least similar ones that have some (§ 3.1).

    Where there are fewer pairs of patterns, each kind has half of them, or as many as it asks for.
    """
    by_pair = SparseRows(association.starts, association.pattern, association.weight)
    by_pattern = SparseRows(*transpose(*by_pair, association.n_patterns))
    norms, n_patterns = association.norms, association.n_patterns
    top, bottom = TopK(settings.positives, 1.0), TopK(settings.negatives, -1.0)

    def compare(span: tuple[int, int]) -> Similar:
        result: Similar = compare_patterns(*span, by_pattern, by_pair, norms, top.bound, -bottom.bound)
        return result

    spans = [(low, min(low + PATTERNS_AT_ONCE, n_patterns)) for low in range(0, n_patterns, PATTERNS_AT_ONCE)]
    progress(Progress(STEP, 0, n_patterns, "patterns"))
    for (_, done), similar in zip(spans, run_in_threads(compare, spans, threads), strict=True):
        top.add(*similar)
        bottom.add(*similar)
        progress(Progress(STEP, done, n_patterns, "patterns"))
    let_go(association.pattern, association.weight)
    return _united(top, bottom, n_patterns)


def share_out(n_pairs: int, positives: int, negatives: int) -> tuple[int, int]:
    """How many of so many pattern pairs are positives and negatives, where so many of each are asked for.

    >>> share_out(1000, 100, 200), share_out(11, 100, 200), share_out(11, 2, 200)
    ((100, 200), (6, 5), (2, 9))
    """
    similar = min(positives, max(n_pairs - n_pairs // 2, n_pairs - negatives))
    return similar, min(negatives, n_pairs - similar)


def _united(top: TopK, bottom: TopK, n_patterns: int) -> Instances:
    similarity, left, right = top.cut()
    low_similarity, low_left, low_right = bottom.cut()
    keys = left.astype(np.int64) * n_patterns + right
    new = ~np.isin(low_left.astype(np.int64) * n_patterns + low_right, keys)
    if not len(left):
        raise RelrepError("no two patterns share a word pair; give more text or a smaller min_pair_sentences")
    n_pairs = len(left) + int(new.sum())
    n_similar, n_dissimilar = share_out(n_pairs, top.k, bottom.k)
    if n_similar < top.k or n_dissimilar < bottom.k:
        logger.warning(
            "only %s pairs of patterns share a word pair: %s similar and %s dissimilar ones are taken, not %s and %s",
            *(f"{number:,}" for number in (n_pairs, n_similar, n_dissimilar, top.k, bottom.k)),
        )
    return Instances(
        np.concatenate([left, low_left[new]]),
        np.concatenate([right, low_right[new]]),
        np.repeat(np.array([1, 0], np.float32), (n_similar, n_dissimilar)),
        np.concatenate([similarity, low_similarity[new]]),
    )
