"""The relation table of a model: bound pairs, the patterns that join them, how often, and folded profiles."""

from collections.abc import Mapping, Sequence
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

MIDFIX = PATTERN_KINDS.index("midfix")
PAIRS_FILE, PATTERNS_FILE = "pairs.safetensors", "patterns.safetensors"
COUNTS_FILE, PROFILES_FILE = "counts.safetensors", "profiles.safetensors"
_PAIRS = {"first": np.int32, "second": np.int32, "meetings": np.int64, "reach": np.int64}
_PATTERNS = {"kinds": np.uint8, "occurrences": np.int64, "entropy_weights": np.float64, "totals": np.float64}
_PROFILES = {"scales": np.float32, "mean": np.float32, "scale": np.float32}
_SMALL = {"keys": (np.uint16, np.int32), "counts": (np.uint16, np.int32)}


@dataclass(frozen=True, eq=False)
class RelationTable:
    """Bound pairs with what joins them, the patterns, what these say, and each pair's whitened profile.

    `words` names the token ids. A pair has one row, whichever of its words is asked for first.
    """

    bound: BoundPairs
    patterns: PatternList
    space: PatternSpace
    whitening: Whitening
    profiles: WhitenedProfiles
    words: Sequence[str]

    @classmethod
    def of(cls, bound: BoundPairs, patterns: PatternList, words: Sequence[str], threads: int = 1) -> "RelationTable":
        """The table of freshly mined pairs."""
        space = PatternSpace.learn(bound.counts, threads=threads)
        return cls(bound, patterns, space, *space.fold_all(bound.counts, threads), words)

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return len(self.bound)

    @property
    def n_patterns(self) -> int:
        """How many patterns were kept."""
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

    @cached_property
    def pairs_per_pattern(self) -> Longs:
        """How many pairs each pattern joins."""
        self.check_entries()
        return self.bound.counts.pairs_per_pattern()

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

    def label(self, key: int, is_turned: bool = False) -> str:
        """A pattern as people read it, X the first word asked for; see `pattern_label`."""
        pattern, backward = divmod(int(key), 2)
        return pattern_label(self.texts[pattern], self.patterns.kinds[pattern] == MIDFIX, bool(backward) != is_turned)

    def write(self, folder: Path) -> None:
        """Writes the files into `folder`, which is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        bound, space = self.bound, self.space
        pairs = {"first": bound.first, "second": bound.second, "meetings": bound.meetings, "reach": [bound.reach]}
        write_tensors(folder / PAIRS_FILE, {name: np.asarray(pairs[name], dtype=_PAIRS[name]) for name in _PAIRS})
        patterns = {
            "ngrams": np.ascontiguousarray(self.patterns.ngrams, dtype=np.int32),
            "kinds": self.patterns.kinds,
            "occurrences": self.patterns.occurrences,
            "entropy_weights": space.entropy_weights,
            "totals": space.totals,
            "even": space.basis.even,
            "odd": space.basis.odd,
        }
        write_tensors(folder / PATTERNS_FILE, {name: np.ascontiguousarray(array) for name, array in patterns.items()})
        counts = {"keys": bound.counts.keys, "counts": np.asarray(bound.counts.counts)}
        small = {name: _as_small(array, *_SMALL[name]) for name, array in counts.items()}
        write_tensors(folder / COUNTS_FILE, {"ends": bound.counts.ends, **small})
        profiles: dict[str, NDArray[Any]] = {"values": self.profiles.values, "scales": self.profiles.scales}
        write_tensors(folder / PROFILES_FILE, profiles | {"mean": self.whitening.mean, "scale": self.whitening.scale})

    @classmethod
    def open(cls, folder: Path, words: Sequence[str]) -> "RelationTable":
        """The table in `folder`, its shapes checked; counts and profiles stay on disk, memory-mapped."""
        pairs = _columns(folder / PAIRS_FILE, _PAIRS)
        patterns = _columns(folder / PATTERNS_FILE, _PATTERNS)
        matrices = map_tensors(folder / PATTERNS_FILE)
        counts = map_tensors(folder / COUNTS_FILE)
        profiles = map_tensors(folder / PROFILES_FILE)
        n_pairs, n_patterns = len(pairs["first"]), len(patterns["kinds"])

        def require(holds: bool | np.bool_, what: str) -> None:
            if not holds:
                raise RelrepError(f"{folder}: {what}; the relation table is damaged, train the model anew")

        def matrix(tensors: Mapping[str, NDArray[Any]], name: str, rows: int, dtype: DTypeLike) -> NDArray[Any]:
            array = tensors.get(name)
            require(array is not None and array.ndim == 2 and len(array) == rows, f"{name} does not fit {rows} rows")
            require(array is not None and array.dtype == dtype, f"{name} is not of {np.dtype(dtype)}")
            return np.zeros(0) if array is None else array

        require(len(pairs["reach"]) == 1 and 1 <= pairs["reach"][0] <= 16, "the reach is not one number")
        require(len(pairs["second"]) == len(pairs["meetings"]) == n_pairs, "the pair columns differ in length")
        for name, column in patterns.items():
            require(len(column) == n_patterns, f"there are {n_patterns} patterns but {len(column)} {name}")
        require(bool((patterns["kinds"] < len(PATTERN_KINDS)).all()), "a pattern is of no known kind")
        finite = np.isfinite(patterns["entropy_weights"]).all() and np.isfinite(patterns["totals"]).all()
        require(bool(finite), "a pattern's weight is not a number")
        ends = counts.get("ends", np.zeros(0, np.int64))
        require(ends.dtype == np.int64 and ends.shape == (n_pairs + 1,), f"ends does not fit {n_pairs} pairs")
        require(ends[0] == 0 and (np.diff(ends) >= 0).all(), "ends falls somewhere")
        for name, types in _SMALL.items():
            array = counts.get(name, np.zeros(0))
            require(
                array.dtype in types and array.shape == (int(ends[-1]),), f"{name} does not hold {ends[-1]} entries"
            )
        first, second = pairs["first"], pairs["second"]
        if n_pairs:
            require(first.min() >= 0 and (first < second).all(), "a pair's words are out of order")
            rises = (np.diff(first) > 0) | ((np.diff(first) == 0) & (np.diff(second) > 0))
            require(bool(rises.all()), "the pairs are not sorted")
            require(int(second.max()) < len(words), f"a pair holds word {int(second.max())}, outside the vocabulary")
        basis = Basis(*(matrix(matrices, name, n_patterns, np.float32) for name in ("even", "odd")))
        rank = basis.even.shape[1] + basis.odd.shape[1]
        values = matrix(profiles, "values", n_pairs, np.int8)
        require(values.shape[1] == rank, "profiles and basis differ in their rank")
        numbers = _columns(folder / PROFILES_FILE, _PROFILES)
        require(len(numbers["scales"]) == n_pairs, f"scales does not fit {n_pairs} pairs")
        for name in ("mean", "scale"):
            require(len(numbers[name]) == rank, f"{name} does not fit the rank {rank}")
        for name, array in numbers.items():
            require(bool(np.isfinite(array).all()), f"{name} holds what is not a number")
        ngrams = matrix(matrices, "ngrams", n_patterns, np.int32)
        return cls(
            BoundPairs(
                first, second, pairs["meetings"], DirectedCounts(ends, counts["keys"], counts["counts"], n_patterns),
                int(pairs["reach"][0]),
            ),
            PatternList(ngrams, patterns["kinds"], patterns["occurrences"]),
            PatternSpace(patterns["entropy_weights"], patterns["totals"], basis),
            Whitening(numbers["mean"], numbers["scale"]),
            WhitenedProfiles(values, numbers["scales"], basis.even.shape[1]),
            words,
        )  # fmt: skip


def pattern_label(text: str, is_whole: bool, is_reversed: bool) -> str:
    """A pattern with the places of the two words.

    >>> pattern_label("is a large", True, False), pattern_label("such as", False, True)
    ('X is a large Y', 'Y … such as … X')
    """
    left, right = ("Y", "X") if is_reversed else ("X", "Y")
    return f"{left} {text} {right}" if is_whole else f"{left} … {text} … {right}"


def _as_small(array: NDArray[Any], small: DTypeLike, large: DTypeLike) -> NDArray[Any]:
    """In the small type where it holds every number."""
    fits = not len(array) or int(array.max()) <= np.iinfo(np.dtype(small)).max
    return np.ascontiguousarray(array, dtype=small if fits else large)


def _columns(path: Path, dtypes: Mapping[str, DTypeLike]) -> dict[str, NDArray[Any]]:
    tensors = map_tensors(path)
    for name, dtype in dtypes.items():
        if name not in tensors or tensors[name].ndim != 1 or tensors[name].dtype != dtype:
            raise RelrepError(f"{path}: the row {name!r} of {np.dtype(dtype)} is missing; train the model anew")
    return {name: tensors[name] for name in dtypes}
