"""The tables of a comparison: Table 1 in the paper's layout, best measures with and without evidence, tests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrep.analogy.evaluate import Evaluation, compare
from relrep.analogy.measures import ALL_MEASURES, READS_CORPUS
from relrep.analogy.outcomes import Difference, Outcome
from relrep.analogy.semeval import mean_scores
from relrep.compare.settings import OBJECTIVES
from relrep.compare.trainings import SystemRun
from relrep.core.arrays import Flags

SECTION_TITLES = {"semantic": "sem.", "syntactic": "synt."}
SET_TITLES = {"sat": "SAT", "google": "Google"}
SEMEVAL_TITLES = {"gold": "SemEval", "gold_all": "SemEval, 79 relations", "platinum": "SemEval, platinum"}
FOR_KIND = {"open": "cosmix", "choice": "pairmix", "semeval": "pairmix"}
"""The measure with evidence for each kind of question set."""
POOLED = ("sat", "gold")
"""The sets of given pairs that are tested together: SAT, and the 69 test relations of SemEval."""


@dataclass(frozen=True)
class Column:
    """One column: a question set, a section of it or "total", the column's name in reports and its heading."""

    set: str
    section: str
    key: str
    head: str


def columns_of(evaluation: Evaluation) -> list[Column]:
    """All columns that an evaluation can fill, in its order: a set's sections first, then its total."""
    columns: list[Column] = []
    for outcome in evaluation.outcomes:
        name = outcome.name
        if outcome.kind == "semeval":
            columns.append(Column(name, "total", f"semeval {name}", SEMEVAL_TITLES.get(name, name)))
            continue
        sections = list(outcome.by_section(outcome.measures[0]))
        for section in sections:
            title = f"{name} {SECTION_TITLES[section]}" if section in SECTION_TITLES else section
            columns.append(Column(name, section, f"{name}, {section}", title))
        columns.append(Column(name, "total", name, f"{name} total" if sections else SET_TITLES.get(name, name)))
    return columns


def score(outcome: Outcome, section: str, measure: str) -> float:
    """The accuracy in percent; for SemEval the mean MaxDiff accuracy of the relations."""
    if outcome.kind == "semeval":
        return mean_scores(outcome.relations[measure])[0]
    if section == "total":
        return outcome.total(measure).percent
    return outcome.by_section(measure)[section].percent


def best_measure(outcome: Outcome, section: str = "total") -> str:
    """The measure under which a system does best in a set or a section of it (the first of several)."""
    return max(outcome.measures, key=lambda measure: score(outcome, section, measure))


@dataclass(frozen=True)
class Row:
    """One system under one measure."""

    system: str
    measure: str
    values: tuple[float | None, ...]
    """None: the measure is not for this set."""


@dataclass(frozen=True)
class TableOne:
    """The table and what was asked under which rules."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    protocol: str

    @classmethod
    def of(cls, evaluations: Sequence[Evaluation]) -> "TableOne":
        """From one evaluation a system; their names are the rows' names."""
        columns = tuple(columns_of(evaluations[0]))
        rows = []
        for evaluation in evaluations:
            for measure in evaluation.protocol.measures:
                outcomes = [(evaluation[column.set], column.section) for column in columns]
                values = tuple(score(*each, measure) if measure in each[0].right else None for each in outcomes)
                if any(value is not None for value in values):
                    rows.append(Row(evaluation.vectors, ALL_MEASURES[measure], values))
        return cls(columns, tuple(rows), _protocol(evaluations))

    def printed(self) -> list[list[str]]:
        """Heading and rows as they are printed: two places, the best of each column in bold, a system named once."""
        values = list(zip(*(row.values for row in self.rows), strict=True))
        best = [max(round(value, 2) for value in column if value is not None) for column in values]
        lines = [["system", "measure", *(column.head for column in self.columns)]]
        before = ""
        for row in self.rows:
            cells = ["–" if value is None else f"{value:.2f}" for value in row.values]
            cells = [f"**{cell}**" if cell == f"{top:.2f}" else cell for cell, top in zip(cells, best, strict=True)]
            lines.append([row.system if row.system != before else "", row.measure, *cells])
            before = row.system
        return lines

    def to_json(self) -> dict[str, Any]:
        """With full precision."""
        return {
            "protocol": self.protocol,
            "columns": [column.key for column in self.columns],
            "rows": [{"system": row.system, "measure": row.measure, "values": list(row.values)} for row in self.rows],
        }


