"""Results as tables, shown by rich on a terminal or written as Markdown, and wrong answers in a file, for reading."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relrep.analogy.evaluate import Evaluation
from relrep.analogy.measures import READS_CORPUS
from relrep.analogy.outcomes import Difference, Outcome, Tally, p_in_words
from relrep.analogy.semeval import mean_scores
from relrep.core.files import written_whole

CORPUS_NOTE = f"{READS_CORPUS} reads the corpus at query time"
MISTAKE_COLUMNS = ("set", "category", "measure", "question", "expected", "answered", "rank", "place")


@dataclass(frozen=True)
class Table:
    """A title, what it was measured under, a heading and rows; `parted` rows open a new part."""

    title: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    parted: frozenset[int] = frozenset()

    def to_markdown(self) -> str:
        """The table in Markdown, its protocol above it."""
        return f"**{self.title}** ({self.caption})\n\n{markdown_table([self.header, *self.rows])}"

    def to_rich(self) -> Any:
        """The table for a terminal."""
        from rich.markup import escape
        from rich.table import Table as RichTable

        table = RichTable(
            title=escape(self.title), caption=escape(self.caption), title_justify="left", caption_justify="left"
        )
        for number, name in enumerate(self.header):
            table.add_column(escape(name), justify="right" if number else "left", no_wrap=number == 0)
        for number, row in enumerate(self.rows):
            if number in self.parted:
                table.add_section()
            table.add_row(*map(escape, row))  # categories may be called "I01 [noun - plural]"
        return table


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Heading and rows as a table in Markdown.

    >>> print(markdown_table([("set", "CosAdd"), ("sat", "29.41")]), end="")
    | set | CosAdd |
    |---|---:|
    | sat | 29.41 |
    """
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|---|{'---:|' * (len(rows[0]) - 1)}", *body, ""])


def result_tables(evaluation: Evaluation, rate: float | None = None) -> list[Table]:
    """A table for each open set, each of multiple choice and each of relations, one for SemEval, one for similarity."""
    collections = [outcome for outcome in evaluation.outcomes if outcome.kind == "semeval"]
    tables = [_set_table(evaluation, outcome, rate) for outcome in evaluation.outcomes if outcome.kind != "semeval"]
    if collections:
        tables.append(_semeval_table(evaluation, collections, rate))
    if evaluation.similarity:
        tables.append(_similarity_table(evaluation))
    return tables


def difference_table(differences: Sequence[Difference]) -> Table:
    """McNemar's tests in rows."""
    first, second = differences[0].first, differences[0].second
    rows = tuple(
        (
            each.where,
            each.title,
            f"{each.first_percent:.2f}",
            f"{each.second_percent:.2f}",
            f"{each.only_first:,}",
            f"{each.only_second:,}",
            p_in_words(each.p_value).removeprefix("p ").removeprefix("= "),
        )
        for each in differences
    )
    header = ("set", "measure", first, second, f"{first} only", f"{second} only", "p")
    parted = frozenset(
        number for number in range(1, len(rows)) if differences[number].set != differences[number - 1].set
    )
    caption = "McNemar's exact test, two-sided; percentages over all answers, SemEval over all guesses"
    return Table(f"{first} against {second}", caption, header, rows, parted)


