"""The mined relations on disk: pairs, patterns, and f(p,u,v) pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from relrep.errors import RelrepError
from relrep.kernels.pair_search_rows import measure_rows
from relrep.mapped import let_go
from relrep.relations.by_pattern import BY_PATTERN_FILE, ByPattern
from relrep.tensors import map_tensors, write_tensors

KINDS = ("unigram", "bigram", "midfix")
"""What a pattern can be: one token, two in a row, or all that stands between the two words."""

PAIRS_FILE, PATTERNS_FILE, ASSOCIATION_FILE = "pairs.safetensors", "patterns.safetensors", "f.safetensors"
_PAIR_DTYPES = {"u": np.int32, "v": np.int32, "sentences": np.int64}
_PATTERN_DTYPES = {
    "occurrences": np.int64,
    "weight": np.float64,
    "kind": np.uint8,
    "reversed": np.uint8,
    "text": np.uint8,
}
_F_DTYPES = {"indptr": np.int64, "pattern": np.int32, "weight": np.float32, "count": np.int32}


@dataclass(frozen=True, eq=False)
class Relations:
    """All mined pairs (a row a pair id), all patterns (a row a pattern id), and the entries of f > 0.

    The entries of pair i stand at indptr[i] : indptr[i + 1] in `pattern`, `weight` (f) and `count` (g).

    >>> relations = Relations(
    ...     u=np.array([0], np.int32), v=np.array([1], np.int32), sentences=np.array([50]),
    ...     texts=["is a"], kinds=["bigram"], reversed=np.array([False]), occurrences=np.array([7]),
    ...     weights=np.array([1.5]), indptr=np.array([0, 1]), pattern=np.array([0], np.int32),
    ...     weight=np.array([1.5], np.float32), count=np.array([7]))
    >>> relations.pair_id(0, 1), relations.pair_id(1, 0)
    (0, None)
    """

    u: NDArray[np.int32]
    v: NDArray[np.int32]
    sentences: NDArray[np.int64]
    texts: Sequence[str]
    kinds: Sequence[str]
    reversed: NDArray[np.bool_]
    occurrences: NDArray[np.int64]
    weights: NDArray[np.float64]
    indptr: NDArray[np.int64]
    pattern: NDArray[np.int32]
    weight: NDArray[np.float32]
    count: NDArray[np.int32]

    @property
    def n_pairs(self) -> int:
        """How many word pairs were mined."""
        return len(self.u)

    @property
    def n_patterns(self) -> int:
        """How many patterns were kept."""
        return len(self.texts)

    def pair_id(self, u: int, v: int) -> int | None:
        """The row of the pair (u, v) of word ids, or None where it was not mined."""
        wanted = np.array([u, u + 1, v], dtype=self.u.dtype)  # another type would have the whole column converted
        first, last = np.searchsorted(self.u, wanted[:2])
        row = int(first + np.searchsorted(self.v[first:last], wanted[2]))
        return row if row < last and self.v[row] == v else None

    def label(self, pattern: int) -> str:
        """A pattern as people read it, with the places of the two words; see `pattern_label`."""
        return pattern_label(self.texts[pattern], self.kinds[pattern], bool(self.reversed[pattern]))

    @cached_property
    def ids_by_text(self) -> dict[str, dict[tuple[str, bool], int]]:
        """From a pattern's text to its ids by kind and direction."""
        found: dict[str, dict[tuple[str, bool], int]] = {}
        for pattern, (text, kind, is_reversed) in enumerate(
            zip(self.texts, self.kinds, self.reversed.tolist(), strict=True)
        ):
            found.setdefault(text, {})[kind, is_reversed] = pattern
        return found

    @cached_property
    def measured(self) -> "Measured":
        """The lengths of all rows of f; on the way every entry is checked, so no query follows a damaged one."""
        sound, of_pairs, of_patterns, joined = measure_rows(self.indptr, self.pattern, self.weight, self.n_patterns)
        let_go(self.pattern, self.weight)
        if not sound:
            raise RelrepError("an entry of f names a pattern that is not there or is no number; mine the model anew")
        return Measured(of_pairs, of_patterns, joined)

    @cached_property
    def by_pattern(self) -> ByPattern:
        """The entries of f pattern by pattern: those kept beside the pair's, or computed here."""
        return ByPattern.of(self)

    def check_entries(self) -> None:
        """Raises a RelrepError where an entry of f is damaged; reads them all, once."""
        _ = self.measured

    def write(self, folder: Path) -> None:
        """Writes the files into `folder`, which is made if need be; numbers take the files' types."""
        entries: dict[str, Any] = {
            name: np.asarray(getattr(self, name), dtype=dtype) for name, dtype in _F_DTYPES.items()
        }
        check(replace(self, **entries), str(folder))
        folder.mkdir(parents=True, exist_ok=True)
        pairs = {name: np.asarray(getattr(self, name), dtype=dtype) for name, dtype in _PAIR_DTYPES.items()}
        write_tensors(folder / PAIRS_FILE, pairs)
        patterns: dict[str, Any] = {
            "text": np.frombuffer("".join(f"{text}\n" for text in self.texts).encode(), dtype=np.uint8),
            "kind": [KINDS.index(kind) for kind in self.kinds],
            "reversed": self.reversed,
            "occurrences": self.occurrences,
            "weight": self.weights,
        }
        columns = {name: np.asarray(patterns[name], dtype=dtype) for name, dtype in _PATTERN_DTYPES.items()}
        write_tensors(folder / PATTERNS_FILE, columns)
        write_tensors(folder / ASSOCIATION_FILE, entries)
        ByPattern.of(self, folder / BY_PATTERN_FILE)

    @classmethod
    def open(cls, folder: Path, n_words: int | None = None) -> "Relations":
        """The relations in `folder`, checked; the entries of f stay on disk, memory-mapped."""
        pairs = _map_rows(folder / PAIRS_FILE, _PAIR_DTYPES)
        patterns = _map_rows(folder / PATTERNS_FILE, _PATTERN_DTYPES)
        texts, kinds = _read_texts(folder / PATTERNS_FILE, patterns["text"], patterns["kind"])
        relations = cls(
            **pairs,
            texts=texts,
            kinds=kinds,
            reversed=patterns["reversed"].astype(np.bool_),
            occurrences=patterns["occurrences"],
            weights=patterns["weight"],
            **_map_rows(folder / ASSOCIATION_FILE, _F_DTYPES),
        )
        check(relations, str(folder), n_words)
        if (folder / BY_PATTERN_FILE).exists():
            held = ByPattern.open(folder / BY_PATTERN_FILE, relations.n_patterns, len(relations.pattern))
            relations.__dict__["by_pattern"] = held  # where cached_property keeps its value
        return relations


