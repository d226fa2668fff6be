"""The relation table of a model: bound pairs, the patterns that join them, how often, and folded profiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from relrep.coherence.profiles import Basis, PatternSpace, WhitenedProfiles, Whitening
from relrep.core.arrays import Doubles, Ints, Longs
from relrep.core.csr import transpose
from relrep.core.tensors import map_tensors, write_tensors
from relrep.errors import RelrepError
from relrep.mining.bound import BoundPairs, DirectedCounts, PatternList
from relrep.mining.settings import PATTERN_KINDS
from relrep.vectors.word_vectors import spellings

MIDFIX = PATTERN_KINDS.index("midfix")
PAIRS_FILE, PATTERNS_FILE = "pairs.safetensors", "patterns.safetensors"
COUNTS_FILE, PROFILES_FILE = "counts.safetensors", "profiles.safetensors"
_ARRAYS: dict[str, dict[str, tuple[tuple[DTypeLike, ...], str]]] = {
    PAIRS_FILE: {
        "first": ((np.int32,), "pairs"),
        "second": ((np.int32,), "pairs"),
        "meetings": ((np.int64,), "pairs"),
        "pair_totals": ((np.int64,), "pairs"),
        "reach": ((np.int64,), "one"),
    },
    PATTERNS_FILE: {
        "ngrams": ((np.int32,), "patterns × tokens"),
        "kinds": ((np.uint8,), "patterns"),
        "occurrences": ((np.int64,), "patterns"),
        "pairs_per_pattern": ((np.int64,), "patterns"),
        "entropy_weights": ((np.float64,), "patterns"),
        "totals": ((np.float64,), "patterns"),
        "even": ((np.float32,), "patterns × even"),
        "odd": ((np.float32,), "patterns × odd"),
    },
    COUNTS_FILE: {
        "ends": ((np.int64,), "ends"),
        "keys": ((np.uint16, np.int32), "entries"),
        "counts": ((np.uint16, np.int32), "entries"),
    },
    PROFILES_FILE: {
        "values": ((np.int8,), "pairs × rank"),
        "scales": ((np.float32,), "pairs"),
        "mean": ((np.float32,), "rank"),
        "scale": ((np.float32,), "rank"),
    },
}
"""The arrays of each file: in which types (the first that holds all numbers), and how many of what."""


@dataclass(frozen=True, eq=False)
class RelationTable:
    """Bound pairs with what joins them, the patterns, what these say, and each pair's whitened profile.

    `words` names the token ids. A pair has one row, whichever of its words is asked for first. `pair_totals` are all
    counts of a pair together, `pairs_per_pattern` how many pairs a pattern joins: kept, so that a question need not
    read all counts.
    """

    bound: BoundPairs
    patterns: PatternList
    space: PatternSpace
    whitening: Whitening
    profiles: WhitenedProfiles
    pair_totals: Longs
    pairs_per_pattern: Longs
    words: Sequence[str]

    @classmethod
    def of(cls, bound: BoundPairs, patterns: PatternList, words: Sequence[str], threads: int = 1) -> "RelationTable":
        """The table of freshly mined pairs."""
        space = PatternSpace.learn(bound.counts, threads=threads)
        totals, joined = bound.counts.totals(), bound.counts.pairs_per_pattern()
        return cls(bound, patterns, space, *space.fold_all(bound.counts, threads), totals, joined, words)

    @property
    def n_pairs(self) -> int:
        return len(self.bound)

    @property
    def n_patterns(self) -> int:
        return len(self.patterns)

    def row(self, first: int, second: int) -> int | None:
        """The row of two word ids, in any order; None where they are not bound."""
        low, high = min(first, second), max(first, second)
        wanted = np.array([low, low + 1, high], dtype=np.int32)  # another type would have the whole column converted
        begin, end = np.searchsorted(self.bound.first, wanted[:2])
        row = int(begin + np.searchsorted(self.bound.second[begin:end], wanted[2]))
        return row if row < end and self.bound.second[row] == high else None

    def entries(self, row: int) -> tuple[Longs, Longs]:
        """The keys (2 · pattern + backward) and counts of a row; only patterns that are there."""
        ends = self.bound.counts.ends
        some = slice(int(ends[row]), int(ends[row + 1]))
        keys = np.asarray(self.bound.counts.keys[some], dtype=np.int64)
        sound = (keys >= 0) & (keys < 2 * self.n_patterns)  # a damaged file may name others
        return keys[sound], np.asarray(self.bound.counts.counts[some], dtype=np.int64)[sound]

    @cached_property
    def texts(self) -> list[str]:
        """Each pattern's words."""
        n_words = len(self.words)
        return [
            " ".join(self.words[token] if token < n_words else "…" for token in tokens if token >= 0)
            for tokens in self.patterns.ngrams.tolist()
        ]

    @cached_property
    def ids_by_text(self) -> dict[str, list[int]]:
        """From a pattern's text to its ids: as a part of what stands between two words, and as all of it."""
        ids: dict[str, list[int]] = {}
        for pattern, text in enumerate(self.texts):
            ids.setdefault(text, []).append(pattern)
        return ids

    def written(self, text: str) -> list[int]:
        """The ids of the patterns written so, or else in lower case, as words are looked up; none if it is unknown."""
        return next((self.ids_by_text[each] for each in spellings(text) if each in self.ids_by_text), [])

    @cached_property
    def pattern_norms(self) -> Doubles:
        """The length of each pattern's row of log(1 + g) over all oriented pairs, either direction."""
        self.check_entries()
        squares = np.log1p(np.asarray(self.bound.counts.counts, dtype=np.float32)) ** 2
        return np.asarray(np.sqrt(np.bincount(self.bound.counts.keys >> 1, squares, self.n_patterns)))

    @cached_property
    def by_key(self) -> tuple[Longs, Ints, NDArray[Any]]:
        """The counts the other way round: (ends, rows, counts) by key, in memory."""
        self.check_entries()
        counts = self.bound.counts
        result: tuple[Longs, Ints, NDArray[Any]] = transpose(
            counts.ends, counts.keys, counts.counts, 2 * self.n_patterns
        )
        return result

    def check_entries(self) -> None:
        """Raises a RelrepError where an entry is damaged; reads them all."""
        keys = self.bound.counts.keys
        if len(keys) and not 0 <= int(keys.min()) <= int(keys.max()) < 2 * self.n_patterns:
            raise RelrepError("a count names a pattern that is not there; the relation table is damaged, train anew")

    def label(self, key: int) -> str:
        """A pattern as people read it, X the first word asked for; see `pattern_label`."""
        pattern, backward = divmod(int(key), 2)
        return pattern_label(self.texts[pattern], self.patterns.kinds[pattern] == MIDFIX, bool(backward))

    def write(self, folder: Path) -> None:
        """Writes the files into `folder`, which is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        parts = (self.bound, self.bound.counts, self.patterns, self.space, self.space.basis, self.profiles)
        held = {name: array for part in (*parts, self.whitening) for name, array in vars(part).items()}
        held |= {"counts": self.bound.counts.counts, "reach": [self.bound.reach]}
        held |= {"pair_totals": self.pair_totals, "pairs_per_pattern": self.pairs_per_pattern}
        for file, arrays in _ARRAYS.items():
            write_tensors(folder / file, {name: _stored(held[name], types) for name, (types, _) in arrays.items()})

    @classmethod
    def open(cls, folder: Path, words: Sequence[str]) -> "RelationTable":
        """The table in `folder`, its shapes checked; counts and profiles stay on disk, memory-mapped."""

        def require(holds: bool | np.bool_, what: str) -> None:
            if not holds:
                raise RelrepError(f"{folder}: {what}; the relation table is damaged, train the model anew")

        held: dict[str, NDArray[Any]] = {}
        sizes = {"one": 1}
        for file, arrays in _ARRAYS.items():
            tensors = map_tensors(folder / file)
            for name, (types, described) in arrays.items():
                shape, array = described.split(" × "), tensors.get(name, np.zeros(()))
                fits = array.dtype in types and array.ndim == len(shape)
                fits = fits and all(sizes.setdefault(of, n) == n for of, n in zip(shape, array.shape, strict=True))
                require(fits, f"{name} in {file} is missing or does not fit the rest")
                held[name] = array
        first, second, ends, reach = held["first"], held["second"], held["ends"], int(held["reach"][0])
        require(1 <= reach <= 16, f"the reach is {reach}")
        require(bool((held["kinds"] < len(PATTERN_KINDS)).all()), "a pattern is of no known kind")
        for name in ("entropy_weights", "totals", "scales", "mean", "scale"):
            require(bool(np.isfinite(held[name]).all()), f"{name} holds what is not a number")
        for name in ("pair_totals", "pairs_per_pattern"):
            require(bool((held[name] >= 0).all()), f"{name} holds a number below 0")
        require(len(ends) == len(first) + 1 and ends[0] == 0, f"ends does not fit {len(first)} pairs")
        require((np.diff(ends) >= 0).all(), "ends falls somewhere")
        require(ends[-1] == sizes["entries"], f"keys and counts do not hold {ends[-1]} entries")
        require(sizes["rank"] == sizes["even"] + sizes["odd"], "profiles and basis differ in their rank")
        if len(first):
            require(first.min() >= 0 and (first < second).all(), "a pair's words are out of order")
            rises = (np.diff(first) > 0) | ((np.diff(first) == 0) & (np.diff(second) > 0))
            require(bool(rises.all()), "the pairs are not sorted")
            require(int(second.max()) < len(words), f"a pair holds word {int(second.max())}, outside the vocabulary")
        counts = DirectedCounts(ends, held["keys"], held["counts"], sizes["patterns"])
        return cls(
            BoundPairs(first, second, held["meetings"], counts, reach),
            PatternList(held["ngrams"], held["kinds"], held["occurrences"]),
            PatternSpace(held["entropy_weights"], held["totals"], Basis(held["even"], held["odd"])),
            Whitening(held["mean"], held["scale"]),
            WhitenedProfiles(held["values"], held["scales"], sizes["even"]),
            held["pair_totals"],
            held["pairs_per_pattern"],
            words,
        )


def pattern_label(text: str, is_whole: bool, is_reversed: bool) -> str:
    """A pattern with the places of the two words.

    >>> pattern_label("is a large", True, False), pattern_label("such as", False, True)
    ('X is a large Y', 'Y … such as … X')
    """
    left, right = ("Y", "X") if is_reversed else ("X", "Y")
    return f"{left} {text} {right}" if is_whole else f"{left} … {text} … {right}"


def _stored(array: Any, types: Sequence[DTypeLike]) -> NDArray[Any]:
    """In the first of the types that holds every number."""
    fits = len(types) == 1 or not len(array) or int(array.max()) <= np.iinfo(np.dtype(types[0])).max
    return np.ascontiguousarray(array, dtype=types[0 if fits else -1])
