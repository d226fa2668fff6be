"""The columns of the paper's Table 1, read off evaluations."""

from dataclasses import dataclass

from relrep.analogy.evaluate import Evaluation
from relrep.analogy.outcomes import Outcome
from relrep.analogy.semeval import mean_scores

SECTION_TITLES = {"semantic": "sem.", "syntactic": "synt.", "total": "total"}
SEMEVAL_TITLES = {"gold": "SemEval", "gold_all": "SemEval, 79 relations", "platinum": "SemEval, platinum"}


@dataclass(frozen=True)
class Column:
    """One column: a question set, and a section of it or "total"."""

    set: str
    section: str
    title: str

    @property
    def key(self) -> str:
        """How reports name the column."""
        return self.set if self.section == "total" else f"{self.set}, {self.section}"


def columns_of(evaluation: Evaluation) -> list[Column]:
    """All columns that an evaluation can fill, in its order: a set's sections first, then its total."""
    columns: list[Column] = []
    for outcome in evaluation.outcomes:
        if outcome.kind == "semeval":
            columns.append(Column(f"semeval {outcome.name}", "total", SEMEVAL_TITLES.get(outcome.name, outcome.name)))
            continue
        sections = [*outcome.by_section(outcome.measures[0]), "total"]
        for section in sections:
            title = SECTION_TITLES.get(section, section) if len(sections) > 1 else set_title(outcome.name)
            columns.append(Column(outcome.name, section, title))
    return columns


def set_title(name: str) -> str:
    """A set's name as the paper writes it.

    >>> set_title("sat"), set_title("msr")
    ('SAT', 'msr')
    """
    return {"sat": "SAT", "google": "Google"}.get(name, name)


def score(evaluation: Evaluation, column: Column, measure: str) -> float:
    """The accuracy in percent; for SemEval the mean MaxDiff accuracy of the relations."""
    outcome = outcome_of(evaluation, column)
    if outcome.kind == "semeval":
        return float(mean_scores(outcome.relations[measure])[0])
    if column.section == "total":
        return outcome.total(measure).percent
    return outcome.by_section(measure)[column.section].percent


def outcome_of(evaluation: Evaluation, column: Column) -> Outcome:
    """The outcome that a column belongs to."""
    return evaluation[column.set.removeprefix("semeval ")]


def best_measure(evaluation: Evaluation, column: Column) -> str:
    """The measure under which a system does best in a column (the first of several)."""
    return max(outcome_of(evaluation, column).measures, key=lambda measure: score(evaluation, column, measure))