@dataclass(frozen=True, eq=False)
class Measured:
    """The length of each pair's row of f, of each pattern's (over its pairs), and how many pairs each joins."""

    pair_lengths: NDArray[np.float64]
    pattern_lengths: NDArray[np.float64]
    pairs_per_pattern: NDArray[np.int64]


def pattern_label(text: str, kind: str, is_reversed: bool) -> str:
    """A pattern with the places of the two words.

    >>> pattern_label("is a large", "midfix", False), pattern_label("such as", "bigram", True)
    ('X is a large Y', 'Y … such as … X')
    """
    left, right = ("Y", "X") if is_reversed else ("X", "Y")
    return f"{left} {text} {right}" if kind == "midfix" else f"{left} … {text} … {right}"


def check(relations: Relations, where: str, n_words: int | None = None) -> None:
    """Raises a RelrepError that names the first thing wrong with `relations`.

    The entries of f, which can be many gigabytes, are only counted here; `Relations.measured` reads them.
    """

    def require(holds: bool | np.bool_, what: str) -> None:
        if not holds:
            raise RelrepError(f"{where}: {what}; the relations are damaged, mine them anew")

    r, n_pairs, n_patterns = relations, relations.n_pairs, relations.n_patterns
    require(len(r.v) == len(r.sentences) == n_pairs, "the pair columns differ in length")
    patterns: Mapping[str, Any] = {"kinds": r.kinds, "reversed": r.reversed, "occurrences": r.occurrences}
    for name, column in {**patterns, "weights": r.weights}.items():
        require(len(column) == n_patterns, f"there are {n_patterns} patterns but {len(column)} {name}")
    require(set(r.kinds) <= set(KINDS), f"a pattern's kind is none of {', '.join(KINDS)}")
    require(bool(np.isfinite(r.weights).all()), "a pattern's weight is not a number")
    for name, dtype in _F_DTYPES.items():
        array = getattr(r, name)
        require(array.ndim == 1 and array.dtype == dtype, f"{name} is not a row of {np.dtype(dtype)}")
    require(len(r.indptr) == n_pairs + 1 and r.indptr[0] == 0, f"indptr does not fit {n_pairs} pairs")
    require((np.diff(r.indptr) >= 0).all(), "indptr falls somewhere")
    n_entries = int(r.indptr[-1])
    for name in ("pattern", "weight", "count"):
        require(len(getattr(r, name)) == n_entries, f"{name} does not hold {n_entries} entries")
    if n_pairs:
        require(min(r.u.min(), r.v.min()) >= 0, "a pair holds a negative word id")
        rises = (np.diff(r.u) > 0) | ((np.diff(r.u) == 0) & (np.diff(r.v) > 0))
        require(rises.all(), "the pairs are not sorted by u and v")
        largest = max(int(r.u.max()), int(r.v.max()))
        require(n_words is None or largest < n_words, f"a pair holds word {largest}, outside the vocabulary")


def _map_rows(path: Path, dtypes: Mapping[str, DTypeLike]) -> dict[str, NDArray[Any]]:
    tensors = map_tensors(path)
    for name, dtype in dtypes.items():
        if name not in tensors or tensors[name].ndim != 1 or tensors[name].dtype != dtype:
            raise RelrepError(f"{path}: the row {name!r} of {np.dtype(dtype)} is missing; mine the model anew")
    return {name: tensors[name] for name in dtypes}


def _read_texts(path: Path, text: NDArray[np.uint8], kind: NDArray[np.uint8]) -> tuple[list[str], list[str]]:
    """Each pattern's text and kind."""
    try:
        texts = text.tobytes().decode().split("\n")
    except UnicodeDecodeError as error:
        raise RelrepError(f"{path}: a pattern is no UTF-8 text ({error.reason}); mine the model anew") from None
    if texts.pop() or (kind >= len(KINDS)).any():
        raise RelrepError(f"{path}: a pattern is cut off or of no known kind; mine the model anew")
    return texts, [KINDS[each] for each in kind.tolist()]
