"""The systems of a comparison, trained and evaluated.

Trainings are stages of one work folder, used again when the same settings come back.
"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from relrep.analogy.evaluate import Evaluation
from relrep.analogy.measures import Measure
from relrep.baselines import train_baseline
from relrep.baselines.init import meta_embedding
from relrep.baselines.settings import SYSTEMS, BaselineSettings
from relrep.coherence.training import train_coherence
from relrep.compare.settings import OBJECTIVES, CompareSettings, title_of
from relrep.config import Config
from relrep.core.arrays import Floats
from relrep.core.checkpoints import read_curve
from relrep.evidence.evidence import Evidence
from relrep.evidence.measures import measures_of
from relrep.evidence.profiles import ProfileMiner
from relrep.paper.instances import InstanceSettings
from relrep.paper.pattern_matrix import pattern_matrix
from relrep.paper.training import train
from relrep.pipeline.estimates import Estimate, baseline_estimate, estimates
from relrep.pipeline.graph import PAPER, Graph
from relrep.pipeline.stages import Planned, RunSettings, Stage, plain
from relrep.progress import Progress, ProgressCallback, ignore
from relrep.text.encode import CorpusFacts
from relrep.vectors.word_vectors import WordVectors

Evaluator = Callable[[WordVectors, str], Evaluation]
_STEP = "comparing systems"
FROM_OUTSIDE = ("objective", "dim", "init")
"""Settings of training that a comparison decides for itself."""
MINED = {
    "paper": [f"{PAPER}pairs", f"{PAPER}patterns", f"{PAPER}counts", "association"],
    "coherence": ["pairs", "patterns", "counts", "relations"],
}
"""What each objective needs of the text beyond its token ids."""


@dataclass(frozen=True)
class Task:
    """One training to evaluate; `part` is where it is shown: in the table or in one of the figures."""

    part: str
    system: str
    dim: int
    instances: int | None = None

    @property
    def name(self) -> str:
        return f"{self.system} d={self.dim}" + (f" n={self.instances}" if self.instances is not None else "")


def tasks_of(settings: CompareSettings) -> list[Task]:
    """What a comparison trains and evaluates, in order.

    The figure of dimensionality has relrep and the vectors it starts from; that of instances has relrep with the
    paper's objective. Where relrep starts from the vectors of several systems, these stand in the table as one more.

    >>> chosen = CompareSettings(systems=("glove", "relrep-paper"), init="glove", instances=(), dims=(50,))
    >>> [task.system for task in tasks_of(chosen)]
    ['glove', 'relrep-paper', 'glove', 'relrep-paper']
    """
    ours = [name for name in settings.systems if name in OBJECTIVES]
    united = [settings.init] if ours and len(settings.start) > 1 else []
    others = [name for name in settings.systems if name not in ours]
    tasks = [Task("table", name, settings.dim) for name in (*others, *united, *ours)]
    tasks += [Task("instances", "relrep-paper", settings.dim, n) for n in settings.instances if "relrep-paper" in ours]
    tasks += [Task("dim", name, dim) for dim in settings.dims for name in (settings.init, *ours)]
    return tasks


@dataclass(frozen=True, eq=False)
class Trained:
    """Vectors, their settings, run time and learning curve; `reused` if they were there already.

    `cpu_seconds` are those of all cores together: unlike `seconds`, other work on the machine hardly changes them.
    """

    vectors: WordVectors
    system: str
    settings: dict[str, Any]
    seconds: float
    cpu_seconds: float
    curve: list[tuple[float, float]]
    reused: bool


class Trainings:
    """Trains every system of a comparison on one corpus; what is mined and trained waits in `folder`."""

    def __init__(
        self,
        corpus: Sequence[str | Path],
        folder: Path,
        config: Config,
        settings: CompareSettings,
        run: RunSettings | None = None,
        progress: ProgressCallback = ignore,
    ) -> None:
        self.config, self.settings = config, settings
        self.graph = Graph(corpus, folder, config, run, progress)
        self._made_now: set[str] = set()

    def baseline_settings(self, name: str, dim: int) -> BaselineSettings:
        """The settings of one baseline in this comparison."""
        changes = self.settings.baseline_settings.get(name, {})
        return SYSTEMS[name](**{**changes, "dim": dim, "seed": self.settings.seed})

    def settings_of(self, task: Task) -> dict[str, Any]:
        """All settings of one training: by these its vectors are found again."""
        parts = self.settings.start if task.system in OBJECTIVES else task.system.split("+")
        described = {name: asdict(self.baseline_settings(name, task.dim)) for name in parts}
        if task.system in SYSTEMS:
            return described[task.system]
        if task.system not in OBJECTIVES:
            return {"dim": task.dim, "united": described}
        objective = OBJECTIVES[task.system]
        ours = self._our_settings(objective, task.instances)
        return {"objective": objective, **ours, "dim": task.dim, "init": described}

    def _our_settings(self, objective: str, instances: int | None) -> dict[str, Any]:
        if objective == "coherence":
            return plain(self.config.coherence)
        parts = (self.config.mining, self.config.association, self._instance_settings(instances), self.config.training)
        described = {name: value for part in parts for name, value in plain(part).items()}
        return {name: value for name, value in described.items() if name not in FROM_OUTSIDE}

    def _instance_settings(self, instances: int | None) -> InstanceSettings:
        if instances is None:
            return self.config.instances
        return replace(self.config.instances, positives=(instances + 1) // 2, negatives=instances // 2)

    def stage_of(self, task: Task) -> Stage:
        """The stage of one training; its name tells its settings apart from others'."""
        settings = self.settings_of(task)
        digest = hashlib.blake2b(json.dumps(settings, sort_keys=True).encode(), digest_size=6).hexdigest()
        stages = self.graph.stages
        inputs = [stages["ids"]]
        if task.system in OBJECTIVES:
            inputs = [stages["relations" if OBJECTIVES[task.system] == "coherence" else "association"]]
        return Stage(f"{task.system}-{digest}", settings, tuple(inputs))

    def trained(self, task: Task) -> Trained:
        """The vectors of one training: those in the work folder, or newly trained ones."""
        initial = None
        if task.system in OBJECTIVES or "+" in task.system:  # before, so that its time is not this one's
            start = self.settings.init if task.system in OBJECTIVES else task.system
            parts = [self.trained(replace(task, system=name, instances=None)) for name in start.split("+")]
            vectors = [np.asarray(part.vectors.vectors) for part in parts]
            initial = vectors[0] if len(vectors) == 1 else meta_embedding(vectors, task.dim)
        stage = self.stage_of(task)

        def learn(parts: Path, progress: ProgressCallback) -> Floats:
            self._made_now.add(stage.name)
            if initial is None:
                settings, run = self.baseline_settings(task.system, task.dim), self.graph.run
                return train_baseline(
                    task.system, self.graph.corpus, settings, parts, run.threads, run.memory, progress
                )
            if task.system in OBJECTIVES:
                return self._learn(initial, task, parts, progress)
            return initial

        vectors_of = self.graph.vectors(stage, learn)
        (seconds, cpu_seconds), curve = read_curve(self.graph.folder / stage.name)
        words = list(self.graph.corpus.vocabulary.words)
        reused = stage.name not in self._made_now
        return Trained(
            WordVectors(words, vectors_of), task.system, self.settings_of(task), seconds, cpu_seconds, curve, reused
        )

    def _learn(self, initial: Floats, task: Task, parts: Path, progress: ProgressCallback) -> Floats:
        graph, threads = self.graph, self.graph.run.threads
        start = np.array(initial, dtype=np.float32)
        if OBJECTIVES[task.system] == "coherence":
            bound, vocabulary = graph.relations().bound, graph.corpus.vocabulary
            return train_coherence(vocabulary, start, bound, self.config.coherence, threads, progress, True)[0]
        chosen = graph.instances(self._instance_settings(task.instances))
        used = np.unique(np.concatenate([chosen.left, chosen.right])).astype(np.int32)
        matrix = pattern_matrix(graph.association(), graph.pairs(PAPER), used, threads, progress)
        checkpoint = parts / "checkpoint.safetensors"
        return train(start, chosen, matrix, self.config.training, checkpoint, threads, progress)[0]

    @cached_property
    def _evidence(self) -> Evidence:
        table, known = self.graph.relations(), self.graph.corpus.vocabulary.id_of
        miner = ProfileMiner(self.graph.index(), table.bound.reach - 1, self.graph.run.threads)
        return Evidence(miner, table.space, table.patterns.codes, lambda word: known.get(word, -1))

    def measures(self, vectors: WordVectors) -> list[Measure]:
        """The measures that read the corpus at query time; near words by `vectors`."""
        return measures_of(self._evidence, vectors)

    def _all_tasks(self) -> list[Task]:
        """All trainings, also those that only serve as a start."""
        tasks: list[Task] = []
        for task in tasks_of(self.settings):
            start = self.settings.init if task.system in OBJECTIVES else task.system
            tasks += [replace(task, system=name, instances=None) for name in start.split("+")]
            tasks.append(task)
        return list({task.name: task for task in tasks}.values())

    @property
    def objectives(self) -> list[str]:
        """What our own systems fit."""
        return [OBJECTIVES[name] for name in self.settings.systems if name in OBJECTIVES]

    def plan(self) -> list[Planned]:
        """Which stages and trainings will run, and why."""
        names = ["ids", *(name for each in self.objectives for name in MINED[each])]
        if "coherence" in self.objectives:
            names.append("index")
        planned = self.graph.plan(names)
        for task in self._all_tasks():
            (of_task,) = self.graph.work.plan([self.stage_of(task)], self.graph.run.force)
            planned.append(replace(of_task, name=task.name))
        return planned

    def needs(self) -> dict[str, Estimate]:
        """About what the stages and trainings that will run need."""
        run, text, limit = self.graph.run, self.graph.text_bytes, self.config.corpus.max_words
        planned = self.plan()
        names = [stage.name for stage in planned if stage.name in self.graph.stages]
        needed = estimates(self.config, text, run.threads, run.memory, [*names, "training"])
        for task in self._all_tasks():
            if task.system in SYSTEMS:
                settings = self.baseline_settings(task.system, task.dim)
                needed[task.name] = baseline_estimate(task.system, settings, text, run.memory, limit)
            else:
                needed[task.name] = needed["training"]
        return {stage.name: needed[stage.name] for stage in planned if stage.runs and stage.name in needed}


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
    if "paper" in trainings.objectives:
        trainings.graph.patterns(PAPER)  # first, as it tells of numbers that cannot be met
    by_part: dict[str, list[SystemRun]] = {"table": [], "instances": [], "dim": []}
    tasks = tasks_of(settings)
    for number, task in enumerate(tasks):
        progress(Progress(_STEP, number, len(tasks), "trainings"))
        by_part[task.part].append(_run(task, trainings.trained(task), evaluator, evidence))
    progress(Progress(_STEP, len(tasks), len(tasks), "trainings"))
    table, by_instances, by_dim = (tuple(by_part[part]) for part in ("table", "instances", "dim"))
    return Comparison(settings, facts, table, by_instances, by_dim, round(time.monotonic() - begin, 1))


def _run(task: Task, trained: Trained, evaluator: Evaluator, evidence: Evaluator | None) -> SystemRun:
    title = title_of(task.system)
    read = None
    if evidence is not None and task.part == "table" and OBJECTIVES.get(task.system) == "coherence":
        read = evidence(trained.vectors, title)
    return SystemRun(task.system, task.dim, task.instances, trained, evaluator(trained.vectors, title), read)