def _protocol(evaluations: Sequence[Evaluation]) -> str:
    protocol = evaluations[0].protocol
    known = []
    for outcome in evaluations[0].outcomes:
        what = "pairs" if outcome.kind == "semeval" else "questions"
        coverage = outcome.coverage
        known.append(f"{outcome.name} {coverage.percent:.1f} % of {coverage.questions:,} {what}")
    where = f"candidates of open questions: {protocol.candidates_in_words}"
    return f"{where}; {protocol.rules_in_words}; coverage: {', '.join(known)}"


def differences_to(ours: Evaluation, others: Sequence[Evaluation]) -> dict[str, list[Difference]]:
    """McNemar's exact tests of our system against each other one: all columns, all measures."""
    return {other.vectors: compare(ours, other) for other in others}


def verdicts(ours: Evaluation, others: Sequence[Evaluation]) -> dict[str, list[str]]:
    """The tests in words: a sentence for each column, under the measure that suits our system best there."""
    wanted = [(column.key, best_measure(ours[column.set], column.section)) for column in columns_of(ours)]
    said: dict[str, list[str]] = {}
    for name, differences in differences_to(ours, others).items():
        sentences = {(each.where, each.measure): each.sentence for each in differences}
        said[name] = [sentences[key] for key in wanted if key in sentences]
    return said


def evidence_rows(runs: Sequence[SystemRun]) -> tuple[tuple[str, ...], ...]:
    """A table: every system under the best measure of vectors alone, ours also with evidence, marked."""
    columns = columns_of(runs[0].evaluation)
    rows = [("system", "measure", *(column.head for column in columns))]
    for run in runs:
        named = {"vectors alone, each column's best": run.evaluation, f"CosMix, PairMix {READS_CORPUS}": run.evidence}
        for measures, evaluation in named.items():
            if evaluation is not None:
                outcomes = [(evaluation[column.set], column.section) for column in columns]
                values = [score(*each, _measure(evaluation, *each)) for each in outcomes]
                rows.append((evaluation.vectors, measures, *(f"{value:.2f}" for value in values)))
    return tuple(rows)


def pooled_tests(runs: Sequence[SystemRun]) -> list[Difference]:
    """Our systems against each baseline: every open set, and the sets of given pairs as one.

    Vectors alone under each side's best measure of a set, then with evidence against the baseline's best.
    """
    ours = [run for run in runs if run.system in OBJECTIVES]
    others = [run.evaluation for run in runs if run.system not in OBJECTIVES]
    found = []
    for run in ours:
        for other in others:
            for mine in filter(None, (run.evaluation, run.evidence)):
                found += list(_tests(mine, other))
    return found


def _tests(mine: Evaluation, other: Evaluation) -> Iterator[Difference]:
    groups = {outcome.name: [outcome.name] for outcome in mine.outcomes if outcome.kind == "open"}
    pooled = [outcome.name for outcome in mine.outcomes if outcome.name in POOLED]
    if pooled:
        groups["given pairs (" + " + ".join(pooled) + ")"] = pooled
    for set_name, names in groups.items():
        first, second = (_right(evaluation, names) for evaluation in (mine, other))
        both = np.concatenate([mine[name].counted & other[name].counted for name in names])
        title = f"CosMix, PairMix {READS_CORPUS}" if _reads_corpus(mine) else "best measure of each"
        yield Difference.of(set_name, "total", "best", title, (mine.vectors, other.vectors), first[both], second[both])


def _right(evaluation: Evaluation, names: Sequence[str]) -> Flags:
    """Which questions of the sets are right, each set under the measure chosen for it."""
    return np.concatenate([evaluation[name].right[_measure(evaluation, evaluation[name])] for name in names])


def _measure(evaluation: Evaluation, outcome: Outcome, section: str = "total") -> str:
    return FOR_KIND[outcome.kind] if _reads_corpus(evaluation) else best_measure(outcome, section)


def _reads_corpus(evaluation: Evaluation) -> bool:
    return any(FOR_KIND[outcome.kind] in outcome.right for outcome in evaluation.outcomes)
