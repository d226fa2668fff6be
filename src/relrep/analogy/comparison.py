"""Two systems on the same questions: McNemar's exact test, said in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrep.analogy.evaluate import Evaluation
from relrep.analogy.outcomes import Outcome
from relrep.analogy.significance import McNemar, p_in_words
from relrep.errors import RelrepError


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
    test: McNemar

    @property
    def sentence(self) -> str:
        """What the test says, for people."""
        where = f"{self.set}, {self.section}" if self.section != "total" else self.set
        scores = f"{self.first_percent:.2f} against {self.second_percent:.2f}"
        counts = (
            f"{self.test.only_first:,} of {self.questions:,} answers right with {self.first} only, "
            f"{self.test.only_second:,} with {self.second} only, {p_in_words(self.test.p_value)}"
        )
        if not self.test.significant:
            verdict = "no significant difference"
        else:
            better, worse = (self.first, self.second) if self.first_better else (self.second, self.first)
            verdict = f"{better} is significantly better than {worse}"
        return f"{where}, {self.title}: {verdict} ({scores}; {counts})."

    @property
    def first_better(self) -> bool:
        """Whether the first system alone is right more often."""
        return self.test.only_first > self.test.only_second

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "set": self.set,
            "section": self.section,
            "measure": self.measure,
            "first": self.first_percent,
            "second": self.second_percent,
            "questions": self.questions,
            "only_first": self.test.only_first,
            "only_second": self.test.only_second,
            "p": self.test.p_value,
            "significant": self.test.significant,
            "sentence": self.sentence,
        }


def compare(first: Evaluation, second: Evaluation) -> list[Difference]:
    """McNemar's exact test, question by question, for every set, section and measure that both have.

    Under `oov="skip"` only questions that both can answer are compared. SemEval is compared guess by guess.
    """
    if first.protocol != second.protocol:
        raise RelrepError("the two evaluations follow different protocols; evaluate both under the same one")
    names = (first.vectors, second.vectors) if first.vectors != second.vectors else ("the first", "the second")
    found = {outcome.name: outcome for outcome in second.outcomes}
    return [
        difference
        for outcome in first.outcomes
        if outcome.name in found
        for difference in _differences(outcome, found[outcome.name], *names)
    ]


def _differences(first: Outcome, second: Outcome, *names: str) -> Iterator[Difference]:
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
            one, two = first.right[measure][chosen], second.right[measure][chosen]
            yield Difference(
                shown,
                section,
                measure,
                first.titles[measure],
                names[0],
                names[1],
                100.0 * float(one.mean()) if len(one) else 0.0,
                100.0 * float(two.mean()) if len(two) else 0.0,
                int(chosen.sum()),
                McNemar(int((one & ~two).sum()), int((two & ~one).sum())),
            )
