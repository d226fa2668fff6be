"""The tables of a comparison: Table 1 in the paper's layout, best measures with and without evidence, tests."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.evaluate import Evaluation, compare
from relrep.analogy.measures import ALL_MEASURES, READS_CORPUS
from relrep.analogy.outcomes import Difference, Outcome
from relrep.analogy.semeval import mean_scores
from relrep.compare.settings import OBJECTIVES
from relrep.compare.trainings import SystemRun

SECTION_TITLES = {"semantic": "sem.", "syntactic": "synt.", "total": "total"}
SEMEVAL_TITLES = {"gold": "SemEval", "gold_all": "SemEval, 79 relations", "platinum": "SemEval, platinum"}
FOR_KIND = {"open": "cosmix", "choice": "pairmix", "semeval": "pairmix"}
"""The measure with evidence for each kind of question set."""
POOLED = ("sat", "gold")
"""The sets of given pairs that are tested together: SAT, and the 69 test relations of SemEval."""


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

    @property
    def head(self) -> str:
        """The heading: sections say which set they are of."""
        return f"{self.set} {self.title}" if self.title in SECTION_TITLES.values() else self.title


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
                values = tuple(_value(evaluation, column, measure) for column in columns)
                if any(value is not None for value in values):
                    rows.append(Row(evaluation.vectors, ALL_MEASURES[measure], values))
        return cls(columns, tuple(rows), _protocol(evaluations))

    def best(self, column: int) -> float:
        """The best value of a column, to the two places that are printed."""
        values = [row.values[column] for row in self.rows]
        return max(round(value, 2) for value in values if value is not None)

    def cells(self, row: Row) -> list[tuple[str, bool]]:
        """The printed values of a row, and whether each is the best of its column."""
        return [
            ("–", False) if value is None else (f"{value:.2f}", round(value, 2) == self.best(at))
            for at, value in enumerate(row.values)
        ]

    def to_markdown(self) -> str:
        """For report.md."""
        heads = " | ".join(column.head for column in self.columns)
        lines = [f"| system | measure | {heads} |", f"|---|---|{'---:|' * len(self.columns)}"]
        before = ""
        for row in self.rows:
            cells = " | ".join(f"**{text}**" if best else text for text, best in self.cells(row))
            lines.append(f"| {row.system if row.system != before else ''} | {row.measure} | {cells} |")
            before = row.system
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """For report.html."""
        heads = "".join(f"<th>{html.escape(column.head)}</th>" for column in self.columns)
        body = []
        before = ""
        for row in self.rows:
            cells = "".join(f"<td>{f'<b>{text}</b>' if best else text}</td>" for text, best in self.cells(row))
            opens = ' class="opens"' if row.system != before else ""
            name = html.escape(row.system) if row.system != before else ""
            body.append(f"<tr{opens}><th>{name}</th><th>{html.escape(row.measure)}</th>{cells}</tr>")
            before = row.system
        head = f"<thead><tr><th>system</th><th>measure</th>{heads}</tr></thead>"
        return f"<table>{head}<tbody>{''.join(body)}</tbody></table>"

    def to_json(self) -> dict[str, Any]:
        """With full precision."""
        return {
            "protocol": self.protocol,
            "columns": [column.key for column in self.columns],
            "rows": [{"system": row.system, "measure": row.measure, "values": list(row.values)} for row in self.rows],
        }


def _value(evaluation: Evaluation, column: Column, measure: str) -> float | None:
    asked = measure in outcome_of(evaluation, column).measures
    return score(evaluation, column, measure) if asked else None


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
    wanted = [(column.set, column.section, best_measure(ours, column)) for column in columns_of(ours)]
    said: dict[str, list[str]] = {}
    for name, differences in differences_to(ours, others).items():
        sentences = {(each.set, each.section, each.measure): each.sentence for each in differences}
        said[name] = [sentences[key] for key in wanted if key in sentences]
    return said


def evidence_rows(runs: Sequence[SystemRun]) -> tuple[tuple[str, ...], ...]:
    """A table: every system under the best measure of vectors alone, ours also with evidence, marked."""
    columns = columns_of(runs[0].evaluation)
    rows = [("system", "measure", *(column.head for column in columns))]
    for run in runs:
        vectors = run.evaluation
        best = [score(vectors, column, best_measure(vectors, column)) for column in columns]
        rows.append((vectors.vectors, "vectors alone, each column's best", *(f"{value:.2f}" for value in best)))
        if run.evidence is not None:
            with_text = [score(run.evidence, column, _measure(run.evidence, column)) for column in columns]
            rows.append((vectors.vectors, f"CosMix, PairMix {READS_CORPUS}", *(f"{value:.2f}" for value in with_text)))
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


def _right(evaluation: Evaluation, names: Sequence[str]) -> NDArray[np.bool_]:
    """Which questions of the sets are right, each set under the measure chosen for it."""
    parts = []
    for name in names:
        outcome = evaluation[name]
        set_name = f"semeval {name}" if outcome.kind == "semeval" else name
        parts.append(outcome.right[_measure(evaluation, Column(set_name, "total", ""))])
    return np.concatenate(parts)


def _measure(evaluation: Evaluation, column: Column) -> str:
    outcome = outcome_of(evaluation, column)
    return FOR_KIND[outcome.kind] if _reads_corpus(evaluation) else best_measure(evaluation, column)


def _reads_corpus(evaluation: Evaluation) -> bool:
    return any(FOR_KIND[outcome.kind] in outcome.right for outcome in evaluation.outcomes)
