"""What a comparison would do: the stages of mining, and every training, each with the reason."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from relrep.baselines import SYSTEMS, systems_of
from relrep.corpus import CorpusFacts
from relrep.errors import RelrepError
from relrep.estimates import Estimate, baseline_estimate, estimates
from relrep.experiments.comparison import Task, baseline_settings, settings_of, store_of, tasks_of
from relrep.experiments.relrep_system import RelrepSystem
from relrep.experiments.settings import OBJECTIVES, CompareSettings
from relrep.stages import Planned


class ComparisonPlan:
    """Which stages and trainings of a comparison in `folder` will run, and about what they need."""

    def __init__(self, relrep: RelrepSystem, folder: Path, settings: CompareSettings, force: bool = False) -> None:
        self.relrep, self.folder, self.settings, self.force = relrep, folder, settings, force
        self.mining = relrep.mining
        self.stages = [*self._mining(), *self._trainings()]

    def _mining(self) -> list[Planned]:
        """The stages of mining; only the paper's objective needs more than the token ids."""
        stages = list(self.mining.stages.values())
        return self.mining.work.plan(stages if "relrep" in self.settings.systems else stages[:1], self.force)

    def _trainings(self) -> list[Planned]:
        ids = self._mining()[0]
        store = None
        if not ids.runs:
            with suppress(RelrepError):  # then the ids will be read again
                store = store_of(self.folder, CorpusFacts.read(self.mining.folder / "ids"), self.force)
        planned = {}
        for task in self._tasks():
            done = store is not None and store.has(task.system, settings_of(task, self.settings, self.relrep))
            why = "all is done again" if self.force else "ids is done again" if ids.runs else "not done yet"
            planned[name_of(task)] = Planned(name_of(task), not done, "done" if done else why)
        return list(planned.values())

    def _tasks(self) -> list[Task]:
        """All trainings, also those that only serve as a start."""
        found: list[Task] = []
        for task in tasks_of(self.settings):
            start = self.settings.init if task.system in OBJECTIVES else task.system
            found += [replace(task, system=name, instances=None) for name in systems_of(start)]
            if start not in SYSTEMS:
                found.append(replace(task, system=start, instances=None))
            found.append(task)
        return found

    def needs(self) -> dict[str, Estimate]:
        """About what the stages and trainings that will run need."""
        config, run, text = self.relrep.config, self.mining.run_settings, self.mining.text_bytes
        found = estimates(config, text, run.threads, run.memory, [*self.mining.stages, "training"])
        for task in self._tasks():
            if task.system in OBJECTIVES:
                found[name_of(task)] = found["training"]
            elif task.system in SYSTEMS:
                chosen = baseline_settings(task.system, task.dim, self.settings)
                limit = config.corpus.max_words
                found[name_of(task)] = baseline_estimate(task.system, chosen, text, run.threads, run.memory, limit)
        return {stage.name: found[stage.name] for stage in self.stages if stage.runs and stage.name in found}


def name_of(task: Task) -> str:
    """How a training is called in a plan.

    >>> name_of(Task("instances", "relrep", 100, 5000))
    'relrep d=100 n=5000'
    """
    return f"{task.system} d={task.dim}" + (f" n={task.instances}" if task.instances is not None else "")
