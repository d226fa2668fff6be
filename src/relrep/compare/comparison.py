"""The whole comparison: train or find every system, evaluate all, and collect what the report shows."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from relrep.analogy.evaluate import Evaluation
from relrep.compare.scores import best_measure, columns_of, score
from relrep.compare.settings import OBJECTIVES, CompareSettings, title_of
from relrep.compare.table_one import column_head
from relrep.compare.trainings import Task, Trained, Trainings, tasks_of
from relrep.progress import Progress
from relrep.text.encode import CorpusFacts
from relrep.vectors.word_vectors import WordVectors

STEP = "comparing systems"
Evaluator = Callable[[WordVectors, str], Evaluation]


@dataclass(frozen=True, eq=False)
class SystemRun:
    """One system of Table 1, or one point of a figure."""

    system: str
    dim: int
    instances: int | None
    trained: Trained
    evaluation: Evaluation
    evidence: Evaluation | None = None
    """The same vectors under measures that read the corpus at query time."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Everything the report is made of."""

    settings: CompareSettings
    corpus: CorpusFacts
    table: tuple[SystemRun, ...]
    by_instances: tuple[SystemRun, ...]
    by_dim: tuple[SystemRun, ...]
    seconds: float


def run_comparison(trainings: Trainings, evaluator: Evaluator, evidence: Evaluator | None = None) -> Comparison:
    """Trains what is not done yet, and evaluates every system alike."""
    begin = time.monotonic()
    progress, settings = trainings.graph.progress, trainings.settings
    _, facts = trainings.graph.ids()
    by_part: dict[str, list[SystemRun]] = {"table": [], "instances": [], "dim": []}
    tasks = tasks_of(settings)
    for number, task in enumerate(tasks):
        progress(Progress(STEP, number, len(tasks), "trainings"))
        by_part[task.part].append(_run(task, trainings.trained(task), evaluator, evidence))
    progress(Progress(STEP, len(tasks), len(tasks), "trainings"))
    table, by_instances, by_dim = (tuple(by_part[part]) for part in ("table", "instances", "dim"))
    return Comparison(settings, facts, table, by_instances, by_dim, round(time.monotonic() - begin, 1))


def _run(task: Task, trained: Trained, evaluator: Evaluator, evidence: Evaluator | None) -> SystemRun:
    title = title_of(task.system)
    read = None
    if evidence is not None and task.part == "table" and OBJECTIVES.get(task.system) == "coherence":
        read = evidence(trained.vectors, title)
    return SystemRun(task.system, task.dim, task.instances, trained, evaluator(trained.vectors, title), read)


def curves(
    runs: Sequence[SystemRun], position: Callable[[SystemRun], float]
) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """For each column, the best accuracy of each system (over the measures) against `position` of its runs."""
    by_column: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for run in runs:
        for column in columns_of(run.evaluation):
            value = score(run.evaluation, column, best_measure(run.evaluation, column))
            lines = by_column.setdefault(column_head(column), {})
            lines.setdefault(title_of(run.system), []).append((position(run), value))
    return by_column
