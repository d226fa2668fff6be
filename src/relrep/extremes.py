"""The pattern pairs with the largest or the smallest similarities so far."""

import numpy as np
from numpy.typing import NDArray

Found = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]
"""Similarities of pattern pairs, their left and their right patterns."""


class Extremes:
    """The pairs of patterns with the largest keys so far (key, then ids, decide: a total order)."""

    def __init__(self, most: int, sign: float) -> None:
        self.most = most
        self.sign = sign
        self.bound = -np.inf
        self.held: list[Found] = []
        self.size = 0

    def add(self, similarity: NDArray[np.float64], left: NDArray[np.int32], right: NDArray[np.int32]) -> None:
        """Takes pairs that were not given before."""
        wanted = self.sign * similarity >= self.bound
        self.held.append((similarity[wanted], left[wanted], right[wanted]))
        self.size += len(self.held[-1][0])
        if self.size > self.most + self.most // 4:
            self.cut()  # early, as the bound spares work

    def cut(self) -> Found:
        """The extremes of all pairs given, best first; no other pair below `bound` can become one."""
        if not self.held:
            return np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)
        similarity, left, right = (np.concatenate(column) for column in zip(*self.held, strict=True))
        order = np.lexsort((right, left, -self.sign * similarity))[: self.most]
        kept = similarity[order], left[order], right[order]
        self.held, self.size = [kept], len(order)
        if len(order) == self.most:
            self.bound = float(self.sign * kept[0][-1])
        return kept
