"""Table 1 in the paper's layout: systems by measures in rows, question sets in columns, the best of each in bold."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from relrep.analogy.evaluate import Evaluation, compare
from relrep.analogy.measures import ALL_MEASURES
from relrep.analogy.outcomes import Difference
from relrep.compare.scores import Column, best_measure, columns_of, outcome_of, score


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
        heads = " | ".join(column_head(column) for column in self.columns)
        lines = [f"| system | measure | {heads} |", f"|---|---|{'---:|' * len(self.columns)}"]
        before = ""
        for row in self.rows:
            cells = " | ".join(f"**{text}**" if best else text for text, best in self.cells(row))
            lines.append(f"| {row.system if row.system != before else ''} | {row.measure} | {cells} |")
            before = row.system
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """For report.html."""
        heads = "".join(f"<th>{html.escape(column_head(column))}</th>" for column in self.columns)
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


def column_head(column: Column) -> str:
    """A column's heading: sections say which set they are of."""
    return f"{column.set} {column.title}" if column.title in ("sem.", "synt.", "total") else column.title


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
        found = {(each.set, each.section, each.measure): each.sentence for each in differences}
        said[name] = [found[place] for place in wanted if place in found]
    return said