def write_mistakes(evaluation: Evaluation, path: Path) -> int:
    """Writes one tab-separated line a wrong answer; returns how many there are.

    `rank` is the rank of the best right answer among the candidates or choices; empty where it has none.
    """
    count = 0
    with written_whole(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(MISTAKE_COLUMNS)
        for outcome in evaluation.outcomes:
            for wrong in outcome.mistakes():
                title = outcome.titles[wrong.measure]
                answer = (wrong.question, wrong.expected, wrong.answered, wrong.rank, wrong.place)
                writer.writerow((outcome.name, wrong.category, title, *answer))
                count += 1
    return count


def _set_table(evaluation: Evaluation, outcome: Outcome, rate: float | None) -> Table:
    measures = outcome.measures
    rows: list[tuple[str, ...]] = []
    categories = {name: outcome.by_category(name) for name in measures}
    if len(categories[measures[0]]) > 1:
        for category in categories[measures[0]]:
            covered = outcome.coverage_of(outcome.categories)[category]
            rows.append(_row(category, covered, [categories[name][category] for name in measures]))
    parted = {len(rows)}
    sections = {name: {**outcome.by_section(name), "total": outcome.total(name)} for name in measures}
    for section in sections[measures[0]]:
        tallies = [sections[name][section] for name in measures]
        covered = outcome.coverage if section == "total" else outcome.coverage_of(outcome.sections)[section]
        rows += [_row(section, covered, tallies), _interval_row(tallies)]
    rows += _binomial_row(outcome, rate)
    where = f"candidates: {outcome.protocol.candidates_in_words} ({outcome.candidates:,}); "
    held_out = "each pair held out in turn; " if outcome.kind == "relations" else ""
    caption = ("" if outcome.kind == "choice" else held_out + where) + _rules(outcome, "questions")
    header = (outcome.name, "questions", *(outcome.titles[name] for name in measures))
    return Table(_title(evaluation, outcome.name), caption, header, tuple(rows), frozenset(parted))


def _semeval_table(evaluation: Evaluation, collections: Sequence[Outcome], rate: float | None) -> Table:
    measures = collections[0].measures
    rows: list[tuple[str, ...]] = []
    parted = set()
    for outcome in collections:
        parted.add(len(rows))
        means = [mean_scores(outcome.relations[name]) for name in measures]
        relations = str(len(outcome.relations[measures[0]]))
        shown = {"gold": "gold, test part", "gold_all": "gold, all"}.get(outcome.name, outcome.name)
        rows.append((f"{shown}: MaxDiff %", relations, *(f"{maxdiff:.2f}" for maxdiff, _ in means)))
        rows.append(_interval_row([outcome.total(name) for name in measures]))
        rows.append((f"{shown}: Spearman", relations, *(f"{spearman:.4f}" for _, spearman in means)))
        rows += _binomial_row(outcome, rate)
    header = ("SemEval-2012 Task 2", "relations", *(collections[0].titles[name] for name in measures))
    caption = "means over the relations, intervals over all guesses; " + _rules(collections[-1], "pairs")
    return Table(_title(evaluation, "semeval"), caption, header, tuple(rows), frozenset(parted))


def _similarity_table(evaluation: Evaluation) -> Table:
    rows: list[tuple[str, ...]] = []
    for name, found in evaluation.similarity.items():
        rows.append((*_row(name, found.coverage, []), f"{found.spearman:.4f}"))
        rows.append(("  95 % (Bonett-Wright)", "", "–".join(f"{bound:.3f}" for bound in found.interval)))
    known = [f"{name} {found.coverage.percent:.2f} %" for name, found in evaluation.similarity.items()]
    zero = ", 0 for unknown words" if evaluation.protocol.oov == "wrong" else ""
    caption = (
        f"Spearman's ρ of rating and cosine{zero}; {evaluation.protocol.rules_in_words}; coverage: {', '.join(known)}"
    )
    return Table(_title(evaluation, "similarity"), caption, ("similarity", "pairs", "Spearman"), tuple(rows))


def _row(name: str, covered: Tally, tallies: Sequence[Tally]) -> tuple[str, ...]:
    """A line of scores; where questions could not be answered, how many could."""
    count = (
        f"{covered.questions:,}" if covered.right == covered.questions else f"{covered.right:,}/{covered.questions:,}"
    )
    return (name, count, *(f"{tally.percent:.2f}" for tally in tallies))


def _interval_row(tallies: Sequence[Tally]) -> tuple[str, ...]:
    return ("  95 % (Wilson)", "", *("–".join(f"{bound:.1f}" for bound in tally.interval) for tally in tallies))


def _binomial_row(outcome: Outcome, rate: float | None) -> list[tuple[str, ...]]:
    """Exact binomial tests of the total against a rate in percent."""
    if rate is None:
        return []
    p_values = [outcome.total(name).p_against(rate) for name in outcome.measures]
    return [(f"  against {rate:g} %", "", *map(p_in_words, p_values))]


def _title(evaluation: Evaluation, name: str) -> str:
    return f"{name}: {evaluation.vectors}, {evaluation.words:,} words, {evaluation.dimensions} dimensions"


def _rules(outcome: Outcome, what: str) -> str:
    coverage = outcome.coverage
    known = f"coverage: {coverage.percent:.2f} % ({coverage.right:,} of {coverage.questions:,} {what})"
    note = f"; {CORPUS_NOTE}" if any(READS_CORPUS in title for title in outcome.titles.values()) else ""
    return f"{outcome.protocol.rules_in_words}; {known}{note}"
