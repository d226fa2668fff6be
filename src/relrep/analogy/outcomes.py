"""What came out of a question set: which questions were right under which measure, and what was answered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.protocol import Protocol
from relrep.analogy.semeval import RelationScore
from relrep.analogy.significance import wilson_interval

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Tally:
    """Right answers out of so many questions.

    >>> Tally(3, 4).percent
    75.0
    """

    right: int
    questions: int

    @property
    def percent(self) -> float:
        """The accuracy."""
        return 100.0 * self.right / self.questions if self.questions else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy."""
        return wilson_interval(self.right, self.questions)


@dataclass(frozen=True)
class Mistake:
    """One wrong answer, for reading; `rank` is that of the best right answer, where it has one."""

    measure: str
    category: str
    question: str
    expected: str
    answered: str
    rank: int | None
    place: str


@dataclass(frozen=True)
class Outcome:
    """One set under all measures; the arrays have one entry a question (SemEval: a guess, two a question).

    `covered` are the questions that could be answered right: their words are known and an answer is a candidate.
    """

    name: str
    kind: str
    path: Path
    protocol: Protocol
    titles: dict[str, str]
    categories: NDArray[np.str_]
    section_of: dict[str, str]
    covered: Flags
    right: dict[str, Flags]
    mistakes: Callable[[], Iterator[Mistake]]
    candidates: int = 0
    relations: dict[str, dict[str, RelationScore]] = field(default_factory=dict)
    known_pairs: tuple[int, int] = (0, 0)

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.right)

    @property
    def counted(self) -> Flags:
        """The questions that make up the score."""
        return self.covered if self.protocol.oov == "skip" else np.ones_like(self.covered)

    @property
    def coverage(self) -> Tally:
        """How many questions can be answered at all (SemEval: how many pairs have vectors)."""
        if self.kind == "semeval":
            return Tally(*self.known_pairs)
        return Tally(int(self.covered.sum()), len(self.covered))

    def coverage_of(self, groups: NDArray[np.str_]) -> dict[str, Tally]:
        """The coverage of each group of questions."""
        return {
            str(name): Tally(int(self.covered[groups == name].sum()), int((groups == name).sum()))
            for name in dict.fromkeys(groups)
        }

    @property
    def sections(self) -> NDArray[np.str_]:
        """The section of each question."""
        return np.array([self.section_of.get(str(name), "other") for name in self.categories])

    def total(self, measure: str) -> Tally:
        """Over the whole set."""
        return self._tally(measure, self.counted)

    def by_category(self, measure: str) -> dict[str, Tally]:
        """Category by category, in the order of the files."""
        return self._by(measure, self.categories)

    def by_section(self, measure: str) -> dict[str, Tally]:
        """Section by section, where the set has any."""
        if not self.section_of:
            return {}
        return self._by(measure, self.sections)

    def _by(self, measure: str, groups: NDArray[np.str_]) -> dict[str, Tally]:
        return {str(name): self._tally(measure, self.counted & (groups == name)) for name in dict.fromkeys(groups)}

    def _tally(self, measure: str, chosen: Flags) -> Tally:
        return Tally(int((self.right[measure] & chosen).sum()), int(chosen.sum()))
