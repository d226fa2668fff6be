"""Our systems with measures that read the corpus at query time, beside vectors alone, and tests over pooled sets."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from relrep.analogy.evaluate import Evaluation
from relrep.analogy.measures import READS_CORPUS
from relrep.analogy.outcomes import Difference, McNemar, Outcome
from relrep.compare.comparison import SystemRun
from relrep.compare.scores import Column, best_measure, columns_of, score
from relrep.compare.settings import OBJECTIVES
from relrep.compare.table_one import column_head

FOR_KIND = {"open": "cosmix", "choice": "pairmix", "semeval": "pairmix"}
"""The measure with evidence for each kind of question set."""
POOLED = ("sat", "gold")
"""The sets of given pairs that are tested together: SAT, and the 69 test relations of SemEval."""


def evidence_rows(runs: Sequence[SystemRun]) -> tuple[tuple[str, ...], ...]:
    """A table: every system under the best measure of vectors alone, ours also with evidence, marked."""
    columns = columns_of(runs[0].evaluation)
    rows = [("system", "measure", *map(column_head, columns))]
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
    for title, names in groups.items():
        first, second = (_right(evaluation, names) for evaluation in (mine, other))
        both = np.concatenate([mine[name].counted & other[name].counted for name in names])
        one, two = first[both], second[both]
        yield Difference(
            title,
            "total",
            "best",
            f"CosMix, PairMix {READS_CORPUS}" if _reads_corpus(mine) else "best measure of each",
            mine.vectors,
            other.vectors,
            100.0 * float(one.mean()) if len(one) else 0.0,
            100.0 * float(two.mean()) if len(two) else 0.0,
            len(one),
            McNemar(int((one & ~two).sum()), int((two & ~one).sum())),
        )


def _right(evaluation: Evaluation, names: Sequence[str]) -> NDArray[np.bool_]:
    """Which questions of the sets are right, each set under the measure chosen for it."""
    parts = []
    for name in names:
        outcome = evaluation[name]
        set_name = f"semeval {name}" if outcome.kind == "semeval" else name
        parts.append(outcome.right[_measure(evaluation, Column(set_name, "total", ""))])
    return np.concatenate(parts)


def _measure(evaluation: Evaluation, column: Column) -> str:
    outcome = _outcome(evaluation, column)
    return FOR_KIND[outcome.kind] if _reads_corpus(evaluation) else best_measure(evaluation, column)


def _outcome(evaluation: Evaluation, column: Column) -> Outcome:
    return evaluation[column.set.removeprefix("semeval ")]


def _reads_corpus(evaluation: Evaluation) -> bool:
    return any(FOR_KIND[outcome.kind] in outcome.right for outcome in evaluation.outcomes)
