"""What came out of a question set, and how far it can be trusted.

Which questions were right under which measure and what was answered; Wilson intervals and the exact binomial test of
one score, McNemar's exact test of two systems on the same questions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.questions import Protocol
from relrep.analogy.semeval import RelationScore
from relrep.core.arrays import Flags
from relrep.errors import RelrepError

LEVEL = 0.05
"""Differences with p below this are called significant (95 %)."""


@dataclass(frozen=True)
class Tally:
    """Right answers out of so many questions."""

    right: int
    questions: int

    @property
    def percent(self) -> float:
        return 100.0 * self.right / self.questions if self.questions else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy, in percent.

        >>> [round(bound, 2) for bound in Tally(143, 374).interval]
        [33.45, 43.26]
        """
        from scipy.stats import binomtest  # half a second to import: only where it is needed

        if self.questions == 0:
            return 0.0, 100.0
        interval = binomtest(self.right, self.questions).proportion_ci(1 - LEVEL, method="wilson")
        return 100.0 * float(interval.low), 100.0 * float(interval.high)

    def p_against(self, percent: float) -> float:
        """The p-value of the exact two-sided binomial test against a rate in percent.

        >>> round(Tally(8, 10).p_against(50), 4)
        0.1094
        """
        from scipy.stats import binomtest

        return float(binomtest(self.right, self.questions, percent / 100.0).pvalue) if self.questions else 1.0


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
    keyword: str = ""
    """The keyword that the set was given by, under which JSON has its figures."""

    @property
    def measures(self) -> list[str]:
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
        return np.array([self.section_of.get(str(name), "other") for name in self.categories])

    def total(self, measure: str) -> Tally:
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


def mcnemar(only_first: int, only_second: int) -> float:
    """McNemar's exact p-value, two-sided, from how many questions only one of two systems answers right.

    >>> mcnemar(1, 5)
    0.21875
    """
    return Tally(only_first, only_first + only_second).p_against(50)


def p_in_words(p: float) -> str:
    """A p-value as one writes it.

    >>> p_in_words(0.0213), p_in_words(1e-9)
    ('p = 0.021', 'p < 0.0001')
    """
    if p < 1e-4:
        return "p < 0.0001"
    return f"p = {p:.4f}" if p < 0.001 else f"p = {p:.3f}"


@dataclass(frozen=True)
class Difference:
    """Two systems on one set (or a section of it) under one measure."""

    set: str
    section: str
    measure: str
    title: str
    first: str
    second: str
    first_percent: float
    second_percent: float
    questions: int
    only_first: int
    only_second: int

    @classmethod
    def of(
        cls, set: str, section: str, measure: str, title: str, names: tuple[str, str], first: Flags, second: Flags
    ) -> "Difference":
        """From which questions each of the two systems has right."""
        one, two = (Tally(int(right.sum()), len(right)).percent for right in (first, second))
        only_one = int((first & ~second).sum()), int((second & ~first).sum())
        return cls(set, section, measure, title, *names, one, two, len(first), *only_one)

    @property
    def p_value(self) -> float:
        """Two-sided; 1 where the two never differ."""
        return mcnemar(self.only_first, self.only_second)

    @property
    def significant(self) -> bool:
        """Whether chance alone is an unlikely reason."""
        return self.p_value < LEVEL

    @property
    def where(self) -> str:
        """The set, and the section if it is one."""
        return f"{self.set}, {self.section}" if self.section != "total" else self.set

    @property
    def sentence(self) -> str:
        """What the test says, for people."""
        scores = f"{self.first_percent:.2f} against {self.second_percent:.2f}"
        counts = (
            f"{self.only_first:,} of {self.questions:,} answers right with {self.first} only, "
            f"{self.only_second:,} with {self.second} only, {p_in_words(self.p_value)}"
        )
        if not self.significant:
            verdict = "no significant difference"
        else:
            better, worse = (
                (self.first, self.second) if self.only_first > self.only_second else (self.second, self.first)
            )
            verdict = f"{better} is significantly better than {worse}"
        return f"{self.where}, {self.title}: {verdict} ({scores}; {counts})."

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        tested = {"p": self.p_value, "significant": self.significant, "sentence": self.sentence}
        named = ("set", "section", "measure", "questions", "only_first", "only_second")
        scores = {"first": self.first_percent, "second": self.second_percent}
        return {**{name: getattr(self, name) for name in named}, **scores, **tested}


def differences(first: Outcome, second: Outcome, names: tuple[str, str]) -> Iterator[Difference]:
    """McNemar's exact test, question by question, for a set, its sections and every measure that both have."""
    if len(first.covered) != len(second.covered):
        raise RelrepError(f"the two evaluations of {first.name} asked different questions; evaluate both again")
    both = first.counted & second.counted
    sections = {"total": np.ones_like(both)}
    if first.section_of:
        sections |= {str(name): first.sections == name for name in dict.fromkeys(first.sections)}
    shown = f"semeval {first.name}" if first.kind == "semeval" else first.name
    for section, inside in sections.items():
        chosen = both & inside
        for measure in (name for name in first.measures if name in second.right):
            right = first.right[measure][chosen], second.right[measure][chosen]
            yield Difference.of(shown, section, measure, first.titles[measure], names, *right)
