"""Word pairs with people's ratings (WordSim, SimLex, MEN …): read, and held against the cosines of the words."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrep.analogy.outcomes import Tally
from relrep.analogy.questions import Protocol, bad_line, columns, numbered_lines
from relrep.analogy.semeval import spearman
from relrep.analogy.terms import NO_ROW, TermTable, no_pair_known, sum_in_order
from relrep.errors import RelrepError

_NORMAL_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


@dataclass(frozen=True)
class RatedPairs:
    """A named set of word pairs, and how alike people found the two words."""

    name: str
    path: Path
    pairs: tuple[tuple[str, str], ...]
    ratings: tuple[float, ...]


@dataclass(frozen=True)
class Similarity:
    """Spearman's ρ of cosine and rating over the `counted` pairs; `coverage`: how many pairs have vectors."""

    name: str
    protocol: Protocol
    spearman: float
    counted: int
    coverage: Tally

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of ρ: Fisher's z with the variance (1 + ρ²/2)/(n − 3) of Bonett and Wright (2000).

        >>> [round(bound, 3) for bound in Similarity("x", Protocol(), 0.5, 103, Tally(103, 103)).interval]
        [0.329, 0.639]
        """
        if self.counted <= 3 or abs(self.spearman) >= 1.0:
            return (-1.0, 1.0) if self.counted <= 3 else (self.spearman, self.spearman)
        z = math.atanh(self.spearman)
        margin = _NORMAL_95 * math.sqrt((1 + self.spearman**2 / 2) / (self.counted - 3))
        return math.tanh(z - margin), math.tanh(z + margin)

    def to_json(self) -> dict[str, Any]:
        """All figures with full precision."""
        return {
            **self.protocol.rules,
            "coverage": self.coverage.percent,
            "pairs": self.coverage.questions,
            "covered": self.coverage.right,
            "counted": self.counted,
            "spearman": self.spearman,
            "interval": list(self.interval),
        }


def read_similarity(path: Path) -> RatedPairs:
    """Lines of two words and a rating, which is the first column after the words that is a number.

    Columns stand between tabs, semicolons, commas or spaces; a heading and lines that begin with # are passed over.
    """
    lines = [(number, line) for number, line in numbered_lines(path) if not line.startswith("#")]
    rows = [(number, line, [field.strip('"') for field in columns(line, "\t;,")]) for number, line in lines]
    if rows and len(rows[0][2]) > 2 and _rating_column(rows[0][2]) is None:
        del rows[0]
    if not rows:
        raise RelrepError(f"{path}: holds no rated pair; a pair is a line of two words and a rating")
    column = _rating_column(rows[0][2])
    pairs, ratings = [], []
    for number, line, fields in rows:
        rating = _number(fields[column]) if column is not None and len(fields) > column else None
        if rating is None or not all(fields[:2]):
            raise bad_line(path, number, "a rated pair is two words and a number", line)
        pairs.append((fields[0], fields[1]))
        ratings.append(rating)
    return RatedPairs(path.stem, path, tuple(pairs), tuple(ratings))


def _rating_column(fields: list[str]) -> int | None:
    return next((at for at, field in enumerate(fields) if at >= 2 and _number(field) is not None), None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def rate_similarity(asked: RatedPairs, terms: TermTable, protocol: Protocol) -> Similarity:
    """Spearman's ρ of the ratings and the cosines.

    A pair with an unknown word has the cosine 0 (`oov` "wrong") or is left out ("skip").
    """
    rows = np.array([terms.rows(pair) for pair in asked.pairs])
    known = (rows != NO_ROW).all(axis=1)
    if not known.any():
        raise no_pair_known(asked.path, len(known), terms)
    cosines = np.zeros(len(rows))
    cosines[known] = sum_in_order(terms.units(rows[known, 0]) * terms.units(rows[known, 1]))
    counted = known if protocol.oov == "skip" else np.ones_like(known)
    rho = spearman(np.array(asked.ratings)[counted].tolist(), cosines[counted].tolist())
    return Similarity(asked.name, protocol, rho, int(counted.sum()), Tally(int(known.sum()), len(known)))
