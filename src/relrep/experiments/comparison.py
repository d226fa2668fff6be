"""The whole comparison: train or find every system, evaluate all, and collect what the report shows."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from relrep.analogy.evaluation import Evaluation
from relrep.baselines import SYSTEMS, BaselineSettings, train_baseline
from relrep.corpus.encode import CorpusFacts
from relrep.corpus.encoded import EncodedCorpus
from relrep.experiments.settings import OBJECTIVES, SYSTEM_TITLES, CompareSettings
from relrep.experiments.store import Trained, VectorStore
from relrep.files import remove
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.vectors import WordVectors

STEP = "comparing systems"
Evaluator = Callable[[WordVectors, str], Evaluation]


class RelrepTrainer(Protocol):
    """Trains relrep from given vectors on what was mined from the corpus once."""

    def settings(self, objective: str, instances: int | None) -> dict[str, Any]:
        """All settings of a training under an objective with so many instances (None: as configured)."""

    def train(
        self, initial: WordVectors, objective: str, instances: int | None, progress: ProgressCallback
    ) -> WordVectors:
        """The trained vectors, a row for each word of the vocabulary."""


@dataclass(frozen=True, eq=False)
class SystemRun:
    """One system of Table 1, or one point of a figure."""

    system: str
    dim: int
    instances: int | None
    trained: Trained
    evaluation: Evaluation


@dataclass(frozen=True, eq=False)
class Comparison:
    """Everything the report is made of."""

    settings: CompareSettings
    corpus: CorpusFacts
    table: tuple[SystemRun, ...]
    by_instances: tuple[SystemRun, ...]
    by_dim: tuple[SystemRun, ...]
    seconds: float


class _Laboratory:
    """Trains and evaluates one system at a time."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        store: VectorStore,
        relrep: RelrepTrainer,
        evaluator: Evaluator,
        settings: CompareSettings,
        threads: int,
        memory: int,
        progress: ProgressCallback,
    ) -> None:
        self.corpus = corpus
        self.store = store
        self.relrep = relrep
        self.evaluator = evaluator
        self.settings = settings
        self.threads = threads
        self.memory = memory
        self.progress = progress

    def baseline(self, name: str, dim: int) -> SystemRun:
        trained = self.trained_baseline(name, dim)
        return SystemRun(name, dim, None, trained, self.evaluator(trained.vectors, SYSTEM_TITLES[name]))

    def trained_baseline(self, name: str, dim: int) -> Trained:
        settings = self.baseline_settings(name, dim)

        def train(folder: Path, progress: ProgressCallback) -> WordVectors:
            vectors = train_baseline(name, self.corpus, settings, folder, self.threads, self.memory, progress)
            remove(folder)
            return vectors

        return self.store.get(name, asdict(settings), train, self.progress)

    def baseline_settings(self, name: str, dim: int) -> BaselineSettings:
        changes = self.settings.baseline_settings.get(name, {})
        return SYSTEMS[name](**{**changes, "dim": dim, "seed": self.settings.seed})

    def ours(self, name: str, dim: int, instances: int | None = None) -> SystemRun:
        start, objective = self.settings.init, OBJECTIVES[name]
        described = {
            **self.relrep.settings(objective, instances),
            "dim": dim,
            "init": {start: asdict(self.baseline_settings(start, dim))},
        }
        initial = self.trained_baseline(start, dim).vectors  # before, so that its time is not relrep's

        def train(folder: Path, progress: ProgressCallback) -> WordVectors:
            return self.relrep.train(initial, objective, instances, progress)

        trained = self.store.get(name, described, train, self.progress)
        return SystemRun(name, dim, instances, trained, self.evaluator(trained.vectors, SYSTEM_TITLES[name]))

    def run(self, name: str, dim: int) -> SystemRun:
        return self.ours(name, dim) if name in OBJECTIVES else self.baseline(name, dim)


def run_comparison(
    corpus: EncodedCorpus,
    facts: CorpusFacts,
    folder: Path,
    relrep: RelrepTrainer,
    evaluator: Evaluator,
    settings: CompareSettings,
    threads: int = 1,
    memory: int = 4 << 30,
    progress: ProgressCallback = ignore,
) -> Comparison:
    """Trains what is not in `folder`/vectors yet, and evaluates every system under one protocol.

    The figure of dimensionality has relrep and the vectors it starts from; that of instances has relrep with
    the paper's objective.
    """
    begin = time.monotonic()
    key = f"{facts.fingerprint}-{facts.words}-{facts.unknown_tokens}"
    store = VectorStore(folder / "vectors", key)
    laboratory = _Laboratory(corpus, store, relrep, evaluator, settings, threads, memory, progress)
    ours = [name for name in settings.systems if name in OBJECTIVES]
    plan: list[tuple[str, Callable[[], SystemRun]]] = []
    for name in settings.systems:
        plan.append(("table", partial(laboratory.run, name, settings.dim)))
    for instances in settings.instances if "relrep" in ours else ():
        plan.append(("instances", partial(laboratory.ours, "relrep", settings.dim, instances)))
    for dim in settings.dims:
        for name in (settings.init, *ours):
            plan.append(("dim", partial(laboratory.run, name, dim)))
    done: dict[str, list[SystemRun]] = {"table": [], "instances": [], "dim": []}
    for number, (part, task) in enumerate(plan):
        progress(Progress(STEP, number, len(plan), "trainings"))
        done[part].append(task())
    progress(Progress(STEP, len(plan), len(plan), "trainings"))
    return Comparison(
        settings,
        facts,
        tuple(done["table"]),
        tuple(done["instances"]),
        tuple(done["dim"]),
        round(time.monotonic() - begin, 1),
    )


def curves(
    runs: Sequence[SystemRun], place: Callable[[SystemRun], float]
) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """For each column, the best accuracy of each system (over the measures) against `place` of its runs."""
    from relrep.experiments.scores import best_measure, columns_of, score
    from relrep.experiments.table_one import column_head

    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for run in runs:
        for column in columns_of(run.evaluation):
            value = score(run.evaluation, column, best_measure(run.evaluation, column))
            lines = found.setdefault(column_head(column), {})
            lines.setdefault(SYSTEM_TITLES[run.system], []).append((place(run), value))
    return found
