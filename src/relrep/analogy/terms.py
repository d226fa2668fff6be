"""Terms and their unit vectors: words looked up under the protocol's rules, several words as their mean."""

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from relrep.core.arrays import Doubles, Longs
from relrep.errors import RelrepError
from relrep.vectors.word_vectors import WordVectors

NO_ROW = -1
"""The row of a term that is unknown or has no direction."""
_BLOCK = 65_536
_AT_ONCE = 2048


class TermTable:
    """Rows of unit vectors in float64 for the words of `vectors` and, behind them, for composed terms.

    A word whose vector is zero has no direction and counts as unknown.

    >>> vectors = WordVectors(["ice", "cream"], np.array([[3, 0], [0, 2]], dtype=np.float32))
    >>> terms = TermTable(vectors, multiword=True)
    >>> terms.row("Ice"), terms.row("snow"), terms.row("ice cream")
    (0, -1, 2)
    >>> terms.units(np.array([2])).round(3).tolist()
    [[0.707, 0.707]]
    """

    def __init__(self, vectors: WordVectors, case: str = "auto", multiword: bool = False, infer: bool = False) -> None:
        self.vectors = vectors
        self._case = case
        self._multiword, self._infer = multiword, infer
        self._rows: dict[str, int] = {}
        self._composed: list[Doubles] = []
        self._composed_words: list[str] = []
        self.inferred_rows: list[int] = []
        """Words that have no vector but what their spelling tells."""

    @cached_property
    def zero_rows(self) -> Longs:
        """The words with zero vectors."""
        found = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(self.vectors), _BLOCK):
            block = np.asarray(self.vectors.vectors[start : start + _BLOCK])
            squares = np.einsum("ij,ij->i", block, block)  # the quickest look at a row; few need a second one
            odd = np.flatnonzero(~((squares > 0) & np.isfinite(squares)))
            endless = odd[~np.isfinite(block[odd]).all(axis=1)]
            if len(endless):
                bad = start + int(endless[0])
                raise RelrepError(
                    f"the vector of {self.vectors.words[bad]!r} (row {bad + 1}) holds a value that is not a "
                    "finite number; mend or remove it"
                )
            found.append(start + odd[~block[odd].any(axis=1)])
        return np.concatenate(found).astype(np.int64)

    def row(self, term: str) -> int:
        """The row of a term, or NO_ROW."""
        if term not in self._rows:
            self._rows[term] = self._find(term)
        return self._rows[term]

    def rows(self, terms: Iterable[str]) -> Longs:
        return np.fromiter((self.row(term) for term in terms), dtype=np.int64)

    def word(self, row: int) -> str:
        """The term of a row."""
        known = len(self.vectors)
        return self.vectors.words[row] if row < known else self._composed_words[row - known]

    def __len__(self) -> int:
        return len(self.vectors) + len(self._composed)

    @property
    def dimensions(self) -> int:
        return self.vectors.vector_size

    def units(self, rows: Longs | slice) -> Doubles:
        """The unit vectors of rows, as float64."""
        known = len(self.vectors)
        if isinstance(rows, slice) or len(rows) == 0 or int(rows.max()) < known:
            found = np.array(self.vectors.vectors[rows], dtype=np.float64, order="C")
        else:
            composed = rows >= known
            found = np.empty((len(rows), self.dimensions))
            found[~composed] = self.vectors.vectors[rows[~composed]]
            found[composed] = [self._composed[row - known] for row in rows[composed]]
        normalise_rows(found)
        return found

    def _find(self, term: str) -> int:
        row = self.vectors.find(term, self._case, without=self._zero_set)
        if row is not None:
            return row
        row = self._compose(term) if self._multiword else NO_ROW
        return self._inferred(term) if row == NO_ROW and self._infer else row

    def _inferred(self, term: str) -> int:
        """A row with what the spelling of an unknown word tells of its vector."""
        try:
            row = self._append(term, self.vectors.vector_for(term).astype(np.float64))
        except RelrepError:
            return NO_ROW
        self.inferred_rows.append(row)
        return row

    def _append(self, term: str, vector: Doubles) -> int:
        self._composed.append(vector)
        self._composed_words.append(term)
        return len(self) - 1

    @cached_property
    def _zero_set(self) -> frozenset[int]:
        return frozenset(self.zero_rows.tolist())

    def _compose(self, term: str) -> int:
        """The mean of the words' unit vectors, where all of them are known."""
        parts = [part for part in re.split(r"[\s_-]+", term) if part]
        if len(parts) < 2:
            return NO_ROW
        rows = self.rows(parts)
        if (rows == NO_ROW).any():
            return NO_ROW
        mean = self.units(rows).sum(axis=0) / len(parts)
        return self._append(term, mean) if mean.any() else NO_ROW


def no_pair_known(path: object, count: int, terms: TermTable) -> RelrepError:
    """None of the word pairs of a file has vectors."""
    return RelrepError(
        f"{path}: not one of the {count:,} word pairs is known to these {len(terms.vectors):,} words; "
        "check the language and the case of the vectors"
    )


def normalise_rows(rows: Doubles) -> None:
    """Divides each row by its length, in place; a zero row stays zero.

    >>> rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    >>> normalise_rows(rows)
    >>> rows.tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        squares = sum_in_order(some * some)
        some /= np.where(squares > 0, np.sqrt(squares), 1)[:, None]


def sum_in_order(rows: Doubles) -> Doubles:
    """The sum of each row from its first number to its last; `sum` would add in an order of its own."""
    return np.asarray(np.add.accumulate(rows, axis=1)[:, -1] + 0.0)  # + 0.0: a sum that begins at 0 is never −0
