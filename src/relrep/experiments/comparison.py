"""The whole comparison: train or find every system, evaluate all, and collect what the report shows."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from relrep.analogy.evaluation import Evaluation
from relrep.baselines import SYSTEMS, BaselineSettings, systems_of, train_baseline
from relrep.corpus.encoded import EncodedCorpus
from relrep.corpus.encoding import CorpusFacts
from relrep.experiments.settings import OBJECTIVES, CompareSettings, title_of
from relrep.experiments.store import Trained, VectorStore
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.training.initial import united_vectors
from relrep.vectors import WordVectors

STEP = "comparing systems"
Evaluator = Callable[[WordVectors, str], Evaluation]


class RelrepTrainer(Protocol):
    """Trains relrep from given vectors on what was mined from the corpus once."""

    def settings(self, objective: str, instances: int | None) -> dict[str, Any]:
        """All settings of a training under an objective with so many instances (None: as configured)."""

    def train(
        self, initial: WordVectors, objective: str, instances: int | None, work: Path, progress: ProgressCallback
    ) -> WordVectors:
        """The trained vectors, a row for each word of the vocabulary; `work` is a folder for checkpoints."""


@dataclass(frozen=True)
class Task:
    """One training to evaluate; `part` is where it is shown: in the table or in one of the figures."""

    part: str
    system: str
    dim: int
    instances: int | None = None


def tasks_of(settings: CompareSettings) -> list[Task]:
    """What a comparison trains and evaluates, in order.

    The figure of dimensionality has relrep and the vectors it starts from; that of instances has relrep with the
    paper's objective. Where relrep starts from the vectors of several systems, these stand in the table as one more.

    >>> [task.system for task in tasks_of(CompareSettings(systems=("glove", "relrep"), instances=(), dims=(50,)))]
    ['glove', 'relrep', 'glove', 'relrep']
    """
    ours = [name for name in settings.systems if name in OBJECTIVES]
    united = [settings.init] if ours and len(systems_of(settings.init)) > 1 else []
    others = [name for name in settings.systems if name not in ours]
    found = [Task("table", name, settings.dim) for name in (*others, *united, *ours)]
    found += [Task("instances", "relrep", settings.dim, n) for n in settings.instances if "relrep" in ours]
    found += [Task("dim", name, dim) for dim in settings.dims for name in (settings.init, *ours)]
    return found


def settings_of(task: Task, settings: CompareSettings, relrep: RelrepTrainer) -> dict[str, Any]:
    """All settings of one training: by these its vectors are found again."""
    parts = systems_of(settings.init if task.system in OBJECTIVES else task.system)
    described = {name: asdict(baseline_settings(name, task.dim, settings)) for name in parts}
    if task.system in SYSTEMS:
        return described[task.system]
    if task.system not in OBJECTIVES:
        return {"dim": task.dim, "united": described}
    return {**relrep.settings(OBJECTIVES[task.system], task.instances), "dim": task.dim, "init": described}


def baseline_settings(name: str, dim: int, settings: CompareSettings) -> BaselineSettings:
    """The settings of one baseline in this comparison."""
    return SYSTEMS[name](**{**settings.baseline_settings.get(name, {}), "dim": dim, "seed": settings.seed})


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
        evidence: Evaluator | None = None,
    ) -> None:
        self.corpus = corpus
        self.evidence = evidence
        self.store = store
        self.relrep = relrep
        self.evaluator = evaluator
        self.settings = settings
        self.threads = threads
        self.memory = memory
        self.progress = progress

    def run(self, task: Task) -> SystemRun:
        trained = self.trained(task)
        title = title_of(task.system)
        evaluation = self.evaluator(trained.vectors, title)
        evidence = None
        if self.evidence is not None and task.part == "table" and OBJECTIVES.get(task.system) == "pairs":
            evidence = self.evidence(trained.vectors, title)
        return SystemRun(task.system, task.dim, task.instances, trained, evaluation, evidence)

    def trained(self, task: Task) -> Trained:
        described = settings_of(task, self.settings, self.relrep)
        kind = self._ours if task.system in OBJECTIVES else self._baseline if task.system in SYSTEMS else self._united
        return self.store.get(task.system, described, kind(task), self.progress)

    def _baseline(self, task: Task) -> Callable[[Path, ProgressCallback], WordVectors]:
        settings = baseline_settings(task.system, task.dim, self.settings)

        def train(work: Path, progress: ProgressCallback) -> WordVectors:
            return train_baseline(task.system, self.corpus, settings, work, self.threads, self.memory, progress)

        return train

    def _united(self, task: Task) -> Callable[[Path, ProgressCallback], WordVectors]:
        several = [self.trained(replace(task, system=name)).vectors for name in systems_of(task.system)]

        def unite(work: Path, progress: ProgressCallback) -> WordVectors:
            vectors = united_vectors([np.asarray(each.vectors) for each in several], task.dim)
            return WordVectors(several[0].index_to_key, vectors)

        return unite

    def _ours(self, task: Task) -> Callable[[Path, ProgressCallback], WordVectors]:
        start = Task(task.part, self.settings.init, task.dim)
        initial = self.trained(start).vectors  # before, so that its time is not relrep's

        def train(work: Path, progress: ProgressCallback) -> WordVectors:
            return self.relrep.train(initial, OBJECTIVES[task.system], task.instances, work, progress)

        return train


def store_of(folder: Path, facts: CorpusFacts, force: bool = False) -> VectorStore:
    """Where the comparison in `folder` keeps the vectors it trained on a corpus."""
    return VectorStore(folder / "vectors", f"{facts.fingerprint}-{facts.words}-{facts.unknown_tokens}", force)


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
    force: bool = False,
    evidence: Evaluator | None = None,
) -> Comparison:
    """Trains what is not in `folder`/vectors yet (or all, with `force`), and evaluates every system alike."""
    begin = time.monotonic()
    store = store_of(folder, facts, force)
    laboratory = _Laboratory(corpus, store, relrep, evaluator, settings, threads, memory, progress, evidence)
    done: dict[str, list[SystemRun]] = {"table": [], "instances": [], "dim": []}
    tasks = tasks_of(settings)
    for number, task in enumerate(tasks):
        progress(Progress(STEP, number, len(tasks), "trainings"))
        done[task.part].append(laboratory.run(task))
    progress(Progress(STEP, len(tasks), len(tasks), "trainings"))
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
            lines.setdefault(title_of(run.system), []).append((place(run), value))
    return found
